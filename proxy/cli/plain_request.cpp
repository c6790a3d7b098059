#include "proxy/cli/plain_request.hpp"

#include "base/async.hpp"
#include "base/http_codec.hpp"
#include "base/parent_proxy.hpp"

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <optional>

namespace outrider::cli {
namespace {

Task<Result<TcpSocket>> connected(ListenAddress address) {
  const Executor executor = co_await asio::this_coro::executor;
  asio::ip::basic_resolver<tcp, Executor> resolver{executor};
  auto [unknown, found] = co_await resolver.async_resolve(address.host, std::to_string(address.port), as_result);
  if (unknown || found.empty())
    co_return Error{ErrorKind::dns_failure, Side::self, fmt::format("{} is not known", address.host)};
  TcpSocket socket{executor};
  auto [refused] = co_await socket.async_connect(found.begin()->endpoint(), as_result);
  if (refused)
    co_return Error{ErrorKind::connect_refused, Side::self,
                    fmt::format("no Outrider answers at {} ({}); is it running? Say where with --address",
                                authority(address.host, address.port), refused.message())};
  co_return socket;
}

// The bytes that come back.
Task<Result<std::string>> talk(ListenAddress address, std::string request) {
  Result<TcpSocket> socket = co_await connected(std::move(address));
  if (!socket) co_return socket.error();
  auto [broken, sent] = co_await asio::async_write(*socket, asio::buffer(request), as_result);
  std::string answer;
  std::array<char, 4096> buffer;
  while (!broken) {
    auto [ended, got] = co_await socket->async_read_some(asio::buffer(buffer), as_result);
    if (ended) break;
    answer.append(buffer.data(), got);
  }
  co_return answer;
}

// The head, then piece after piece to `on_bytes`. What is no success is read to its end instead.
Task<Result<PlainAnswer>> listen(ListenAddress address, std::string request,
                                 const std::function<bool(std::string_view)>& on_bytes) {
  Result<TcpSocket> socket = co_await connected(std::move(address));
  if (!socket) co_return socket.error();
  auto [broken, sent] = co_await asio::async_write(*socket, asio::buffer(request), as_result);
  ResponseParser parser;
  PlainAnswer answer;
  std::string unread;
  std::array<char, 16384> buffer;
  while (!broken) {
    auto [ended, got] = co_await socket->async_read_some(asio::buffer(buffer), as_result);
    if (ended) break;
    unread.append(buffer.data(), got);
    for (;;) {
      const Result<ParseStep> step = parser.feed(unread);
      if (!step) co_return step.error();
      const std::string piece{step->event == ParseEvent::body ? step->body : std::string_view{}};
      unread.erase(0, step->consumed);
      if (step->event == ParseEvent::need_more) break;
      if (step->event == ParseEvent::head) answer.status = parser.head().status;
      if (step->event == ParseEvent::done) co_return answer;
      if (piece.empty()) continue;
      if (answer.status != 200) {
        answer.body += piece;
      } else if (!on_bytes(piece)) {
        co_return answer;
      }
    }
  }
  co_return answer;
}

}  // namespace

Result<PlainAnswer> plain_request(const ListenAddress& address, const std::string& request, Duration patience) {
  asio::io_context context;
  Result<std::string> answer =
      Error{ErrorKind::timeout, Side::self,
            fmt::format("what listens at {} does not answer", authority(address.host, address.port))};
  asio::co_spawn(context.get_executor(), talk(address, request),
                 [&answer](const std::exception_ptr& thrown, Result<std::string> result) {
                   if (!thrown) answer = std::move(result);
                 });
  context.run_for(patience);
  if (!answer) return answer.error();
  ResponseParser parser;
  const Result<ParseStep> step = parser.feed(*answer);
  if (!step || step->event != ParseEvent::head)
    return Error{ErrorKind::bad_message, Side::self,
                 fmt::format("what answers at {} is no Outrider", authority(address.host, address.port))};
  return PlainAnswer{parser.head().status, answer->substr(step->consumed)};
}

Result<PlainAnswer> plain_stream(const ListenAddress& address, const std::string& request,
                                 const std::function<bool(std::string_view)>& on_bytes,
                                 const std::function<bool()>& on_idle) {
  constexpr Duration kLookUp = std::chrono::milliseconds{200};
  asio::io_context context;
  std::optional<Result<PlainAnswer>> ended;
  asio::co_spawn(context.get_executor(), listen(address, request, on_bytes),
                 [&ended](const std::exception_ptr& thrown, Result<PlainAnswer> result) {
                   if (thrown) result = Error{ErrorKind::internal, Side::self, "the stream could not be read"};
                   ended = std::move(result);
                 });
  while (!ended) {
    context.run_for(kLookUp);
    if (!ended && !on_idle()) return PlainAnswer{200, ""};
  }
  return std::move(*ended);
}

Result<PlainAnswer> plain_get(const ListenAddress& address, const std::string& path) {
  const std::string request =
      fmt::format("GET {} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", path, address.port);
  return plain_request(address, request, std::chrono::seconds{10});
}

ListenAddress reachable(ListenAddress address) {
  if (address.host == "0.0.0.0") address.host = "127.0.0.1";
  if (address.host == "::") address.host = "::1";
  return address;
}

}  // namespace outrider::cli
