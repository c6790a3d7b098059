// A real HttpClient with a real pool, resolver and egress, whose names all resolve to what the test says.
#pragma once

#include "base/http_client.hpp"
#include "tests/support/reactor_fixture.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

namespace outrider::testing {

struct HttpClientFixture : ::testing::Test {
  HttpClientFixture() = default;
  explicit HttpClientFixture(const Clock& clock) : reactor(clock) {}

  Reactor reactor;
  WorkerPool workers{2, 64};
  std::map<std::string, Addresses> names;
  Resolver resolver{reactor, workers, {}, [this](const std::string& host) -> Result<Addresses> {
                      const auto known = names.find(host);
                      if (known != names.end()) return known->second;
                      return Error{ErrorKind::dns_failure, Side::origin, host + ": no such name"};
                    }};
  std::unique_ptr<TlsClient> tls = TlsClient::create(tls_options()).value();
  Egress egress{reactor, resolver, *tls};
  std::shared_ptr<ConnectionPool> pool = std::make_shared<ConnectionPool>(reactor, PoolLimits{});
  HttpClient client{reactor, egress, pool, HttpLimits{}};
  HttpClient* sender = &client;               // who is asked by fetch()
  std::function<void()> on_informational;     // what else is to happen with each
  std::function<void(std::size_t)> on_piece;  // the size of the body so far
  std::shared_ptr<const AddressPolicy> policy = std::make_shared<AddressPolicy>(AddressPolicy::personal());

  static TlsClientOptions tls_options() {
    TlsClientOptions options;
    options.system_trust = false;
    return options;
  }

  struct Got {
    int status = 0;
    std::string body;
    HeaderMap headers;
    HeaderMap trailers;
    ClientTimings timings;
    std::vector<int> informational;
  };

  struct Wanted {
    Method method = Method::get;
    std::uint16_t port = 0;
    std::string host = "127.0.0.1";
    std::shared_ptr<BodySource> body;
    BodyFraming framing;
    ClientTimeouts timeouts;
    std::shared_ptr<const ParentProxy> parent;
    bool tls = false;
    std::string apart;
    HeaderMap headers;  // further ones
    Wanted() = default;
  };

  Result<Got> fetch(Wanted wanted) { return run_task(reactor, fetch_task(std::move(wanted))); }
  Result<Got> get(std::uint16_t port) {
    Wanted wanted;
    wanted.port = port;
    return fetch(wanted);
  }

  Task<Result<Got>> fetch_task(Wanted wanted) {
    RequestHead head;
    head.set_method(wanted.method);
    head.headers = wanted.headers;
    head.headers.add(HeaderId::host, wanted.host);
    if (wanted.framing.kind == BodyFraming::Kind::chunked) head.headers.add(HeaderId::transfer_encoding, "chunked");
    if (wanted.framing.kind == BodyFraming::Kind::length)
      head.headers.add(HeaderId::content_length, std::to_string(wanted.framing.length));
    Got got;
    ClientRequest request;
    request.target.host = wanted.host;
    request.target.port = wanted.port;
    request.target.tls = wanted.tls;
    request.target.policy = policy;
    request.target.parent = wanted.parent;
    request.target.apart = wanted.apart;
    request.head = &head;
    request.wire_target = "/path";
    request.body = wanted.body;
    request.body_framing = wanted.framing;
    request.timeouts = wanted.timeouts;
    request.deadline = Deadline::after(std::chrono::seconds{20});
    request.on_informational = [&got, this](const ResponseHead& h) -> Task<> {
      got.informational.push_back(h.status);
      if (on_informational) on_informational();
      co_return;
    };
    Result<std::unique_ptr<ClientResponse>> response = co_await sender->send(request);
    if (!response) co_return response.error();
    ClientResponse& answer = **response;
    got.status = answer.head().status;
    got.headers = answer.head().headers;
    got.timings = answer.timings();
    for (;;) {
      Result<std::string_view> piece = co_await answer.read();
      if (!piece) {
        Error error = piece.error();
        co_await answer.finish();
        co_return error;
      }
      if (piece->empty()) break;
      got.body += *piece;
      if (on_piece) on_piece(got.body.size());
    }
    got.trailers = answer.trailers();
    co_await answer.finish();
    co_return got;
  }
};

// A body that is there at once.
class StringBody final : public BodySource {
 public:
  explicit StringBody(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  Task<Result<std::string_view>> read() override {
    if (next_ == pieces_.size()) co_return std::string_view{};
    co_return std::string_view{pieces_[next_++]};
  }
  const HeaderMap& trailers() const override { return trailers_; }
  void cancel() override { cancelled = true; }
  HeaderMap trailers_;
  bool cancelled = false;

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

}  // namespace outrider::testing
