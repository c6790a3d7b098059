#include "base/remote_stream.hpp"

#include "base/http_errand.hpp"

namespace outrider {

RemoteStream::RemoteStream(Reactor& mine, std::shared_ptr<HttpHome> me, std::shared_ptr<HttpHome> there,
                           const ClientRequest& request)
    : sweeper_(mine.sweeper()),
      changed_(mine.executor()),
      me_(std::move(me)),
      there_(std::move(there)),
      request_(request) {
  sweeper_.watch(*this);
}

RemoteStream::~RemoteStream() {
  if (!receive_ended_) reset(NGHTTP2_CANCEL);
}

// --- sending

bool RemoteStream::send_request(const RequestHead& head, std::string_view, std::string_view, bool ends) {
  return begin(head, ends);
}

bool RemoteStream::send_extended_connect(const RequestHead& head, std::string_view, std::string_view) {
  return begin(head, false);
}

bool RemoteStream::begin(const RequestHead& head, bool ends) {
  errand_ = std::make_shared<HttpErrand>(request_, head, !ends, me_, weak_from_this());
  const bool begun = there_->post([errand = errand_](HttpClient& client) { client.run(errand); });
  if (!begun) broke(Error{ErrorKind::closed_early, Side::self, "the reactor with the connection has ended"}, true);
  return begun;
}

void RemoteStream::tell(std::function<void(HttpErrand&)> message) {
  if (errand_) there_->post([errand = errand_, message = std::move(message)](HttpClient&) { message(*errand); });
}

bool RemoteStream::put(std::string_view bytes) {
  if (failed() || bytes.empty()) return bytes.empty();
  pending_ = bytes;
  send_pending();
  return pending_.empty();
}

void RemoteStream::send_pending() {
  const std::size_t room = kWindow - std::min(kWindow, under_way_);
  const std::string_view now = pending_.substr(0, room);
  if (now.empty()) return;
  under_way_ += now.size();
  tell([bytes = std::string{now}](HttpErrand& errand) { errand.piece_came(bytes); });
  pending_.remove_prefix(now.size());
}

void RemoteStream::taken(std::size_t bytes) {
  under_way_ -= std::min(under_way_, bytes);
  send_pending();
  if (!write_deadline_.is_never()) set_deadlines(read_deadline_, sweeper_.in(patience_));
  changed_.notify();
}

void RemoteStream::end(const HeaderMap& trailers) {
  tell([trailers](HttpErrand& errand) { errand.body_ended(trailers); });
}

Task<Result<void>> RemoteStream::sent(Duration patience) {
  const std::shared_ptr<RemoteStream> alive = shared_from_this();
  patience_ = patience;
  set_deadlines(read_deadline_, sweeper_.in(patience));
  while (!pending_.empty() && !failed()) co_await changed_.wait();
  set_deadlines(read_deadline_, Deadline::never());
  pending_ = {};
  if (failed()) co_return *error_;
  co_return Result<void>{};
}

// --- receiving

Task<Result<Http2Block::Response>> RemoteStream::next_head() {
  const std::shared_ptr<RemoteStream> alive = shared_from_this();
  while (heads_.empty() && !error_) co_await changed_.wait();
  if (heads_.empty()) co_return *error_;
  Http2Block::Response head = std::move(heads_.front());
  heads_.pop_front();
  co_return head;
}

// The reader is done with the piece before: as much again may come.
void RemoteStream::release_read() {
  consumed_ += reading_.size();
  reading_.clear();
  if (consumed_ < kWindow / 2 || receive_ended_) return;
  tell([bytes = consumed_](HttpErrand& errand) { errand.consumed(bytes); });
  consumed_ = 0;
}

std::optional<Result<std::string_view>> RemoteStream::read_now() {
  release_read();
  if (!received_.empty()) {
    reading_.swap(received_);
    return std::string_view{reading_};
  }
  if (receive_ended_) return std::string_view{};
  if (error_) return *error_;
  return std::nullopt;
}

Task<Result<std::string_view>> RemoteStream::read() {
  const std::shared_ptr<RemoteStream> alive = shared_from_this();
  for (;;) {
    std::optional<Result<std::string_view>> piece = read_now();
    if (piece) co_return *piece;
    co_await changed_.wait();
  }
}

// --- what the other side tells

void RemoteStream::head_came(Http2Block::Response head, const Origin& origin) {
  origin_ = origin;
  heads_.push_back(std::move(head));
  changed_.notify();
}

void RemoteStream::data_came(const std::string& bytes) {
  received_ += bytes;
  changed_.notify();
}

void RemoteStream::ended(HeaderMap trailers) {
  trailers_ = std::move(trailers);
  receive_ended_ = true;
  changed_.notify();
}

void RemoteStream::broke(Error error, bool not_begun) {
  if (error_) return;
  error_ = std::move(error);
  not_begun_ = not_begun;
  errand_.reset();
  changed_.notify();
}

// --- the end

void RemoteStream::reset(std::uint32_t) {
  pending_ = {};
  tell([](HttpErrand& errand) { errand.given_up(); });
  if (!receive_ended_) broke(Error{ErrorKind::cancelled, Side::self, "the stream was given up"}, false);
  errand_.reset();
}

void RemoteStream::on_deadline() {
  if (error_ || receive_ended_) return;
  tell([](HttpErrand& errand) { errand.given_up(); });
  broke(Error{ErrorKind::timeout, Side::origin, "no progress in the time allowed"}, false);
}

}  // namespace outrider
