#include "proxy/plugin_exchange.hpp"

#include "base/http_chars.hpp"
#include "base/http_lists.hpp"
#include "proxy/page_charset.hpp"

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

// Framing, codings and the connection are the proxy's.
bool is_ours(HeaderId id, HookSide side) {
  switch (id) {
    case HeaderId::connection:
    case HeaderId::keep_alive:
    case HeaderId::te:
    case HeaderId::trailer:
    case HeaderId::transfer_encoding:
    case HeaderId::upgrade:
    case HeaderId::via:
    case HeaderId::content_length:
    case HeaderId::proxy_authorization:
    case HeaderId::proxy_connection:
      return true;
    case HeaderId::host:
    case HeaderId::expect:
    case HeaderId::max_forwards:
      return side == HookSide::request;
    case HeaderId::content_encoding:
    case HeaderId::content_range:
      return side == HookSide::response;
    default:
      return false;
  }
}

bool is_field_name(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return has_class(c, char_class::kToken); });
}

bool is_field_value(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7F;
  });
}

}  // namespace

HeaderMap accepted_fields(const HeaderMap& changed, const HeaderMap& original, HookSide side) {
  HeaderMap result;
  for (const HeaderField& field : original)
    if (is_ours(field.id, side)) result.add(field.name, field.value);
  for (const HeaderField& field : changed)
    if (!is_ours(field.id, side) && is_field_name(field.name) && is_field_value(field.value))
      result.add(field.name, field.value);
  return result;
}

PluginExchange::PluginExchange(PluginHost& host, Executor home, const Url& url, RequestHead& head,
                               std::string_view user, bool local)
    : host_(host),
      home_(home),
      url_(url),
      head_(head),
      untold_(is_top_level(head) && !head.headers.has(HeaderId::sec_fetch_dest)),
      framed_(untold_ && host.framed().has(head.headers.find(HeaderId::referer).value_or(""), url)),
      top_level_(is_top_level(head) && !framed_) {
  const std::string_view name = url.hostname();
  on_request_ = host.wants(Hook::request) ? host.select(Hook::request, name) : PluginHost::Records{};
  on_response_ = host.wants(Hook::response) ? host.select(Hook::response, name) : PluginHost::Records{};
  if (top_level_ && host.wants(Hook::page) && !head.headers.has(HeaderId::range))
    on_page_ = host.select(Hook::page, name);
  mark_ = host.mark_of(on_page_, name);
  if (on_request_.empty() && on_response_.empty() && on_page_.empty()) return;
  request_ = std::make_shared<PluginRequest>(
      PluginRequest{std::string{url.href()}, head.method, head.headers, std::string{user}, top_level_, local});
}

Task<std::optional<PluginAnswer>> PluginExchange::request() {
  struct Asked {
    PluginRequest request;
    std::optional<PluginAnswer> answer;
    bool ok = false;
  };
  for (PluginRecord* const record : on_request_) {
    auto work = [record, request = request_] {
      Asked asked;
      asked.request = *request;
      asked.ok = record->guarded("on_request", [&] { asked.answer = record->plugin().on_request(asked.request); });
      return asked;
    };
    std::optional<Asked> asked;
    if (record->isolated()) {
      asked = co_await record->answer(home_, "on_request", std::move(work));
    } else {
      const PluginHost::Inside inside{host_, record};
      asked = work();
    }
    if (!asked || !asked->ok) continue;
    if (asked->answer) co_return std::move(asked->answer);
    head_.headers = accepted_fields(asked->request.headers, head_.headers, HookSide::request);
    asked->request.headers = head_.headers;
    asked->request.url = request_->url;
    request_ = std::make_shared<PluginRequest>(std::move(asked->request));
  }
  if (head_.method == Method::get)
    marked_condition_ = translate_conditions(head_.headers, mark_, [this](std::string_view validator) {
      return host_.unchanged().has(request_->url, validator, mark_);
    });
  co_return std::nullopt;
}

Task<> PluginExchange::ask_response(PluginRecord& record, ResponseHead& head) {
  struct Asked {
    PluginResponse response;
    bool ok = false;
  };
  auto work = [&record, request = request_, status = head.status, headers = head.headers,
               for_everybody = for_everybody_] {
    Asked asked;
    asked.response = {status, headers, for_everybody};
    asked.ok = record.guarded("on_response", [&] { record.plugin().on_response(*request, asked.response); });
    return asked;
  };
  std::optional<Asked> asked;
  if (record.isolated()) {
    asked = co_await record.answer(home_, "on_response", std::move(work));
  } else {
    const PluginHost::Inside inside{host_, &record};
    asked = work();
  }
  if (asked && asked->ok) head.headers = accepted_fields(asked->response.headers, head.headers, HookSide::response);
}

