// A URL as the WHATWG URL Standard defines it (https://url.spec.whatwg.org/): parsed, resolved, serialised and edited
// by its algorithms. One string holds the serialisation and offsets mark its parts, so an ordinary URL costs one
// allocation and the accessors are views into it. A value: copy it, move it, share it read-only between threads.
//
//   https://user:password@host.example:8080/path/file?query#hash
//        |      |         |           |    |         |     |
//        |      |         |           |    |         |     hash_begin
//        |      |         |           |    |         query_begin
//        |      |         |           |    path_begin
//        |      |         |           host_end
//        |      user_end  host_begin
//        scheme_end
//
// Neighbours: url_parser (the basic URL parser), url_fast (the same for ordinary http URLs), url_setters, url_host,
// url_path, url_percent; canonical_key (what the robot takes for the same page) builds on this and is not part of it.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

enum class HostKind : std::uint8_t {
  none,    // no host (mailto:x) or an empty one (file:///x)
  domain,  // lower-case ASCII, "xn--" labels for the rest
  ipv4,
  ipv6,    // in brackets
  opaque,  // of a scheme that is not special: not resolved, only percent-encoded
};

enum class UrlScheme : std::uint8_t { other, http, https, ws, wss, ftp, file };  // all but `other` are "special"

class Url {
 public:
  // Longer inputs and serialisations are refused, as Chromium does. Requests have a much smaller limit of their own.
  static constexpr std::size_t kMaxBytes = 2 * 1024 * 1024;

  // An empty value, not a URL: href() is "". Only there so that a Url can be a member.
  Url() = default;

  // Ill-formed UTF-8 counts as U+FFFD. `query_charset` is the encoding (a name of the Encoding Standard, any case) of
  // the page in which a link stood: it applies to the query of http, https, ftp and file URLs; "" and unknown names
  // mean UTF-8. Failure: ErrorKind::invalid_argument with the reason.
  static Result<Url> parse(std::string_view input, const Url* base = nullptr, std::string_view query_charset = {});

  // Named as in the standard's URL class; empty views for what is absent.
  const std::string& href() const { return href_; }
  std::string_view protocol() const { return view(0, href_.empty() ? 0 : scheme_end_ + 1); }  // "https:"
  std::string_view scheme() const { return view(0, scheme_end_); }                            // "https"
  std::string_view username() const { return has_authority() ? view(scheme_end_ + 3, user_end_) : std::string_view{}; }
  std::string_view password() const {
    return host_begin_ - user_end_ > 1 ? view(user_end_ + 1, host_begin_ - 1) : std::string_view{};
  }
  std::string_view host() const { return view(host_begin_, has_port() ? path_begin_ : host_end_); }  // with port
  std::string_view hostname() const { return view(host_begin_, host_end_); }
  std::string_view port() const { return has_port() ? view(host_end_ + 1, path_begin_) : std::string_view{}; }
  std::string_view pathname() const { return view(path_begin_, path_end()); }
  std::string_view search() const { return unless_lone(view(path_end(), query_end())); }  // with '?', or ""
  std::string_view hash() const { return unless_lone(view(query_end(), size())); }        // with '#', or ""
  std::string origin() const;  // "https://host:8443", or "null"

  // Absent is not the same as empty: "http://h/?" has an empty query.
  std::optional<std::string_view> query() const;
  std::optional<std::string_view> fragment() const;

  std::optional<std::uint16_t> port_number() const;  // only if it is not the scheme's default
  std::uint16_t effective_port() const;              // that, or the scheme's default, or 0
  UrlScheme scheme_kind() const { return scheme_kind_; }
  bool is_special() const { return scheme_kind_ != UrlScheme::other; }
  bool is_http() const { return scheme_kind_ == UrlScheme::http || scheme_kind_ == UrlScheme::https; }
  bool has_opaque_path() const { return has_opaque_path_; }  // "mailto:x", "data:…"
  bool has_credentials() const { return host_begin_ > user_end_; }
  HostKind host_kind() const { return host_kind_; }
  // What an origin-form request target holds (RFC 9112 section 3.2.1); fragments never go over the wire.
  std::string_view path_and_query() const { return view(path_begin_, query_end()); }
  std::string_view href_without_fragment() const { return view(0, query_end()); }
  // By the Public Suffix List; "" for addresses, opaque hosts and public suffixes themselves.
  std::string_view registrable_domain() const;

  // The standard's setters. True if the value was taken; false if it was refused, which leaves the URL as it was (with
  // one exception of the standard's: set_host("new:bad") takes the host and refuses the port).
  bool set_href(std::string_view value);
  bool set_protocol(std::string_view value);
  bool set_username(std::string_view value);
  bool set_password(std::string_view value);
  bool set_host(std::string_view value);
  bool set_hostname(std::string_view value);
  bool set_port(std::string_view value);
  bool set_pathname(std::string_view value);
  bool set_search(std::string_view value);
  bool set_hash(std::string_view value);

  bool operator==(const Url& other) const { return href_ == other.href_; }

 private:
  friend class UrlParser;
  friend class UrlEditor;
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

  static bool parse_ordinary(std::string_view input, Url& url);                   // url_fast.cpp
  static bool parse_ordinary(std::string_view input, const Url& base, Url& url);  // "/path" and "#part"

  std::uint32_t size() const { return static_cast<std::uint32_t>(href_.size()); }
  std::uint32_t query_end() const { return hash_begin_ != kAbsent ? hash_begin_ : size(); }
  std::uint32_t path_end() const { return query_begin_ != kAbsent ? query_begin_ : query_end(); }
  bool has_authority() const { return host_begin_ > scheme_end_ + 1; }  // "//" is there: the host is not null
  bool has_port() const { return port_ != kAbsent; }
  std::string_view view(std::uint32_t begin, std::uint32_t end) const { return {href_.data() + begin, end - begin}; }
  static std::string_view unless_lone(std::string_view part) { return part.size() > 1 ? part : std::string_view{}; }

  std::string href_;
  std::uint32_t scheme_end_ = 0;  // the ':'
  std::uint32_t user_end_ = 0;    // the ':' before a password, or the '@', or host_begin_
  std::uint32_t host_begin_ = 0;  // without authority: user_end_ = host_begin_ = host_end_ = scheme_end_ + 1
  std::uint32_t host_end_ = 0;    // the ':' before a port, or path_begin_
  std::uint32_t path_begin_ = 0;  // behind "/." if that keeps a path "//x" without authority from looking like a host
  std::uint32_t query_begin_ = kAbsent;  // the '?'
  std::uint32_t hash_begin_ = kAbsent;   // the '#'
  std::uint32_t port_ = kAbsent;
  UrlScheme scheme_kind_ = UrlScheme::other;
  HostKind host_kind_ = HostKind::none;
  bool has_opaque_path_ = false;
};

UrlScheme scheme_kind_of(std::string_view lower_case_scheme);
std::uint16_t default_port_of(UrlScheme scheme);  // 0: none

// The standard's host parser: what follows "//" in a URL, the authority of a CONNECT and a Host field all go through
// here. Returns the serialised host. `special` is true for everything that speaks HTTP.
Result<std::string> parse_host(std::string_view input, bool special);

}  // namespace outrider

template <>
struct std::hash<outrider::Url> {
  std::size_t operator()(const outrider::Url& url) const noexcept { return std::hash<std::string>{}(url.href()); }
};
