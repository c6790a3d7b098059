// A full-text index in a folder that is gone after the test, and pages for it. The texts are kept beside it, as the
// graph does.
#pragma once

#include "cache/search_index.hpp"
#include "tests/support/process.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

namespace outrider::testing {

class SearchFixture : public ::testing::Test {
 protected:
  void SetUp() override { open(); }

  void open() {
    index.reset();
    SearchIndexOptions options;
    options.folder = folder.path() / "search";
    options.text_of = [this](const SearchTextRef& page) {
      const std::lock_guard lock{texts_mutex};
      return texts[page.owner + "|" + page.url];
    };
    auto opened = SearchIndex::open(std::move(options));
    ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
    index = std::move(*opened);
  }

  SearchDocument page(std::string url, std::string title, std::string text) const {
    SearchDocument document;
    document.id = url;
    document.url = std::move(url);
    document.title = std::move(title);
    document.text = std::move(text);
    document.language = "en";
    document.mime = "text/html";
    document.fetched = now - std::chrono::days{1};
    return document;
  }
  void keep_text(const SearchDocument& document) {
    const std::lock_guard lock{texts_mutex};
    texts[document.owner + "|" + document.url] = document.text;
  }
  void put(const SearchDocument& document) {
    keep_text(document);
    const auto done = index->put(document);
    ASSERT_TRUE(done.has_value()) << done.error().to_string();
  }
  void commit() {
    const auto done = index->commit();
    ASSERT_TRUE(done.has_value()) << done.error().to_string();
  }

  SearchAnswer ask(std::string query, const Viewer& viewer = {}, std::size_t limit = 10, std::size_t offset = 0) const {
    const auto answer = index->query(viewer, {std::move(query), offset, limit}, now);
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().to_string());
    return answer ? *answer : SearchAnswer{};
  }
  // The addresses that are found, best first, each followed by a space.
  std::string urls(const std::string& query, const Viewer& viewer = {}) const {
    std::string list;
    for (const SearchHit& hit : ask(query, viewer).hits) list += hit.url + " ";
    return list;
  }
  // Is it in any file below the folder?
  bool on_disk(const std::string& bytes) const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator{folder.path()}) {
      if (!entry.is_regular_file()) continue;
      std::ostringstream content;
      content << std::ifstream{entry.path(), std::ios::binary}.rdbuf();
      if (content.str().find(bytes) != std::string::npos) return true;
    }
    return false;
  }

  testing_support::TemporaryDirectory folder;
  std::mutex texts_mutex;
  std::map<std::string, std::string> texts;
  std::unique_ptr<SearchIndex> index;
  WallTime now{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16}};
};

}  // namespace outrider::testing
