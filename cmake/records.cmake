# outrider_records(<target> <file.proto>...): records on disk as Protocol Buffers, compiled into a library of their own, because the
# generated code does not keep to our warnings. Included as "cache/records/memory.pb.h".
function(outrider_records target)
  set(generated ${CMAKE_BINARY_DIR}/records)
  file(MAKE_DIRECTORY ${generated})
  foreach(proto ${ARGN})
    string(REGEX REPLACE "\\.proto$" ".pb" stem ${proto})
    add_custom_command(OUTPUT ${generated}/${stem}.cc ${generated}/${stem}.h
      COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${generated} ${proto}
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DEPENDS ${CMAKE_SOURCE_DIR}/${proto} VERBATIM)
    list(APPEND sources ${generated}/${stem}.cc)
    list(APPEND headers ${generated}/${stem}.h)
  endforeach()
  add_library(${target} STATIC ${sources} ${headers})
  target_include_directories(${target} SYSTEM PUBLIC ${generated})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf-lite)
endfunction()
