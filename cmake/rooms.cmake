# outrider_room(<folder> [SEES room...] [EXCLUDE file-or-folder...])
#
# One static library per folder. Includes are root-relative ("base/url.hpp"), but the project root is on nobody's include
# path: each room exports a directory of its own that holds nothing but a link to its folder. So a room can include exactly
# itself and what it SEES; any other include fails to compile.
function(outrider_room folder)
  cmake_parse_arguments(ROOM "" "" "SEES;EXCLUDE" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  set(target outrider_${name})

  set(gate ${CMAKE_BINARY_DIR}/rooms/${name})
  get_filename_component(parent ${gate}/${folder} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${gate}/${folder} SYMBOLIC)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  foreach(excluded ${ROOM_EXCLUDE})
    set(path ${CMAKE_SOURCE_DIR}/${folder}/${excluded})
    file(GLOB_RECURSE inside ${path}/*.cpp)
    list(REMOVE_ITEM sources ${path} ${inside})
  endforeach()

  set(seen "")
  foreach(room ${ROOM_SEES})
    string(REPLACE "/" "_" room ${room})
    list(APPEND seen outrider_${room})
  endforeach()

  if(NOT sources)  # a room that is only headers so far
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${gate})
    target_link_libraries(${target} INTERFACE ${seen})
    outrider_note_gates(${folder} ${target} INTERFACE_INCLUDE_DIRECTORIES)
    return()
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${gate})
  target_link_libraries(${target} PUBLIC ${seen} PRIVATE outrider_warnings)
  outrider_note_gates(${folder} ${target} INCLUDE_DIRECTORIES)
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder}/precompiled.hpp)
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${folder}/precompiled.hpp)
  elseif(TARGET outrider_base)
    target_precompile_headers(${target} REUSE_FROM outrider_base)
  endif()
endfunction()

# Writes down what a room really sees: one include directory a line. tests/checks/room_gates compares it with the plan.
function(outrider_note_gates folder target property)
  string(REPLACE "/" "_" name ${folder})
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/rooms/${name}.sees
    CONTENT "${folder}\n$<JOIN:$<TARGET_PROPERTY:${target},${property}>,\n>\n")
endfunction()

# The tests' own gate: "tests/support/…" for every test and fuzz target, for no room.
set(OUTRIDER_TEST_GATE ${CMAKE_BINARY_DIR}/rooms/tests)
file(MAKE_DIRECTORY ${OUTRIDER_TEST_GATE})
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/tests ${OUTRIDER_TEST_GATE}/tests SYMBOLIC)
