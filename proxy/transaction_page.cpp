// What plugins have to do with a request: answers of theirs, documents of theirs, and the way back of a page that they
// change.
#include "base/async_event.hpp"
#include "proxy/client_side.hpp"
#include "proxy/own_site.hpp"
#include "proxy/page_head.hpp"
#include "proxy/plugin_documents.hpp"
#include "proxy/plugin_exchange.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/transaction.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kMaxPluginBody = 64 * 1024;
constexpr std::string_view kDocumentPolicy = "default-src 'self'; frame-ancestors 'self'";

// What other sites load as picture, script or data they could learn from; a link or a frame shows it to the reader
// alone.
bool is_loaded_by_others(const RequestHead& request) {
  const std::string_view site = request.headers.find(HeaderId::sec_fetch_site).value_or("");
  if (site != "cross-site" && site != "same-site") return false;
  const std::string_view into = request.headers.find(HeaderId::sec_fetch_dest).value_or("");
  return into != "document" && into != "iframe" && into != "frame";
}

// Whatever the browser says about the sender. Over plain HTTP that may be nothing but Referer, which a page can leave
// out but not invent.
bool is_of_own_page(const RequestHead& request, const std::string& asked) {
  const std::string_view origin = request.headers.find(HeaderId::origin).value_or("");
  if (!origin.empty()) return origin == "http://" + asked || origin == "https://" + asked;
  const std::string_view site = request.headers.find(HeaderId::sec_fetch_site).value_or("");
  if (!site.empty()) return site == "same-origin" || site == "none";
  const std::string_view page = request.headers.find(HeaderId::referer).value_or("");
  return page.starts_with("http://" + asked + "/") || page.starts_with("https://" + asked + "/");
}

// Many browsers say nothing about the sender over plain HTTP, so the answer says what it is for. A plugin that knows
// better about its scripts and frames says so itself.
void protect_document(PluginAnswer& answer) {
  const auto is_named = [](std::string_view wanted) {
    return
        [wanted](const std::pair<std::string, std::string>& field) { return equal_ignoring_case(field.first, wanted); };
  };
  const std::string_view resource_policy = "Cross-Origin-Resource-Policy";
  std::erase_if(answer.headers, is_named(resource_policy));
  answer.headers.emplace_back(resource_policy, "same-origin");
  if (std::none_of(answer.headers.begin(), answer.headers.end(), is_named("Content-Security-Policy")))
    answer.headers.emplace_back("Content-Security-Policy", kDocumentPolicy);
}

// Pieces of a document that go out together: nobody sees the difference.
constexpr Duration kStreamTick = std::chrono::milliseconds{50};
// The first words come soon, if a plugin has them at hand.
constexpr Duration kFirstStreamTick = std::chrono::milliseconds{2};
constexpr unsigned kFirstTicks = 25;
constexpr unsigned kTicksBetweenLooks = 10;

}  // namespace

Task<> Transaction::send_plugin_answer(const PluginAnswer& given) {
  AnswerFrame frame;
  frame.method = method_;
  frame.date = client_.worker().date().now();
  const Answer answer = plugin_answer(given, frame);
  cache_verdict_ = "plugin";
  co_await send(answer);
}

Task<> Transaction::send_plugin_stream(PluginAnswer given) {
  struct Listening {
    PluginStream& stream;
    ~Listening() { stream.abandon(); }
  };
  const std::shared_ptr<PluginStream> stream = std::move(given.stream);
  const Listening listening{*stream};
  AnswerFrame frame;
  frame.date = client_.worker().date().now();
  ResponseHead head = plugin_stream_head(given, frame);
  status_ = head.status;
  cache_verdict_ = "plugin";
  BodyFraming framing;
  framing.kind = BodyFraming::Kind::chunked;
  client_.begin_answer(head, framing);
  AsyncEvent never{client_.worker().reactor().executor()};
  for (unsigned tick = 0; !client_.worker().draining; ++tick) {
    const PluginStream::Piece piece = stream->take();
    bytes_out_ += piece.text.size();
    bool sent = true;
    if (!piece.text.empty() && !client_.put(piece.text, false)) {
      const Result<void> waited = co_await client_.sent();
      sent = !waited.has_error();
    }
    if (!sent || (tick % kTicksBetweenLooks == 0 && client_.has_left())) {
      client_.abort();
      co_return;
    }
    if (piece.last) break;
    client_.pause();
    co_await never.wait(Deadline::after(tick < kFirstTicks ? kFirstStreamTick : kStreamTick));
  }
  if (!client_.end(HeaderMap{})) co_await client_.sent();
}

