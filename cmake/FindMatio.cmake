# Finds libmatio (MATLAB files): defines Matio::Matio. It comes without a CMake package of its own, so this file is
# installed beside lacuna's and used by lacunaConfig.cmake, too.
include(FindPackageHandleStandardArgs)

find_path(Matio_INCLUDE_DIR matio.h)
find_library(Matio_LIBRARY matio)
mark_as_advanced(Matio_INCLUDE_DIR Matio_LIBRARY)

find_package_handle_standard_args(Matio REQUIRED_VARS Matio_LIBRARY Matio_INCLUDE_DIR)
if(Matio_FOUND AND NOT TARGET Matio::Matio)
  add_library(Matio::Matio UNKNOWN IMPORTED)
  set_target_properties(Matio::Matio PROPERTIES
    IMPORTED_LOCATION "${Matio_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Matio_INCLUDE_DIR}")
endif()
