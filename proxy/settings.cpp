#include "proxy/settings.hpp"

#include <fmt/format.h>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <charconv>

namespace outrider {
namespace {

Error refuse(std::string_view text, std::string_view why) {
  return Error(
      ErrorKind::invalid_argument, Side::self,
      fmt::format("{} {}, expected HOST:PORT such as \"127.0.0.1:8282\" or \"[::1]:8282\"", quoted(text), why));
}

bool is_ipv6(std::string_view host) {
  boost::system::error_code failed;
  boost::asio::ip::make_address_v6(std::string(host), failed);
  return !failed;
}

// RFC 952 and 1123 host names, or an IPv4 address. A name that is all digits and dots must be an address.
bool is_name_or_ipv4(std::string_view host) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  bool only_digits = true;
  for (const char c : host) {
    const bool digit_or_dot = (c >= '0' && c <= '9') || c == '.';
    if (!digit_or_dot && !is_letter(c) && c != '-') return false;
    only_digits = only_digits && digit_or_dot;
  }
  if (!only_digits) return host.size() <= 253 && host.front() != '-' && host.front() != '.';
  boost::system::error_code failed;
  boost::asio::ip::make_address_v4(std::string(host), failed);
  return !failed;
}

}  // namespace

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse(text, "has no port");
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);

  ListenAddress address;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (failed != std::errc{} || end != digits.data() + digits.size()) return refuse(text, "has no port from 0 to 65535");

  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!is_ipv6(host)) return refuse(text, "has no IPv6 address in its brackets");
  } else if (host.find(':') != std::string_view::npos) {
    return refuse(text, "has an IPv6 address without brackets");
  } else if (host.empty()) {
    return refuse(text, "has no host (for all addresses: 0.0.0.0 or [::])");
  } else if (!is_name_or_ipv4(host)) {
    return refuse(text, "has no valid host");
  }
  address.host = host;
  return address;
}

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

void ProxySettings::describe(SectionSchema<ProxySettings>& s) {
  s.key("listen", &ProxySettings::listen, "Addresses that browsers connect to; port 0 picks a free one.",
        Change::needs_restart, [](const std::vector<std::string>& addresses) -> Refusal {
          if (addresses.empty()) return "at least one address is needed";
          for (const std::string& text : addresses)
            if (const auto parsed = parse_listen_address(text); !parsed) return parsed.error().detail;
          return std::nullopt;
        });
  s.key("threads", &ProxySettings::threads,
        "Threads that move bytes; 0 = one per core. One serves thousands of browsers.", Change::needs_restart,
        in_range(0, 256));
  s.key("forwarded_for", &ProxySettings::forwarded_for,
        "Tell origins the client's address (Forwarded and X-Forwarded-For).", Change::live);
}

