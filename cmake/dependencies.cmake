# Every library Outrider stands on, found in one place. The Debian packages behind them: packages.sh.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3.0 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc i18n)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(psl REQUIRED IMPORTED_TARGET libpsl)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(crypt REQUIRED IMPORTED_TARGET libcrypt)
include(rocksdb)  # outrider_rocksdb
pkg_check_modules(jemalloc REQUIRED IMPORTED_TARGET jemalloc)
pkg_check_modules(brotli REQUIRED IMPORTED_TARGET libbrotlidec libbrotlienc)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
find_package(ZLIB REQUIRED)
pkg_check_modules(uchardet REQUIRED IMPORTED_TARGET uchardet)
pkg_check_modules(gumbo REQUIRED IMPORTED_TARGET gumbo)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
set_target_properties(PkgConfig::re2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")  # its -pthread would not fit the precompiled header
pkg_check_modules(xapian REQUIRED IMPORTED_TARGET xapian-core)
find_package(Protobuf REQUIRED)  # records on disk; its light runtime only
find_library(CLD2_LIBRARY cld2 REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)

# Asio: compiled once (base/asio_impl.cpp) instead of in every file that uses it. Coroutine frames come from operator new:
# aligned_alloc has no fast path in the C library, and nothing in a frame needs more than its alignment.
add_library(outrider_asio INTERFACE)
target_compile_definitions(outrider_asio INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_VISIBILITY
  BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC BOOST_ASIO_DISABLE_BOOST_ALIGN
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=8)
target_link_libraries(outrider_asio INTERFACE Boost::headers Threads::Threads)

# llhttp: Debian's node-llhttp ships the generated C sources; strict mode is a compile-time switch, so we compile them.
find_path(LLHTTP_INCLUDE llhttp.h PATHS /usr/share/include/llhttp /usr/include/llhttp REQUIRED)
find_path(LLHTTP_SOURCES llhttp.c PATHS /usr/share/llhttp REQUIRED)
add_library(outrider_llhttp STATIC
  ${LLHTTP_SOURCES}/llhttp.c ${LLHTTP_SOURCES}/api.c ${LLHTTP_SOURCES}/http.c)
target_compile_definitions(outrider_llhttp PUBLIC LLHTTP_STRICT_MODE=1)
target_compile_options(outrider_llhttp PRIVATE -fexceptions)  # a callback that runs out of memory throws through it
target_include_directories(outrider_llhttp SYSTEM PUBLIC ${LLHTTP_INCLUDE})
