#include "plugins/rearmirror/mirror_hits.hpp"

#include "tests/support/scripted_memory.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

KnownLink link(std::string from, std::string to, std::string text, int day, std::uint16_t flags = 0) {
  KnownLink known;
  known.source = std::move(from);
  known.link.target = std::move(to);
  known.link.text = std::move(text);
  known.link.flags = flags;
  known.first_seen = known.last_seen = WallTime{24h * day};
  return known;
}

TEST(MirrorHits, OtherSitesComeFirstThenWhatIsInTheText) {
  test::ScriptedMemory memory;
  const std::string page = "https://page.org/a";
  memory.links = {link("https://www.page.org/menu", page, "menu", 9, LinkFlags::in_navigation),
                  link("https://page.org/b", page, "own", 8),
                  link("https://x.net/old", page, "old", 1),
                  link("https://x.net/new", page, "new", 5),
                  link("https://x.net/foot", page, "foot", 7, LinkFlags::in_navigation),
                  link(page, page, "self", 9)};
  const auto hits = hits_from_memory(memory, Viewer{}, page, 10);
  ASSERT_TRUE(hits);
  std::string order;
  for (const MirrorHit& hit : *hits) order += hit.text + " ";
  EXPECT_EQ(order, "new old foot own menu ");
  EXPECT_TRUE(hits->back().same_site);
  EXPECT_EQ(hits_from_memory(memory, Viewer{}, page, 2)->size(), 2u);
}

TEST(MirrorHits, LinksOfOnePage_AreOneHitWithTheBestWords) {
  test::ScriptedMemory memory;
  memory.links = {link("https://x.net/", "https://p/", "", 3, LinkFlags::in_navigation),
                  link("https://x.net/", "https://p/", "words", 1), link("https://x.net/", "https://p/", "more", 2)};
  Node node;
  node.url = "https://x.net/";
  node.page.title = "The title";
  memory.nodes = {node};
  const auto hits = hits_from_memory(memory, Viewer{}, "https://p/", 10);
  ASSERT_EQ(hits->size(), 1u);
  EXPECT_EQ(hits->front().text, "words");
  EXPECT_EQ(hits->front().title, "The title");
  EXPECT_EQ(hits->front().links, 3u);
  EXPECT_EQ(hits->front().first_seen, WallTime{24h});
  EXPECT_EQ(hits->front().last_seen, WallTime{72h});
}

TEST(MirrorHits, PicturesAndStyles_AreNoLinks) {
  test::ScriptedMemory memory;
  memory.links = {link("https://x.net/", "https://p/i.png", "", 3)};
  memory.links[0].link.kind = LinkKind::embedded;
  EXPECT_TRUE(hits_from_memory(memory, Viewer{}, "https://p/i.png", 10)->empty());
}

TEST(MirrorHits, LinksToThePagesOwnName_CountToo) {
  test::ScriptedMemory memory;
  Node node;
  node.url = "https://p/?session=1";
  node.page.canonical = "https://p/";
  memory.nodes = {node};
  memory.links = {link("https://x.net/", "https://p/", "name", 3)};
  EXPECT_EQ(hits_from_memory(memory, Viewer{}, node.url, 10)->size(), 1u);
}

// HOSTILE, privacy: neither a search engine nor a renderer hears of pages that are not for everybody.
TEST(MirrorHits, OnlyPagesForEverybody_AreOpen) {
  test::ScriptedMemory memory;
  Node node;
  node.url = "https://p/";
  node.status = 200;
  node.mime = "text/html";
  node.fetched_by = FetchedBy::browser;
  const auto open = [&](const Node& of) {
    memory.nodes = {of};
    return is_open_page(memory, "https://p/");
  };
  EXPECT_TRUE(open(node));
  EXPECT_FALSE(is_open_page(memory, "https://unknown/"));
  Node other = node;
  other.storage = StorageClass::personal;
  EXPECT_FALSE(open(other));
  other = node;
  other.storage = StorageClass::never;
  EXPECT_FALSE(open(other));
  other = node;
  other.owner = "anna";
  EXPECT_FALSE(open(other));
  other = node;
  other.fetched_by = FetchedBy::nobody;
  EXPECT_FALSE(open(other));
  other = node;
  other.status = 404;
  EXPECT_FALSE(open(other));
  other = node;
  other.mime = "application/pdf";
  EXPECT_FALSE(open(other));
}

}  // namespace
}  // namespace outrider
