// The few names of Asio that the house uses, so that every room means the same thing by them.
// One io_context per thread: everything that hangs on a Reactor is touched by its thread only and needs no lock.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace outrider {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

// The concrete executor instead of any_io_executor: no type erasure on the hot path.
using Executor = asio::io_context::executor_type;

template <class T = void>
using Task = asio::awaitable<T, Executor>;

using TcpSocket = asio::basic_stream_socket<tcp, Executor>;
using TcpAcceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

// `auto [code, n] = co_await socket.async_read_some(buffer, as_result);` Errors are values; no exception is thrown.
inline constexpr auto as_result = asio::as_tuple(asio::deferred);

}  // namespace outrider
