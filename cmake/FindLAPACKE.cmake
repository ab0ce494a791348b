# Finds LAPACKE (LAPACK for C): defines LAPACKE::LAPACKE. It comes without a CMake package of its own, so this file is
# installed beside lacuna's and used by lacunaConfig.cmake, too.
include(FindPackageHandleStandardArgs)

find_path(LAPACKE_INCLUDE_DIR lapacke.h)
find_library(LAPACKE_LIBRARY NAMES liblapacke.a lapacke)  # the shared one would load the shared LAPACK
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY)

find_package_handle_standard_args(LAPACKE REQUIRED_VARS LAPACKE_LIBRARY LAPACKE_INCLUDE_DIR)
if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE UNKNOWN IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES
    IMPORTED_LOCATION "${LAPACKE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}")
endif()
