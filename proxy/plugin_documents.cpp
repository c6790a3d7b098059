#include "proxy/plugin_documents.hpp"

#include <utility>

namespace outrider {

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
