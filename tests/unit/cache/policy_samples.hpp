// Requests, responses and stored heads in one line each, for the tests of the policy.
#pragma once

#include "base/http_date.hpp"
#include "base/http_message.hpp"
#include "base/url.hpp"
#include "cache/policy_rules.hpp"
#include "cache/stored_head.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider::samples {

inline const WallTime kNow{Seconds{1'700'000'000}};

using Fields = std::vector<std::pair<std::string, std::string>>;

inline HeaderMap headers(const Fields& fields) {
  HeaderMap map;
  for (const auto& [name, value] : fields) map.add(name, value);
  return map;
}

inline RequestHead request(const Fields& fields = {}, std::string_view method = "GET") {
  RequestHead head;
  head.method = method_from(method);
  head.method_text = method;
  head.headers = headers(fields);
  return head;
}

inline ResponseHead response(const Fields& fields = {}, int status = 200) {
  ResponseHead head;
  head.status = status;
  head.reason = "Reason";
  head.headers = headers(fields);
  return head;
}

inline std::string date(Seconds from_now = Seconds{0}) {
  return format_http_date(kNow + from_now);
}

// Received at kNow, a moment after it was asked for.
inline StoredHead stored(const Fields& fields = {}, std::uint64_t body_length = 10, int status = 200) {
  StoredHead head;
  head.response = response(fields, status);
  if (!head.response.headers.has(HeaderId::date)) head.response.headers.add(HeaderId::date, date());
  head.request_time = head.response_time = kNow;
  head.body_length = body_length;
  return head;
}

inline StoredHead stored_part(std::uint64_t first, std::uint64_t length, std::uint64_t complete, Fields fields = {}) {
  StoredHead head = stored(fields, length, 206);
  head.range = StoredRange{first, complete};
  head.response.headers.add(
      HeaderId::content_range,
      "bytes " + std::to_string(first) + "-" + std::to_string(first + length - 1) + "/" + std::to_string(complete));
  return head;
}

inline Url url(std::string_view text = "http://www.example.com/path?q=1") {
  return Url::parse(text).value();
}

// All values of a field, or "(none)".
inline std::string value(const HeaderMap& map, std::string_view name) {
  return map.has(name) ? map.joined(name) : std::string{"(none)"};
}

}  // namespace outrider::samples
