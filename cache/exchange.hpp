// THE shared pipeline: every request of a browser and of the robot is answered here, from the store or from the origin.
// The caller cannot tell which; it gets one head and one body to read. (Storage is not wired in yet: every answer is
// the origin's.)
#pragma once

#include "base/http_client.hpp"
#include "base/url.hpp"

#include <memory>
#include <string>

namespace outrider {

// Who wants it: selects priority and identity, never a rule of caching.
enum class Intent : std::uint8_t { browser, robot, revalidate };

struct ExchangeRequest {
  Intent intent = Intent::browser;
  const Url* url = nullptr;  // where it goes
  std::string_view
      path_and_query;           // what is asked for there, byte by byte as the client wrote it (RFC 9110 section 7.7)
  RequestHead* head = nullptr;  // end-to-end fields only; Host and framing are written by the exchange
  std::shared_ptr<BodySource> body;  // nullptr = none
  BodyFraming body_framing;
  bool upgrade = false;  // the client asks to switch protocols; the answer may be a 101
  std::shared_ptr<const AddressPolicy> policy;
  std::shared_ptr<const ParentProxy> parent;
  ClientTimeouts timeouts;
  Deadline deadline;
  std::function<Task<>(const ResponseHead&)> on_informational;
};

class Exchange {
 public:
  explicit Exchange(HttpClient& client) : client_(client) {}

  // `request` and what it points to must stay alive until the response's finish().
  Task<Result<std::unique_ptr<ClientResponse>>> run(ExchangeRequest& request, ClientRequest& origin_request);

 private:
  HttpClient& client_;
};

}  // namespace outrider
