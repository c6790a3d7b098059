// What can be configured about the proxy itself: where it listens, and the limits and time-outs for everything a peer
// controls.
#pragma once

#include "base/config_schema.hpp"
#include "base/error.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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
  Duration tls_handshake = std::chrono::seconds{10};
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

// What happens to the tunnels of encrypted connections.
enum class InterceptMode : std::uint8_t { off, onboarded, all };
constexpr auto enum_names(InterceptMode) {
  return std::to_array<std::pair<InterceptMode, std::string_view>>(
      {{InterceptMode::off, "off"}, {InterceptMode::onboarded, "onboarded"}, {InterceptMode::all, "all"}});
}

struct TlsSettings {
  InterceptMode intercept = InterceptMode::onboarded;
  std::vector<std::string> intercept_ports = {"443", "8443"};
  std::vector<std::string> never_intercept;
  std::vector<std::string> never_intercept_presets = {"banks", "health", "government"};
  std::string never_intercept_folder;
  std::vector<std::string> never_intercept_files;
  std::vector<std::string> never_intercept_clients;
  std::vector<std::string> always_intercept;
  std::vector<std::string> refuse;
  Duration pinned_for = std::chrono::hours{1};
  Duration client_speaks_first = std::chrono::seconds{1};
  std::int64_t certificates_kept = 2000;
  std::int64_t certificates_per_second = 1000;
  std::string origin_ca_file;
  std::string ca_certificate;
  std::string ca_key;

  static constexpr std::string_view kSection = "tls";
  static constexpr std::string_view kComment =
      "Encrypted connections: which are opened up (decrypted here, checked, cached and encrypted again with a "
      "certificate of "
      "this Outrider) and which pass unseen. Patterns as in [destinations]; the most specific decides.";
  static void describe(SectionSchema<TlsSettings>& s);
};

struct ListenAddress {
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 0;
};

// "127.0.0.1:8282", "[::1]:8282", "localhost:8282". Port 0 lets the system choose.
Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace outrider
