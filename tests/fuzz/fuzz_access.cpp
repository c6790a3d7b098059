// What strangers write that decides who may and where to: host names against patterns, Proxy-Authorization, Via,
// Connection; and the users file. The first byte of the input chooses.
#include "base/hop_by_hop.hpp"
#include "proxy/credentials.hpp"
#include "proxy/host_patterns.hpp"
#include "proxy/loop_guard.hpp"
#include "proxy/user_file.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace outrider;

void require(bool property) {
  if (!property) __builtin_trap();
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool same(const HostPatterns::Match& a, const HostPatterns::Match& b) {
  return a.kind == b.kind && a.value == b.value && a.rule == b.rule && a.by_address == b.by_address;
}

// Lines before the first empty one are patterns, the others hosts.
void patterns(std::string_view text) {
  HostPatterns all;
  std::uint32_t value = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.empty()) break;
    (void)all.add(line, value++);
  }
  while (!text.empty()) {
    const std::string host{next_line(text)};
    const HostPatterns::Match match = all.find(host, 443);
    std::string upper = host;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    require(same(match, all.find(upper, 443)));
    const bool bare = !host.empty() && host.back() != '.' && host.back() != ']' && host.size() < 255;
    if (bare) require(same(match, all.find(host + ".", 443)));
    if (!match) continue;
    HostPatterns again;  // the text of the rule is a pattern that fits
    require(again.add(all.text(match), 7).has_value());
    require(again.find(host, 443).kind == HostPatterns::Match::Kind::found);
  }
}

void authorization(std::string_view text) {
  (void)parse_authorization(text);
  std::string decoded;
  if (!decode_base64(text, decoded)) return;
  std::string encoded(4 * (decoded.size() / 3 + 1) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                      reinterpret_cast<const unsigned char*>(decoded.data()), static_cast<int>(decoded.size()));
  require(std::string_view{encoded.data(), static_cast<std::size_t>(length)} == text);
}

HeaderMap fields(std::string_view text) {
  HeaderMap headers;
  while (!text.empty() && headers.size() < 200) {
    const std::string_view line = next_line(text);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon > 1000) continue;
    headers.add(line.substr(0, colon), line.substr(colon + 1));
  }
  return headers;
}

void via(std::string_view text) {
  HeaderMap headers;
  while (!text.empty()) headers.add(HeaderId::via, next_line(text));
  (void)has_looped(headers, "outrider-0123abcd");
  add_via(headers, HttpVersion::http11, "outrider-0123abcd");
  require(has_looped(headers, "outrider-0123abcd"));
  // However another proxy joins the fields, we recognise ourselves.
  HeaderMap joined;
  joined.add(HeaderId::via, headers.joined(HeaderId::via));
  require(has_looped(joined, "outrider-0123abcd"));
}

void hop_by_hop(std::string_view text) {
  HeaderMap headers = fields(text);
  const std::size_t hosts = headers.count(HeaderId::host);
  const std::size_t cookies = headers.count(HeaderId::cookie);
  strip_hop_by_hop(headers, Te::keep_trailers);
  strip_hop_by_hop(headers);
  const std::size_t left = headers.size();
  strip_hop_by_hop(headers);
  require(headers.size() == left);
  require(headers.count(HeaderId::host) == hosts && headers.count(HeaderId::cookie) == cookies);
  for (const HeaderId gone : {HeaderId::connection, HeaderId::te, HeaderId::upgrade, HeaderId::transfer_encoding,
                              HeaderId::proxy_authorization})
    require(!headers.has(gone));
}

void users(std::string_view text) {
  const auto entries = parse_users(text);
  if (!entries) return;
  for (const UserEntry& entry : *entries) require(name_problem(entry.name).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  switch (data[0]) {
    case 'p':
      patterns(text);
      break;
    case 'a':
      authorization(text);
      break;
    case 'v':
      via(text);
      break;
    case 'h':
      hop_by_hop(text);
      break;
    case 'u':
      users(text);
      break;
    default:
      break;
  }
  return 0;
}
