// The setters of the URL class (https://url.spec.whatwg.org/#api): what the standard does with state overrides. Rare
// compared with parsing, so they take the URL apart, change one part and put it together again.
#include "base/url.hpp"
#include "base/url_parser.hpp"
#include "base/url_path.hpp"
#include "base/url_percent.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace outrider {

class UrlEditor {
 public:
  explicit UrlEditor(Url& url)
      : scheme(url.scheme()),
        scheme_kind(url.scheme_kind()),
        username(url.username()),
        password(url.password()),
        host_kind(url.host_kind()),
        port(url.port_),
        path(url.pathname()),
        query(url.query()),
        fragment(url.fragment()),
        url_(url) {
    if (url.has_authority()) host = url.hostname();
  }

  bool is_special() const { return scheme_kind != UrlScheme::other; }
  bool has_credentials() const { return !username.empty() || !password.empty(); }
  bool has_port() const { return port != Url::kAbsent; }
  bool cannot_have_credentials_or_port() const { return !host || host->empty() || scheme_kind == UrlScheme::file; }
  bool take_host(std::string_view text);
  bool take_port(std::string_view digits) { return UrlParser::parse_port(digits, scheme_kind, port) == nullptr; }
  bool write();

  std::string scheme;
  UrlScheme scheme_kind;
  std::string username, password;
  std::optional<std::string> host;
  HostKind host_kind;
  std::uint32_t port;
  std::string path;
  std::optional<std::string> query, fragment;

 private:
  Url& url_;
};

bool UrlEditor::take_host(std::string_view text) {
  std::string parsed;
  HostKind kind = HostKind::none;
  if (append_host(parsed, kind, text, is_special()) != nullptr) return false;
  host = std::move(parsed);
  host_kind = kind;
  return true;
}

// The URL serializer, noting where each part begins.
bool UrlEditor::write() {
  if (scheme.empty()) return false;  // an empty Url has no parts to set
  Url out;
  std::string& href = out.href_;
  href = scheme;
  out.scheme_end_ = out.size();
  href.push_back(':');
  if (host) href.append("//");
  href.append(username);
  out.user_end_ = out.size();
  if (!password.empty()) href.append(":").append(password);
  if (has_credentials()) href.push_back('@');
  out.host_begin_ = out.size();
  if (host) href.append(*host);
  out.host_end_ = out.size();
  if (has_port()) href.append(":").append(std::to_string(port));
  if (!host && !url_.has_opaque_path_ && path.starts_with("//")) href.append("/.");
  out.path_begin_ = out.size();
  href.append(path);
  if (query) {
    out.query_begin_ = out.size();
    href.append("?").append(*query);
  }
  if (fragment) {
    out.hash_begin_ = out.size();
    href.append("#").append(*fragment);
  }
  if (href.size() > Url::kMaxBytes) return false;
  out.port_ = port;
  out.scheme_kind_ = scheme_kind;
  out.host_kind_ = host_kind;
  out.has_opaque_path_ = url_.has_opaque_path_;
  url_ = std::move(out);
  return true;
}

namespace {

// Setter values are no longer than URLs, so that offsets cannot overflow.
bool is_too_long(std::string_view value) {
  return value.size() > Url::kMaxBytes;
}

std::string encode_userinfo(std::string_view value) {
  std::string out;
  append_percent_encoded(out, replace_invalid_utf8(value), EncodeSet::userinfo);
  return out;
}

}  // namespace

bool Url::set_href(std::string_view value) {
  Result<Url> parsed = parse(value);
  if (!parsed) return false;
  *this = std::move(*parsed);
  return true;
}

bool Url::set_protocol(std::string_view value) {
  if (is_too_long(value)) return false;
  const std::string input = UrlParser::without_tabs_and_newlines(value);
  const std::size_t end = std::min(input.find(':'), input.size());
  std::string scheme_text;
  for (std::size_t i = 0; i < end; ++i) {
    const char c = input[i];
    const bool allowed = is_ascii_alpha(c) || (i > 0 && (is_ascii_digit(c) || c == '+' || c == '-' || c == '.'));
    if (!allowed) return false;
    scheme_text.push_back(to_ascii_lower(c));
  }
  if (scheme_text.empty()) return false;
  UrlEditor editor(*this);
  const UrlScheme kind = scheme_kind_of(scheme_text);
  if ((kind != UrlScheme::other) != editor.is_special()) return false;
  if (kind == UrlScheme::file && (editor.has_credentials() || editor.has_port())) return false;
  if (editor.scheme_kind == UrlScheme::file && editor.host->empty()) return false;
  editor.scheme = std::move(scheme_text);
  editor.scheme_kind = kind;
  if (editor.port == default_port_of(kind) && editor.port != 0) editor.port = kAbsent;
  return editor.write();
}

