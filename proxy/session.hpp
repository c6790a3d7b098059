// One client connection: reads requests one after another (pipelined ones wait their turn), has each answered by a
// Transaction, and decides whether there will be another. While idle it holds neither a buffer nor a timer.
#pragma once

#include "base/body_source.hpp"
#include "base/buffer_pool.hpp"
#include "base/http_codec.hpp"
#include "base/stream.hpp"
#include "proxy/io_worker.hpp"
#include "proxy/responder.hpp"

#include <memory>
#include <string>

namespace outrider {

class Session final : public std::enable_shared_from_this<Session>, public IdleConnection {
 public:
  Session(IoWorker& worker, TcpSocket socket, std::shared_ptr<void> admission_slot);
  ~Session();

  Task<> run();  // until the connection ends
  void close_idle() override { client_->close(); }

  IoWorker& worker() { return worker_; }
  Stream& client() { return *client_; }
  const std::shared_ptr<Stream>& shared_client() const { return client_; }
  RequestParser& parser() { return parser_; }
  const ProxyPolicy& policy() const { return *policy_; }
  const std::shared_ptr<const ProxyPolicy>& shared_policy() const { return policy_; }

  // The body of the current request as a source; nullptr if there is none.
  std::shared_ptr<BodySource> request_body();
  bool request_complete() const { return request_complete_; }
  std::uint64_t body_bytes() const { return body_bytes_; }  // received so far of that body
  // For tunnels: what the client sent beyond the head goes back into its stream; so many bytes.
  std::size_t unread_rest();
  std::string& output() { return output_; }  // scratch for serialised heads, reused between requests
  void close_after_this() { close_after_ = true; }
  // Says in `head` whether the connection goes on, as far as the client has to be told.
  void add_connection_header(ResponseHead& head);
  // An answer of our own.
  Task<> write_answer(const Answer& answer);

 private:
  class RequestBody;
  friend class RequestBody;

  void become_idle(bool first);
  bool read_head_now();
  Task<Result<ParseEvent>> read_event(std::string_view* body);
  Task<bool> read_head();
  Task<> answer_bad_request(const Error& error);
  Task<bool> discard_rest_of_request();

  IoWorker& worker_;
  std::shared_ptr<const ProxyPolicy> policy_;
  std::shared_ptr<void> admission_slot_;  // counts this connection against its client's limit
  std::shared_ptr<Stream> client_;
  RequestParser parser_;
  Buffer buffer_;
  std::string_view unparsed_;
  std::string output_;
  std::size_t last_read_ = 0;
  std::uint64_t body_bytes_ = 0;
  bool request_complete_ = true;
  bool close_after_ = false;
};

}  // namespace outrider
