// A memory in a folder that is gone after the test, with a clock that the test turns.
#pragma once

#include "cache/graph.hpp"
#include "tests/support/process.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace outrider::testing {

class GraphFixture : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  void TearDown() override {
    if (graph_) graph_->close();
  }

  std::filesystem::path folder() const { return temporary_.path() / "memory"; }
  virtual GraphOptions options() const {
    GraphOptions options;
    options.folder = folder();
    options.background = false;
    options.write_buffer = 1 << 20;
    options.compress = false;                                                     // tests look into the files
    options.disk_space = [](const auto&) { return std::optional<DiskSpace>{}; };  // whatever others do to this disk
    return options;
  }
  void open() { open(options()); }
  void open(const GraphOptions& options) {
    if (graph_) graph_->close();
    graph_.reset();
    Result<std::unique_ptr<Graph>> opened = Graph::open(options, metrics_, clock_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    graph_ = std::move(*opened);
  }

  static Link link(std::string target, std::string text = "", LinkKind kind = LinkKind::anchor) {
    Link made;
    made.target = std::move(target);
    made.text = std::move(text);
    made.kind = kind;
    return made;
  }
  Sighting sighting(std::string url, std::vector<Link> links = {}, std::string title = "Title") const {
    Sighting seen;
    seen.url = std::move(url);
    seen.at = clock_.now();
    seen.status = 200;
    seen.mime = "text/html";
    seen.body_hash = std::hash<std::string>{}(title) | 1;
    seen.has_page = true;
    seen.page.title = std::move(title);
    seen.links = std::move(links);
    return seen;
  }
  static Sighting owned(Sighting seen, std::string owner) {
    seen.storage = StorageClass::personal;
    seen.owner = std::move(owner);
    return seen;
  }
  Recorded record(const Sighting& seen) {
    Result<Recorded> recorded = graph_->record(seen);
    EXPECT_TRUE(recorded) << recorded.error().to_string();
    return recorded ? std::move(*recorded) : Recorded{};
  }
  VisitId visit(std::string url, std::string referrer = "", std::string user = "",
                StorageClass storage = StorageClass::open) {
    Visit made;
    made.url = std::move(url);
    made.referrer = std::move(referrer);
    made.user = std::move(user);
    made.at = clock_.now();
    const Result<VisitId> id = graph_->record_visit(std::move(made), storage);
    EXPECT_TRUE(id) << id.error().to_string();
    return id ? *id : 0;
  }

  std::optional<Node> node(std::string_view url, const Viewer& viewer = {}, bool text = false) const {
    Result<std::optional<Node>> found = graph_->node(viewer, url, text);
    EXPECT_TRUE(found) << found.error().to_string();
    return found ? std::move(*found) : std::nullopt;
  }
  static std::vector<std::string> targets(const Result<LinkPage>& page) {
    std::vector<std::string> all;
    EXPECT_TRUE(page);
    if (page)
      for (const KnownLink& each : page->links) all.push_back(each.link.target);
    return all;
  }
  std::vector<std::string> out(std::string_view url, const Viewer& viewer = {}) const {
    return targets(graph_->links_from(viewer, url, {}));
  }
  std::vector<std::string> in(std::string_view url, const Viewer& viewer = {}) const {
    std::vector<std::string> all;
    const Result<LinkPage> page = graph_->links_to(viewer, url, {});
    EXPECT_TRUE(page);
    if (page)
      for (const KnownLink& each : page->links) all.push_back(each.source);
    return all;
  }
  std::vector<MemoryEvent> events(EventCursor after = 0, const Viewer& viewer = {}) const {
    Result<std::vector<MemoryEvent>> all = graph_->events(viewer, after, 10'000);
    EXPECT_TRUE(all);
    return all ? std::move(*all) : std::vector<MemoryEvent>{};
  }
  std::vector<std::string> queued() const {
    std::vector<std::string> urls;
    const Result<std::vector<IndexItem>> items = graph_->next_to_index(1000);
    EXPECT_TRUE(items);
    for (const IndexItem& item : *items) urls.push_back(item.page.url);
    return urls;
  }

  // The files in which these bytes are, in whichever of them.
  std::vector<std::string> files_with(std::string_view bytes) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(temporary_.path())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream content;
      content << file.rdbuf();
      if (content.str().find(bytes) != std::string::npos) found.push_back(entry.path().filename());
    }
    return found;
  }

  testing_support::TemporaryDirectory temporary_;
  FakeClock clock_;
  Metrics metrics_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace outrider::testing
