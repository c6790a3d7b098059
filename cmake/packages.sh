# shellcheck shell=bash disable=SC2034  # sourced by ./run, ./test and cmake/house.sh
# The Debian 12 packages behind Outrider, in groups: what a group is for, and what it contains. cmake/dependencies.cmake finds
# the libraries. A package is listed once it is used. Never libboost-dev: that is Boost 1.74 and conflicts with 1.81.

why_build="compiler and build tools"
packages_build="g++ cmake ninja-build pkg-config esbuild"

why_libraries="libraries that Outrider is built on"
packages_libraries="libboost1.81-dev libboost-json1.81-dev node-llhttp libssl-dev libfmt-dev libspdlog-dev
  libtomlplusplus-dev libcli11-dev libpsl-dev libnghttp2-dev libicu-dev libcrypt-dev
  librocksdb-dev libxxhash-dev libjemalloc-dev libprotobuf-dev protobuf-compiler zlib1g-dev libbrotli-dev libzstd-dev
  libuchardet-dev libgumbo-dev libcld2-dev libxapian-dev libre2-dev"

why_runtime="data read at run time: trusted certificate authorities, public suffixes"
packages_runtime="ca-certificates publicsuffix"

# Installed along with the rest, never asked for on their own: the build works without them.
why_faster="faster linking and rebuilding (optional)"
packages_faster="mold ccache"

why_test="test and benchmark frameworks"
packages_test="libgtest-dev libgmock-dev libbenchmark-dev"

why_bench="other parsers that the benchmarks measure beside ours"
packages_bench="libmodest-dev"

why_check="checks of format and scripts"
packages_check="clang-format shellcheck"

why_e2e="real clients for the end-to-end tests"
packages_e2e="curl wget git openssl python3 python3-jsonschema"

why_browsers="real browsers for the end-to-end tests"
packages_browsers="nginx-light chromium firefox-esr libnss3-tools nodejs npm"

why_fuzz="libFuzzer"
packages_fuzz="clang-16 libclang-rt-16-dev llvm-16"

why_tidy="static analysis"
packages_tidy="clang-tidy"
