# Language level, warnings, sanitizers and the fast parts of the tool chain (ccache, mold) when they are present.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# No link-time optimisation: measured on a forwarded request it saved nothing (34.6k against 33.6k user instructions, CPU within the
# noise) and doubled the time to build.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

find_program(OUTRIDER_CCACHE ccache NO_CACHE)
if(OUTRIDER_CCACHE)
  # base_dir: clones at different paths share the cache. The sloppiness is what ccache asks for with precompiled headers.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${OUTRIDER_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
find_program(OUTRIDER_MOLD mold NO_CACHE)
if(OUTRIDER_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Warnings apply to our code only: the rooms and tests link this, third-party targets do not.
add_library(outrider_warnings INTERFACE)
target_compile_options(outrider_warnings INTERFACE
  -Wall -Wextra $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic> -Wshadow -Wconversion -Wno-sign-conversion
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>)  # GCC 12 false positive with Asio's frame allocator
if(OUTRIDER_WERROR)
  target_compile_options(outrider_warnings INTERFACE -Werror)
endif()

if(OUTRIDER_SANITIZE)
  # The sanitizers' own instructions confuse these checks of GCC's optimizer; the other presets have them.
  target_compile_options(outrider_warnings INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread>)
  add_compile_options(-fsanitize=${OUTRIDER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  # GCC asks these questions at every use of a pointer, which takes 40 % of the time to compile; what they find mostly ends in a report
  # of AddressSanitizer, too. The fuzz preset (clang) asks them all.
  if(OUTRIDER_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(
      -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow,nonnull-attribute,returns-nonnull-attribute,builtin)
  endif()
  add_link_options(-fsanitize=${OUTRIDER_SANITIZE})
  if(OUTRIDER_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(outrider_warnings INTERFACE -Wno-tsan)
  endif()
endif()
# Hardening: cheap in a release build, thorough in the others.
add_compile_options(-fstack-protector-strong)
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS> $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
# The same for libraries and programs (CMAKE_POSITION_INDEPENDENT_CODE is not), or they could not share a precompiled header.
add_compile_options(-fPIE)
add_link_options(-pie -Wl,-z,relro,-z,now)
