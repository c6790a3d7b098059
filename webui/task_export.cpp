#include "webui/task_export.hpp"

#include "plugins/api/robot_task_json.hpp"
#include "webui/csv.hpp"
#include "webui/paging.hpp"

#include <boost/json.hpp>

#include <utility>

namespace outrider::webui {
namespace {

constexpr std::size_t kRowsAtOnce = 500;

}  // namespace

json::object json_of(const TaskAddress& found) {
  json::object out{{"url", found.url},
                   {"from", found.from.empty() ? json::value(nullptr) : json::value(found.from)},
                   {"depth", found.depth},
                   {"state", to_string(found.fate.state)},
                   {"reason", to_string(found.fate.reason)},
                   {"detail", found.fate.detail},
                   {"title", nullptr},
                   {"status", nullptr},
                   {"mime", nullptr},
                   {"bytes", nullptr},
                   {"fetched", nullptr}};
  if (!found.node) return out;
  out["title"] = found.node->page.title;
  out["status"] = found.node->status;
  out["mime"] = found.node->mime;
  out["bytes"] = found.node->decoded_size;
  out["fetched"] = shown_or_null(found.node->last_fetched);
  return out;
}

Result<void> TaskExport::begin() {
  const Result<TaskAddresses> none = explorer_.addresses(task_, states_, 0, 0);
  if (!none) return none.error();
  first_ = format_ == Format::csv ? "url,state,reason,detail,depth,from,status,title,mime,bytes\r\n" : "[";
  return {};
}

// A piece may be empty although there is more: nobody who looks at the task meanwhile is kept waiting.
Result<std::string> TaskExport::piece() {
  const Result<TaskAddresses> page = explorer_.addresses(task_, states_, at_, kRowsAtOnce);
  if (!page) return page.error();
  std::string text;
  for (const TaskAddress& found : page->found) {
    const json::object row = json_of(found);
    if (format_ == Format::csv) {
      append_csv_row(text, row,
                     {"url", "state", "reason", "detail", "depth", "from", "status", "title", "mime", "bytes"});
    } else {
      text += is_first_row_ ? "\n" : ",\n";
      text += json::serialize(row);
    }
    is_first_row_ = false;
  }
  complete_ = !page->next;
  if (page->next) at_ = *page->next;
  if (complete_ && format_ == Format::json) text += "\n]\n";
  return text;
}

Task<std::string> TaskExport::next() {
  if (!first_.empty()) co_return std::exchange(first_, {});
  // Whoever waits for it may go while it is being made.
  auto work = [self = shared_from_this()] { return self->piece(); };
  Result<std::string> text = co_await workers_.run(std::move(work));
  if (!text) {
    ended_ = text.error().kind != ErrorKind::busy;  // busy: again in a moment; else the file stays incomplete
    co_return std::string{};
  }
  ended_ = complete_;
  co_return std::move(*text);
}

}  // namespace outrider::webui
