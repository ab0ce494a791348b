# Finds libmatio (MATLAB files) and the HDF5 it was built with: defines Matio::Matio. It comes without a CMake package of its own, so this file is
# installed beside lacuna's and used by lacunaConfig.cmake, too.
include(FindPackageHandleStandardArgs)

find_path(Matio_INCLUDE_DIR matio.h)
find_library(Matio_LIBRARY matio)
find_path(Matio_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(Matio_HDF5_LIBRARY NAMES hdf5 hdf5_serial PATH_SUFFIXES hdf5/serial)
mark_as_advanced(Matio_INCLUDE_DIR Matio_LIBRARY Matio_HDF5_INCLUDE_DIR Matio_HDF5_LIBRARY)

find_package_handle_standard_args(Matio REQUIRED_VARS Matio_LIBRARY Matio_INCLUDE_DIR Matio_HDF5_LIBRARY Matio_HDF5_INCLUDE_DIR)
if(Matio_FOUND AND NOT TARGET Matio::Matio)
  add_library(Matio::Matio UNKNOWN IMPORTED)
  set_target_properties(Matio::Matio PROPERTIES
    IMPORTED_LOCATION "${Matio_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Matio_INCLUDE_DIR};${Matio_HDF5_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${Matio_HDF5_LIBRARY}")
endif()
