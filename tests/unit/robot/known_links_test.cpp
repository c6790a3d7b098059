#include "robot/known_links.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::vector<FoundLink> some_links() {
  const UrlNaming naming;
  std::vector<FoundLink> links;
  std::uint32_t position = 3;
  for (const char* text : {"http://a.example/folder/one.html#part", "http://a.example/folder/two.html",
                           "https://b.example/?q=%C3%A4", "https://b.example/?q=%C3%A4"}) {
    links.push_back(make_found_link(naming, *Url::parse(text), LinkKind::anchor));
    links.back().position = position += 2;
  }
  links[1].flags = LinkFlags::nofollow | LinkFlags::in_navigation;
  links[2].kind = LinkKind::embedded;
  FoundLink mail;  // not one that can be fetched
  mail.id = naming.id_of("mailto:x@example.com");
  links.insert(links.begin() + 2, mail);
  return links;
}

KnownLinks head(std::uint64_t version) {
  KnownLinks known;
  known.version = version;
  known.nofollow = true;
  return known;
}

TEST(KnownLinks, ComeBackAsTheyWereFound) {
  const std::vector<FoundLink> links = some_links();
  const std::string record = encode_links(head(7), links);
  EXPECT_EQ(version_of_links(record), 7u);
  const std::optional<KnownLinks> known = decode_links({}, record);
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->nofollow);
  EXPECT_FALSE(known->remembered);
  ASSERT_EQ(known->links.size(), links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    EXPECT_EQ(known->links[i].url, links[i].url);
    EXPECT_EQ(known->links[i].id, links[i].id);
    EXPECT_EQ(known->links[i].kind, links[i].kind);
    EXPECT_EQ(known->links[i].flags, links[i].flags);
    EXPECT_EQ(known->links[i].position, links[i].position);
  }
}

TEST(KnownLinks, APageWithoutLinksIsKnown_Too) {
  const std::optional<KnownLinks> known = decode_links({}, encode_links(head(1), {}));
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->links.empty());
}

TEST(KnownLinks, ATornRecord_IsNone) {
  const std::string record = encode_links(head(7), some_links());
  for (std::size_t size = 0; size < record.size(); ++size) {
    const std::vector<char> exact{record.begin(), record.begin() + static_cast<std::ptrdiff_t>(size)};
    EXPECT_FALSE(decode_links({}, {exact.data(), exact.size()})) << size;
  }
}

TEST(KnownLinks, TooMuch_IsNotKept) {
  EXPECT_EQ(encode_links(head(7), std::vector<FoundLink>(kMostKnownLinkBytes / 16)), "") << "bytes";
  std::vector<FoundLink> sites;
  for (int i = 0; i < 65; ++i)
    sites.push_back(make_found_link({}, *Url::parse("http://" + std::to_string(i) + ".example/"), LinkKind::anchor));
  EXPECT_EQ(encode_links(head(7), sites), "") << "sites";
  sites.pop_back();
  EXPECT_EQ(decode_links({}, encode_links(head(7), sites))->links.size(), 64u);
}

}  // namespace
}  // namespace outrider
