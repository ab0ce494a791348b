# Finds what lacuna-formats links: libmatio, HDF5 with its high-level part, NetCDF and libtiff, and defines
# FormatLibraries::FormatLibraries. Debian's files of them come without a CMake package, or with one that also asks for C.
include(FindPackageHandleStandardArgs)

find_path(FormatLibraries_MATIO_INCLUDE matio.h)
find_path(FormatLibraries_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
find_path(FormatLibraries_NETCDF_INCLUDE netcdf.h)
find_path(FormatLibraries_TIFF_INCLUDE tiffio.h)
find_library(FormatLibraries_MATIO matio)
find_library(FormatLibraries_HDF5 NAMES hdf5 hdf5_serial PATH_SUFFIXES hdf5/serial)
find_library(FormatLibraries_HDF5_HL NAMES hdf5_hl hdf5_serial_hl PATH_SUFFIXES hdf5/serial)
find_library(FormatLibraries_NETCDF netcdf)
find_library(FormatLibraries_TIFF tiff)
set(required FormatLibraries_MATIO FormatLibraries_HDF5 FormatLibraries_HDF5_HL FormatLibraries_NETCDF FormatLibraries_TIFF
  FormatLibraries_MATIO_INCLUDE FormatLibraries_HDF5_INCLUDE FormatLibraries_NETCDF_INCLUDE FormatLibraries_TIFF_INCLUDE)
mark_as_advanced(${required})

find_package_handle_standard_args(FormatLibraries REQUIRED_VARS ${required})
if(FormatLibraries_FOUND AND NOT TARGET FormatLibraries::FormatLibraries)
  add_library(FormatLibraries::FormatLibraries INTERFACE IMPORTED)
  set_target_properties(FormatLibraries::FormatLibraries PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${FormatLibraries_MATIO_INCLUDE};${FormatLibraries_HDF5_INCLUDE};${FormatLibraries_NETCDF_INCLUDE};${FormatLibraries_TIFF_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "${FormatLibraries_MATIO};${FormatLibraries_NETCDF};${FormatLibraries_HDF5_HL};${FormatLibraries_HDF5};${FormatLibraries_TIFF}")
endif()
