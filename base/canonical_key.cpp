#include "base/canonical_key.hpp"

#include "base/url_path.hpp"
#include "base/url_percent.hpp"

#include <algorithm>

namespace outrider {
namespace {

bool equal_folded(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_ascii_lower(x) == to_ascii_lower(y); });
}

bool matches_any(std::string_view name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [name](std::string_view pattern) {
    if (!pattern.ends_with('*')) return equal_folded(name, pattern);
    pattern.remove_suffix(1);
    return equal_folded(name.substr(0, pattern.size()), pattern);
  });
}

// At least 16 letters and digits with both among them, or 32 of either: what servers make up, not what people write.
bool looks_like_token(std::string_view value) {
  if (value.size() < 16) return false;
  bool has_digit = false, has_letter = false;
  for (char c : value) {
    has_digit = has_digit || is_ascii_digit(c);
    has_letter = has_letter || is_ascii_alpha(c);
    if (!is_ascii_digit(c) && !is_ascii_alpha(c) && c != '-' && c != '_' && c != ',') return false;
  }
  return (has_digit && has_letter) || value.size() >= 32;
}

bool is_unreserved(char c) {  // RFC 3986 section 2.3
  return is_ascii_alpha(c) || is_ascii_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// RFC 3986 section 6.2.2. A '%' that begins no triplet makes the text ambiguous ("%%37E"), so then nothing is touched.
std::string normalize_piece(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (!is_percent_triplet(text, i)) return std::string(text);
    const auto byte = static_cast<unsigned char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
    if (is_unreserved(static_cast<char>(byte))) {
      out.push_back(static_cast<char>(byte));
    } else {
      append_percent_byte(out, byte);
    }
    i += 2;
  }
  return out;
}

// Piece by piece: what one of them looks like must not decide about its neighbours, which may stay when it is dropped.
std::string normalize_percent(std::string_view text, std::string_view separators) {
  if (text.find('%') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    out.append(normalize_piece(text.substr(at, end - at)));
    if (end < text.size()) out.push_back(text[end]);
    at = end + 1;
  }
  return out;
}

bool is_session_parameter(std::string_view parameter, const CanonicalOptions& options) {
  const std::size_t equals = std::min(parameter.find('='), parameter.size());
  const std::string_view name = parameter.substr(0, equals);
  if (matches_any(name, options.session_parameters)) return true;
  return equals < parameter.size() && matches_any(name, options.maybe_session_parameters) &&
         looks_like_token(parameter.substr(equals + 1));
}

