#include "base/http2_connection.hpp"

#include "base/http2_callbacks.hpp"

#include <array>
#include <new>

namespace outrider {
namespace {

constexpr std::size_t kQueueAtMost = 10'000;  // frames that wait because the peer does not read
constexpr std::size_t kOwnHeadAtMost = 256 * 1024;
constexpr std::size_t kContinuationsAtMost = 8;
constexpr std::size_t kAcksAtMost = 200;
constexpr std::size_t kResetBurst = 200, kResetsPerSecond = 50;  // rapid reset, CVE-2023-44487
// Frames that ask for work and move nothing. A browser sends a handful in that time.
constexpr Duration kFrivolousWindow = std::chrono::seconds{10};
constexpr unsigned kFrivolousOfClients = 1'000, kFrivolousOfOrigins = 10'000;
// After the last frame, for the peer to read it before the connection is closed (see proxy/linger.hpp).
constexpr Duration kSeeOutAtMost = std::chrono::seconds{2};
constexpr std::size_t kDiscardAtMost = 256 * 1024;
constexpr std::size_t kRoundsAtOnce = 16;

struct Options {
  Options() {
    if (nghttp2_option_new(&value) != 0) throw std::bad_alloc{};
    nghttp2_option_set_no_auto_window_update(value, 1);
    nghttp2_option_set_peer_max_concurrent_streams(value, 100);  // until its SETTINGS say otherwise
    nghttp2_option_set_no_closed_streams(value, 1);
    nghttp2_option_set_max_send_header_block_length(value, kOwnHeadAtMost);
    nghttp2_option_set_max_outbound_ack(value, kAcksAtMost);
    nghttp2_option_set_stream_reset_rate_limit(value, kResetBurst, kResetsPerSecond);
    nghttp2_option_set_max_continuations(value, kContinuationsAtMost);
    nghttp2_option_set_builtin_recv_extension_type(value, NGHTTP2_PRIORITY_UPDATE);
  }
  ~Options() { nghttp2_option_del(value); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  nghttp2_option* value = nullptr;
};

std::uint32_t goaway_code(ssize_t library_error) {
  switch (library_error) {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC:
      return NGHTTP2_PROTOCOL_ERROR;
    case NGHTTP2_ERR_FLOODED:
    case NGHTTP2_ERR_TOO_MANY_SETTINGS:
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS:
      return NGHTTP2_ENHANCE_YOUR_CALM;
    default:
      return NGHTTP2_INTERNAL_ERROR;
  }
}

}  // namespace

Http2Connection::Http2Connection(std::shared_ptr<Stream> stream, Role role, const Http2Limits& limits,
                                 OnRequest on_request)
    : stream_(std::move(stream)),
      role_(role),
      limits_(limits),
      on_request_(std::move(on_request)),
      work_(stream_->reactor().executor()),
      ended_(stream_->reactor().executor()),
      settled_(stream_->reactor().executor()),
      block_(limits.http) {
  static const Options options;
  const nghttp2_session_callbacks* callbacks = Http2Callbacks::table();
  const int made = role_ == Role::server ? nghttp2_session_server_new2(&session_, callbacks, this, options.value)
                                         : nghttp2_session_client_new2(&session_, callbacks, this, options.value);
  if (made != 0) throw std::bad_alloc{};
  std::vector<nghttp2_settings_entry> settings = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits_.stream_window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits_.http.header_bytes)},
  };
  if (role_ == Role::server) {
    settings.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits_.streams});
    settings.push_back({NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1});
    if (limits_.extended_connect) settings.push_back({NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1});
  } else {
    settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
  }
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                        static_cast<std::int32_t>(limits_.connection_window));
  DeadlineSweeper& sweeper = stream_->reactor().sweeper();
  sweeper.watch(*this);
  set_deadline(sweeper.in(limits_.idle));
}

Http2Connection::~Http2Connection() {
  close(Error{ErrorKind::cancelled, Side::self, "the connection was given up"});
  nghttp2_session_del(session_);
}

