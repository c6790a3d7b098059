#include "cache/directives.hpp"

#include "base/http_chars.hpp"
#include "base/http_lists.hpp"

#include <algorithm>

namespace outrider {
namespace {

enum class Name : std::uint8_t {
  unknown,
  immutable,
  max_age,
  max_stale,
  min_fresh,
  must_revalidate,
  must_understand,
  no_cache,
  no_store,
  no_transform,
  only_if_cached,
  private_,
  proxy_revalidate,
  public_,
  s_maxage,
  stale_if_error,
  stale_while_revalidate,
};

Name name_of(std::string_view text) {
  const auto is = [text](std::string_view word) { return equal_ignoring_case(text, word); };
  switch (text.size()) {
    case 6:
      return is("public") ? Name::public_ : Name::unknown;
    case 7:
      return is("max-age") ? Name::max_age : is("private") ? Name::private_ : Name::unknown;
    case 8:
      return is("no-cache")   ? Name::no_cache
             : is("no-store") ? Name::no_store
             : is("s-maxage") ? Name::s_maxage
                              : Name::unknown;
    case 9:
      return is("immutable")   ? Name::immutable
             : is("max-stale") ? Name::max_stale
             : is("min-fresh") ? Name::min_fresh
                               : Name::unknown;
    case 12:
      return is("no-transform") ? Name::no_transform : Name::unknown;
    case 14:
      return is("only-if-cached") ? Name::only_if_cached : is("stale-if-error") ? Name::stale_if_error : Name::unknown;
    case 15:
      return is("must-revalidate")   ? Name::must_revalidate
             : is("must-understand") ? Name::must_understand
                                     : Name::unknown;
    case 16:
      return is("proxy-revalidate") ? Name::proxy_revalidate : Name::unknown;
    case 22:
      return is("stale-while-revalidate") ? Name::stale_while_revalidate : Name::unknown;
    default:
      return Name::unknown;
  }
}

struct Directive {
  Name name = Name::unknown;
  std::string_view value;  // as written
  bool has_value = false;
  bool spaced = false;  // white space beside the '='
};

Directive parse_directive(std::string_view element) {
  const std::size_t equals = element.find('=');
  if (equals == element.npos) return {name_of(element), {}, false, false};
  const std::string_view before = element.substr(0, equals);
  const std::string_view after = element.substr(equals + 1);
  const std::string_view name = trim_ows(before);
  const std::string_view value = trim_ows(after);
  return {name_of(name), value, true, name.size() != before.size() || value.size() != after.size()};
}

std::string_view without_quotes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

std::optional<Seconds> number_of(const Directive& directive) {
  if (!directive.has_value || directive.spaced) return std::nullopt;
  return parse_delta_seconds(without_quotes(directive.value));
}

void take_first(std::optional<Seconds>& slot, std::optional<Seconds> value) {
  if (!slot) slot = value;
}

// Of a lifetime that is no number we know only that the origin or client meant to limit it.
Seconds lifetime_of(const Directive& directive) {
  return number_of(directive).value_or(Seconds{0});
}

template <class Visit>
void each_element(std::string_view value, Visit&& visit) {
  if (value.find('"') != value.npos) {
    ListReader reader{value};
    while (const auto element = reader.next()) visit(*element);
    return;
  }
  while (!value.empty()) {  // nothing is quoted, as nearly always: commas are commas
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view element = trim_ows(value.substr(0, comma));
    if (!element.empty()) visit(element);
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
}

template <class Visit>
void each_directive(const HeaderMap& headers, Visit&& visit) {
  headers.each(HeaderId::cache_control, [&visit](const HeaderField& field) {
    each_element(field.value, [&visit](std::string_view element) { visit(parse_directive(element)); });
  });
}

// Without these the kept bytes would be misunderstood, or nobody could tell how long they are good.
bool is_essential(std::string_view name) {
  switch (header_id(name)) {
    case HeaderId::age:
    case HeaderId::cache_control:
    case HeaderId::content_encoding:
    case HeaderId::content_length:
    case HeaderId::content_range:
    case HeaderId::content_type:
    case HeaderId::date:
    case HeaderId::etag:
    case HeaderId::expires:
    case HeaderId::last_modified:
    case HeaderId::location:
    case HeaderId::transfer_encoding:
    case HeaderId::vary:
      return true;
    default:
      return false;
  }
}

bool is_name(std::string_view text) {
  const char* end = text.data() + text.size();
  return !text.empty() && skip_http_class(text.data(), end, char_class::kToken) == end;
}

// no-cache="a, b" restricts two fields; everything that is not such a list restricts the whole response.
bool restricts_fields_only(const Directive& directive) {
  if (!directive.has_value) return false;
  ListReader names{without_quotes(directive.value)};
  bool any = false;
  while (const auto name = names.next()) {
    if (!is_name(*name) || is_essential(*name)) return false;
    any = true;
  }
  return any;
}

// Mistakes that servers make: "private; max-age=600", "no-store max-age=0", a quote that nobody closes. Whatever stands
// there as a word of its own and restricts is taken at its word; what permits is not.
void add_misspelt_restrictions(std::string_view value, ResponseDirectives& out) {
  const bool quotes_close = std::count(value.begin(), value.end(), '"') % 2 == 0;
  bool quoted = false;
  char before = ',';  // the last one that is no white space
  for (std::size_t at = 0; at < value.size();) {
    const char* const end = skip_http_class(value.data() + at, value.data() + value.size(), char_class::kToken);
    const auto length = static_cast<std::size_t>(end - value.data()) - at;
    if (length == 0) {
      if (value[at] == '"' && quotes_close) quoted = !quoted;
      if (!is_ows(value[at])) before = value[at];
      ++at;
      continue;
    }
    const std::size_t next = value.find_first_not_of(" \t", at + length);
    const bool has_value = next != value.npos && value[next] == '=';
    if (!quoted && before != '=' && !has_value) {
      const Name name = name_of(value.substr(at, length));
      out.no_store = out.no_store || name == Name::no_store;
      out.no_cache = out.no_cache || name == Name::no_cache;
      out.is_private = out.is_private || name == Name::private_;
    }
    before = value[at];
    at += length;
  }
}

}  // namespace

std::optional<Seconds> parse_delta_seconds(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    if (value < kLongest.count()) value = value * 10 + (c - '0');
  }
  return std::min(Seconds{value}, kLongest);
}

RequestDirectives parse_request_directives(const HeaderMap& headers) {
  RequestDirectives out;
  bool has_cache_control = false, has_pragma = false;
  for (const HeaderField& field : headers) {
    has_cache_control = has_cache_control || field.id == HeaderId::cache_control;
    has_pragma = has_pragma || field.id == HeaderId::pragma;
  }
  if (!has_cache_control) {  // section 5.4
    out.no_cache = has_pragma && headers.lists(HeaderId::pragma, "no-cache");
    return out;
  }
  each_directive(headers, [&out](const Directive& directive) {
    switch (directive.name) {
      case Name::no_cache:
        out.no_cache = true;
        break;
      case Name::no_store:
        out.no_store = true;
        break;
      case Name::only_if_cached:
        out.only_if_cached = true;
        break;
      case Name::no_transform:
        out.no_transform = true;
        break;
      case Name::max_age:
        take_first(out.max_age, lifetime_of(directive));
        break;
      case Name::min_fresh:
        take_first(out.min_fresh, number_of(directive));
        break;
      case Name::max_stale:
        take_first(out.max_stale, directive.has_value ? number_of(directive) : std::optional{kLongest});
        break;
      case Name::stale_if_error:
        take_first(out.stale_if_error, number_of(directive));
        break;
      default:
        break;
    }
  });
  return out;
}

ResponseDirectives parse_response_directives(const HeaderMap& headers) {
  ResponseDirectives out;
  each_directive(headers, [&out](const Directive& directive) {
    switch (directive.name) {
      case Name::no_store:
        out.no_store = true;
        break;
      case Name::no_cache:
        (restricts_fields_only(directive) ? out.no_cache_fields : out.no_cache) = true;
        break;
      case Name::private_:
        (restricts_fields_only(directive) ? out.private_fields : out.is_private) = true;
        break;
      case Name::must_revalidate:
        out.must_revalidate = true;
        break;
      case Name::proxy_revalidate:
        out.proxy_revalidate = true;
        break;
      case Name::no_transform:
        out.no_transform = true;
        break;
      // These permit something: only as they are defined, without a value.
      case Name::public_:
        out.is_public = out.is_public || !directive.has_value;
        break;
      case Name::must_understand:
        out.must_understand = out.must_understand || !directive.has_value;
        break;
      case Name::immutable:
        out.immutable = out.immutable || !directive.has_value;
        break;
      case Name::max_age:
        take_first(out.max_age, lifetime_of(directive));
        break;
      case Name::s_maxage:
        take_first(out.s_maxage, lifetime_of(directive));
        break;
      case Name::stale_while_revalidate:
        take_first(out.stale_while_revalidate, number_of(directive));
        break;
      case Name::stale_if_error:
        take_first(out.stale_if_error, number_of(directive));
        break;
      default:
        break;
    }
  });
  headers.each(HeaderId::cache_control,
               [&out](const HeaderField& field) { add_misspelt_restrictions(field.value, out); });
  return out;
}

std::vector<std::string_view> restricted_fields(const HeaderMap& headers) {
  std::vector<std::string_view> names;
  each_directive(headers, [&names](const Directive& directive) {
    if (directive.name != Name::no_cache && directive.name != Name::private_) return;
    if (!restricts_fields_only(directive)) return;
    ListReader reader{without_quotes(directive.value)};
    while (const auto name = reader.next()) names.push_back(*name);
  });
  return names;
}

}  // namespace outrider
