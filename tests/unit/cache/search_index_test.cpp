#include "cache/search_index.hpp"

#include "tests/support/search_fixture.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

struct SearchIndexTest : testing::SearchFixture {
  std::filesystem::path database() const { return *SearchFolder{folder.path() / "search"}.current(); }
};

TEST_F(SearchIndexTest, CommittedPage_IsFound_ByTitleHeadingTextAnchorAndUrl) {
  SearchDocument document = page("https://example.org/gardening/tomatoes-guide.html", "Growing vegetables",
                                 "Water the seedlings every morning.");
  document.headings = {"Preparing the soil"};
  document.anchor_texts = {"best horticulture primer"};
  put(document);
  EXPECT_EQ(urls("vegetables"), "");
  commit();
  for (const char* query : {"vegetables", "soil", "seedlings", "horticulture", "tomatoes", "gardening soil water"})
    EXPECT_EQ(urls(query), "https://example.org/gardening/tomatoes-guide.html ") << query;
  EXPECT_EQ(urls("potatoes"), "");
  EXPECT_EQ(index->pages(), 1u);
}

TEST_F(SearchIndexTest, SameId_ReplacesThePageBefore) {
  put(page("https://example.org/", "Old wording", "alphabet"));
  commit();
  put(page("https://example.org/", "New wording", "numerals"));
  commit();
  EXPECT_EQ(urls("alphabet"), "");
  EXPECT_EQ(urls("numerals"), "https://example.org/ ");
  EXPECT_EQ(index->pages(), 1u);
}

TEST_F(SearchIndexTest, WhatWasCommitted_IsThereAfterReopening_TheRestIsNot) {
  put(page("https://a.example/", "kept", ""));
  commit();
  put(page("https://b.example/", "kept", ""));
  open();
  EXPECT_EQ(urls("kept"), "https://a.example/ ");
}

TEST_F(SearchIndexTest, RemovedPage_IsNotFound) {
  put(page("https://a.example/", "kept", ""));
  commit();
  ASSERT_TRUE(index->remove("https://a.example/").has_value());
  ASSERT_TRUE(index->remove("https://never.example/").has_value());
  commit();
  EXPECT_EQ(urls("kept"), "");
}

// "Gone from every file within 60 s, compaction included." The control: before, it is in the files; and removing
// alone does not take it out of them.
TEST_F(SearchIndexTest, ForgottenPage_IsInNoFile) {
  const std::string canary = "xyzzycanaryplugh";
  for (int i = 0; i < 300; ++i)
    put(page(fmt::format("https://other.example/{}", i), fmt::format("other page number{}", i), "common words here"));
  SearchDocument secret = page("https://secret.example/canaryaddressqux", "about " + canary, canary + " " + canary);
  secret.anchor_texts = {"anchorcanaryfrob"};
  put(secret);
  commit();
  ASSERT_TRUE(on_disk(canary));
  ASSERT_TRUE(on_disk("canaryaddressqux"));
  ASSERT_TRUE(index->remove(secret.id).has_value());
  commit();
  ASSERT_TRUE(on_disk(canary)) << "then nothing would have to be erased";
  const auto erased = index->erase_remnants();
  ASSERT_TRUE(erased.has_value()) << erased.error().to_string();
  for (const std::string& word : {canary, std::string{"canaryaddressqux"}, std::string{"anchorcanaryfrob"}})
    EXPECT_FALSE(on_disk(word)) << word;
  EXPECT_EQ(index->pages(), 300u);
  EXPECT_EQ(ask("number7 common").hits.size(), 1u);
  EXPECT_EQ(ask("xyzzycanaryplug").suggestion, "");  // not in the dictionary either
  put(page("https://later.example/", "still writable", ""));
  commit();
  EXPECT_EQ(urls("writable"), "https://later.example/ ");
}

TEST_F(SearchIndexTest, OldWordsOfAReplacedPage_AreErasedToo) {
  put(page("https://a.example/", "firstcanaryquux", "firstcanaryquux"));
  commit();
  put(page("https://a.example/", "second", "second"));
  commit();
  ASSERT_TRUE(index->erase_remnants().has_value());
  EXPECT_FALSE(on_disk("firstcanaryquux"));
  EXPECT_EQ(urls("second"), "https://a.example/ ");
}

