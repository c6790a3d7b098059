// Requests for the API and the monitor: the body is read once it is clear that somebody may send one, and streams of
// events are kept going until the client leaves.
#include "base/async_event.hpp"
#include "base/http_writer.hpp"
#include "proxy/client_side.hpp"
#include "proxy/own_site.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/transaction.hpp"

namespace outrider {
namespace {

// What happens within this time goes out together: a thousand exchanges a second are ten pieces, not a thousand.
constexpr Duration kTick = std::chrono::milliseconds{100};

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
  for (unsigned tick = 0; !client_.worker().draining; ++tick) {
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
    co_await never.wait(Deadline::after(kTick));
  }
  if (!client_.end(HeaderMap{})) co_await client_.sent();
}

}  // namespace outrider
