// The basic URL parser (https://url.spec.whatwg.org/#concept-basic-url-parser) without state override; the overrides
// are what url_setters does. The states of the standard are functions here, each of which handles a whole part of the
// input instead of one code point, and appends what it finds to the serialisation.
#pragma once

#include "base/url.hpp"
#include "base/url_host.hpp"

#include <string>
#include <string_view>

namespace outrider {

class UrlParser {
 public:
  UrlParser(std::string_view input, const Url* base, std::string_view query_charset);
  [[nodiscard]] UrlProblem run();
  Url take() { return std::move(url_); }

  // "80" → port, "" → absent. The whole of `digits` must be digits.
  [[nodiscard]] static UrlProblem parse_port(std::string_view digits, UrlScheme scheme, std::uint32_t& port);
  // Where the host ends: at a ':' outside brackets, or at the end.
  static std::size_t find_host_end(std::string_view host_and_port);
  static std::string without_tabs_and_newlines(std::string_view input);

 private:
  void prepare_input();
  std::size_t find_scheme_end() const;
  void start_scheme(std::string_view scheme);

  UrlProblem parse_after_scheme(std::string_view rest);
  UrlProblem parse_without_scheme();
  UrlProblem parse_relative(std::string_view rest);
  UrlProblem parse_authority(std::string_view rest);
  UrlProblem parse_file(std::string_view rest);
  UrlProblem parse_file_host(std::string_view rest);
  UrlProblem parse_host_and_port(std::string_view text);
  void parse_credentials(std::string_view text);
  UrlProblem parse_path_start(std::string_view rest);
  UrlProblem parse_path(std::string_view rest);
  UrlProblem parse_opaque_path(std::string_view rest);
  UrlProblem parse_query_and_fragment(std::string_view rest);
  UrlProblem finish();

  void open_authority();
  void set_no_authority();
  void copy_authority_of_base();
  void copy_path_of_base();
  void copy_query_of_base();
  void begin_path() { url_.path_begin_ = url_.size(); }
  bool base_is_file() const { return base_ != nullptr && base_->scheme_kind_ == UrlScheme::file; }
  bool is_slash(char c) const { return c == '/' || (c == '\\' && url_.is_special()); }

  std::string_view input_;
  std::string repaired_;  // backs input_ when it had to be changed
  const Url* base_;
  std::string_view query_charset_;
  Url url_;
};

}  // namespace outrider
