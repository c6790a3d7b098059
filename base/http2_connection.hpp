// One HTTP/2 connection, as server or as client, on nghttp2: a loop that reads, a loop that writes (frames are gathered
// so that many small answers are one write), and its streams. nghttp2 knows frames, HPACK, windows and priorities (RFC
// 9218); what a peer may demand of us is limited here (docs/decisions/0041-http2.md). Belongs to one reactor.
#pragma once

#include "base/async_event.hpp"
#include "base/buffer_pool.hpp"
#include "base/http2_message.hpp"
#include "base/http2_stream.hpp"
#include "base/stream.hpp"
#include "base/task_group.hpp"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace outrider {

struct Http2Limits {
  HttpLimits http;
  std::uint32_t streams = 100;  // at the same time, opened by the peer
  // Bytes received and not yet read, one stream: at first, and when its reader has shown to keep up.
  std::uint32_t stream_window = 64 * 1024;
  std::uint32_t stream_window_most = 256 * 1024;
  std::uint32_t connection_window = 1024 * 1024;   // on their way, all streams
  std::size_t buffered = 4 * 1024 * 1024;          // received and not yet read, all streams; beyond, all have to wait
  Duration idle = std::chrono::seconds{60};        // without a stream
  Duration write_idle = std::chrono::seconds{60};  // without room in the socket
  bool extended_connect = false;                   // server: RFC 8441
};

class Http2Connection final : public std::enable_shared_from_this<Http2Connection>, private Watched {
 public:
  enum class Role : std::uint8_t { server, client };
  // Server: a request has come (or something that had to be refused: see Http2Stream::request()).
  using OnRequest = std::function<void(std::shared_ptr<Http2Stream>)>;

  Http2Connection(std::shared_ptr<Stream> stream, Role role, const Http2Limits& limits, OnRequest on_request = {});
  ~Http2Connection();

  // Until the connection has ended. `tasks` owns the writing half.
  Task<> run(TaskGroup& tasks);

  // Client: a new stream, whose request is to be sent next.
  std::shared_ptr<Http2Stream> open();
  bool accepts_streams() const;  // neither side has said that it will end
  std::size_t streams() const { return streams_.size(); }
  std::size_t streams_allowed() const;  // by the peer
  bool peer_has_extended_connect() const;
  Task<> settled(Deadline deadline);  // until the peer's SETTINGS are known, or the connection has ended
  bool congested() const { return uncredited_ > 0; }  // streams that nobody reads hold up the others

  void drain();              // GOAWAY: what is running ends, nothing new begins
  void close(Error reason);  // now; every stream fails with `reason`
  bool closed() const { return closed_; }
  Stream& stream() { return *stream_; }
  const std::shared_ptr<Stream>& shared_stream() const { return stream_; }
  Side side() const { return stream_->side(); }

 private:
  friend class Http2Stream;
  friend struct Http2Callbacks;
  friend struct Http2Probe;                          // tests/fuzz
  static constexpr std::size_t kGather = 64 * 1024;  // bytes of frames per write

  Task<> write_loop(std::shared_ptr<Http2Connection> self);
  Task<> see_out(Buffer& buffer);
  bool receive(std::string_view bytes);
  void pump();
  void want_write() { work_.notify(); }
  bool is_over() const;
  void break_off(std::uint32_t code);
  void add_stream(const std::shared_ptr<Http2Stream>& stream);
  void remove_stream(std::int32_t id, std::uint32_t code);
  void reset_stream(Http2Stream& stream, std::uint32_t code);
  Http2Stream* find(std::int32_t id) const {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.get();
  }
  bool output_full() const { return out_.size() >= kGather; }
  void data_received(std::size_t size);
  void data_consumed(Http2Stream& stream, std::size_t size);
  void widen(Http2Stream& stream, std::size_t consumed);
  void forget_buffered(std::size_t size);
  void frivolous_frame();
  void on_deadline() override;  // idle for too long

  std::shared_ptr<Stream> stream_;
  const Role role_;
  const Http2Limits limits_;
  OnRequest on_request_;
  nghttp2_session* session_ = nullptr;
  AsyncEvent work_;   // there is something to write
  AsyncEvent ended_;  // the writer
  AsyncEvent settled_;
  std::unordered_map<std::int32_t, std::shared_ptr<Http2Stream>> streams_;
  std::vector<std::shared_ptr<Http2Stream>> arrived_;  // requests of what is being received
  Http2Block block_;                                   // the header block that is being decoded (never two at a time)
  std::string out_;                                    // being written; touched by the writer only
  std::string last_words_;                             // the GOAWAY of a connection that is broken
  std::size_t buffered_ = 0;                           // received, not yet read
  std::size_t uncredited_ = 0;                         // of it, what the connection's window has not been given back
  unsigned frivolous_ = 0;
  SteadyTime frivolous_since_{};
  bool peer_settled_ = false;
  bool writing_ = false;   // the writer has not ended
  bool draining_ = false;  // we said GOAWAY
  bool broken_ = false;    // nghttp2 will not go on
  bool closed_ = false;
};

}  // namespace outrider
