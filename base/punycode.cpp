#include "base/punycode.hpp"

#include "base/url_percent.hpp"

#include <algorithm>
#include <cstdint>

namespace outrider {
namespace {

// Parameters of RFC 3492 section 5.
constexpr std::uint32_t kBase = 36, kTMin = 1, kTMax = 26, kSkew = 38, kDamp = 700, kInitialBias = 72, kInitialN = 0x80;

constexpr char digit_of(std::uint32_t value) {
  return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26));
}

constexpr std::uint32_t value_of(char c) {
  if (is_ascii_digit(c)) return static_cast<std::uint32_t>(c - '0' + 26);
  if (is_ascii_alpha(c)) return static_cast<std::uint32_t>(to_ascii_lower(c) - 'a');
  return kBase;
}

std::uint32_t adapt(std::uint32_t delta, std::uint32_t points, bool first) {  // section 6.1
  delta = first ? delta / kDamp : delta / 2;
  delta += delta / points;
  std::uint32_t k = 0;
  for (; delta > ((kBase - kTMin) * kTMax) / 2; k += kBase) delta /= kBase - kTMin;
  return k + (kBase - kTMin + 1) * delta / (delta + kSkew);
}

std::uint32_t threshold(std::uint32_t k, std::uint32_t bias) {
  return k <= bias ? kTMin : std::min(k - bias, kTMax);
}

}  // namespace

std::optional<std::string> punycode_encode(std::u32string_view label) {  // section 6.3
  if (label.size() > kMaxPunycodeInput) return std::nullopt;
  std::string out;
  for (char32_t c : label)
    if (c < 0x80) out.push_back(static_cast<char>(c));
  const auto basic = static_cast<std::uint32_t>(out.size());
  if (basic > 0) out.push_back('-');

  std::uint32_t n = kInitialN, delta = 0, bias = kInitialBias, handled = basic;
  while (handled < label.size()) {
    // The limit on the length keeps delta far below overflow: 0x10FFFF * 1001 < 2^32.
    char32_t next = 0x10FFFF;
    for (char32_t c : label)
      if (c >= n) next = std::min(next, c);
    delta += (next - n) * (handled + 1);
    n = next;
    for (char32_t c : label) {
      if (c < n) ++delta;
      if (c != n) continue;
      std::uint32_t q = delta;
      for (std::uint32_t k = kBase;; k += kBase) {
        const std::uint32_t t = threshold(k, bias);
        if (q < t) break;
        out.push_back(digit_of(t + (q - t) % (kBase - t)));
        q = (q - t) / (kBase - t);
      }
      out.push_back(digit_of(q));
      bias = adapt(delta, handled + 1, handled == basic);
      delta = 0;
      ++handled;
    }
    ++delta;
    ++n;
  }
  return out;
}

std::optional<std::u32string> punycode_decode(std::string_view ascii) {  // section 6.2
  if (ascii.size() > kMaxPunycodeOutput) return std::nullopt;
  std::u32string out;
  const std::size_t dash = ascii.rfind('-');
  if (dash != std::string_view::npos && dash > 0) {  // a delimiter in front of everything is just a wrong digit
    for (char c : ascii.substr(0, dash)) out.push_back(static_cast<unsigned char>(c));
    ascii.remove_prefix(dash + 1);
  }
  std::uint64_t n = kInitialN, i = 0;
  std::uint32_t bias = kInitialBias;
  for (std::size_t at = 0; at < ascii.size();) {
    const std::uint64_t old_i = i;
    std::uint64_t weight = 1;
    for (std::uint32_t k = kBase;; k += kBase) {
      if (at == ascii.size()) return std::nullopt;
      const std::uint32_t digit = value_of(ascii[at++]);
      if (digit >= kBase) return std::nullopt;
      i += digit * weight;
      if (i > UINT32_MAX) return std::nullopt;
      const std::uint32_t t = threshold(k, bias);
      if (digit < t) break;
      weight *= kBase - t;
      if (weight > UINT32_MAX) return std::nullopt;
    }
    const std::uint64_t points = out.size() + 1;
    bias = adapt(static_cast<std::uint32_t>(i - old_i), static_cast<std::uint32_t>(points), old_i == 0);
    n += i / points;
    i %= points;
    if (n > 0x10FFFF || (n >= 0xD800 && n <= 0xDFFF)) return std::nullopt;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i), static_cast<char32_t>(n));
    ++i;
  }
  return out;
}

}  // namespace outrider
