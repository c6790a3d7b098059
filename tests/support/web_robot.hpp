// A robot of a few lines in front of a web of a few pages: every task is done before submit() returns, so its observers
// hear of it before whoever submitted knows its number, which is the hardest order for them.
#pragma once

#include "base/url.hpp"
#include "plugins/api/robot.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace outrider::test {

struct ScriptedPage {
  int status = 200;      // of GET
  int head_status = 0;   // 0 = the same
  std::string location;  // of a redirect
  std::vector<Link> links;
  NodeError error = NodeError::none;
  Duration took = std::chrono::milliseconds{10};
  bool robots_forbid = false;
  std::string source;  // bytes
};

class WebRobot : public Robot {
 public:
  std::map<std::string, ScriptedPage> web;
  std::vector<TaskSpec> submitted;
  bool holds = false;  // tasks are taken, and nothing is done
  bool refuses = false;
  std::vector<std::string> requests;  // "HEAD http://…"

  static Link link(std::string target, std::string text = "") {
    Link made;
    made.target = std::move(target);
    made.text = std::move(text);
    return made;
  }

  void moved(const std::string& from, const std::string& to) {
    web[from].status = 301;
    web[from].location = to;
  }

  Result<TaskId> submit(TaskSpec spec, TaskCompany company = {}) override {
    if (refuses) return Error{ErrorKind::io, Side::self, "the disk is full"};
    submitted.push_back(spec);
    const TaskId id = ++last_;
    TaskStatus status;
    status.id = id;
    status.spec = std::move(spec);
    tasks_[id] = status;
    companies_[id] = std::move(company);
    if (!holds) run(id);
    return id;
  }
  void run(TaskId id) {
    const TaskSpec spec = tasks_.at(id).spec;
    const TaskJudges judges = companies_[id].judges;
    std::deque<std::pair<std::string, int>> queue;  // with the depth that is left
    for (const std::string& url : spec.start) queue.emplace_back(url, spec.depth);
    std::set<std::string> seen;
    for (; !queue.empty(); queue.pop_front()) {
      const std::string url = without_fragment(queue.front().first);
      const int depth = queue.front().second;
      if (!seen.insert(url).second || web[url].robots_forbid) continue;
      const ScriptedPage page = web[url];
      requests.push_back((spec.head_only ? "HEAD " : "GET ") + url);
      RobotFetch fetch;
      fetch.task = id;
      fetch.url = url;
      fetch.error = page.error;
      if (page.error == NodeError::none) {
        fetch.status = spec.head_only && page.head_status != 0 ? page.head_status : page.status;
        if (fetch.status >= 400) fetch.error = NodeError::http;
        fetch.redirects_to = page.location;
        fetch.first_byte = page.took;
      }
      each(id, [&](const TaskObserver& o) {
        if (o.on_fetch) o.on_fetch(fetch);
      });
      if (!page.location.empty()) queue.emplace_back(page.location, depth);
      if (fetch.status < 200 || fetch.status > 299) continue;
      Node node;
      node.url = url;
      node.status = fetch.status;
      const RobotPage shown{id, node, page.links, spec.need_source ? std::string_view{page.source} : ""};
      each(id, [&](const TaskObserver& o) {
        if (o.on_page) o.on_page(shown);
      });
      if (depth == 0) continue;
      const Url at = *Url::parse(url);
      const PageContent content;
      for (const Link& link : page.links) {
        const Result<Url> target = Url::parse(link.target);
        const bool internal = target && target->host() == Url::parse(spec.start.front())->host();
        if (!target || (spec.restriction == Restriction::internal && !internal)) continue;
        if (judges.classify_link) {
          const JudgedPage judged{at, fetch.status, content};
          const JudgedLink asked{judged, *target, link.kind, link.flags, link.position, link.text};
          Attributes attributes;
          judges.classify_link(asked, {}, attributes);
          if (judges.filter_link(asked, attributes).decision == Decision::reject) continue;
        }
        queue.emplace_back(link.target, depth - 1);
      }
    }
    tasks_[id].state = TaskState::finished;
    each(id, [&](const TaskObserver& o) {
      if (o.on_state) o.on_state(id, TaskState::finished);
    });
  }

  Result<void> accompany(TaskId, TaskCompany) override { return {}; }
  Result<void> change(TaskId, TaskSpec) override { return {}; }
  Result<void> pause(TaskId) override { return {}; }
  Result<void> resume(TaskId) override { return {}; }
  Result<void> stop(TaskId) override { return {}; }
  Result<void> remove(TaskId task) override {
    tasks_.erase(task);
    return {};
  }
  std::vector<TaskStatus> list() const override {
    std::vector<TaskStatus> all;
    for (const auto& [id, status] : tasks_) all.push_back(status);
    return all;
  }
  Result<TaskStatus> status(TaskId task) const override {
    const auto found = tasks_.find(task);
    if (found == tasks_.end()) return Error{ErrorKind::not_found, Side::client, "no such task"};
    return found->second;
  }
  Result<UrlFate> why_not(TaskId, std::string_view url) const override {
    UrlFate fate;
    const auto found = web.find(std::string{url});
    if (found != web.end() && found->second.robots_forbid) {
      fate.state = UrlFate::State::rejected;
      fate.reason = Reason::robots;
    }
    return fate;
  }
  std::shared_ptr<void> observe(TaskId task, TaskObserver observer) override {
    auto observed = std::make_shared<std::pair<TaskId, TaskObserver>>(task, std::move(observer));
    observers_.push_back(observed);
    return observed;
  }

 private:
  static std::string without_fragment(const std::string& url) { return url.substr(0, url.find('#')); }
  template <class Call>
  void each(TaskId task, Call call) {
    const auto all = observers_;
    for (const auto& weak : all)
      if (const auto observed = weak.lock(); observed && (observed->first == 0 || observed->first == task))
        call(observed->second);
    call(companies_[task].observer);
  }

  TaskId last_ = 0;
  std::map<TaskId, TaskStatus> tasks_;
  std::map<TaskId, TaskCompany> companies_;
  std::vector<std::weak_ptr<std::pair<TaskId, TaskObserver>>> observers_;
};

}  // namespace outrider::test
