// Private to base/http_client*.cpp.
#pragma once

#include "base/http_client.hpp"

namespace outrider {

// A request body on its way to the origin, beside the response that is being read on the same connection.
struct ClientResponse::Upload {
  Upload(Reactor& reactor, ClientRequest& request)
      : changed(reactor.executor()),
        sweeper(reactor.sweeper()),
        body(request.body),
        framing(request.body_framing),
        deadline(request.deadline),
        timeouts(request.timeouts) {}
  AsyncEvent changed;
  DeadlineSweeper& sweeper;
  std::shared_ptr<BodySource> body;
  std::shared_ptr<Stream> stream;  // where it goes: one of them
  std::shared_ptr<OriginStream> h2;
  BodyFraming framing;
  Deadline deadline;  // of the whole exchange
  ClientTimeouts timeouts;

  Deadline at_most(Duration limit) const { return deadline.sooner_of(sweeper.in(limit)); }
  std::string scratch;
  bool running = true;
  bool stop = false;
  bool response_begun = false;
  bool reader_waits = true;  // for the response, which the origin may hold back until it has the whole request
  Result<void> result;
};

// Whoever opened a connection may have been allowed more than we are.
bool may_use(Http2Connection& open, const EgressTarget& target);  // http_client_http2.cpp

bool asks_for_websocket(const RequestHead& head);  // http_client_websocket.cpp

}  // namespace outrider