Task<> PluginExchange::ask_page(PluginRecord& record, HeaderMap& headers, PageTransform& page,
                                PageTransform::Options options) {
  const auto wanted = [&record, request = request_](PluginResponse& response) {
    std::unique_ptr<PageFilter> filter = record.plugin().on_page(*request, response);
    if (filter) filter->on_head(response.headers);
    return filter;
  };
  PluginResponse response{200, headers, for_everybody_};
  if (!record.isolated()) {
    const PluginHost::Inside inside{host_, &record};
    std::unique_ptr<PageFilter> filter;
    if (!record.guarded("on_page", [&] { filter = wanted(response); })) {
      failed_ = true;
      co_return;
    }
    if (!filter) co_return;
    headers = accepted_fields(response.headers, headers, HookSide::response);
    page.add(record, std::move(filter));
    co_return;
  }
  struct Asked {
    std::shared_ptr<PageTransform::Isolated> page;
    HeaderMap headers;
    bool ok = false;
  };
  auto work = [&record, wanted, response = std::move(response), options]() mutable {
    Asked asked;
    asked.ok = record.guarded("on_page", [&] {
      if (std::unique_ptr<PageFilter> filter = wanted(response)) {
        asked.page = PageTransform::isolate(record, std::move(filter), options);
        asked.headers = std::move(response.headers);
      }
    });
    return asked;
  };
  std::optional<Asked> asked = co_await record.answer(home_, "on_page", std::move(work));
  if (!asked || !asked->ok) {
    failed_ = true;
  } else if (asked->page) {
    headers = accepted_fields(asked->headers, headers, HookSide::response);
    page.add(record, std::move(asked->page));
  }
}

Task<std::unique_ptr<PageTransform>> PluginExchange::response(ResponseHead& head, BodyFraming& framing,
                                                              bool for_everybody) {
  for_everybody_ = for_everybody;
  for (PluginRecord* const record : on_response_)
    if (record->running()) co_await ask_response(*record, head);
  if (head.status == 304 && marked_condition_) {
    mark_rewritten(head.headers, mark_);
    // The browser keeps the page with the policy that admits what was inserted; this one would take its place.
    head.headers.remove(HeaderId::content_security_policy);
    head.headers.remove(HeaderId::content_security_policy_report_only);
  }
  if (framed_) note_redirected_frame(head);
  if (on_page_.empty()) co_return nullptr;
  std::unique_ptr<PageTransform> page = co_await transform(head, framing);
  if (!page) note_unchanged(head);
  co_return page;
}

// The client may ask for it again with its validators as they are.
void PluginExchange::note_unchanged(const ResponseHead& head) {
  if (failed_ || head.status != 200) return;
  for (const HeaderId id : {HeaderId::etag, HeaderId::last_modified})
    if (const auto validator = head.headers.find(id)) host_.unchanged().note(request_->url, *validator, mark_);
}

// Where it is sent to fills the same frame.
void PluginExchange::note_redirected_frame(const ResponseHead& head) {
  const auto location = head.headers.find(HeaderId::location);
  if (head.status / 100 != 3 || !location) return;
  const Result<Url> page = Url::parse(head_.headers.find(HeaderId::referer).value_or(""));
  const Result<Url> target = Url::parse(*location, &url_);
  if (page && target) host_.framed().note(*page, *target);
}

Task<std::unique_ptr<PageTransform>> PluginExchange::transform(ResponseHead& head, BodyFraming& framing) {
  if (!framing.has_body() || !may_rewrite(head_, head)) co_return nullptr;
  const std::string codings = head.headers.joined(HeaderId::content_encoding);
  const Result<std::vector<ContentCoding>> parsed = parse_content_encoding(codings);
  Result<ContentDecoder> decoder = ContentDecoder::create(codings);
  if (!parsed || !decoder) co_return nullptr;

  PageTransform::Options options;
  if (const auto charset = find_parameter(*head.headers.find(HeaderId::content_type), "charset")) {
    options.charset_given = true;
    options.utf8 = is_utf8_label(*charset);
  }
  auto page = std::make_unique<PageTransform>(host_, home_, options);
  for (PluginRecord* const record : on_page_)
    if (record->running()) co_await ask_page(*record, head.headers, *page, options);
  if (page->empty()) co_return nullptr;
  if (untold_) page->watch_frames(host_.framed(), url_);

  if (!decoder->identity()) {
    // A client on this machine would only have to decode again what is encoded for it.
    const bool same = !request_->local && parsed->size() == 1;
    page->set_coding(std::move(*decoder), same ? parsed->front() : ContentCoding::identity);
    if (!same) head.headers.remove(HeaderId::content_encoding);
  }
  mark_rewritten(head.headers, mark_);
  framing = {BodyFraming::Kind::chunked, 0};
  co_return page;
}

}  // namespace outrider
