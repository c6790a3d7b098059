#include "proxy/shown_fields.hpp"

#include "base/escape.hpp"
#include "base/http_chars.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr std::size_t kLongest = 512;  // bytes of one value
constexpr std::size_t kMostFields = 64;

constexpr std::array<std::string_view, 44> kHarmless = {"accept",
                                                        "accept-encoding",
                                                        "accept-language",
                                                        "accept-ranges",
                                                        "age",
                                                        "allow",
                                                        "alt-svc",
                                                        "cache-control",
                                                        "cache-status",
                                                        "connection",
                                                        "content-encoding",
                                                        "content-language",
                                                        "content-length",
                                                        "content-range",
                                                        "content-type",
                                                        "date",
                                                        "expect",
                                                        "expires",
                                                        "host",
                                                        "if-modified-since",
                                                        "if-unmodified-since",
                                                        "last-modified",
                                                        "max-forwards",
                                                        "pragma",
                                                        "priority",
                                                        "proxy-status",
                                                        "range",
                                                        "retry-after",
                                                        "sec-fetch-dest",
                                                        "sec-fetch-mode",
                                                        "sec-fetch-site",
                                                        "sec-fetch-user",
                                                        "server",
                                                        "strict-transport-security",
                                                        "te",
                                                        "trailer",
                                                        "transfer-encoding",
                                                        "upgrade",
                                                        "upgrade-insecure-requests",
                                                        "user-agent",
                                                        "vary",
                                                        "via",
                                                        "x-cache",
                                                        "x-content-type-options"};

// Addresses, which may carry secrets behind the question mark.
constexpr std::array<std::string_view, 5> kAddresses = {"content-location", "location", "origin", "referer",
                                                        "sourcemap"};

template <class List>
bool is_in(const List& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(),
                     [name](std::string_view each) { return equal_ignoring_case(each, name); });
}

}  // namespace

ExchangeRecord::Fields shown_fields(const HeaderMap& headers) {
  ExchangeRecord::Fields fields;
  for (const HeaderField& field : headers) {
    if (fields.size() == kMostFields) break;
    std::string_view value = kNotShown;
    if (is_in(kHarmless, field.name)) value = field.value;
    if (is_in(kAddresses, field.name)) value = without_query(field.value);
    fields.emplace_back(field.name, utf8_prefix(value, kLongest));
  }
  return fields;
}

}  // namespace outrider
