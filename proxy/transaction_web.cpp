// Requests for the API and the monitor: the body is read once it is clear that somebody may send one, and streams of
// events are kept going until the client leaves.
#include "base/async_event.hpp"
#include "base/http_writer.hpp"
#include "proxy/client_side.hpp"
#include "proxy/own_site.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/transaction.hpp"
#include "proxy/websocket_frames.hpp"

namespace outrider {
namespace {

// What happens within this time goes out together: a thousand exchanges a second are ten pieces, not a thousand.
constexpr Duration kTick = std::chrono::milliseconds{100};
constexpr int kReadsAtOnce = 16;
constexpr unsigned kPingAfterTicks = 150;  // whatever is in between may close a connection that is silent

void add_fields(ResponseHead& head, const WebAnswer& answer) {
  for (const auto& [name, value] : answer.headers) head.headers.set(name, value);
}

Answer answer_of(WebAnswer web, const AnswerFrame& frame) {
  Answer answer = make_answer(web.status, web.content_type, std::move(web.body), frame);
  if (web.status == 204) {  // RFC 9110 section 8.6
    answer.head.headers.remove(HeaderId::content_length);
    answer.head.headers.remove(HeaderId::content_type);
  }
  add_fields(answer.head, web);
  return answer;
}

// A stream whose status is 101 goes on as a WebSocket (RFC 6455): every line of it is a message. On the connection
// itself, with an ear for the other side. HTTP/2 has no such change of protocol (RFC 9113 section 8.6), so it is always
// there.
Task<> send_websocket(ClientSide& client, WebAnswer& web, std::uint64_t& bytes_out) {
  ResponseHead head;
  head.status = 101;
  head.reason = "Switching Protocols";
  for (const auto& [name, value] : web.headers) head.headers.add(name, value);
  const Result<void> accepted = co_await client.accept_tunnel(head);
  if (!accepted) co_return;
  const std::shared_ptr<Stream> connection = client.take_connection();
  if (!connection) co_return;
  connection->no_read_deadline();
  AsyncEvent never{client.worker().reactor().executor()};
  WebSocketReader reader;
  std::array<char, 4096> buffer;
  unsigned silent_ticks = 0;
  for (bool goes_on = true; goes_on;) {
    std::string out;
    connection->look_anew();                                            // nobody waits for it to be readable
    for (int rounds = 0; goes_on && rounds < kReadsAtOnce; ++rounds) {  // then it has to listen
      const std::optional<Result<std::size_t>> read = connection->read_now(buffer);
      if (!read) break;
      goes_on = *read && **read != 0 && reader.feed(std::string_view{buffer.data(), **read}, out);
    }
    if (goes_on) {
      const std::string lines = co_await web.stream->next();
      for (std::size_t begin = 0, end = 0; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1)
        append_websocket_frame(out, kWebSocketText, std::string_view{lines}.substr(begin, end - begin));
      silent_ticks = out.empty() ? silent_ticks + 1 : 0;
      if (silent_ticks == kPingAfterTicks) append_websocket_frame(out, kWebSocketPing, "");
      if (client.worker().draining || web.stream->ended()) {
        append_websocket_close(out, kWebSocketGoingAway);
        goes_on = false;
      }
    }
    if (!out.empty()) {
      bytes_out += out.size();
      silent_ticks = 0;
      connection->write_expires_in(client.policy().timeouts.body_idle);
      const Result<void> sent = co_await connection->write(out);
      if (!sent) break;
      connection->no_write_deadline();
    }
    if (goes_on) co_await never.wait(Deadline::after(kTick));
  }
  connection->close();
}

}  // namespace

Task<> Transaction::answer_web(std::string_view path_and_query, const OwnSiteContext& context) {
  const std::shared_ptr<WebSite> site = client_.worker().shared().web;
  AnswerFrame frame;
  frame.method = method_;
  frame.date = context.date;
  WebRequest request = web_request(request_, path_and_query, context);
  WebAnswer refusal = site->refusal(request);
  if (refusal.status != 0) {
    if (client_.request_framing().has_body()) client_.close_after_this();  // it is not wanted
    const Answer answer = answer_of(std::move(refusal), frame);
    co_await send(answer);
    co_return;
  }
  Result<std::string> body = co_await read_small_body(kMaxWebBody);
  if (!body) {
    co_await refuse(body.error());
    co_return;
  }
  request.body = std::move(*body);
  WebAnswer web = co_await site->answer(std::move(request));
  if (web.stream && method_ != Method::head) {
    co_await send_stream(std::move(web));
    co_return;
  }
  frame.date = client_.worker().date().now();
  const Answer answer = answer_of(std::move(web), frame);
  co_await send(answer);
}

Task<> Transaction::send_stream(WebAnswer web) {
  if (web.status == 101) {
    status_ = web.status;
    co_await send_websocket(client_, web, bytes_out_);
    co_return;
  }
  AnswerFrame frame;
  frame.date = client_.worker().date().now();
  ResponseHead head = make_answer(web.status, web.content_type, "", frame).head;
  head.headers.remove(HeaderId::content_length);
  add_fields(head, web);
  status_ = head.status;
  BodyFraming framing;
  framing.kind = BodyFraming::Kind::chunked;
  client_.begin_answer(head, framing);
  AsyncEvent never{client_.worker().reactor().executor()};
  for (unsigned tick = 0; !client_.worker().draining && !web.stream->ended(); ++tick) {
    const std::string text = co_await web.stream->next();
    if (!text.empty()) {
      bytes_out_ += text.size();
      if (!client_.put(text, false)) {
        Result<void> sent = co_await client_.sent();
        if (!sent) {
          client_.abort();
          co_return;
        }
      }
      client_.pause();
    }
    if (tick % 10 == 0 && client_.has_left()) {
      client_.abort();
      co_return;
    }
    const bool goes_on_at_once = web.stream->ended() || (!text.empty() && web.stream->has_more());
    if (!goes_on_at_once) co_await never.wait(Deadline::after(kTick));
  }
  if (web.stream->has_more()) {
    client_.abort();
    co_return;
  }
  if (!client_.end(HeaderMap{})) co_await client_.sent();
}

}  // namespace outrider
