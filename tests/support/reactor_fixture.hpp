// Runs a coroutine on a real reactor to its end, and small real servers on loopback for it to talk to.
#pragma once

#include "base/reactor.hpp"
#include "base/task_group.hpp"

#include <boost/asio/co_spawn.hpp>

#include <array>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace outrider::testing {

// Drives the reactor until the task is done and returns its value.
template <class T>
T run_task(Reactor& reactor, Task<T> task) {
  std::optional<T> value;
  std::exception_ptr failure;
  auto done = [&](std::exception_ptr e, T v) {
    failure = e;
    if (!e) value.emplace(std::move(v));
    reactor.stop();
  };
  asio::co_spawn(reactor.executor(), std::move(task), std::move(done));
  reactor.context().restart();
  reactor.run();
  if (failure) std::rethrow_exception(failure);
  return std::move(*value);
}

// A server on 127.0.0.1 whose behaviour towards each connection is given by a coroutine, in the order of connections
// (the last one serves all further ones).
class ScriptedServer {
 public:
  using Script = std::function<Task<>(TcpSocket)>;

  ScriptedServer(Reactor& reactor, std::vector<Script> scripts)
      : acceptor_(reactor.executor(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}),
        scripts_(std::move(scripts)),
        tasks_(reactor.executor()) {
    tasks_.spawn(serve(), "scripted server");
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::size_t accepted() const { return accepted_; }

  // Reads until the end of a request head has been seen; returns what was read ("" = closed).
  static Task<std::string> read_head(TcpSocket& socket) {
    std::string text;
    std::array<char, 4096> buffer;
    while (text.find("\r\n\r\n") == std::string::npos) {
      auto [code, count] = co_await socket.async_read_some(asio::buffer(buffer), as_result);
      if (code) co_return std::string{};
      text.append(buffer.data(), count);
    }
    co_return text;
  }
  static Task<> send(TcpSocket& socket, std::string text) {
    co_await asio::async_write(socket, asio::buffer(text), as_result);
  }
  // Answers every request with `response` until the client closes.
  static Script answering(std::string response) {
    return [response](TcpSocket socket) { return answer_all(std::move(socket), response); };
  }

 private:
  static Task<> answer_all(TcpSocket socket, std::string response) {
    for (;;) {
      const std::string head = co_await read_head(socket);
      if (head.empty()) co_return;
      co_await send(socket, response);
    }
  }
  Task<> serve() {
    for (;;) {
      auto [code, socket] = co_await acceptor_.async_accept(as_result);
      if (code) co_return;
      const Script& script = scripts_[std::min(accepted_, scripts_.size() - 1)];
      ++accepted_;
      tasks_.spawn(script(std::move(socket)), "scripted connection");
    }
  }

  TcpAcceptor acceptor_;
  std::vector<Script> scripts_;
  std::size_t accepted_ = 0;
  TaskGroup tasks_;
};

}  // namespace outrider::testing
