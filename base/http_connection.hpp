// The client's end of one HTTP/1 connection to an origin or parent proxy: one request and its response after another.
#pragma once

#include "base/buffer_pool.hpp"
#include "base/http_codec.hpp"
#include "base/stream.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace outrider {

class HttpConnection {
 public:
  HttpConnection(std::shared_ptr<Stream> stream, const HttpLimits& limits);

  Stream& stream() { return *stream_; }
  const std::shared_ptr<Stream>& shared_stream() const { return stream_; }

  // To be called before the response to a request is read.
  void begin(Method method);
  // The next head: an informational one (call again), or the final one.
  Task<Result<ResponseHead*>> read_head();
  // The same of the first one, when something has arrived and the whole head is in it, as it mostly is; nothing =
  // read_head() finds out.
  std::optional<Result<ResponseHead*>> read_head_now();
  // The next piece of the body; empty = the message is complete. Valid until the next call.
  Task<Result<std::string_view>> read_body();
  // The same from what has been received already; nothing = it would have to wait.
  std::optional<Result<std::string_view>> read_body_now();

  const ResponseParser& parser() const { return parser_; }
  ResponseParser& parser() { return parser_; }
  bool response_started() const {
    return response_started_;
  }  // a byte of the answer to the current request has arrived
  bool complete() const { return complete_; }
  bool buffered() const { return !unparsed_.empty(); }  // the next read will not have to wait
  // May another request follow? Only after a complete response, with nothing left over behind it.
  bool reusable() const;
  void never_reuse() { spoilt_ = true; }  // whatever else speaks for it
  // After 101 or a CONNECT tunnel: what was read beyond the head goes back into the stream, which is then the caller's.
  std::shared_ptr<Stream> take_stream();
  void release_buffer();  // while idle
  std::uint64_t served() const { return served_; }

 private:
  Task<Result<ParseStep>> next_event();
  void make_room();
  void gather();
  bool comes_quickly();
  Result<ParseStep> parse();
  Result<ParseStep> parse(const Result<std::size_t>& received);
  Error head_failure(Error error) const;
  Result<std::string_view> piece_of(const Result<ParseStep>& step);

  std::shared_ptr<Stream> stream_;
  ResponseParser parser_;
  Buffer buffer_;
  std::string_view unparsed_;
  Method method_ = Method::get;
  std::size_t last_read_ = 0;
  std::uint64_t received_ = 0;            // of the current answer, heads included
  std::optional<SteadyTime> pace_since_;  // the first look at the pace of a large body …
  std::uint64_t pace_from_ = 0;           // … and what had been received then
  std::uint64_t served_ = 0;
  bool response_started_ = false;
  bool complete_ = true;
  bool spoilt_ = false;
};

}  // namespace outrider
