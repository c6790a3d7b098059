#include "proxy/plugin_documents.hpp"

#include "proxy/plugin_exchange.hpp"

#include <utility>

namespace outrider {
namespace {

int status_of(const PluginAnswer& given) {
  return given.status >= 200 && given.status <= 599 ? given.status : 500;
}

void add_fields(const PluginAnswer& given, HeaderMap& to) {
  HeaderMap fields;
  for (const auto& [name, value] : given.headers) fields.add(name, value);
  for (const HeaderField& field : accepted_fields(fields, {}, HookSide::response)) to.set(field.name, field.value);
}

}  // namespace

Answer plugin_answer(const PluginAnswer& given, const AnswerFrame& frame) {
  const int status = status_of(given);
  const bool empty = !may_have_content(status);
  Answer answer = make_answer(status, given.content_type, empty ? std::string{} : given.body, frame);
  if (empty) {
    answer.head.headers.remove(HeaderId::content_length);
    answer.head.headers.remove(HeaderId::content_type);
  }
  add_fields(given, answer.head.headers);
  return answer;
}

ResponseHead plugin_stream_head(const PluginAnswer& given, const AnswerFrame& frame) {
  ResponseHead head = make_answer(status_of(given), given.content_type, "", frame).head;
  head.headers.remove(HeaderId::content_length);
  add_fields(given, head.headers);
  return head;
}

Task<std::optional<PluginAnswer>> plugin_document(PluginHost& host, Executor home, std::string path,
                                                  PluginDocumentRequest request) {
  const std::size_t slash = path.find('/');
  PluginRecord* const record = host.find(std::string_view{path}.substr(0, slash));
  if (record == nullptr || !record->running() || !record->info().hooks.has(Hook::document)) co_return std::nullopt;
  if (slash == std::string::npos) {  // so that relative links work
    PluginAnswer moved{301, "text/plain", "", {{"Location", "/plugins/" + path + "/"}}};
    co_return moved;
  }
  const bool reads = request.method == Method::get || request.method == Method::head;
  if (const PluginAnswer* const fixed = host.document(path); fixed != nullptr && reads) co_return *fixed;
  request.path = path.substr(slash);
  auto work = [record, request = std::move(request)] {
    PluginAnswer answer{500, "text/plain; charset=utf-8", "The plugin failed.\n"};
    record->guarded("on_document", [&] { answer = record->plugin().on_document(request); });
    return answer;
  };
  std::optional<PluginAnswer> answer = co_await record->answer(home, "on_document", std::move(work));
  if (!answer) answer.emplace(PluginAnswer{503, "text/plain; charset=utf-8", "The plugin does not answer.\n"});
  co_return answer;
}

}  // namespace outrider