// For people on this machine, and for those whom the proxy serves. Only a page of ours may change something.
Task<> Transaction::answer_plugin_document(std::string_view path, const OwnSiteContext& context) {
  if (const std::optional<Answer> refusal = refuse_foreign_host(request_, context)) {
    co_await send(*refusal);
    co_return;
  }
  if (!is_loopback(context.client) && !context.through_proxy) {
    const Answer answer = answer_local_only(error_context());
    co_await send(answer);
    co_return;
  }
  PluginDocumentRequest document;
  const std::string_view site = request_.headers.find(HeaderId::sec_fetch_site).value_or("");
  const std::string_view origin = request_.headers.find(HeaderId::origin).value_or("");
  const std::string asked{context.through_proxy ? context.asked_host
                                                : request_.headers.find(HeaderId::host).value_or("")};
  const bool from_browser = !site.empty() || !origin.empty();
  document.own_page = is_of_own_page(request_, asked);
  if (method_ != Method::get && method_ != Method::head && from_browser && !document.own_page) {
    const Answer answer = answer_denied("This can be changed only on a page of the proxy's own.", error_context());
    co_await send(answer);
    co_return;
  }
  if (is_loaded_by_others(request_)) {
    const Answer answer = answer_denied("This is for the proxy's own pages.", error_context());
    co_await send(answer);
    co_return;
  }
  Result<std::string> body = co_await read_small_body(kMaxPluginBody);
  if (!body) {
    co_await refuse(body.error());
    co_return;
  }
  const std::size_t question = path.find('?');
  document.query = question == std::string_view::npos ? "" : std::string{path.substr(question + 1)};
  document.method = method_;
  document.headers = request_.headers;
  document.body = std::move(*body);
  document.user = who();
  const tcp::endpoint ours = client_.connection().local_endpoint();
  document.local = client_.policy().access->is_own_person(client_.connection().peer(), ours);
  std::string where{path.substr(0, question)};
  where.erase(0, std::string_view{"/plugins/"}.size());
  ProxyShared& shared = client_.worker().shared();
  std::optional<PluginAnswer> answer;
  if (shared.plugins)
    answer = co_await plugin_document(*shared.plugins, client_.worker().reactor().executor(), std::move(where),
                                      std::move(document));
  if (!answer) answer.emplace(PluginAnswer{404, "text/plain; charset=utf-8", "There is no such plugin.\n"});
  protect_document(*answer);
  if (answer->stream && method_ != Method::head && may_have_content(answer->status)) {
    co_await send_plugin_stream(std::move(*answer));
    co_return;
  }
  if (answer->stream) answer->stream->abandon();
  co_await send_plugin_answer(*answer);
}

// Answered at any site's address and never sent there. One that is unknown belongs to an older or newer version.
Task<> Transaction::answer_plugin_resource(std::string_view path) {
  const ProxyShared& shared = client_.worker().shared();
  const PluginResource* const found = shared.plugins->resource(path);
  PluginAnswer answer{404, "text/plain; charset=utf-8", "There is no such file.\n", {}, nullptr};
  if (found != nullptr && (method_ == Method::get || method_ == Method::head))
    answer = {200, found->content_type, found->body, {{"Cache-Control", "max-age=600"}}, nullptr};
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (client_.request_framing().has_body()) client_.close_after_this();  // it is not wanted
  co_await send_plugin_answer(answer);
}

Task<Result<void>> Transaction::relay_page(ExchangeResponse& response, PageTransform& page, MemoryTap& tap) {
  for (;;) {
    std::optional<Result<std::string_view>> piece = response.read_now();
    if (!piece) {
      if (!client_.flush()) {
        Result<void> sent = co_await client_.sent();
        if (!sent) co_return sent;
      }
      client_.pause();
      Result<std::string_view> waited = co_await response.read();
      response.pause();
      piece.emplace(std::move(waited));
    }
    if (!*piece) co_return piece->error();
    const bool last = (*piece)->empty();
    tap.add(**piece);
    std::string_view rest = **piece;
    do {
      Result<std::string_view> changed{std::string_view{}};
      if (last) {
        changed = co_await page.finish();
      } else {
        changed = co_await page.feed(rest);
      }
      if (!changed) co_return changed.error();
      bytes_out_ += changed->size();
      if (!changed->empty() && !client_.put(*changed, !rest.empty() || response.buffered())) {
        Result<void> sent = co_await client_.sent();
        if (!sent) co_return sent;
      }
    } while (!rest.empty());
    if (last) break;
  }
  HeaderMap trailers = response.trailers();
  strip_digests(trailers);
  if (!client_.end(trailers)) {
    Result<void> sent = co_await client_.sent();
    if (!sent) co_return sent;
  }
  client_.pause();
  co_return Result<void>{};
}

}  // namespace outrider
