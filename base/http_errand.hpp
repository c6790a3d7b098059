// A request that a client sends for another reactor, because the connection to its origin lives here: the other side of
// RemoteStream. Made there, sent here; every function but the constructor and the destructor is for this reactor's
// thread.
#pragma once

#include "base/async_event.hpp"
#include "base/http_client.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace outrider {

class RemoteStream;

class HttpErrand final : public BodySource, public std::enable_shared_from_this<HttpErrand> {
 public:
  // `has_body`: pieces will follow.
  HttpErrand(const ClientRequest& request, const RequestHead& head, bool has_body, std::shared_ptr<HttpHome> asker_home,
             std::weak_ptr<RemoteStream> asker);
  ~HttpErrand() override;

  static Task<> run(std::shared_ptr<HttpErrand> self, HttpClient& client, Executor executor);

  // --- what the asker tells
  void piece_came(std::string bytes);
  void body_ended(HeaderMap trailers);
  void given_up();
  void consumed(std::size_t bytes);

  // --- the request's body, as the client reads it
  Task<Result<std::string_view>> read() override;
  const HeaderMap& trailers() const override { return trailers_; }
  void cancel() override;

 private:
  struct Ending;
  Task<> pass_on(ClientResponse& response);
  void tell(std::function<void(RemoteStream&)> message);
  void tell_broken(const Error& error, bool not_begun);
  void notify() {
    if (changed_) changed_->notify();
  }

  RequestHead head_;
  ClientRequest request_;
  const bool has_body_;
  const std::shared_ptr<HttpHome> asker_home_;
  const std::weak_ptr<RemoteStream> asker_;

  std::optional<AsyncEvent> changed_;  // belongs to this reactor: only while run() does
  ClientResponse* response_ = nullptr;
  std::deque<std::string> pieces_;
  std::string reading_;
  HeaderMap trailers_;
  std::size_t unread_ = 0;  // of the answer, by the asker
  bool body_ended_ = false;
  bool body_cancelled_ = false;
  bool given_up_ = false;
  bool over_ = false;  // the asker has been told how it ended
};

}  // namespace outrider
