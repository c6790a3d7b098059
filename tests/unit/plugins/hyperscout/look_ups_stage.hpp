// Cards and errands in front of a scripted robot and a scripted memory, with a clock that the test turns.
#pragma once

#include "plugins/api/robot.hpp"
#include "plugins/hyperscout/look_ups.hpp"
#include "tests/support/plugin_ports.hpp"
#include "tests/support/scripted_memory.hpp"

#include <gtest/gtest.h>

#include <map>

namespace outrider::hyperscout {

// Notes what it is told to do.
struct NotingRobot final : Robot {
  std::vector<TaskSpec> submitted;  // task 1 first
  std::vector<TaskCompany> company;
  std::vector<TaskId> removed;
  std::map<TaskId, TaskSpec> changed;
  UrlFate fate;

  Result<TaskId> submit(TaskSpec spec, TaskCompany with) override {
    submitted.push_back(std::move(spec));
    company.push_back(std::move(with));
    return static_cast<TaskId>(submitted.size());
  }
  Result<void> accompany(TaskId, TaskCompany) override { return {}; }
  Result<void> change(TaskId task, TaskSpec spec) override {
    changed[task] = std::move(spec);
    return {};
  }
  Result<void> pause(TaskId) override { return {}; }
  Result<void> resume(TaskId) override { return {}; }
  Result<void> stop(TaskId) override { return {}; }
  Result<void> remove(TaskId task) override {
    removed.push_back(task);
    return {};
  }
  std::vector<TaskStatus> list() const override { return {}; }
  Result<TaskStatus> status(TaskId) const override { return TaskStatus{}; }
  Result<UrlFate> why_not(TaskId, std::string_view) const override { return fate; }
  std::shared_ptr<void> observe(TaskId, TaskObserver) override { return nullptr; }
};

struct LookUpsStage : ::testing::Test {
  LookUpsStage() {
    ports.clock = &clock;
    ports.memory = &memory;
    ports.robot = &robot;
    look_ups = std::make_unique<LookUps>(ports);
  }
  std::shared_ptr<PluginStream> begin(std::string url, std::string site = "page.example") {
    return look_ups->begin({{"", true}, url, "text", site, false}, settings);
  }
  void end_task(TaskId task, UrlFate fate) {
    robot.fate = std::move(fate);
    look_ups->ended(task);
  }
  // Of a page that a person has read a moment ago there is nothing to find out.
  Node& known_page(std::string url) {
    Node& node = open_page(std::move(url));
    node.status = 200;
    node.mime = "text/html";
    node.page.title = "Known";
    node.last_fetched = clock.now();
    return node;
  }
  void bring_page(TaskId task, std::string url, StorageClass storage = StorageClass::open) {
    Node node;
    node.url = std::move(url);
    node.status = 200;
    RobotFetch fetch;
    fetch.task = task;
    fetch.status = 200;
    fetch.storage = storage;
    robot.company[task - 1].observer.on_fetch(fetch);
    look_ups->arrived({task, node, {}, ""});
    end_task(task, fate(UrlFate::State::fetched, "status 200"));
  }
  void fail(TaskId task, NodeError error, std::string detail) {
    RobotFetch told;
    told.task = task;
    told.error = error;
    robot.company[task - 1].observer.on_fetch(told);
    end_task(task, fate(UrlFate::State::failed, std::move(detail)));
  }
  Node& open_page(std::string url) {
    Node node;
    node.url = std::move(url);
    node.fetched_by = FetchedBy::browser;
    memory.nodes.push_back(node);
    return memory.nodes.back();
  }
  void link(std::string source, std::string target) {
    KnownLink link;
    link.source = std::move(source);
    link.link.target = std::move(target);
    link.link.text = "some words";
    link.link.position = static_cast<std::uint32_t>(memory.links.size());
    memory.links.push_back(link);
  }
  static Url page_at(std::string_view url) { return *Url::parse(url); }
  static Link written(std::string target) {
    Link link;
    link.target = std::move(target);
    link.text = "some words";
    return link;
  }
  static UrlFate fate(UrlFate::State state, std::string detail) {
    UrlFate made;
    made.state = state;
    made.detail = std::move(detail);
    return made;
  }

  FakeClock clock;
  test::ScriptedMemory memory;
  NotingRobot robot;
  PluginPorts ports;
  Settings settings;
  std::unique_ptr<LookUps> look_ups;
};

}  // namespace outrider::hyperscout
