# outrider_plugin(<name> <source>...)
#
# A plugin that is loaded at run time: NAME.so beside the program. It sees base and plugins/api, as every plugin does, but links
# none of it: the program that loads it has it all, and there must be only one of each.
function(outrider_plugin name)
  add_library(${name}_plugin MODULE ${ARGN})
  set_target_properties(${name}_plugin PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  target_include_directories(${name}_plugin PRIVATE
    ${CMAKE_BINARY_DIR}/rooms/base ${CMAKE_BINARY_DIR}/rooms/plugins_api ${CMAKE_BINARY_DIR}/rooms/plugins_example)
  target_compile_definitions(${name}_plugin PRIVATE $<TARGET_PROPERTY:outrider_base,INTERFACE_COMPILE_DEFINITIONS>)
  target_compile_options(${name}_plugin PRIVATE -fPIC)
  target_link_options(${name}_plugin PRIVATE -no-pie)
  target_link_libraries(${name}_plugin PRIVATE outrider_warnings fmt::fmt Boost::json)
endfunction()
