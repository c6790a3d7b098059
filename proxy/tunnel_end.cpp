#include "proxy/tunnel_end.hpp"

namespace outrider {
namespace {

class ConnectionEnd final : public TunnelEnd {
 public:
  explicit ConnectionEnd(std::shared_ptr<Stream> connection) : connection_(std::move(connection)) {}

  Task<Result<std::string_view>> read() override {
    buffer_.release();
    Result<void> ready = co_await connection_->wait_readable();
    if (!ready) co_return ready.error();
    buffer_.acquire();
    Result<std::size_t> got = co_await connection_->read_some(buffer_.span());
    if (!got) co_return got.error();
    co_return std::string_view{buffer_.data(), *got};
  }
  Task<Result<void>> write(std::string_view bytes, Duration) override { return connection_->write(bytes); }
  void set_deadline(Deadline deadline) override { connection_->set_deadline(deadline); }
  void end() override { connection_->shutdown_write(); }
  Task<bool> delivered(Duration) override { co_return true; }
  void close() override { connection_->close(); }
  void fail() override {
    connection_->reset();
    connection_->close();
  }
  bool failed() const override { return false; }
  bool is_tls_connection() const override { return connection_->is_tls(); }

 private:
  std::shared_ptr<Stream> connection_;
  Buffer buffer_;
};

class StreamEnd : public TunnelEnd {
 public:
  explicit StreamEnd(std::shared_ptr<OriginStream> stream) : stream_(std::move(stream)) {}

  Task<Result<std::string_view>> read() override { return stream_->read(); }
  Task<Result<void>> write(std::string_view bytes, Duration patience) override {
    if (stream_->put(bytes)) co_return Result<void>{};
    co_return co_await stream_->sent(patience);
  }
  void set_deadline(Deadline deadline) override { stream_->set_read_deadline(deadline); }
  void end() override {
    stream_->end({});
    ended_ = true;
  }
  Task<bool> delivered(Duration) override { co_return true; }
  void close() override {
    if (!ended_ || !stream_->receive_ended()) stream_->reset(ended_ ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
  }
  void fail() override { stream_->reset(ended_ ? NGHTTP2_NO_ERROR : NGHTTP2_CONNECT_ERROR); }
  bool failed() const override { return stream_->failed(); }

 private:
  std::shared_ptr<OriginStream> stream_;
  bool ended_ = false;
};

class ClientStreamEnd final : public StreamEnd {
 public:
  explicit ClientStreamEnd(std::shared_ptr<Http2Stream> stream) : StreamEnd(stream), client_(std::move(stream)) {}

  Task<bool> delivered(Duration patience) override {
    Result<void> gone = co_await client_->finished(patience);
    co_return bool{gone};
  }
  void close() override { client_->set_read_deadline(Deadline::never()); }  // whoever made it ends it

 private:
  std::shared_ptr<Http2Stream> client_;
};

}  // namespace

std::unique_ptr<TunnelEnd> TunnelEnd::of(std::shared_ptr<Stream> connection) {
  return std::make_unique<ConnectionEnd>(std::move(connection));
}

std::unique_ptr<TunnelEnd> TunnelEnd::of(std::shared_ptr<OriginStream> stream) {
  return std::make_unique<StreamEnd>(std::move(stream));
}

std::unique_ptr<TunnelEnd> TunnelEnd::of(std::shared_ptr<Http2Stream> client) {
  return std::make_unique<ClientStreamEnd>(std::move(client));
}

}  // namespace outrider
