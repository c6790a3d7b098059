#include "proxy/credentials.hpp"

#include "base/http_header_id.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace outrider {
namespace {

consteval std::array<std::uint8_t, 256> make_alphabet() {
  std::array<std::uint8_t, 256> values{};
  values.fill(0xff);
  std::uint8_t next = 0;
  for (const char c : std::string_view{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"})
    values[static_cast<unsigned char>(c)] = next++;
  return values;
}
constexpr std::array<std::uint8_t, 256> kAlphabet = make_alphabet();

// b64token of RFC 6750.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"-._~+/="}.find(c) != std::string_view::npos;
  });
}

}  // namespace

bool decode_base64(std::string_view text, std::string& out) {
  out.clear();
  if (text.size() % 4 != 0) return false;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const std::uint8_t value = kAlphabet[static_cast<unsigned char>(c)];
    if (value == 0xff) return false;
    bits = bits << 6 | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> held & 0xffU);
    }
  }
  return (bits & ((1U << held) - 1U)) == 0;
}

std::optional<Credentials> parse_authorization(std::string_view value) {
  if (value.size() > kMaxAuthorization) return std::nullopt;
  const std::size_t space = value.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view scheme = value.substr(0, space);
  value.remove_prefix(std::min(value.find_first_not_of(' ', space), value.size()));

  Credentials credentials;
  if (equal_ignoring_case(scheme, "bearer")) {
    if (!is_token(value)) return std::nullopt;
    credentials.kind = Credentials::Kind::bearer;
    credentials.secret = Secret{value};
    return credentials;
  }
  if (!equal_ignoring_case(scheme, "basic")) return std::nullopt;
  std::string decoded;
  const bool good = decode_base64(value, decoded);
  const std::size_t colon = decoded.find(':');  // the name has none, the password may
  if (good && colon != std::string::npos && colon > 0) {
    credentials.user = decoded.substr(0, colon);
    credentials.secret = Secret{std::string_view{decoded}.substr(colon + 1)};
  }
  OPENSSL_cleanse(decoded.data(), decoded.size());
  if (credentials.user.empty()) return std::nullopt;
  return credentials;
}

}  // namespace outrider
