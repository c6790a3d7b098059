#include "cache/policy_validators.hpp"

#include "base/http_chars.hpp"
#include "cache/policy_freshness.hpp"

namespace outrider {
namespace {

std::string_view opaque(std::string_view tag) {
  return is_weak_tag(tag) ? tag.substr(2) : tag;
}

// The elements of If-None-Match. In an entity tag a backslash is a character like any other, so this is not a list of
// quoted strings.
std::string_view next_tag(std::string_view& rest) {
  while (!rest.empty() && (is_ows(rest.front()) || rest.front() == ',')) rest.remove_prefix(1);
  std::size_t end = 0;
  bool quoted = false;
  for (; end < rest.size() && (quoted || rest[end] != ','); ++end)
    if (rest[end] == '"') quoted = !quoted;
  const std::string_view tag = trim_ows(rest.substr(0, end));
  rest.remove_prefix(end);
  return tag;
}

}  // namespace

bool is_weak_tag(std::string_view tag) {
  return tag.starts_with("W/");
}

bool tags_match_strongly(std::string_view a, std::string_view b) {
  return !a.empty() && a == b && !is_weak_tag(a);
}

bool tags_match_weakly(std::string_view a, std::string_view b) {
  return !a.empty() && opaque(a) == opaque(b);
}

bool none_match_lists(const HeaderMap& headers, std::string_view tag) {
  bool found = false;
  headers.each(HeaderId::if_none_match, [&](const HeaderField& field) {
    std::string_view rest = field.value;
    while (!found && !rest.empty()) found = tags_match_weakly(next_tag(rest), tag);
  });
  return found;
}

bool none_match_any(const HeaderMap& headers) {
  return headers.find(HeaderId::if_none_match) == "*";
}

bool last_modified_is_strong(const StoredHead& stored) {
  const auto field = stored.response.headers.find(HeaderId::last_modified);
  const auto modified = field ? read_date(*field, stored.response_time) : std::nullopt;
  const auto date_field = stored.response.headers.find(HeaderId::date);
  const auto date = date_field ? read_date(*date_field, stored.response_time) : std::nullopt;
  return modified && date && *modified < *date;  // both are whole seconds
}

std::string_view strong_validator(const StoredHead& stored) {
  const auto tag = stored.response.headers.find(HeaderId::etag);
  if (tag && !tag->empty()) return is_weak_tag(*tag) ? std::string_view{} : *tag;
  return last_modified_is_strong(stored) ? *stored.response.headers.find(HeaderId::last_modified) : std::string_view{};
}

}  // namespace outrider
