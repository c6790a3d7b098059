// A request to the API as its handlers see it, and what they give back. Handlers are plain functions: they may block, a
// worker thread runs them, and a failure is a reply like any other (webui/problem.hpp).
#pragma once

#include "base/clock.hpp"
#include "base/http_message.hpp"
#include "plugins/api/web_site.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider::webui {

namespace json = boost::json;

// Decoded names and values of a query string, in order ("+" is a space).
using QueryPairs = std::vector<std::pair<std::string, std::string>>;
QueryPairs parse_query(std::string_view query);

// Whoever may do a thing may do everything before it in this list.
// A user, where people log in to the proxy, sees the open pages and what is theirs, nothing else.
enum class Role : std::uint8_t { nobody, user, reader, admin };
std::string_view to_string(Role role);

struct ApiRequest {
  const WebRequest* as_it_came = nullptr;  // for the gate; its body is not there any more
  Method method = Method::get;
  Role role = Role::nobody;                                      // of whoever asks
  std::string user;                                              // of Role::user: the name
  std::vector<std::pair<std::string, std::string>> path_values;  // of the {names} in the pattern, decoded
  QueryPairs query;
  std::string body;
  std::string last_event_id;  // where a broken stream of events goes on
  std::string websocket_key;  // asks to go on as a WebSocket; "" = does not
  WallTime now{};
  // Of Role::user, for what goes on after the answer: is this still somebody who may ask? May read a file.
  std::function<bool()> still_welcome;

  std::optional<std::string_view> parameter(std::string_view name) const;  // of the query; the first of that name
  std::string_view in_path(std::string_view name) const;                   // "" if the pattern has no such name
};

struct ApiReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<WebStream> stream;

  static ApiReply of(const json::value& value, int status = 200);
  static ApiReply text(std::string_view type, std::string body);
  static ApiReply nothing();  // 204
};

}  // namespace outrider::webui
