// Two ends of one connection on one reactor, for HTTP/2 without a program around it.
#pragma once

#include "base/http2_connection.hpp"
#include "tests/support/http2_frames.hpp"
#include "tests/support/reactor_fixture.hpp"

#include <gtest/gtest.h>

#include <boost/asio/write.hpp>

namespace outrider::testing {

struct Http2Fixture : ::testing::Test {
  Reactor reactor;
  Http2Limits limits;
  std::shared_ptr<Http2Connection> server;
  std::function<Task<>(std::shared_ptr<Http2Stream>)> serve = [](std::shared_ptr<Http2Stream> stream) {
    return echo(std::move(stream));
  };
  std::size_t requests = 0;
  TaskGroup tasks{reactor.executor()};

  // Two connected sockets: ours, and the peer's.
  std::pair<TcpSocket, TcpSocket> socket_pair() {
    TcpAcceptor acceptor{reactor.executor(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    TcpSocket there{reactor.executor()};
    there.connect(acceptor.local_endpoint());
    return {acceptor.accept(), std::move(there)};
  }

  // Serves one end; the other is returned.
  TcpSocket start_server() {
    auto [here, there] = socket_pair();
    auto stream = std::make_shared<Stream>(reactor, std::move(here), Side::client);
    auto on_request = [this](std::shared_ptr<Http2Stream> request) {
      ++requests;
      tasks.spawn(serve(std::move(request)), "request");
    };
    server = std::make_shared<Http2Connection>(std::move(stream), Http2Connection::Role::server, limits, on_request);
    tasks.spawn(server->run(tasks), "server");
    return std::move(there);
  }

  // A client of ours to the server.
  std::shared_ptr<Http2Connection> start_pair(const Http2Limits& client_limits = {}) {
    auto stream = std::make_shared<Stream>(reactor, start_server(), Side::origin);
    auto client = std::make_shared<Http2Connection>(std::move(stream), Http2Connection::Role::client, client_limits);
    tasks.spawn(client->run(tasks), "client");
    return client;
  }

  // Answers with what was asked and what was sent, and passes the trailers back.
  static Task<> echo(std::shared_ptr<Http2Stream> stream) {
    if (!stream->request()) {
      ResponseHead refusal;
      refusal.status = 431;
      stream->send_response(refusal, true);
      co_return;
    }
    const RequestHead& asked = stream->request()->head;
    ResponseHead head;
    head.headers.add("X-Asked", asked.method_text + " " + asked.target);
    stream->send_response(head, false);
    for (;;) {
      Result<std::string_view> piece = co_await stream->read();
      if (!piece) co_return;
      if (piece->empty()) break;
      if (!stream->put(*piece)) {
        Result<void> sent = co_await stream->sent(std::chrono::seconds{10});
        if (!sent) co_return;
      }
    }
    stream->end(stream->trailers());
  }

  // What the server at the other end makes of these bytes: everything it sends until it closes, or has answered the
  // PING that is sent behind them.
  std::vector<h2::Frame> ask(std::string bytes, bool with_preface = true, bool with_ping = true) {
    return run_task(reactor, ask_task(start_server(), std::move(bytes), with_preface, with_ping));
  }
  static Task<std::vector<h2::Frame>> ask_task(TcpSocket socket, std::string bytes, bool with_preface, bool with_ping) {
    if (with_preface) bytes = std::string{h2::kPreface} + h2::frame(h2::settings, 0, 0) + bytes;
    if (with_ping) bytes += h2::frame(h2::ping, 0, 0, "lastping");
    co_await asio::async_write(socket, asio::buffer(bytes), as_result);
    std::vector<h2::Frame> frames;
    std::string got;
    std::array<char, 4096> buffer;
    for (;;) {
      auto [code, count] = co_await socket.async_read_some(asio::buffer(buffer), as_result);
      if (code) break;
      got.append(buffer.data(), count);
      h2::Frame frame;
      bool over = false;
      while (h2::take_frame(got, frame)) {
        frames.push_back(frame);
        over = over || frame.type == h2::goaway || (frame.type == h2::ping && frame.payload == "lastping");
      }
      if (over) break;
    }
    co_return frames;
  }
};

}  // namespace outrider::testing
