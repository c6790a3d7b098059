// A stream to an origin whose connection lives on another reactor, seen from the one that asked. Both sides tell each
// other by message what has happened (HttpErrand is the other side); nothing is shared. How much is under way in either
// direction is limited, so that whoever reads slowly slows down the origin, not the memory.
#pragma once

#include "base/async_event.hpp"
#include "base/http_client.hpp"

#include <deque>
#include <memory>
#include <string>

namespace outrider {

class HttpErrand;

class RemoteStream final : public OriginStream, public std::enable_shared_from_this<RemoteStream>, private Watched {
 public:
  static constexpr std::size_t kWindow = 256 * 1024;  // sent and not yet read, each way

  // `request`: what is asked for; it is copied as far as the other side needs it.
  RemoteStream(Reactor& mine, std::shared_ptr<HttpHome> me, std::shared_ptr<HttpHome> there,
               const ClientRequest& request);
  ~RemoteStream() override;

  bool send_request(const RequestHead& head, std::string_view scheme, std::string_view path, bool ends) override;
  bool send_extended_connect(const RequestHead& head, std::string_view protocol, std::string_view path) override;
  bool put(std::string_view bytes) override;
  void end(const HeaderMap& trailers) override;
  Task<Result<void>> sent(Duration patience) override;
  bool failed() const override { return error_.has_value(); }

  Task<Result<Http2Block::Response>> next_head() override;
  std::optional<Result<std::string_view>> read_now() override;
  Task<Result<std::string_view>> read() override;
  bool buffered() const override { return !received_.empty() || receive_ended_; }
  bool receive_ended() const override { return receive_ended_; }
  const HeaderMap& trailers() const override { return trailers_; }

  bool refused() const override { return not_begun_; }
  bool wants_http1() const override { return false; }  // that is dealt with there
  bool connection_ended() const override { return false; }

  void reset(std::uint32_t code) override;
  Deadline in(Duration duration) const override { return sweeper_.in(duration); }
  void set_read_deadline(Deadline deadline) override { set_deadlines(deadline, write_deadline_); }

  // Known with the head.
  struct Origin {
    ClientTimings timings;
    bool by_http1 = false;  // that is what it speaks
    bool framing_doubtful = false;
  };
  const Origin& origin() const { return origin_; }

  // --- what the other side tells
  void head_came(Http2Block::Response head, const Origin& origin);
  void data_came(const std::string& bytes);
  void ended(HeaderMap trailers);
  void broke(Error error, bool not_begun);
  void taken(std::size_t bytes);  // of what was put

 private:
  bool begin(const RequestHead& head, bool ends);
  void tell(std::function<void(HttpErrand&)> message);
  void send_pending();
  void release_read();
  void set_deadlines(Deadline read, Deadline write) {
    read_deadline_ = read;
    write_deadline_ = write;
    Watched::set_deadline(read.sooner_of(write));
  }
  void on_deadline() override;

  DeadlineSweeper& sweeper_;
  AsyncEvent changed_;
  const std::shared_ptr<HttpHome> me_, there_;
  const ClientRequest& request_;  // until begin()
  std::shared_ptr<HttpErrand> errand_;

  std::deque<Http2Block::Response> heads_;
  std::string received_;
  std::string reading_;        // what the last read gave out
  std::size_t consumed_ = 0;   // and not yet told
  std::string_view pending_;   // the piece whose owner waits
  std::size_t under_way_ = 0;  // put, and not yet taken there
  HeaderMap trailers_;
  Origin origin_;
  std::optional<Error> error_;
  Deadline read_deadline_, write_deadline_;
  Duration patience_{};
  bool receive_ended_ = false;
  bool not_begun_ = false;
};

}  // namespace outrider
