#include "base/http2_stream.hpp"

#include "base/http2_connection.hpp"
#include "base/spare_text.hpp"

#include <fmt/format.h>

namespace outrider {

Http2Stream::Http2Stream(Http2Connection& connection, Side side)
    : connection_(&connection),
      sweeper_(connection.stream().reactor().sweeper()),
      changed_(connection.stream().reactor().executor()),
      side_(side) {
  sweeper_.watch(*this);
}

// --- receiving

Task<Result<Http2Block::Response>> Http2Stream::next_head() {
  const std::shared_ptr<Http2Stream> alive = shared_from_this();
  while (heads_.empty() && !error_ && !closed()) co_await changed_.wait();
  if (heads_.empty()) co_return gone();
  Http2Block::Response head = std::move(heads_.front());
  heads_.pop_front();
  co_return head;
}

// The reader is done with the piece before: the peer may send as much again.
void Http2Stream::release_read() {
  if (reading_.empty()) return;
  if (connection_ != nullptr) connection_->data_consumed(*this, reading_.size());
  return_room(reading_);
}

std::optional<Result<std::string_view>> Http2Stream::read_now() {
  release_read();
  if (!received_.empty()) {
    reading_.swap(received_);
    return std::string_view{reading_};
  }
  if (receive_ended_) return std::string_view{};
  if (error_ || closed()) return gone();
  if (reads_cancelled_) return Error{ErrorKind::cancelled, Side::self, "nobody reads any more"};
  return std::nullopt;
}

Task<Result<std::string_view>> Http2Stream::read() {
  const std::shared_ptr<Http2Stream> alive = shared_from_this();
  for (;;) {
    std::optional<Result<std::string_view>> piece = read_now();
    if (piece) co_return *piece;
    co_await changed_.wait();
  }
}

void Http2Stream::ended_by_peer() {
  receive_ended_ = true;
  changed_.notify();
}

// --- sending

bool Http2Stream::put(std::string_view bytes) {
  if (failed() || bytes.empty()) return bytes.empty();
  if (pending_.empty() && unsent() + bytes.size() <= kCopyAtMost) {
    if (copied_sent_ == copied_.size()) {
      copied_.clear();
      copied_sent_ = 0;
    }
    copied_ += bytes;
    resume();
    return true;
  }
  pending_ = bytes;
  resume();
  return false;
}

void Http2Stream::end(const HeaderMap& trailers) {
  send_trailers_ = trailers;
  send_ended_ = true;
  resume();
}

void Http2Stream::take(std::size_t count, std::string& out) {
  const std::size_t from_copied = std::min(count, copied_.size() - copied_sent_);
  out.append(copied_, copied_sent_, from_copied);
  copied_sent_ += from_copied;
  const std::size_t from_pending = count - from_copied;
  out.append(pending_.substr(0, from_pending));
  pending_.remove_prefix(from_pending);
  if (write_deadline_.at() != Deadline::never().at()) set_deadlines(read_deadline_, sweeper_.in(patience_));
  if (pending_.empty()) changed_.notify();
}

Task<Result<void>> Http2Stream::sent(Duration patience) {
  const std::shared_ptr<Http2Stream> alive = shared_from_this();
  patience_ = patience;
  if (!closed()) set_deadlines(read_deadline_, sweeper_.in(patience));
  while (!pending_.empty() && !failed()) co_await changed_.wait();
  set_deadlines(read_deadline_, Deadline::never());
  pending_ = {};
  if (failed() && !all_sent_) co_return gone();
  co_return Result<void>{};
}

Task<Result<void>> Http2Stream::finished(Duration patience) {
  const std::shared_ptr<Http2Stream> alive = shared_from_this();
  patience_ = patience;
  if (!closed()) set_deadlines(read_deadline_, sweeper_.in(patience));
  while (!all_sent_ && !failed()) co_await changed_.wait();
  set_deadlines(read_deadline_, Deadline::never());
  if (!all_sent_) co_return gone();
  co_return Result<void>{};
}

// --- the end

void Http2Stream::reset(std::uint32_t code) {
  pending_ = {};
  if (closed()) return;
  Http2Connection& connection = *connection_;
  if (!error_) error_ = Error{ErrorKind::cancelled, Side::self, "the stream was given up"};
  connection.reset_stream(*this, code);
  changed_.notify();
}

void Http2Stream::cancel_reads() {
  reads_cancelled_ = true;
  changed_.notify();
}

void Http2Stream::fail(Error error) {
  if (!error_) error_ = std::move(error);
  connection_ended_ = true;
  connection_ = nullptr;
  changed_.notify();
}

void Http2Stream::close(std::uint32_t code) {
  refused_ = code == NGHTTP2_REFUSED_STREAM;
  wants_http1_ = code == NGHTTP2_HTTP_1_1_REQUIRED;
  if (!error_ && malformed_) error_ = Error{ErrorKind::bad_message, side_, "a message that HTTP/2 does not allow"};
  if (!error_ && (code != NGHTTP2_NO_ERROR || !receive_ended_)) {
    error_ =
        Error{ErrorKind::closed_early, side_, fmt::format("the stream was reset: {}", nghttp2_http2_strerror(code))};
    error_->retry_safe = refused_ || wants_http1_;
  }
  connection_ = nullptr;
  changed_.notify();
}

Error Http2Stream::gone() const {
  if (error_) return *error_;
  return Error{ErrorKind::closed_early, side_, "the stream has ended"};
}

void Http2Stream::on_deadline() {
  if (closed()) return;
  error_ = Error{ErrorKind::timeout, side_, "no progress in the time allowed"};
  reset(NGHTTP2_CANCEL);
}

}  // namespace outrider
