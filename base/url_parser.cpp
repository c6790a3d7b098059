#include "base/url_parser.hpp"

#include "base/query_charset.hpp"
#include "base/url_path.hpp"
#include "base/url_percent.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <charconv>

namespace outrider {
namespace {

constexpr bool is_scheme_character(char c) {
  return is_ascii_alpha(c) || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
}

constexpr bool is_tab_or_newline(char c) {
  return c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

UrlParser::UrlParser(std::string_view input, const Url* base, std::string_view query_charset)
    : input_(input), base_(base), query_charset_(query_charset) {}

std::string UrlParser::without_tabs_and_newlines(std::string_view input) {
  std::string out = is_ascii(input) || is_valid_utf8(input) ? std::string(input) : replace_invalid_utf8(input);
  std::erase_if(out, is_tab_or_newline);
  return out;
}

void UrlParser::prepare_input() {
  const auto is_c0_or_space = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!input_.empty() && is_c0_or_space(input_.front())) input_.remove_prefix(1);
  while (!input_.empty() && is_c0_or_space(input_.back())) input_.remove_suffix(1);
  const bool clean = std::none_of(input_.begin(), input_.end(),
                                  [](char c) { return is_tab_or_newline(c) || static_cast<unsigned char>(c) >= 0x80; });
  if (!clean) input_ = repaired_ = without_tabs_and_newlines(input_);
}

UrlProblem UrlParser::run() {
  if (input_.size() > Url::kMaxBytes) return "the URL is too long";
  prepare_input();
  url_.href_.reserve(input_.size() + (base_ != nullptr ? base_->href_.size() : 0) + 8);
  const std::size_t colon = find_scheme_end();
  UrlProblem problem = nullptr;
  if (colon != std::string_view::npos) {
    start_scheme(input_.substr(0, colon));
    problem = parse_after_scheme(input_.substr(colon + 1));
  } else {
    problem = parse_without_scheme();
  }
  return problem != nullptr ? problem : finish();
}

std::size_t UrlParser::find_scheme_end() const {
  if (input_.empty() || !is_ascii_alpha(input_[0])) return std::string_view::npos;
  std::size_t i = 1;
  while (i < input_.size() && is_scheme_character(input_[i])) ++i;
  return i < input_.size() && input_[i] == ':' ? i : std::string_view::npos;
}

void UrlParser::start_scheme(std::string_view scheme) {
  for (char c : scheme) url_.href_.push_back(to_ascii_lower(c));
  url_.scheme_kind_ = scheme_kind_of(url_.href_);
  url_.scheme_end_ = url_.size();
  url_.href_.push_back(':');
}

// The rest of the scheme state.
UrlProblem UrlParser::parse_after_scheme(std::string_view rest) {
  if (url_.scheme_kind_ == UrlScheme::file) return parse_file(rest);
  if (url_.is_special()) {
    if (base_ != nullptr && base_->scheme_kind_ == url_.scheme_kind_ && !rest.starts_with("//"))
      return parse_relative(rest);
    while (!rest.empty() && is_slash(rest[0])) rest.remove_prefix(1);
    return parse_authority(rest);
  }
  if (rest.starts_with("//")) return parse_authority(rest.substr(2));
  set_no_authority();
  begin_path();
  return rest.starts_with('/') ? parse_path(rest.substr(1)) : parse_opaque_path(rest);
}

UrlProblem UrlParser::parse_without_scheme() {
  if (base_ == nullptr || base_->href_.empty()) return "it is relative and there is no base URL";
  if (base_->has_opaque_path_ && !input_.starts_with('#')) return "it is relative and the base URL cannot be a base";
  start_scheme(base_->scheme());
  if (base_->has_opaque_path_) {
    set_no_authority();
    copy_path_of_base();
    copy_query_of_base();
    return parse_query_and_fragment(input_);
  }
  return base_is_file() ? parse_file(input_) : parse_relative(input_);
}

// Relative state and relative slash state.
UrlProblem UrlParser::parse_relative(std::string_view rest) {
  if (!rest.empty() && is_slash(rest[0])) {
    if (rest.size() > 1 && is_slash(rest[1])) {
      rest.remove_prefix(2);
      while (url_.is_special() && !rest.empty() && is_slash(rest[0])) rest.remove_prefix(1);
      return parse_authority(rest);
    }
    copy_authority_of_base();
    begin_path();
    return parse_path(rest.substr(1));
  }
  copy_authority_of_base();
  copy_path_of_base();
  if (rest.empty() || rest[0] == '#') copy_query_of_base();
  if (rest.empty() || rest[0] == '?' || rest[0] == '#') return parse_query_and_fragment(rest);
  shorten_path(url_.href_, url_.path_begin_, url_.scheme_kind_);
  return parse_path(rest);
}

// Authority, host and port states: `rest` starts behind the slashes.
UrlProblem UrlParser::parse_authority(std::string_view rest) {
  std::size_t end = 0;
  std::size_t at_sign = std::string_view::npos;
  for (; end < rest.size(); ++end) {
    const char c = rest[end];
    if (is_slash(c) || c == '/' || c == '?' || c == '#') break;
    if (c == '@') at_sign = end;
  }
  std::string_view authority = rest.substr(0, end);
  open_authority();
  if (at_sign != std::string_view::npos) {
    if (at_sign + 1 == authority.size()) return "there is a user name but no host";
    parse_credentials(authority.substr(0, at_sign));
    authority.remove_prefix(at_sign + 1);
  }
  if (UrlProblem problem = parse_host_and_port(authority)) return problem;
  begin_path();
  return parse_path_start(rest.substr(end));
}

void UrlParser::parse_credentials(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  append_percent_encoded(url_.href_, text.substr(0, colon), EncodeSet::userinfo);
  url_.user_end_ = url_.size();
  if (colon + 1 < text.size()) {
    url_.href_.push_back(':');
    append_percent_encoded(url_.href_, text.substr(colon + 1), EncodeSet::userinfo);
  }
  if (url_.size() > url_.scheme_end_ + 3) url_.href_.push_back('@');
  url_.host_begin_ = url_.host_end_ = url_.size();
}

std::size_t UrlParser::find_host_end(std::string_view host_and_port) {
  bool inside_brackets = false;
  for (std::size_t i = 0; i < host_and_port.size(); ++i) {
    const char c = host_and_port[i];
    if (c == '[') inside_brackets = true;
    if (c == ']') inside_brackets = false;
    if (c == ':' && !inside_brackets) return i;
  }
  return host_and_port.size();
}

UrlProblem UrlParser::parse_host_and_port(std::string_view text) {
  const std::size_t host_end = find_host_end(text);
  if (host_end == 0 && (url_.is_special() || !text.empty())) return "the host is empty";
  if (UrlProblem problem = append_host(url_.href_, url_.host_kind_, text.substr(0, host_end), url_.is_special()))
    return problem;
  url_.host_end_ = url_.size();
  if (host_end == text.size()) return nullptr;
  if (UrlProblem problem = parse_port(text.substr(host_end + 1), url_.scheme_kind_, url_.port_)) return problem;
  if (url_.has_port()) {
    char digits[8];
    url_.href_.push_back(':');
    url_.href_.append(digits, std::to_chars(digits, digits + sizeof digits, url_.port_).ptr);
  }
  return nullptr;
}

UrlProblem UrlParser::parse_port(std::string_view digits, UrlScheme scheme, std::uint32_t& port) {
  std::uint32_t value = 0;
  for (char c : digits) {
    if (!is_ascii_digit(c)) return "the port is not a number";
    value = value * 10 + hex_value(c);
    if (value > 0xFFFF) return "the port is out of range";
  }
  const bool is_default = value == default_port_of(scheme) && value != 0;
  port = digits.empty() || is_default ? Url::kAbsent : value;
  return nullptr;
}

UrlProblem UrlParser::parse_path_start(std::string_view rest) {
  if (url_.is_special()) return parse_path(!rest.empty() && is_slash(rest[0]) ? rest.substr(1) : rest);
  if (rest.starts_with('/')) return parse_path(rest.substr(1));
  return parse_query_and_fragment(rest);  // nothing else can follow an authority
}

// `rest` starts behind the slash that opens the path; path_begin_ is set.
UrlProblem UrlParser::parse_path(std::string_view rest) {
  const std::size_t used =
      append_path(url_.href_, url_.path_begin_, rest, url_.scheme_kind_, PathEnd::at_query_or_hash);
  return parse_query_and_fragment(rest.substr(used));
}

UrlProblem UrlParser::parse_opaque_path(std::string_view rest) {
  url_.has_opaque_path_ = true;
  const std::size_t end = std::min(rest.find_first_of("?#"), rest.size());
  append_percent_encoded(url_.href_, rest.substr(0, end), EncodeSet::c0_control);
  if (end > 0 && end < rest.size() && rest[end - 1] == ' ') {  // so that cutting the rest off leaves no trailing space
    url_.href_.pop_back();
    url_.href_.append("%20");
  }
  return parse_query_and_fragment(rest.substr(end));
}

// `rest` is empty or starts with '?' or '#'.
UrlProblem UrlParser::parse_query_and_fragment(std::string_view rest) {
  if (rest.starts_with('?')) {
    const std::size_t end = std::min(rest.find('#'), rest.size());
    url_.query_begin_ = url_.size();
    url_.href_.push_back('?');
    const EncodeSet set = url_.is_special() ? EncodeSet::special_query : EncodeSet::query;
    const bool is_legacy_scheme =
        url_.is_special() && url_.scheme_kind_ != UrlScheme::ws && url_.scheme_kind_ != UrlScheme::wss;
    if (!is_legacy_scheme || query_charset_.empty()) {
      append_percent_encoded(url_.href_, rest.substr(1, end - 1), set);
    } else {
      append_percent_encoded_in_charset(url_.href_, rest.substr(1, end - 1), set, query_charset_);
    }
    rest.remove_prefix(end);
  }
  if (rest.starts_with('#')) {
    url_.hash_begin_ = url_.size();
    url_.href_.push_back('#');
    append_percent_encoded(url_.href_, rest.substr(1), EncodeSet::fragment);
  }
  return nullptr;
}

// File state and file slash state.
UrlProblem UrlParser::parse_file(std::string_view rest) {
  if (!rest.empty() && is_slash(rest[0])) {
    rest.remove_prefix(1);
    if (!rest.empty() && is_slash(rest[0])) return parse_file_host(rest.substr(1));
    if (!base_is_file()) {
      open_authority();
      begin_path();
      return parse_path(rest);
    }
    copy_authority_of_base();
    begin_path();
    const std::string_view drive = base_->pathname().substr(0, 3);  // "/C:" and then nothing or another segment
    const bool base_has_drive = drive.size() == 3 && is_normalized_windows_drive_letter(drive.substr(1)) &&
                                (base_->pathname().size() == 3 || base_->pathname()[3] == '/');
    if (base_has_drive && !starts_with_windows_drive_letter(rest)) url_.href_.append(drive);
    return parse_path(rest);
  }
  if (!base_is_file()) {
    open_authority();
    begin_path();
    return parse_path(rest);
  }
  copy_authority_of_base();
  copy_path_of_base();
  if (rest.empty() || rest[0] == '#') copy_query_of_base();
  if (rest.empty() || rest[0] == '?' || rest[0] == '#') return parse_query_and_fragment(rest);
  if (starts_with_windows_drive_letter(rest)) {
    url_.href_.resize(url_.path_begin_);
  } else {
    shorten_path(url_.href_, url_.path_begin_, url_.scheme_kind_);
  }
  return parse_path(rest);
}

UrlProblem UrlParser::parse_file_host(std::string_view rest) {
  const std::size_t end = std::min(rest.find_first_of("/\\?#"), rest.size());
  const std::string_view host = rest.substr(0, end);
  open_authority();
  if (is_windows_drive_letter(host)) {  // "file://C:/x" has no host: the drive letter is the first segment
    begin_path();
    return parse_path(rest);
  }
  if (!host.empty()) {
    if (UrlProblem problem = append_host(url_.href_, url_.host_kind_, host, true)) return problem;
    if (url_.view(url_.host_begin_, url_.size()) == "localhost") {
      url_.href_.resize(url_.host_begin_);
      url_.host_kind_ = HostKind::none;
    }
    url_.host_end_ = url_.size();
  }
  begin_path();
  return parse_path_start(rest.substr(end));
}

void UrlParser::open_authority() {
  url_.href_.append("//");
  url_.user_end_ = url_.host_begin_ = url_.host_end_ = url_.size();
}

void UrlParser::set_no_authority() {
  url_.user_end_ = url_.host_begin_ = url_.host_end_ = url_.size();
}

// Schemes are equal here, so the offsets are too.
void UrlParser::copy_authority_of_base() {
  const std::uint32_t end = base_->has_port() ? base_->path_begin_ : base_->host_end_;
  url_.href_.append(base_->view(base_->scheme_end_ + 1, end));
  url_.user_end_ = base_->user_end_;
  url_.host_begin_ = base_->host_begin_;
  url_.host_end_ = base_->host_end_;
  url_.host_kind_ = base_->host_kind_;
  url_.port_ = base_->port_;
}

void UrlParser::copy_path_of_base() {
  begin_path();
  url_.href_.append(base_->pathname());
  url_.has_opaque_path_ = base_->has_opaque_path_;
}

void UrlParser::copy_query_of_base() {
  if (base_->query_begin_ == Url::kAbsent) return;
  url_.query_begin_ = url_.size();
  url_.href_.append(base_->view(base_->query_begin_, base_->query_end()));
}

UrlProblem UrlParser::finish() {
  if (!url_.has_authority() && !url_.has_opaque_path_ && url_.pathname().starts_with("//")) {
    url_.href_.insert(url_.path_begin_, "/.");
    url_.path_begin_ += 2;
    if (url_.query_begin_ != Url::kAbsent) url_.query_begin_ += 2;
    if (url_.hash_begin_ != Url::kAbsent) url_.hash_begin_ += 2;
  }
  return url_.href_.size() <= Url::kMaxBytes ? nullptr : "the URL is too long";
}

Result<Url> Url::parse(std::string_view input, const Url* base, std::string_view query_charset) {
  Url url;
  if (parse_ordinary(input, url)) return url;
  if (base != nullptr && parse_ordinary(input, *base, url)) return url;
  UrlParser parser(input, base, query_charset);
  if (UrlProblem problem = parser.run()) return Error(ErrorKind::invalid_argument, Side::self, problem);
  return parser.take();
}

}  // namespace outrider
