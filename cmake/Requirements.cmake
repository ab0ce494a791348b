# Looks for every library before it complains, so that one message names all that are missing and where to get them.
set(LACUNA_MISSING "")

# lacuna_require(PACKAGE DEBIAN_PACKAGES [arguments of find_package])
macro(lacuna_require package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    string(REGEX MATCH "^[0-9.]+" version "${ARGN}")
    string(STRIP "${package} ${version}" named)
    list(APPEND LACUNA_MISSING "${named} (Debian and Ubuntu: ${debian})")
  endif()
endmacro()

macro(lacuna_require_header header debian variable)
  find_path(${variable} ${header})
  if(NOT ${variable})
    list(APPEND LACUNA_MISSING "${header} (Debian and Ubuntu: ${debian})")
  endif()
endmacro()

macro(lacuna_check_requirements)
  if(LACUNA_MISSING)
    list(JOIN LACUNA_MISSING "\n  " missing)
    message(FATAL_ERROR "lacuna is built with libraries that CMake does not find here:\n  ${missing}\n"
                        "On Debian and Ubuntu scripts/install-deps installs all of them.")
  endif()
endmacro()
