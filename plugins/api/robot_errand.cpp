#include "plugins/api/robot_errand.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace outrider {

class RobotErrand::Inbox {
 public:
  explicit Inbox(std::size_t most_links) : most_links_(most_links) {}

  News take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }
  void put(const RobotPage& page) {
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min(page.links.size(), most_links_);
    news_.pages.push_back({page.node.url,
                           page.node.page.title,
                           {page.links.begin(), page.links.begin() + static_cast<std::ptrdiff_t>(count)},
                           std::string{page.source},
                           page.links.size() - count});
  }
  void put(const RobotFetch& fetch) {
    const std::lock_guard lock(mutex_);
    Fetch kept{std::string{fetch.url}, fetch, std::string{fetch.error_text}};
    kept.told.url = {};
    kept.told.error_text = {};
    news_.fetches.push_back(std::move(kept));
  }
  void put(TaskState state) {
    const std::lock_guard lock(mutex_);
    if (state >= TaskState::finished) news_.ended = true;
  }

 private:
  const std::size_t most_links_;
  std::mutex mutex_;
  News news_;
};

Result<void> RobotErrand::begin(TaskSpec spec, TaskJudges judges) {
  leave();
  inbox_ = std::make_shared<Inbox>(most_links_);
  TaskCompany company;
  company.impatient = true;
  company.judges = std::move(judges);
  company.observer.on_page = [inbox = inbox_](const RobotPage& page) { inbox->put(page); };
  company.observer.on_state = [inbox = inbox_](TaskId, TaskState state) { inbox->put(state); };
  company.observer.on_fetch = [inbox = inbox_](const RobotFetch& fetch) { inbox->put(fetch); };
  const Result<TaskId> task = robot_.submit(std::move(spec), std::move(company));
  if (!task) {
    leave();
    return task.error();
  }
  task_ = *task;
  return {};
}

RobotErrand::News RobotErrand::take() {
  if (!inbox_) return {};
  News news = inbox_->take();
  if (news.ended || task_ == 0) return news;
  // Whoever is busy may not be told everything. What was told before the end is on its way: so look twice.
  const Result<TaskStatus> status = robot_.status(task_);
  const bool over = !status || status->state >= TaskState::finished;
  news.ended = over && looked_over_ && news.pages.empty() && news.fetches.empty();
  looked_over_ = over;
  return news;
}

void RobotErrand::leave() {
  inbox_.reset();
  looked_over_ = false;
  if (task_ != 0) (void)robot_.remove(std::exchange(task_, 0));  // it may be gone already
}

}  // namespace outrider