Task<> Http2Connection::run(TaskGroup& tasks) {
  const std::shared_ptr<Http2Connection> alive = shared_from_this();
  writing_ = true;
  tasks.spawn(write_loop(alive), "http2 writer");
  Error reason{ErrorKind::closed_early, side(), "the connection was closed"};
  Buffer buffer;
  std::size_t last_read = 0, rounds = 0;
  while (!is_over()) {
    if (streams_.empty()) {  // idle: no memory is held
      buffer.release();
      last_read = 0;
      Result<void> ready = co_await stream_->wait_readable();
      if (!ready || closed_) break;
    }
    buffer.acquire(buffer.held() && last_read == buffer.size() ? Buffer::kLarge
                                                               : std::max(buffer.size(), Buffer::kSmall));
    std::optional<Result<std::size_t>> at_once;
    if (++rounds % kRoundsAtOnce != 0) at_once = stream_->read_now(buffer.span());  // else others have their turn
    if (!at_once) {
      Result<std::size_t> waited = co_await stream_->read_some(buffer.span());
      at_once.emplace(std::move(waited));
    }
    const Result<std::size_t>& got = *at_once;
    if (!got && got.error().kind == ErrorKind::timeout) reason = got.error();
    if (!got || *got == 0 || closed_) break;
    last_read = *got;
    if (!receive({buffer.data(), *got})) break;
  }
  if (is_over() && !closed_) {
    buffer.acquire();
    co_await see_out(buffer);
  }
  close(std::move(reason));
  while (writing_) co_await ended_.wait();
}

// The last frames are on their way. Closing with unread bytes could destroy them before the peer has read them.
Task<> Http2Connection::see_out(Buffer& buffer) {
  stream_->read_expires_in(kSeeOutAtMost);
  want_write();
  while (writing_ && !closed_) co_await ended_.wait();
  for (std::size_t discarded = 0; !closed_ && discarded < kDiscardAtMost;) {
    Result<std::size_t> got = co_await stream_->read_some(buffer.span());
    if (!got || *got == 0) break;
    discarded += *got;
  }
}

Task<> Http2Connection::write_loop(std::shared_ptr<Http2Connection> self) {
  const std::shared_ptr<Http2Connection> alive = std::move(self);
  while (!closed_) {
    pump();
    if (out_.empty()) {
      if (is_over()) break;
      co_await work_.wait();
      continue;
    }
    stream_->write_expires_in(limits_.write_idle);
    Result<void> sent = co_await stream_->write(out_);
    stream_->no_write_deadline();
    out_.clear();
    if (!sent) close(sent.error());
  }
  if (!closed_) {
    stream_->shutdown_write();
    stream_->read_expires_in(kSeeOutAtMost);  // the reader ends with the peer's end
  }
  writing_ = false;
  ended_.notify();
}

// Frames that may go now, as far as they fit into one write.
void Http2Connection::pump() {
  while (!broken_ && out_.size() < kGather) {
    const std::uint8_t* data = nullptr;
    const ssize_t count = nghttp2_session_mem_send(session_, &data);
    if (count < 0) break_off(goaway_code(count));
    if (count <= 0) break;
    out_.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(count));
  }
  if (broken_) {
    out_ += last_words_;
    last_words_.clear();
  }
}

bool Http2Connection::receive(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t taken = nghttp2_session_mem_recv(session_, data, bytes.size());
  if (taken < 0) break_off(goaway_code(taken));
  if (nghttp2_session_get_outbound_queue_size(session_) > kQueueAtMost) break_off(NGHTTP2_ENHANCE_YOUR_CALM);
  // Not from within nghttp2: a request may be answered at once.
  std::vector<std::shared_ptr<Http2Stream>> arrived;
  arrived.swap(arrived_);
  for (std::shared_ptr<Http2Stream>& stream : arrived) on_request_(std::move(stream));
  want_write();
  return !broken_;
}

// nghttp2 has given up, so GOAWAY is written by hand (RFC 9113 section 6.8).
void Http2Connection::break_off(std::uint32_t code) {
  if (broken_) return;
  broken_ = true;
  const auto last = static_cast<std::uint32_t>(nghttp2_session_get_last_proc_stream_id(session_));
  last_words_.assign("\0\0\x08\x07\0\0\0\0\0", 9);
  for (const std::uint32_t word : {last, code})
    for (const int shift : {24, 16, 8, 0}) last_words_ += static_cast<char>(word >> shift & 0xff);
  want_write();
}

bool Http2Connection::is_over() const {
  return closed_ || broken_ || (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0);
}