// ";jsessionid=1A2B" behind any segment.
std::string without_path_session(std::string_view path, const CanonicalOptions& options) {
  std::string out;
  out.reserve(path.size());
  for (std::size_t at = 0; at < path.size();) {  // path[at] is '/'
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    std::string_view rest = path.substr(at + 1, end - at - 1);
    std::string segment(rest.substr(0, rest.find(';')));
    rest.remove_prefix(segment.size());
    while (!rest.empty()) {  // rest[0] is ';'
      const std::size_t next = std::min(rest.find(';', 1), rest.size());
      const std::string_view parameter = rest.substr(1, next - 1);
      const bool is_session = parameter.find('=') != std::string_view::npos && is_session_parameter(parameter, options);
      if (!is_session) segment.append(rest.substr(0, next));
      rest.remove_prefix(next);
    }
    // "/a/..;jsessionid=1" must not become "/a/..", which is another page.
    out.push_back('/');
    out.append(dots_of_segment(segment) == 0 ? std::string_view(segment) : path.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

void drop_path_end(std::string& path, const CanonicalOptions& options) {
  for (bool changed = true; changed;) {
    changed = false;
    const std::size_t slash = path.rfind('/');
    if (options.drop_directory_index && slash != std::string::npos && slash + 1 < path.size() &&
        matches_any(std::string_view(path).substr(slash + 1), options.directory_index_names)) {
      path.resize(slash + 1);
      changed = true;
    }
    // Not of "/a//", which is no other spelling of "/a/".
    if (options.drop_trailing_slash && path.size() > 1 && path.ends_with('/') && !path.ends_with("//")) {
      path.pop_back();
      changed = true;
    }
  }
}

std::string canonical_query(std::string_view query, const CanonicalOptions& options) {
  std::vector<std::string_view> kept;
  for (std::size_t at = 0; at <= query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view parameter = query.substr(at, end - at);
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const bool dropped = (options.drop_tracking && matches_any(name, options.tracking_parameters)) ||
                         (options.drop_session_ids && is_session_parameter(parameter, options));
    if (!dropped) kept.push_back(parameter);
    at = end + 1;
  }
  if (options.sort_query) {
    const auto name_of = [](std::string_view parameter) { return parameter.substr(0, parameter.find('=')); };
    std::stable_sort(kept.begin(), kept.end(),
                     [&name_of](std::string_view a, std::string_view b) { return name_of(a) < name_of(b); });
  }
  std::string out;
  out.reserve(query.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i > 0) out.push_back('&');
    out.append(kept[i]);
  }
  return out;
}

// Nothing in it can be written in another way: most URLs are like this.
bool is_plain(const Url& url, const CanonicalOptions& options) {
  const auto has = [path = url.pathname()](char c) { return path.find(c) != std::string_view::npos; };
  return url.search().empty() && !has('%') && !has(';') && !options.drop_directory_index &&
         !options.drop_trailing_slash;
}

std::string written_anew(const Url& url, const CanonicalOptions& options) {
  if (!url.is_http()) {
    const std::string_view whole = url.href_without_fragment();
    return std::string(url.query() == "" ? whole.substr(0, whole.size() - 1) : whole);
  }
  const std::string_view before_path =
      std::string_view(url.href()).substr(0, url.href().find('/', url.protocol().size() + 2));
  std::string path = options.decode_unreserved ? normalize_percent(url.pathname(), "/;") : std::string(url.pathname());
  if (options.drop_session_ids) path = without_path_session(path, options);
  drop_path_end(path, options);
  std::string query(url.query().value_or(""));
  if (options.decode_unreserved) query = normalize_percent(query, "&");
  query = canonical_query(query, options);

  std::string key;
  key.reserve(before_path.size() + path.size() + query.size() + 1);
  key.append(before_path).append(path);
  if (!query.empty()) key.append("?").append(query);
  return key;
}

}  // namespace

std::vector<std::string> CanonicalOptions::default_tracking_parameters() {
  return {"utm_*",   "mtm_*",       "pk_campaign", "pk_kwd",   "pk_source", "pk_medium", "fbclid", "gclid",
          "gclsrc",  "dclid",       "gbraid",      "wbraid",   "msclkid",   "yclid",     "twclid", "ttclid",
          "igshid",  "mc_cid",      "mc_eid",      "_ga",      "_gl",       "_hsenc",    "_hsmi",  "mkt_tok",
          "vero_id", "oly_anon_id", "oly_enc_id",  "wickedid", "srsltid"};
}

std::vector<std::string> CanonicalOptions::default_session_parameters() {
  return {"phpsessid", "jsessionid", "aspsessionid*", "asp.net_sessionid", "cfid", "cftoken", "zenid", "oscsid"};
}

std::vector<std::string> CanonicalOptions::default_maybe_session_parameters() {
  return {"sid", "session", "sessionid", "session_id", "sessid"};
}

std::vector<std::string> CanonicalOptions::default_directory_index_names() {
  return {"index.html", "index.htm", "index.xhtml",  "index.shtml", "index.php",   "index.asp",
          "index.aspx", "index.jsp", "default.html", "default.htm", "default.asp", "default.aspx"};
}

std::string_view canonical_key(const Url& url, const CanonicalOptions& options, std::string& room) {
  if (url.is_http() && is_plain(url, options)) {
    const char* const end = url.pathname().data() + url.pathname().size();
    return {url.href().data(), static_cast<std::size_t>(end - url.href().data())};
  }
  return room = written_anew(url, options);
}

std::string canonical_key(const Url& url, const CanonicalOptions& options) {
  std::string room;
  const std::string_view key = canonical_key(url, options, room);
  return key.data() == room.data() ? std::move(room) : std::string(key);
}

std::string canonical_key(const Url& url) {
  static const CanonicalOptions kDefaults;
  return canonical_key(url, kDefaults);
}

}  // namespace outrider
