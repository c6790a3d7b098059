#include "proxy/proxy_status.hpp"

namespace outrider {
namespace {

constexpr std::size_t kLongestDetails = 240;

void append_sf_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text.substr(0, kLongestDetails)) {
    const bool printable = c >= 0x20 && c <= 0x7e;
    if (c == '"' || c == '\\') out += '\\';
    out += printable ? c : '?';
  }
  out += '"';
}

}  // namespace

std::string proxy_status(std::string_view error, std::string_view details) {
  std::string value{kProxyName};
  if (!error.empty()) {
    value += "; error=";
    value += error;
  }
  if (!details.empty()) {
    value += "; details=";
    append_sf_string(value, details);
  }
  return value;
}

}  // namespace outrider