// --- streams

std::shared_ptr<Http2Stream> Http2Connection::open() {
  return std::make_shared<Http2Stream>(*this, side());
}

bool Http2Connection::accepts_streams() const {
  return !closed_ && !broken_ && !draining_ && nghttp2_session_check_request_allowed(session_) != 0;
}

std::size_t Http2Connection::streams_allowed() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

bool Http2Connection::peer_has_extended_connect() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1;
}

Task<> Http2Connection::settled(Deadline deadline) {
  const std::shared_ptr<Http2Connection> alive = shared_from_this();
  const Clock& clock = stream_->reactor().clock();
  while (!peer_settled_ && !closed_ && !deadline.passed(clock)) co_await settled_.wait(deadline);
}

void Http2Connection::add_stream(const std::shared_ptr<Http2Stream>& stream) {
  streams_.emplace(stream->id(), stream);
  set_deadline(Deadline::never());
}

void Http2Connection::remove_stream(std::int32_t id, std::uint32_t code) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const std::shared_ptr<Http2Stream> stream = std::move(found->second);
  streams_.erase(found);
  // Whatever nobody has read yet no longer counts against the connection's window.
  forget_buffered(stream->received_.size() + stream->reading_.size());
  stream->close(code);
  if (streams_.empty()) {
    set_deadline(stream_->reactor().sweeper().in(limits_.idle));
    if (draining_) nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  }
}

void Http2Connection::reset_stream(Http2Stream& stream, std::uint32_t code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id(), code);
  want_write();
}

void Http2Connection::data_received(std::size_t size) {
  buffered_ += size;
  // One stream that nobody reads must not stop the others, so the connection's window opens again at once; but only
  // while what is waiting here is bearable.
  if (buffered_ <= limits_.buffered) {
    nghttp2_session_consume_connection(session_, size);
  } else {
    uncredited_ += size;
  }
}

void Http2Connection::data_consumed(Http2Stream& stream, std::size_t size) {
  nghttp2_session_consume_stream(session_, stream.id(), size);
  widen(stream, size);
  forget_buffered(size);
}

// Whoever reads what comes gets more at a time. A reader that has stopped holds no more than what it began with
// or has shown to want.
void Http2Connection::widen(Http2Stream& stream, std::size_t consumed) {
  if (stream.window_ == 0) stream.window_ = limits_.stream_window;
  stream.consumed_ += consumed;
  if (stream.receive_ended_ || stream.consumed_ < stream.window_ || stream.window_ >= limits_.stream_window_most)
    return;
  stream.consumed_ = 0;
  stream.window_ = std::min(2 * stream.window_, limits_.stream_window_most);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, stream.id(),
                                        static_cast<std::int32_t>(stream.window_));
}

void Http2Connection::forget_buffered(std::size_t size) {
  if (size == 0) return;
  buffered_ -= size;
  if (uncredited_ > 0 && buffered_ <= limits_.buffered) {
    nghttp2_session_consume_connection(session_, uncredited_);
    uncredited_ = 0;
  }
  if (nghttp2_session_want_write(session_) != 0) want_write();
}

void Http2Connection::frivolous_frame() {
  const SteadyTime now = stream_->reactor().sweeper().now();
  if (now - frivolous_since_ > kFrivolousWindow) {
    frivolous_since_ = now;
    frivolous_ = 0;
  }
  if (++frivolous_ > (role_ == Role::server ? kFrivolousOfClients : kFrivolousOfOrigins))
    nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

// --- the end

void Http2Connection::drain() {
  if (closed_ || broken_ || draining_) return;
  draining_ = true;
  if (streams_.empty()) {
    nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  } else {
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                          NGHTTP2_NO_ERROR, nullptr, 0);
  }
  want_write();
}

void Http2Connection::close(Error reason) {
  if (closed_) return;
  closed_ = true;
  set_deadline(Deadline::never());
  stream_->close();
  std::unordered_map<std::int32_t, std::shared_ptr<Http2Stream>> streams;
  streams.swap(streams_);
  for (auto& [id, stream] : streams) stream->fail(reason);
  work_.notify();
  ended_.notify();
  settled_.notify();
}

void Http2Connection::on_deadline() {
  if (!streams_.empty() || closed_) return;
  nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  want_write();
}

}  // namespace outrider
