// The addresses of a task as a file, written while it is read: the first line is there at once, however long the list
// is, and it is never in memory as a whole.
#pragma once

#include "base/worker_pool.hpp"
#include "plugins/api/web_site.hpp"
#include "webui/task_explorer.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <vector>

namespace outrider::webui {

// What the list of the API says of one address.
boost::json::object json_of(const TaskAddress& found);

class TaskExport final : public WebStream, public std::enable_shared_from_this<TaskExport> {
 public:
  enum class Format : std::uint8_t { json, csv };
  TaskExport(TaskExplorer& explorer, WorkerPool& workers, TaskId task, std::vector<UrlFate::State> states,
             Format format)
      : explorer_(explorer), workers_(workers), task_(task), states_(std::move(states)), format_(format) {}

  // On the calling thread: whether there is anything to be exported is known before a word is said.
  Result<void> begin();

  Task<std::string> next() override;
  bool ended() const override { return ended_; }
  bool has_more() const override { return !complete_; }

 private:
  Result<std::string> piece();

  TaskExplorer& explorer_;
  WorkerPool& workers_;
  const TaskId task_;
  const std::vector<UrlFate::State> states_;
  const Format format_;
  std::string first_;
  std::uint32_t at_ = 0;
  bool is_first_row_ = true;
  bool complete_ = false;
  bool ended_ = false;
};

}  // namespace outrider::webui
