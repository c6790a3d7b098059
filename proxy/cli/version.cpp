#include "proxy/cli/version.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/format.h>
#include <libpsl.h>
#include <llhttp.h>
#include <openssl/crypto.h>
#include <spdlog/version.h>
#include <toml++/toml.h>
#include <unicode/uversion.h>
#include <CLI/Version.hpp>
#include <boost/version.hpp>

#include <memory>

namespace outrider::cli {
namespace {

std::string icu_version() {
  UVersionInfo version;
  char text[U_MAX_VERSION_STRING_LENGTH];
  u_getVersion(version);
  u_versionToString(version, text);
  return text;
}

// Those that are linked dynamically answer for themselves: what runs may differ from what was compiled against.
std::string details() {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view value) {
    out += fmt::format("{:<10}{}\n", name, value);
  };
  add("build", OUTRIDER_BUILD_TYPE);
  add("compiler", __VERSION__);
  add("Boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100));
  add("OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING));
  add("llhttp", fmt::format("{}.{}.{}", LLHTTP_VERSION_MAJOR, LLHTTP_VERSION_MINOR, LLHTTP_VERSION_PATCH));
  add("ICU", icu_version());
  add("libpsl", psl_get_version());
  add("fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100));
  add("spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH));
  add("toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH));
  add("CLI11", CLI11_VERSION);
  return out;
}

}  // namespace

std::string_view version() {
  return OUTRIDER_VERSION;
}

void add_version(CommandLine& line) {
  const auto verbose = std::make_shared<bool>(false);
  line.app().add_flag("-v,--verbose", *verbose, "With --version: also the build and its libraries");
  line.add_instead("-V,--version", "Print the version", [verbose] {
    Output out;
    out.line("outrider " OUTRIDER_VERSION);
    if (*verbose) out.write(details());
    return out.finish();
  });
}

}  // namespace outrider::cli
