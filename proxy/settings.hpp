// What can be configured about the proxy itself: where it listens, and the limits and time-outs for everything a peer
// controls.
#pragma once

#include "base/config_schema.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct ProxySettings {
  std::vector<std::string> listen = {"127.0.0.1:8282"};
  std::int64_t threads = 1;
  bool forwarded_for = false;

  static constexpr std::string_view kSection = "proxy";
  static constexpr std::string_view kComment = "Where browsers connect, and what the proxy tells origins about them.";
  static void describe(SectionSchema<ProxySettings>& s);
};

struct LimitSettings {
  ByteSize header_bytes{64 << 10};
  std::int64_t header_count = 256;
  ByteSize target_bytes{16 << 10};
  ByteSize request_body{0};
  std::int64_t connections = 20'000;
  std::int64_t connections_per_client = 10'000;
  std::int64_t origin_connections = 1024;
  std::int64_t connections_per_origin = 256;

  static constexpr std::string_view kSection = "limits";
  static constexpr std::string_view kComment = "Bounds on everything that a client or an origin controls.";
  static void describe(SectionSchema<LimitSettings>& s);
};

struct TimeoutSettings {
  Duration request_head = std::chrono::seconds{10};
  Duration keep_alive = std::chrono::seconds{300};
  Duration body_idle = std::chrono::seconds{60};
  Duration connect = std::chrono::seconds{5};
  Duration response_head = std::chrono::seconds{60};
  Duration origin_keep_alive = std::chrono::seconds{55};
  Duration tunnel_idle = std::chrono::seconds{600};
  Duration total = Duration::zero();
  Duration drain = std::chrono::seconds{10};

  static constexpr std::string_view kSection = "timeouts";
  static constexpr std::string_view kComment = "How long Outrider waits, for whom and for what.";
  static void describe(SectionSchema<TimeoutSettings>& s);
};

struct TlsSettings {
  std::string origin_ca_file;
  std::string ca_certificate;
  std::string ca_key;

  static constexpr std::string_view kSection = "tls";
  static constexpr std::string_view kComment = "Certificates.";
  static void describe(SectionSchema<TlsSettings>& s);
};

struct ListenAddress {
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 0;
};

// "127.0.0.1:8282", "[::1]:8282", "localhost:8282". Port 0 lets the system choose.
Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace outrider