bool Url::set_username(std::string_view value) {
  UrlEditor editor(*this);
  if (is_too_long(value) || editor.cannot_have_credentials_or_port()) return false;
  editor.username = encode_userinfo(value);
  return editor.write();
}

bool Url::set_password(std::string_view value) {
  UrlEditor editor(*this);
  if (is_too_long(value) || editor.cannot_have_credentials_or_port()) return false;
  editor.password = encode_userinfo(value);
  return editor.write();
}

namespace {

// Host state and hostname state with state override, and file host state for file URLs.
bool edit_host(UrlEditor& editor, std::string_view value, bool with_port) {
  const std::string cleaned = UrlParser::without_tabs_and_newlines(value);
  const bool is_file = editor.scheme_kind == UrlScheme::file;
  std::string_view input = cleaned;
  input = input.substr(0, input.find_first_of(editor.is_special() ? "/?#\\" : "/?#"));
  if (is_file) {
    if (input.empty()) {
      editor.host = "";
      editor.host_kind = HostKind::none;
      return true;
    }
    if (!editor.take_host(input)) return false;
    if (*editor.host == "localhost") {
      editor.host = "";
      editor.host_kind = HostKind::none;
    }
    return true;
  }
  const std::size_t host_end = UrlParser::find_host_end(input);
  if (host_end < input.size()) {
    if (host_end == 0 || !with_port || !editor.take_host(input.substr(0, host_end))) return false;
    const std::string_view rest = input.substr(host_end + 1);
    const auto digits_end = std::find_if_not(rest.begin(), rest.end(), is_ascii_digit);
    if (digits_end != rest.begin())  // a bad port is ignored, the host stays taken
      (void)editor.take_port(rest.substr(0, static_cast<std::size_t>(digits_end - rest.begin())));
    return true;
  }
  if (input.empty() && (editor.is_special() || editor.has_credentials() || editor.has_port())) return false;
  return editor.take_host(input);
}

}  // namespace

bool Url::set_host(std::string_view value) {
  if (is_too_long(value) || has_opaque_path_) return false;
  UrlEditor editor(*this);
  return edit_host(editor, value, true) && editor.write();
}

bool Url::set_hostname(std::string_view value) {
  if (is_too_long(value) || has_opaque_path_) return false;
  UrlEditor editor(*this);
  return edit_host(editor, value, false) && editor.write();
}

bool Url::set_port(std::string_view value) {
  UrlEditor editor(*this);
  if (is_too_long(value) || editor.cannot_have_credentials_or_port()) return false;
  if (value.empty()) {
    editor.port = kAbsent;
    return editor.write();
  }
  const std::string input = UrlParser::without_tabs_and_newlines(value);
  const auto end = std::find_if_not(input.begin(), input.end(), is_ascii_digit);
  if (end == input.begin() || !editor.take_port({input.begin(), end})) return false;
  return editor.write();
}

bool Url::set_pathname(std::string_view value) {
  if (is_too_long(value) || has_opaque_path_) return false;
  UrlEditor editor(*this);
  const std::string cleaned = UrlParser::without_tabs_and_newlines(value);
  std::string_view input = cleaned;
  editor.path.clear();
  if (input.empty() && !editor.is_special()) {
    if (!editor.host) editor.path = "/";
    return editor.write();
  }
  if (input.starts_with('/') || (editor.is_special() && input.starts_with('\\'))) input.remove_prefix(1);
  append_path(editor.path, 0, input, editor.scheme_kind, PathEnd::at_input_end);
  return editor.write();
}

bool Url::set_search(std::string_view value) {
  if (is_too_long(value)) return false;
  UrlEditor editor(*this);
  if (value.empty()) {
    editor.query.reset();
    return editor.write();
  }
  if (value.starts_with('?')) value.remove_prefix(1);
  editor.query.emplace();
  append_percent_encoded(*editor.query, UrlParser::without_tabs_and_newlines(value),
                         editor.is_special() ? EncodeSet::special_query : EncodeSet::query);
  return editor.write();
}

bool Url::set_hash(std::string_view value) {
  if (is_too_long(value)) return false;
  UrlEditor editor(*this);
  if (value.empty()) {
    editor.fragment.reset();
    return editor.write();
  }
  if (value.starts_with('#')) value.remove_prefix(1);
  editor.fragment.emplace();
  append_percent_encoded(*editor.fragment, UrlParser::without_tabs_and_newlines(value), EncodeSet::fragment);
  return editor.write();
}

}  // namespace outrider
