# outrider_grouped(<variable> <name> <number of groups> <source>...)
#
# Sets the variable to generated sources that include the given tests, a handful each. Most of the time to compile a test goes into
# what it includes, and a group does that once. Which group a file belongs to depends on its name alone: a new file moves no other.
function(outrider_grouped variable name count)
  # A test that includes nothing of tests/support says testing:: and means GoogleTest; in a group there is ours, too.
  set(begin "#include <gtest/gtest.h>\n\nnamespace outrider::testing {\nusing namespace ::testing;\n}\n\n")
  foreach(source ${ARGN})
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${source})
    string(MD5 digest ${path})
    string(SUBSTRING ${digest} 0 7 digest)
    math(EXPR number "0x${digest} % ${count}")
    list(APPEND numbers ${number})
    string(APPEND includes_${number} "#include \"${path}\"\n")  # by way of a gate: the same in every clone, for ccache
  endforeach()
  list(REMOVE_DUPLICATES numbers)
  foreach(number ${numbers})
    set(file ${CMAKE_BINARY_DIR}/groups/${name}_${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${begin}${includes_${number}}" @ONLY)  # left alone if nothing has changed
    list(APPEND files ${file})
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()
