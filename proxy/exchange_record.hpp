// What is told about one finished exchange: a line of the access log, an event of the live feed. Built only if somebody
// wants it. Never in it: cookies, credentials, bodies, and the query string unless the access log asks for it.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

// How long each step took; absent if there was no such step (a reused connection has no DNS, connect and TLS).
struct ExchangeTimings {
  std::optional<Duration> queue;  // waiting for a free connection
  std::optional<Duration> dns;
  std::optional<Duration> connect;
  std::optional<Duration> tls;
  std::optional<Duration> first_byte;  // from the request to the first byte of the answer
  std::optional<Duration> total;
};

struct ExchangeRecord {
  std::string id;
  WallTime time{};     // when the request arrived
  std::string client;  // address, without port
  std::string user;    // empty: nobody in particular
  std::string method;
  std::string url;    // log::safe_url(), or host:port for CONNECT
  std::string query;  // with '?'; only if AccessLog::wants_query()
  std::string host;
  std::string protocol;         // of the client: "HTTP/1.1"
  int status = 0;               // 0: no answer was given
  std::uint64_t bytes_in = 0;   // body bytes from the client
  std::uint64_t bytes_out = 0;  // body bytes to the client
  std::string request_type;     // Content-Type, without parameters
  std::string response_type;
  std::string cache;  // verdict: "hit", "miss", "revalidated", "pass"; empty: no cache was asked
  std::string error;  // RFC 9209 type, or ErrorKind where the RFC has no word for it; empty: no failure
  std::string user_agent;
  std::string referer;             // log::safe_url(); as it came only if AccessLog::wants_query()
  bool reused_connection = false;  // the connection to the origin
  ExchangeTimings timings;
  // Header fields, for the live feed only: what may be shown of them (proxy/shown_fields.hpp).
  using Fields = std::vector<std::pair<std::string, std::string>>;
  Fields request_fields;
  Fields response_fields;

  std::size_t memory() const;  // approximate bytes, strings included
};

// Without query string and fragment: the second line of defence, wherever a record is written.
inline std::string_view without_query(std::string_view url) {
  return url.substr(0, url.find_first_of("?#"));
}

// {"id":…,"time":…}: one object on one line, without the line break. Absent values are left out, and so are query
// strings unless `with_query`.
void append_json(std::string& out, const ExchangeRecord& record, bool with_query = false);

}  // namespace outrider
