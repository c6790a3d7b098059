#include "base/public_suffix.hpp"

#include <libpsl.h>

#include <algorithm>
#include <string>

namespace outrider {
namespace {

// Built into the library where the package was built that way, otherwise read once from the system's file. Never freed:
// it is read by every thread until the process ends.
const psl_ctx_t* suffix_list() {
  static const psl_ctx_t* const list = psl_builtin() != nullptr ? psl_builtin() : psl_latest(nullptr);
  return list;
}

// A name with more labels than DNS can hold (253 bytes) only costs time: libpsl walks it label by label.
constexpr std::size_t kMaxName = 255;

}  // namespace

std::string_view registrable_domain(std::string_view host) {
  std::string_view name = host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
  if (name.size() > kMaxName) {
    const std::size_t dot = name.find('.', name.size() - kMaxName);
    if (dot == std::string_view::npos) return {};
    name.remove_prefix(dot + 1);
  }
  if (name.empty() || name.front() == '.' || name.find("..") != std::string_view::npos) return {};
  const std::string terminated(name);
  const char* found = suffix_list() != nullptr ? psl_registrable_domain(suffix_list(), terminated.c_str()) : nullptr;
  if (found == nullptr) return {};
  const std::size_t length = terminated.size() - static_cast<std::size_t>(found - terminated.c_str());
  const std::size_t trailing_dot = host.ends_with('.') ? 1 : 0;
  return host.substr(host.size() - length - trailing_dot);
}

}  // namespace outrider
