// The port behind the proxy's own address: whoever implements it (webui) is given the requests for the API and the
// monitor, and returns answers as values. The proxy knows who asks and under which name, and says so; what that
// entitles to is decided behind this port, at one place (webui/gate.hpp).
#pragma once

#include "base/async.hpp"
#include "base/http_message.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

// Who made the browser send it, as far as the browser tells (Origin, Sec-Fetch-Site).
enum class WebSender : std::uint8_t {
  unknown,       // no browser, a person who typed the address, or a page that may not be told from these
  own_page,      // a page of ours, under exactly the name that was asked
  foreign_page,  // any other page, be it of another port of this machine
};

struct WebRequest {
  Method method = Method::get;
  std::string path;   // as it came, without the query
  std::string query;  // without '?'
  HeaderMap headers;
  std::string body;
  bool from_this_machine = false;
  bool host_is_ours = false;   // the name in Host, or in the URL of a proxy request
  bool through_proxy = false;  // a proxy request; then …
  bool by_own_name = false;    // … for outrider.internal, not for some alias of our address
  std::string login;           // … by somebody who has logged in to the proxy: the name; "" = nobody
  WebSender sender = WebSender::unknown;
};

// A body that is made while it is sent: events without an end, or a long file. Used by one reactor; asked again and
// again while the client listens.
class WebStream {
 public:
  virtual ~WebStream() = default;
  // What is to be sent now; "" = nothing. Must not wait for something to happen.
  virtual Task<std::string> next() = 0;
  // True: nothing comes any more, and the client is to be told so.
  virtual bool ended() const { return false; }
  // True: it is a file that is not complete. There is more as soon as this is sent; and if nothing comes any more, the
  // client is to see that something is missing.
  virtual bool has_more() const { return false; }
};

struct WebAnswer {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<WebStream> stream;  // instead of `body`
};

class WebSite {
 public:
  virtual ~WebSite() = default;
  // Is this a place of ours? Everything else at the proxy's address belongs to the proxy itself.
  virtual bool owns(std::string_view path) const = 0;
  // To be asked before the body is read. Status 0 = come in.
  virtual WebAnswer refusal(const WebRequest& request) const = 0;
  // On the reactor of the caller; what blocks hops to threads of its own.
  virtual Task<WebAnswer> answer(WebRequest request) = 0;
};

inline constexpr std::size_t kMaxWebBody = 256 * 1024;

}  // namespace outrider
