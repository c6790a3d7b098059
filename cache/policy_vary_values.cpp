#include "cache/policy_vary_values.hpp"

#include "base/http_chars.hpp"
#include "base/http_lists.hpp"

#include <openssl/sha.h>

#include <algorithm>

namespace outrider {
namespace {

struct Weighted {
  std::string_view token;
  int weight = 1000;  // thousandths
};
using WeightedList = boost::container::small_vector<Weighted, 16>;
constexpr std::size_t kMostElements = 64;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

void append(VaryText& out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
}

template <class Visit>
void each_field(const HeaderMap& request, HeaderId id, std::string_view name, Visit&& visit) {
  if (id != HeaderId::other) return request.each(id, visit);
  for (const HeaderField& field : request)
    if (field.id == HeaderId::other && equal_ignoring_case(field.name, name)) visit(field);
}

// "0.5" → 500 (RFC 9110 section 12.4.2); what is no weight counts as 1.
int parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 1000;
  if (text.size() == 1) return text[0] == '1' ? 1000 : 0;
  if (text[1] != '.') return 1000;
  int weight = 0, unit = 100;
  for (const char c : text.substr(2)) {
    if (!is_digit(c)) return 1000;
    weight += (c - '0') * unit;
    unit /= 10;
  }
  return text[0] == '1' ? 1000 : weight;
}

// "gzip;q=0.5". False: there are parameters that we do not know.
bool parse_element(std::string_view element, Weighted& out) {
  const std::size_t semicolon = element.find(';');
  out.token = trim_ows(element.substr(0, semicolon));
  if (semicolon == element.npos) return true;
  ListReader parts{element.substr(semicolon + 1), ';'};
  bool simple = true;
  while (const auto part = parts.next()) {
    const Parameter parameter = parse_parameter(*part);
    const bool is_weight = equal_ignoring_case(parameter.name, "q");
    if (is_weight) out.weight = parse_weight(parameter.value);
    simple = simple && is_weight;
  }
  return simple;
}

// False: there is something that these lists do not have (quotes, other parameters), or too much: they cannot be put in
// order.
bool parse_weighted(const HeaderMap& request, HeaderId id, WeightedList& out) {
  bool simple = true;
  request.each(id, [&](const HeaderField& field) {
    simple = simple && field.value.find('"') == field.value.npos;
    for (std::string_view rest = field.value; simple && !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view element = trim_ows(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      if (element.empty()) continue;
      Weighted entry;
      simple = out.size() < kMostElements && parse_element(element, entry);
      out.push_back(entry);
    }
  });
  return simple;
}

bool before(const Weighted& a, const Weighted& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  return std::lexicographical_compare(a.token.begin(), a.token.end(), b.token.begin(), b.token.end(),
                                      [](char x, char y) { return lower(x) < lower(y); });
}

void append_weighted(WeightedList& list, VaryText& out) {
  std::sort(list.begin(), list.end(), before);
  bool first = true;
  for (const Weighted& entry : list) {
    if (!first) out.push_back(',');
    first = false;
    for (const char c : entry.token) out.push_back(lower(c));
    if (entry.weight == 1000) continue;
    append(out, entry.weight > 0 ? ";q=0." : ";q=0");
    for (int unit = 100, rest = entry.weight; rest > 0; rest %= unit, unit /= 10)
      out.push_back(static_cast<char>('0' + rest / unit));
  }
}

void append_plain(const HeaderMap& request, HeaderId id, std::string_view name, VaryText& out) {
  bool first = true;
  each_field(request, id, name, [&](const HeaderField& field) {
    ListReader elements{field.value};
    while (const auto element = elements.next()) {
      if (!first) out.push_back(',');
      first = false;
      append(out, *element);
    }
  });
}

void append_digest(VaryText& text, std::size_t from) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data() + from), text.size() - from, digest);
  text.resize(from);
  append(text, "sha256:");
  for (const unsigned char byte : digest) {
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
}

bool contains_ignoring_case(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

}  // namespace

bool is_credential(HeaderId id, std::string_view name) {
  if (id == HeaderId::cookie || id == HeaderId::authorization || id == HeaderId::proxy_authorization) return true;
  static constexpr std::string_view kWords[] = {"key", "token", "auth", "secret", "session"};
  return id == HeaderId::other && std::any_of(std::begin(kWords), std::end(kWords), [name](std::string_view word) {
           return contains_ignoring_case(name, word);
         });
}

void normalise_value(const HeaderMap& request, HeaderId id, std::string_view name, VaryText& out) {
  const std::size_t from = out.size();
  bool present = false;
  each_field(request, id, name, [&present](const HeaderField&) { present = true; });
  if (!present) return;
  bool done = false;
  if (id == HeaderId::accept_encoding || id == HeaderId::accept_language) {
    WeightedList list;
    done = parse_weighted(request, id, list);
    if (done) append_weighted(list, out);
  }
  if (!done) append_plain(request, id, name, out);
  if (out.size() == from) return append(out, vary_mark::kEmpty);
  if (is_credential(id, name)) append_digest(out, from);
}

int weight_of(const HeaderMap& request, HeaderId id, std::string_view token) {
  WeightedList list;
  parse_weighted(request, id, list);
  int any = 0;
  for (const Weighted& entry : list) {
    if (equal_ignoring_case(entry.token, token)) return entry.weight;
    if (entry.token == "*") any = entry.weight;
  }
  return any;
}

bool is_favourite(const HeaderMap& request, HeaderId id, std::string_view token) {
  WeightedList list;
  if (!parse_weighted(request, id, list) || list.empty()) return false;
  std::sort(list.begin(), list.end(), before);
  const bool alone = list.size() == 1 || list[1].weight < list[0].weight;
  return alone && list[0].weight > 0 && equal_ignoring_case(list[0].token, token);
}

}  // namespace outrider
