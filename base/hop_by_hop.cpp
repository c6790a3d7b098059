#include "base/hop_by_hop.hpp"

#include "base/http_lists.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr auto kIds = static_cast<std::size_t>(HeaderId::count_);

consteval std::array<bool, kIds> make_hop_by_hop() {
  std::array<bool, kIds> table{};
  for (const HeaderId id : {HeaderId::connection, HeaderId::keep_alive, HeaderId::proxy_connection, HeaderId::te,
                            HeaderId::transfer_encoding, HeaderId::upgrade, HeaderId::proxy_authorization,
                            HeaderId::proxy_authenticate, HeaderId::proxy_authentication_info})
    table[static_cast<std::size_t>(id)] = true;
  return table;
}
constexpr std::array<bool, kIds> kHopByHop = make_hop_by_hop();
bool is_hop_by_hop(HeaderId id) {
  return kHopByHop[static_cast<std::size_t>(id)];
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

struct LessIgnoringCase {
  bool operator()(std::string_view a, std::string_view b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](char x, char y) { return lower(x) < lower(y); });
  }
};

bool starts_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

// Names of fields, sorted, so that thousands of nominations against hundreds of fields stay cheap.
using Names = boost::container::small_vector<std::string_view, 16>;

void collect_nominated(const HeaderMap& headers, Names& names) {
  headers.each(HeaderId::connection, [&names](const HeaderField& field) {
    ListReader tokens{field.value};
    while (const auto token = tokens.next()) {
      // The usual ones name no field, or one that goes anyway.
      if (equal_ignoring_case(*token, "keep-alive") || equal_ignoring_case(*token, "close")) continue;
      if (may_be_nominated(*token)) names.push_back(*token);
    }
  });
  std::sort(names.begin(), names.end(), LessIgnoringCase{});
}

}  // namespace

bool may_be_nominated(std::string_view name) {
  if (header_id(name) != HeaderId::other) return false;
  // Not in our table, but as surely not meant for us alone: what browsers and servers rely on for security.
  static constexpr std::array<std::string_view, 7> kFamilies = {"access-control-", "content-", "cross-origin-", "sec-",
                                                                "x-forwarded-",    "x-frame-", "x-content-"};
  static constexpr std::array<std::string_view, 5> kNames = {"permissions-policy", "referrer-policy", "x-real-ip",
                                                             "x-xss-protection", "priority"};
  return std::none_of(kFamilies.begin(), kFamilies.end(),
                      [name](std::string_view f) { return starts_ignoring_case(name, f); }) &&
         std::none_of(kNames.begin(), kNames.end(),
                      [name](std::string_view n) { return equal_ignoring_case(name, n); });
}

void strip_hop_by_hop(HeaderMap& headers, Te te) {
  bool wants_trailers = false;
  if (te == Te::keep_trailers) wants_trailers = headers.lists(HeaderId::te, "trailers");
  Names nominated;
  collect_nominated(headers, nominated);
  headers.remove_if([&nominated](const HeaderField& field) {
    if (field.id != HeaderId::other) return is_hop_by_hop(field.id);
    return !nominated.empty() && std::binary_search(nominated.begin(), nominated.end(), field.name, LessIgnoringCase{});
  });
  if (!wants_trailers) return;
  headers.add(HeaderId::te, "trailers");
  headers.add(HeaderId::connection, "TE");
}

}  // namespace outrider
