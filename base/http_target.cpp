#include "base/http_target.hpp"

#include "base/http_chars.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace outrider {
namespace {

bool is_port(std::string_view digits) {
  unsigned port = 0;
  for (const char c : digits) {
    if (!is_digit(c) || (port = port * 10 + static_cast<unsigned>(c - '0')) > 65535) return false;
  }
  return true;
}

bool is_ipv6(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> copy{};  // inet_pton wants a terminated string
  if (text.size() >= copy.size()) return false;
  std::copy(text.begin(), text.end(), copy.begin());
  in6_addr address;
  return inet_pton(AF_INET6, copy.data(), &address) == 1;
}

bool is_registered_name(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (has_class(text[at], char_class::kHost)) continue;
    const bool escape =
        text[at] == '%' && at + 2 < text.size() && hex_value(text[at + 1]) >= 0 && hex_value(text[at + 2]) >= 0;
    if (!escape) return false;
    at += 2;
  }
  return !text.empty();
}

// The length of "scheme" in "scheme:…", 0 if there is none.
std::size_t scheme_length(std::string_view target) {
  const std::size_t colon = target.find(':');
  if (colon == std::string_view::npos) return 0;
  for (std::size_t at = 0; at < colon; ++at) {
    const char c = target[at];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && (at == 0 || (!is_digit(c) && c != '+' && c != '-' && c != '.'))) return 0;
  }
  return colon;
}

std::string_view absolute_form_fault(std::string_view target) {
  const std::size_t scheme = scheme_length(target);
  if (scheme == 0 || target.substr(scheme, 3) != "://") return "the target has none of the four forms";
  const std::string_view behind = target.substr(scheme + 3);
  std::size_t end = 0;
  while (end < behind.size() && behind[end] != '/' && behind[end] != '?') ++end;
  const std::string_view authority = behind.substr(0, end);
  if (!is_host_and_port(authority, PortRule::optional)) return "the authority of the target is not host[:port]";
  return {};
}

}  // namespace

bool is_host_and_port(std::string_view text, PortRule rule) {
  std::size_t host_end;
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos || !is_ipv6(text.substr(1, bracket - 1))) return false;
    host_end = bracket + 1;
  } else {
    host_end = std::min(text.find(':'), text.size());
    if (!is_registered_name(text.substr(0, host_end))) return false;
  }
  const std::string_view rest = text.substr(host_end);
  if (rest.empty()) return rule == PortRule::optional;
  if (rest.front() != ':' || !is_port(rest.substr(1))) return false;
  return rule == PortRule::optional || rest.size() > 1;
}

std::string_view target_fault(Method method, std::string_view target) {
  const char* end = target.data() + target.size();
  if (target.empty() || skip_target(target.data(), end) != end) return "a byte that is not allowed in a request target";
  if (method == Method::connect)
    return is_host_and_port(target, PortRule::required) ? "" : "the target of CONNECT is not host:port";
  if (target.front() == '/') return {};
  if (target == "*") return method == Method::options ? "" : "the target * is for OPTIONS only";
  return absolute_form_fault(target);
}

std::string path_and_query_of(std::string_view target) {
  const std::string_view behind_scheme = target.substr(target.find("://") + 3);
  const std::string_view authority = behind_scheme.substr(0, behind_scheme.find('/'));
  const std::size_t query = authority.find('?');
  if (query != std::string_view::npos) return "/" + std::string{behind_scheme.substr(query)};
  if (authority.size() == behind_scheme.size()) return "/";
  return std::string{behind_scheme.substr(authority.size())};
}

}  // namespace outrider
