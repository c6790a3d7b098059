#include "webui/websocket_accept.hpp"

#include <algorithm>

namespace outrider::webui {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// One of the tokens of a list, in any case.
bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    while (!part.empty() && (part.front() == ' ' || part.front() == '\t')) part.remove_prefix(1);
    while (!part.empty() && (part.back() == ' ' || part.back() == '\t')) part.remove_suffix(1);
    if (std::equal(part.begin(), part.end(), token.begin(), token.end(), [](char a, char b) { return lower(a) == b; }))
      return true;
  }
  return false;
}

// 16 bytes in base64.
bool is_key(std::string_view key) {
  const auto is_digit = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  };
  return key.size() == 24 && key.ends_with("==") && std::all_of(key.begin(), key.end() - 2, is_digit);
}

}  // namespace

std::optional<std::string> websocket_key(Method method, const HeaderMap& headers) {
  if (method != Method::get || !has_token(headers.joined(HeaderId::upgrade), "websocket") ||
      !has_token(headers.joined(HeaderId::connection), "upgrade"))
    return std::nullopt;
  const auto key = headers.find("Sec-WebSocket-Key");
  if (!key || !is_key(*key) || headers.find("Sec-WebSocket-Version").value_or("") != "13") return std::nullopt;
  return std::string{*key};
}

}  // namespace outrider::webui
