# Finds the reference LAPACK and BLAS as archives: defines LapackArchive::LapackArchive. The shared ones are whatever the
# system's alternatives point to, often an OpenBLAS that starts a thread for each processor when it is loaded, before
# main and whatever --threads says, and that waits for ever where memory for them is refused. What lacuna takes from
# LAPACK is a tridiagonal eigensolver, which spends no time in BLAS. Where there are no archives it is LAPACK::LAPACK.
# This file is installed beside lacuna's and used by lacunaConfig.cmake, too.
include(FindPackageHandleStandardArgs)

find_library(LapackArchive_LAPACK liblapack.a PATH_SUFFIXES lapack)
find_library(LapackArchive_BLAS libblas.a PATH_SUFFIXES blas)
find_path(LapackArchive_INCLUDE lapack.h)  # of LAPACKE: the prototypes; its library is not needed
mark_as_advanced(LapackArchive_LAPACK LapackArchive_BLAS LapackArchive_INCLUDE)

if(NOT TARGET LapackArchive::LapackArchive)
  add_library(LapackArchive::LapackArchive INTERFACE IMPORTED)
  if(LapackArchive_LAPACK AND LapackArchive_BLAS)
    # xerbla_ is lacuna's own (src/linalg/lapack_errors.cpp), or LAPACK's would bring in Fortran's run-time library.
    set_target_properties(LapackArchive::LapackArchive PROPERTIES
      INTERFACE_LINK_LIBRARIES "${LapackArchive_LAPACK};${LapackArchive_BLAS};m"
      INTERFACE_LINK_OPTIONS "LINKER:-u,xerbla_")
  else()
    find_package(LAPACK REQUIRED)
    set_target_properties(LapackArchive::LapackArchive PROPERTIES INTERFACE_LINK_LIBRARIES LAPACK::LAPACK)
  endif()
endif()
set_property(TARGET LapackArchive::LapackArchive PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${LapackArchive_INCLUDE}")
find_package_handle_standard_args(LapackArchive REQUIRED_VARS LapackArchive_INCLUDE)
