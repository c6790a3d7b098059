// What a Transaction sees of the client: one request, and the way to answer it. Session implements it for HTTP/1 (one
// request of a connection after another), Http2Request for HTTP/2.
//
// Sending has a path without coroutines, because most answers go out at once: put(), flush() and end() say true when
// they are done. After false the caller awaits sent(), which finishes the job, before it goes on; the bytes given to
// put() must stay where they are until then.
#pragma once

#include "base/body_source.hpp"
#include "base/http_message.hpp"
#include "base/stream.hpp"
#include "proxy/answer.hpp"
#include "proxy/connection_logins.hpp"
#include "proxy/intercepted_origin.hpp"
#include "proxy/io_worker.hpp"

#include <memory>
#include <span>
#include <string>

namespace outrider {

class ClientSide {
 public:
  IoWorker& worker() const { return worker_; }
  const ProxyPolicy& policy() const { return *policy_; }
  // The connection is for one https origin, and targets are not in absolute form; nullptr = an ordinary proxy request.
  const InterceptedOrigin* intercepted() const { return intercepted_.get(); }
  // The connection, for its addresses only: it may be shared with other requests.
  virtual Stream& connection() = 0;
  virtual ConnectionLogins& logins() = 0;  // made on the connection

  // --- the request
  virtual RequestHead& request() = 0;
  virtual const BodyFraming& request_framing() const = 0;
  virtual bool expects_continue() const = 0;
  virtual std::shared_ptr<BodySource> request_body() = 0;  // nullptr = none
  virtual std::uint64_t body_bytes() const = 0;            // received so far of that body
  virtual bool has_left() = 0;                             // nobody waits for the answer, as far as can be seen

  // --- an answer of our own
  virtual Task<> write_answer(const Answer& answer) = 0;

  // --- the answer of an exchange
  virtual Task<> send_informational(const ResponseHead& head) = 0;
  // Takes `head` without hop-by-hop fields and adds what the protocol needs. `framing` is the origin's.
  virtual void begin_answer(ResponseHead& head, const BodyFraming& framing) = 0;
  virtual bool put(std::string_view bytes, bool more) = 0;  // `more`: the next piece is there already
  // A piece and what ExchangeResponse::read_along() gave behind it, where the protocol lets them go out as they are.
  virtual bool takes_several() const { return false; }
  virtual bool put_several(std::string_view, std::span<const std::string_view>) { return false; }
  virtual bool flush() = 0;  // nothing more at the moment
  virtual bool end(const HeaderMap& trailers) = 0;
  virtual Task<Result<void>> sent() = 0;
  virtual void pause() = 0;                            // it is not the client that is waited for: its time does not run
  bool answer_begun() const { return answer_begun_; }  // something of it has gone out: too late for an error page
  // The answer has begun and cannot be finished: the client must not take it for complete.
  virtual void abort() = 0;
  // The rest of this request is of no use, or nobody can tell where it ends.
  virtual void close_after_this() = 0;
  // No request is taken on the connection any more; those that are running are answered.
  virtual void end_connection() = 0;

  // --- what is no HTTP any more
  // Says yes to CONNECT or to a change of protocol; then tunnel() moves bytes until both sides have finished. The
  // counters are kept up however it ends.
  virtual Task<Result<void>> accept_tunnel(const ResponseHead& head) = 0;
  virtual Task<> tunnel(OriginTunnel origin, std::uint64_t& bytes_in, std::uint64_t& bytes_out) = 0;
  // The connection itself, with what was read beyond the head put back; nullptr where requests share it.
  virtual std::shared_ptr<Stream> take_connection() = 0;
  // After take_connection(): TLS has been established on it, and what follows are requests for `origin`, in the
  // protocol that ALPN chose ("" = none, so HTTP/1).
  virtual void go_on_inside(std::shared_ptr<const InterceptedOrigin> origin, std::string protocol) = 0;

 protected:
  ClientSide(IoWorker& worker, std::shared_ptr<const InterceptedOrigin> intercepted)
      : worker_(worker), policy_(worker.policy()), intercepted_(std::move(intercepted)) {}
  ~ClientSide() = default;
  ClientSide(const ClientSide&) = delete;
  ClientSide& operator=(const ClientSide&) = delete;

  IoWorker& worker_;
  std::shared_ptr<const ProxyPolicy> policy_;  // the rules in force when the request came
  std::shared_ptr<const InterceptedOrigin> intercepted_;
  bool answer_begun_ = false;
};

}  // namespace outrider
