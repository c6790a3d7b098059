#include "webui/task_export.hpp"

#include "tests/support/asked_robot.hpp"
#include "tests/support/scripted_memory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>

#include <algorithm>

namespace outrider::webui {
namespace {

struct TaskExportTest : ::testing::Test {
  test::ScriptedMemory memory;
  test::AskedRobot robot;
  FakeClock clock;
  TaskExplorer explorer{robot, &memory, clock};
  WorkerPool workers{1, 8};

  // A start page with that many links, all of them loaded.
  void site(std::size_t links) {
    robot.add(1, "http://s/", TaskState::finished);
    robot.set("http://s/", UrlFate::State::fetched);
    for (std::size_t i = 0; i < links; ++i) {
      KnownLink link;
      link.source = "http://s/";
      link.link.target = fmt::format("http://s/{}", i);
      robot.set(link.link.target, UrlFate::State::fetched);
      memory.links.push_back(std::move(link));
    }
  }
  std::shared_ptr<TaskExport> make(TaskId task, TaskExport::Format format) {
    return std::make_shared<TaskExport>(explorer, workers, task, std::vector<UrlFate::State>{}, format);
  }
  std::string next(TaskExport& file) {
    asio::io_context here{1};
    std::string text;
    auto done = [&text](const std::exception_ptr& failure, std::string said) {
      EXPECT_FALSE(failure);
      text = std::move(said);
    };
    asio::co_spawn(here.get_executor(), file.next(), std::move(done));
    here.run();
    return text;
  }
};

TEST_F(TaskExportTest, ALongFile_ComesInPieces_AndIsWhole) {
  site(1800);
  const auto file = make(1, TaskExport::Format::json);
  ASSERT_TRUE(file->begin());
  std::string text;
  int pieces = 0;
  for (; !file->ended() && pieces < 50; ++pieces) {
    EXPECT_TRUE(file->has_more());
    text += next(*file);
  }
  EXPECT_GE(pieces, 4);
  EXPECT_FALSE(file->has_more());
  EXPECT_EQ(boost::json::parse(text).as_array().size(), 1801U);
}

TEST_F(TaskExportTest, AsATable_ItHasAHeadAndOneLineForEach) {
  site(2);
  const auto file = make(1, TaskExport::Format::csv);
  ASSERT_TRUE(file->begin());
  std::string text = next(*file);
  text += next(*file);
  EXPECT_TRUE(text.starts_with("url,state,reason,")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_TRUE(file->ended());
}

TEST_F(TaskExportTest, ATaskThatIsNotThere_IsKnownBeforeTheFirstWord) {
  const auto file = make(7, TaskExport::Format::csv);
  const Result<void> begun = file->begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().kind, ErrorKind::not_found);
}

TEST_F(TaskExportTest, ATaskThatGoesMeanwhile_LeavesAFileThatIsNotComplete) {
  site(1800);
  const auto file = make(1, TaskExport::Format::json);
  ASSERT_TRUE(file->begin());
  next(*file);
  robot.tasks.clear();
  EXPECT_EQ(next(*file), "");
  EXPECT_TRUE(file->ended());
  EXPECT_TRUE(file->has_more());
}

}  // namespace
}  // namespace outrider::webui
