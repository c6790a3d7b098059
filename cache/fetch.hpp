// One request to an origin and its answer, owned by whoever reads it: the client's own exchange, or a flight that
// outlives the client who began it.
#pragma once

#include "cache/exchange_response.hpp"

namespace outrider {

struct Fetch {
  ClientRequest request;
  RequestHead changed;  // the request as it goes out, where it is not the client's own
  std::unique_ptr<ClientResponse> response;
  WallTime request_time{};
  WallTime response_time{};

  // The head that goes out, to be changed: `clients` stays as it is.
  RequestHead& own_head(const RequestHead& clients) {
    if (request.head == &clients) {
      changed = clients;
      request.head = &changed;
    }
    return changed;
  }
};

// The origin's answer handed on as it comes.
class DirectResponse final : public ExchangeResponse {
 public:
  explicit DirectResponse(std::unique_ptr<Fetch> fetch) : fetch_(std::move(fetch)) { timings = origin().timings(); }

  ResponseHead& head() override { return origin().head(); }
  BodyFraming framing() const override { return origin().framing(); }
  Task<Result<std::string_view>> read() override { return origin().read(); }
  std::optional<Result<std::string_view>> read_now() override { return origin().read_now(); }
  bool buffered() const override { return origin().buffered(); }
  void pause() override { origin().pause(); }
  void cancel() override { origin().cancel(); }
  const HeaderMap& trailers() const override { return origin().trailers(); }
  Task<> finish() override { return origin().finish(); }
  bool finish_now() override { return origin().finish_now(); }
  bool upload_complete() const override { return origin().upload_complete(); }
  OriginTunnel take_tunnel() override { return origin().take_tunnel(); }

 private:
  ClientResponse& origin() const { return *fetch_->response; }
  std::unique_ptr<Fetch> fetch_;
};

}  // namespace outrider
