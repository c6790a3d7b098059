#include "base/http_connection.hpp"

namespace outrider {
namespace {

constexpr std::uint64_t kGathered = 96 * 1024;
constexpr std::uint64_t kPaceOver = 24 * 1024;   // more than the first burst across a network (RFC 6928)
constexpr double kQuick = 16e6;                  // bytes a second
static_assert(2 * kGathered >= Buffer::kLarge);  // no read that gathers is the last one of a body

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<Stream> stream, const HttpLimits& limits)
    : stream_(std::move(stream)), parser_(limits) {}

void HttpConnection::begin(Method method) {
  parser_.reset();
  parser_.expect(method);
  method_ = method;
  response_started_ = false;
  complete_ = false;
  received_ = 0;
  pace_since_.reset();
  ++served_;
}

void HttpConnection::make_room() {
  // A body that fills the buffer is a big one: read it in bigger pieces.
  const bool bulk = buffer_.held() && parser_.framing().has_body() && last_read_ == buffer_.size();
  buffer_.acquire(bulk ? Buffer::kLarge : std::max(buffer_.size(), Buffer::kSmall));
}

// A large body that comes quickly would wake us for every few packets, and each time its reader, too.
void HttpConnection::gather() {
  const BodyFraming& framing = parser_.framing();
  const bool large = framing.kind == BodyFraming::Kind::length && framing.length > received_ + 2 * kGathered;
  stream_->gather(large && comes_quickly() ? kGathered : 0);
}

// So quickly that to wait for what is gathered takes some milliseconds at most: over all that has come, so that a body
// which stops once is not held back a second time.
bool HttpConnection::comes_quickly() {
  const SteadyTime now = stream_->reactor().clock().steady();
  if (!pace_since_) {
    pace_since_ = now;
    pace_from_ = received_;
  }
  const std::uint64_t come = received_ - pace_from_;
  const double seconds = std::chrono::duration<double>(now - *pace_since_).count();
  return come >= kPaceOver && static_cast<double>(come) >= kQuick * seconds;
}

Result<ParseStep> HttpConnection::parse() {
  Result<ParseStep> step = parser_.feed(unparsed_);  // without input too: the end of a body may be due
  if (step) unparsed_.remove_prefix(step->consumed);
  return step;
}

Result<ParseStep> HttpConnection::parse(const Result<std::size_t>& received) {
  if (!received) return received.error();
  last_read_ = *received;
  received_ += *received;
  if (*received == 0) return parser_.finish();
  response_started_ = true;
  unparsed_ = {buffer_.data(), *received};
  return parse();
}

Task<Result<ParseStep>> HttpConnection::next_event() {
  Result<ParseStep> step = parse();
  while (step && step->event == ParseEvent::need_more) {
    make_room();
    gather();
    const Result<std::size_t> received = co_await stream_->read_some(buffer_.span());
    step = parse(received);
  }
  co_return step;
}

Error HttpConnection::head_failure(Error error) const {
  error.side = stream_->side();
  // A kept-alive connection that the origin closed before it saw the request: nothing has happened yet.
  error.retry_safe = !response_started_ && error.kind == ErrorKind::closed_early;
  return error;
}

Task<Result<ResponseHead*>> HttpConnection::read_head() {
  for (;;) {
    Result<ParseStep> step = co_await next_event();
    if (!step) co_return head_failure(step.error());
    if (step->event == ParseEvent::head) co_return &parser_.head();
    if (step->event == ParseEvent::done) {  // an informational response has ended
      parser_.reset();
      parser_.expect(method_);
    }
  }
}

std::optional<Result<ResponseHead*>> HttpConnection::read_head_now() {
  make_room();
  const std::optional<Result<std::size_t>> received = stream_->read_now(buffer_.span());
  if (!received) return std::nullopt;
  const Result<ParseStep> step = parse(*received);
  if (!step) return head_failure(step.error());
  if (step->event != ParseEvent::head) return std::nullopt;
  return &parser_.head();
}

Result<std::string_view> HttpConnection::piece_of(const Result<ParseStep>& step) {
  if (!step) {
    Error error = step.error();
    error.side = stream_->side();
    return error;
  }
  if (step->event == ParseEvent::body) return step->body;
  complete_ = true;
  return std::string_view{};
}

std::optional<Result<std::string_view>> HttpConnection::read_body_now() {
  if (complete_) return std::string_view{};
  const Result<ParseStep> step = parser_.feed(unparsed_);
  if (step) {
    unparsed_.remove_prefix(step->consumed);
    if (step->event == ParseEvent::need_more) return std::nullopt;
  }
  return piece_of(step);
}

Task<Result<std::string_view>> HttpConnection::read_body() {
  if (complete_) co_return std::string_view{};
  const Result<ParseStep> step = co_await next_event();
  co_return piece_of(step);
}

bool HttpConnection::reusable() const {
  return complete_ && !spoilt_ && parser_.keep_alive() && unparsed_.empty() && stream_->is_open() &&
         !stream_->timed_out();
}

std::shared_ptr<Stream> HttpConnection::take_stream() {
  stream_->unread(unparsed_);
  unparsed_ = {};
  return std::move(stream_);
}

void HttpConnection::release_buffer() {
  if (unparsed_.empty()) buffer_.release();
}

}  // namespace outrider
