# cpack -G DEB or TGZ in the build folder: program, library, manual page, completion, documentation, licence.
set(CPACK_PACKAGE_NAME lacuna)
set(CPACK_PACKAGE_CONTACT "The lacuna developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};lacuna;ALL;/")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # asks dpkg-shlibdeps which packages hold the libraries it links
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg")
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # packs what is built and builds nothing itself
include(CPack)
