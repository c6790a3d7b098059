# cmake --install: the program, its manual page and its completions, which it writes itself.
include(GNUInstallDirs)
set(help ${CMAKE_BINARY_DIR}/help)
file(MAKE_DIRECTORY ${help})
add_custom_command(OUTPUT ${help}/outrider.1 ${help}/outrider.bash ${help}/_outrider ${help}/outrider.fish
  COMMAND outrider man > ${help}/outrider.1
  COMMAND outrider completion bash > ${help}/outrider.bash
  COMMAND outrider completion zsh > ${help}/_outrider
  COMMAND outrider completion fish > ${help}/outrider.fish
  DEPENDS outrider VERBATIM)
add_custom_target(outrider_help DEPENDS ${help}/outrider.1 ${help}/outrider.bash ${help}/_outrider ${help}/outrider.fish)
install(TARGETS outrider RUNTIME)
# Not part of `all`, which must not run what it builds: made when it is installed.
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target outrider_help COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${help}/outrider.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${help}/outrider.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME outrider)
install(FILES ${help}/_outrider DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${help}/outrider.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
