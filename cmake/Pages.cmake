# What the program says of itself, installed where shells and man look: the manual page and the completion scripts.
set(pages ${CMAKE_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${pages})
add_custom_command(OUTPUT ${pages}/lacuna.1 ${pages}/lacuna ${pages}/_lacuna ${pages}/lacuna.fish DEPENDS lacuna_cli
  COMMAND lacuna_cli man > ${pages}/lacuna.1
  COMMAND lacuna_cli completion bash > ${pages}/lacuna
  COMMAND lacuna_cli completion zsh > ${pages}/_lacuna
  COMMAND lacuna_cli completion fish > ${pages}/lacuna.fish
  COMMENT "Manual page and completion scripts")
add_custom_target(lacuna_pages ALL DEPENDS ${pages}/lacuna.1)
install(FILES ${pages}/lacuna.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/lacuna DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/_lacuna DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${pages}/lacuna.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)  # as Debian calls it
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
