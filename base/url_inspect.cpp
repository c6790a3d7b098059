#include "base/url_inspect.hpp"

#include "base/canonical_key.hpp"
#include "base/url.hpp"
#include "base/url_percent.hpp"
#include "base/utf8.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace outrider {
namespace {

namespace json = boost::json;

json::object failure(std::string_view reason) {
  return {{"failure", true}, {"reason", reason}};
}
json::object error(std::string_view message) {
  return {{"error", message}};
}

// The value of "\uXXXX" at `at`, or 0 if there is none.
unsigned escaped_unit(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
  unsigned value = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    if (!is_ascii_hex_digit(text[i])) return 0;
    value = value * 16 + hex_value(text[i]);
  }
  return value;
}

}  // namespace

std::string replace_lone_surrogates(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      out.push_back(text[at++]);
      continue;
    }
    const unsigned unit = escaped_unit(text, at);
    std::size_t length = std::min<std::size_t>(unit != 0 ? 6 : 2, text.size() - at);
    const bool is_surrogate = unit >= 0xD800 && unit <= 0xDFFF;
    const unsigned next = unit >= 0xD800 && unit <= 0xDBFF ? escaped_unit(text, at + 6) : 0;
    const bool is_pair = next >= 0xDC00 && next <= 0xDFFF;
    if (is_pair) length = 12;
    out.append(is_surrogate && !is_pair ? "\\uFFFD" : text.substr(at, length));
    at += length;
  }
  return out;
}

json::object inspect_url(std::string_view input, std::optional<std::string_view> base) {
  std::optional<Url> base_url;
  if (base) {
    Result<Url> parsed = Url::parse(*base);
    if (!parsed) return failure("base: " + parsed.error().detail);
    base_url = std::move(*parsed);
  }
  const Result<Url> url = Url::parse(input, base_url ? &*base_url : nullptr);
  if (!url) return failure(url.error().detail);
  return {{"href", url->href()},
          {"protocol", url->protocol()},
          {"username", url->username()},
          {"password", url->password()},
          {"host", url->host()},
          {"hostname", url->hostname()},
          {"port", url->port()},
          {"pathname", url->pathname()},
          {"search", url->search()},
          {"hash", url->hash()},
          {"origin", url->origin()},
          {"registrable_domain", url->registrable_domain()},
          {"canonical_key", canonical_key(*url)}};
}

std::string inspect_url_ndjson_line(std::string_view line) {
  std::string text = replace_lone_surrogates(line);
  if (!is_valid_utf8(text)) text = replace_invalid_utf8(text);
  boost::system::error_code code;
  const json::value value = json::parse(text, code);
  if (code) return json::serialize(error("not JSON: " + code.message()));
  const json::object* object = value.if_object();
  const json::value* input = object != nullptr ? object->if_contains("input") : nullptr;
  if (input == nullptr || !input->is_string()) return json::serialize(error("not an object with a string \"input\""));
  const json::value* base = object->if_contains("base");
  if (base != nullptr && !base->is_null() && !base->is_string())
    return json::serialize(error("\"base\" is neither a string nor null"));
  std::optional<std::string_view> base_text;
  if (base != nullptr && base->is_string()) base_text = base->get_string();
  return json::serialize(inspect_url(input->get_string(), base_text));
}

}  // namespace outrider