void LimitSettings::describe(SectionSchema<LimitSettings>& s) {
  s.key("header_bytes", &LimitSettings::header_bytes,
        "Names and values of one message's header fields; more is answered 431.", Change::live,
        in_range(ByteSize{1 << 10}, ByteSize{1 << 20}));
  s.key("header_count", &LimitSettings::header_count, "Header fields of one message; more is answered 431.",
        Change::live, in_range(16, 4096));
  s.key("target_bytes", &LimitSettings::target_bytes, "Length of the address in a request; more is answered 414.",
        Change::live, in_range(ByteSize{1 << 10}, ByteSize{1 << 20}));
  s.key("request_body", &LimitSettings::request_body, "Size of an upload; more is answered 413. 0 = no limit.",
        Change::live);
  s.key("connections", &LimitSettings::connections, "Client connections in all; one more is answered 503.",
        Change::live, in_range(1, 1'000'000));
  s.key("connections_per_client", &LimitSettings::connections_per_client,
        "Connections of one client: an address, or in IPv6 a /64.", Change::live, in_range(1, 1'000'000));
  s.key("origin_connections", &LimitSettings::origin_connections, "Connections to origins, busy and kept, per thread.",
        Change::needs_restart, in_range(1, 100'000));
  s.key("connections_per_origin", &LimitSettings::connections_per_origin,
        "Simultaneous connections to one origin, per thread; further requests wait their turn.", Change::needs_restart,
        in_range(1, 100'000));
}

void TimeoutSettings::describe(SectionSchema<TimeoutSettings>& s) {
  s.key("request_head", &TimeoutSettings::request_head, "For a client to send the head of a request.", Change::live,
        in_range(milliseconds{100}, hours{1}));
  s.key("keep_alive", &TimeoutSettings::keep_alive, "An idle client connection is kept this long.", Change::live,
        in_range(milliseconds{100}, hours{24}));
  s.key("body_idle", &TimeoutSettings::body_idle, "Between two pieces of a body, either way.", Change::live,
        in_range(milliseconds{100}, hours{24}));
  s.key("tls_handshake", &TimeoutSettings::tls_handshake, "For a client to shake hands in an intercepted tunnel.",
        Change::live, in_range(milliseconds{100}, hours{1}));
  s.key("connect", &TimeoutSettings::connect, "To resolve a name, connect and shake hands.", Change::live,
        in_range(milliseconds{100}, hours{1}));
  s.key("response_head", &TimeoutSettings::response_head, "From the end of a request to the head of its response.",
        Change::live, in_range(milliseconds{100}, hours{24}));
  s.key("origin_keep_alive", &TimeoutSettings::origin_keep_alive, "An idle connection to an origin is kept this long.",
        Change::needs_restart, in_range(milliseconds{100}, hours{24}));
  s.key("tunnel_idle", &TimeoutSettings::tunnel_idle, "A tunnel (CONNECT, WebSocket) in which nothing moves is closed.",
        Change::live, in_range(seconds{1}, hours{24 * 7}));
  s.key("total", &TimeoutSettings::total, "For one request and its response as a whole; 0 = no limit.", Change::live);
  s.key("drain", &TimeoutSettings::drain, "At shutdown, for running requests to finish.", Change::live,
        in_range(milliseconds{0}, hours{1}));
}

void TlsSettings::describe(SectionSchema<TlsSettings>& s) {
  using Self = TlsSettings;
  s.key("intercept", &Self::intercept,
        "off: every tunnel passes unseen. onboarded: until somebody has accepted interception at "
        "http://outrider.internal/. all: "
        "without asking; only for clients that trust the certificate of this Outrider.",
        Change::live);
  s.key("intercept_ports", &Self::intercept_ports, "Ports and ranges on which tunnels are intercepted, \"*\" for all.",
        Change::live);
  s.key("never_intercept", &Self::never_intercept, "Patterns of hosts whose connections pass unseen.", Change::live);
  s.key("never_intercept_presets", &Self::never_intercept_presets,
        "Lists of such hosts that come with Outrider (conf/never-intercept): banks, health, government.", Change::live);
  s.key(
      "never_intercept_folder", &Self::never_intercept_folder,
      "A folder with lists of your own: what is in it as NAME.list takes the place of the preset NAME, or is a further "
      "one. Empty: none.",
      Change::live);
  s.key("never_intercept_files", &Self::never_intercept_files,
        "Files with further such patterns, one a line; \"#\" begins a comment.", Change::live);
  s.key("never_intercept_clients", &Self::never_intercept_clients,
        "Addresses and prefixes of clients whose connections pass unseen.", Change::live);
  s.key("always_intercept", &Self::always_intercept,
        "Patterns of hosts that are intercepted although a wider pattern above says otherwise.", Change::live);
  s.key("refuse", &Self::refuse, "Patterns of hosts to which no encrypted connection is made at all.", Change::live);
  s.key(
      "pinned_for", &Self::pinned_for,
      "A host whose certificate from us a client has refused twice passes unseen for that client this long; 0 = never.",
      Change::live, in_range(seconds{0}, hours{24 * 30}));
  s.key("client_speaks_first", &Self::client_speaks_first,
        "A client that says nothing for this long waits for the other side: its tunnel passes unseen.", Change::live,
        in_range(milliseconds{100}, seconds{60}));
  s.key("certificates_kept", &Self::certificates_kept, "Certificates for hosts that are kept in memory.",
        Change::needs_restart, in_range(10, 100'000));
  s.key("certificates_per_second", &Self::certificates_per_second,
        "Certificates for new hosts that are made in a second; further connections are refused.", Change::needs_restart,
        in_range(1, 100'000));
  s.key("origin_ca_file", &Self::origin_ca_file,
        "PEM file with certificates that origins may be signed by, besides the system's.", Change::needs_restart);
  s.key("ca_certificate", &Self::ca_certificate,
        "Your own certificate authority instead of the one that Outrider makes: PEM file with its certificate.",
        Change::needs_restart);
  s.key("ca_key", &Self::ca_key, "The private key that belongs to ca_certificate: PEM file, chmod 600.",
        Change::needs_restart);
}

}  // namespace outrider