TEST_F(SearchIndexTest, WordOfAnotherPage_StaysInTheDictionary) {
  put(page("https://a.example/", "elephant elephant", ""));
  put(page("https://b.example/", "elephant elephant", ""));
  commit();
  ASSERT_TRUE(index->remove("https://a.example/").has_value());
  commit();
  EXPECT_EQ(ask("elefant").suggestion, "elephant");
}

TEST_F(SearchIndexTest, NewIndex_WantsEverything_UntilItIsFed) {
  EXPECT_TRUE(index->wants_everything());
  open();
  EXPECT_TRUE(index->wants_everything());
  ASSERT_TRUE(index->feed_complete().has_value());
  EXPECT_FALSE(index->wants_everything());
  open();
  EXPECT_FALSE(index->wants_everything());
  ASSERT_TRUE(index->erase_remnants().has_value());
  EXPECT_FALSE(index->wants_everything());
}

TEST_F(SearchIndexTest, DamagedIndex_IsBegunAnew) {
  const auto damages = {
      +[](const std::filesystem::path& database) { std::filesystem::resize_file(database / "iamglass", 3); },
      +[](const std::filesystem::path& database) { std::filesystem::remove(database / "postlist.glass"); },
      +[](const std::filesystem::path& database) { std::filesystem::remove_all(database); },
      +[](const std::filesystem::path& database) { std::ofstream{database / "iamglass"} << std::string(300, 'x'); },
  };
  for (const auto damage : damages) {
    put(page("https://a.example/", "something", ""));
    commit();
    ASSERT_TRUE(index->feed_complete().has_value());
    index.reset();
    damage(database());
    open();
    ASSERT_TRUE(index);
    EXPECT_TRUE(index->wants_everything());
    EXPECT_EQ(urls("something"), "");
    put(page("https://a.example/", "something", ""));
    commit();
    EXPECT_EQ(urls("something"), "https://a.example/ ");
  }
}

TEST_F(SearchIndexTest, BlocksOfNoise_AreAnErrorOfTheQuery_NeverMore) {
  for (int i = 0; i < 2000; ++i)
    put(page(fmt::format("https://example.org/{}", i), fmt::format("title{} shared", i), "some text of the page"));
  commit();
  index.reset();
  const std::filesystem::path file = database() / "postlist.glass";
  {
    std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
    const std::string noise(4096, '\x5A');
    for (std::uintmax_t at = 0; at + 4096 <= std::filesystem::file_size(file); at += 8192) {
      bytes.seekp(static_cast<std::streamoff>(at));
      bytes << noise;
    }
  }
  SearchIndexOptions options;
  options.folder = folder.path() / "search";
  auto opened = SearchIndex::open(std::move(options));
  ASSERT_TRUE(opened.has_value());
  const auto answer = (*opened)->query({}, {"shared", 0, 10}, now);
  if (!(*opened)->wants_everything()) {
    EXPECT_FALSE(answer.has_value());
  }
}

TEST_F(SearchIndexTest, RubbishOfAnInterruptedErase_IsRemovedAtOpening) {
  index.reset();
  std::filesystem::create_directories(folder.path() / "search" / "index-99");
  std::ofstream{folder.path() / "search" / "index-99" / "postlist.glass"} << "canaryleftover";
  open();
  EXPECT_FALSE(on_disk("canaryleftover"));
}

TEST_F(SearchIndexTest, ReadOnly_SeesWhatTheWriterCommits) {
  SearchIndexOptions options;
  options.folder = folder.path() / "search";
  const auto reader = SearchIndex::open_read_only(options);
  ASSERT_TRUE(reader.has_value());
  put(page("https://a.example/", "something", ""));
  commit();
  const auto answer = (*reader)->query({}, {"something", 0, 10}, now);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->hits.size(), 1u);
  EXPECT_FALSE((*reader)->put(page("https://b.example/", "", "")).has_value());
}

}  // namespace
}  // namespace outrider
