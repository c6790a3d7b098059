#include "base/http_errand.hpp"

#include "base/remote_stream.hpp"

namespace outrider {

namespace {

constexpr Duration kAskerWatches = std::chrono::hours{24};  // who reads knows how long it may take

}  // namespace

// However the errand ends, the asker is told.
struct HttpErrand::Ending {
  explicit Ending(HttpErrand& whose) : errand(whose) {}
  ~Ending() {
    errand.tell_broken(Error{ErrorKind::closed_early, Side::self, "the reactor with the connection has ended"}, false);
    errand.response_ = nullptr;
    errand.request_.body.reset();  // that was the errand itself
    errand.request_.on_informational = nullptr;
    errand.changed_.reset();
  }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  HttpErrand& errand;
};

HttpErrand::HttpErrand(const ClientRequest& request, const RequestHead& head, bool has_body,
                       std::shared_ptr<HttpHome> asker_home, std::weak_ptr<RemoteStream> asker)
    : head_(head), has_body_(has_body), asker_home_(std::move(asker_home)), asker_(std::move(asker)) {
  request_.target = request.target;
  request_.wire_target = request.wire_target;
  request_.body_framing = request.body_framing;
  request_.timeouts = request.timeouts;
  request_.timeouts.body_idle = kAskerWatches;
  request_.deadline = request.deadline;
  request_.errand = true;
}

HttpErrand::~HttpErrand() {
  tell_broken(Error{ErrorKind::closed_early, Side::self, "the reactor with the connection has ended"}, true);
}

void HttpErrand::tell(std::function<void(RemoteStream&)> message) {
  asker_home_->post([asker = asker_, message = std::move(message)](HttpClient&) {
    if (const std::shared_ptr<RemoteStream> stream = asker.lock()) message(*stream);
  });
}

void HttpErrand::tell_broken(const Error& error, bool not_begun) {
  if (over_) return;
  over_ = true;
  tell([error, not_begun](RemoteStream& stream) { stream.broke(error, not_begun); });
}

Task<> HttpErrand::run(std::shared_ptr<HttpErrand> self, HttpClient& client, Executor executor) {
  HttpErrand& errand = *self;
  errand.changed_.emplace(executor);
  const Ending ending{errand};
  if (errand.given_up_) co_return;
  ClientRequest& request = errand.request_;
  request.head = &errand.head_;
  if (errand.has_body_) request.body = self;
  request.on_informational = [&errand](const ResponseHead& head) -> Task<> {
    Http2Block::Response early;
    early.head = head;
    errand.tell([early](RemoteStream& stream) { stream.head_came(early, {}); });
    co_return;
  };
  Result<std::unique_ptr<ClientResponse>> answer = co_await client.send(request);
  if (!answer) {
    const bool not_here = answer.error().kind == ErrorKind::not_found && answer.error().side == Side::self;
    errand.tell_broken(answer.error(), not_here);
    co_return;
  }
  ClientResponse& response = **answer;
  errand.response_ = &response;
  co_await errand.pass_on(response);
  errand.response_ = nullptr;
  co_await response.finish();
}

Task<> HttpErrand::pass_on(ClientResponse& response) {
  Http2Block::Response head;
  head.head = response.head();
  head.framing = response.framing();
  RemoteStream::Origin origin;
  origin.timings = response.timings();
  origin.by_http1 = !response.is_http2();
  origin.framing_doubtful = response.framing_doubtful();
  tell([head, origin](RemoteStream& stream) { stream.head_came(head, origin); });
  response.set_deadline(Deadline::never());
  for (;;) {
    if (unread_ >= RemoteStream::kWindow) response.pause();
    while (unread_ >= RemoteStream::kWindow && !given_up_) co_await changed_->wait();
    if (given_up_) co_return;
    Result<std::string_view> piece = co_await response.read();
    if (!piece) {
      tell_broken(piece.error(), false);
      co_return;
    }
    if (piece->empty()) break;
    unread_ += piece->size();
    tell([bytes = std::string{*piece}](RemoteStream& stream) { stream.data_came(bytes); });
  }
  over_ = true;
  tell([trailers = response.trailers()](RemoteStream& stream) { stream.ended(trailers); });
}

// --- what the asker tells

void HttpErrand::piece_came(std::string bytes) {
  pieces_.push_back(std::move(bytes));
  notify();
}

void HttpErrand::body_ended(HeaderMap trailers) {
  trailers_ = std::move(trailers);
  body_ended_ = true;
  notify();
}

void HttpErrand::given_up() {
  given_up_ = true;
  request_.abandon();
  if (response_ != nullptr) response_->cancel();
  notify();
}

void HttpErrand::consumed(std::size_t bytes) {
  unread_ -= std::min(unread_, bytes);
  notify();
}

// --- the request's body

Task<Result<std::string_view>> HttpErrand::read() {
  if (!reading_.empty()) tell([taken = reading_.size()](RemoteStream& stream) { stream.taken(taken); });
  reading_.clear();
  while (pieces_.empty() && !body_ended_ && !given_up_ && !body_cancelled_) co_await changed_->wait();
  if (given_up_ || body_cancelled_) co_return Error{ErrorKind::cancelled, Side::client, "the request was given up"};
  if (pieces_.empty()) co_return std::string_view{};
  reading_ = std::move(pieces_.front());
  pieces_.pop_front();
  co_return std::string_view{reading_};
}

void HttpErrand::cancel() {
  body_cancelled_ = true;
  notify();
}

}  // namespace outrider
