#include "cache/ingest_page.hpp"

#include "base/content_encoder.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

Arrival answer(std::string_view url, std::string body, std::string_view type = "text/html; charset=utf-8") {
  Arrival arrival;
  arrival.url = *Url::parse(url);
  arrival.status = 200;
  if (!type.empty()) arrival.headers.add("Content-Type", type);
  arrival.wire_size = body.size();
  arrival.body = std::move(body);
  return arrival;
}

TEST(IngestPage, links_and_head_are_found_and_belong_to_the_page) {
  Arrival arrival = answer("http://a.example/x/", "<title>T</title><a href='../y'>why</a>");
  arrival.headers.add("ETag", "\"1\"");
  const ScannedAnswer scanned = scan_answer(arrival);
  EXPECT_TRUE(scanned.sighting.has_page);
  EXPECT_EQ(scanned.sighting.page.title, "T");
  EXPECT_EQ(scanned.sighting.mime, "text/html");
  EXPECT_EQ(scanned.sighting.etag, "\"1\"");
  ASSERT_EQ(scanned.sighting.links.size(), 1U);
  EXPECT_EQ(scanned.sighting.links[0].target, "http://a.example/y");
  EXPECT_EQ(scanned.sighting.links[0].text, "why");
}

TEST(IngestPage, owner_is_kept_with_personal_pages_only) {
  Arrival mine = answer("http://a.example/", "<p>x");
  mine.user = "ann";
  mine.storage = StorageClass::personal;
  EXPECT_EQ(scan_answer(mine).sighting.owner, "ann");
  Arrival everybodys = answer("http://a.example/", "<p>x");
  everybodys.user = "ann";
  EXPECT_EQ(scan_answer(everybodys).sighting.owner, "");
}

TEST(IngestPage, content_codings_are_undone) {
  for (const ContentCoding coding : {ContentCoding::gzip, ContentCoding::brotli, ContentCoding::zstd}) {
    Arrival arrival = answer("http://a.example/", encode_content(coding, "<title>Tür</title>"));
    arrival.headers.add("Content-Encoding", to_string(coding));
    EXPECT_EQ(scan_answer(arrival).sighting.page.title, "Tür") << to_string(coding);
  }
}

TEST(IngestPage, half_a_page_is_read_as_far_as_it_goes) {
  std::string page = "<title>first</title>";
  for (int i = 0; i < 20'000; ++i) page += "<a href='/p" + std::to_string(i * 7919 % 65'521) + "'>x</a>";
  std::string coded = encode_content(ContentCoding::gzip, page);
  coded.resize(coded.size() / 2);
  Arrival arrival = answer("http://a.example/", std::move(coded));
  arrival.headers.add("Content-Encoding", "gzip");
  const ScannedAnswer scanned = scan_answer(arrival);
  EXPECT_EQ(scanned.sighting.page.title, "first");
  EXPECT_GT(scanned.sighting.links.size(), 1'000U);
}

TEST(IngestPage, charset_of_the_page_is_respected) {
  Arrival arrival =
      answer("http://a.example/", "<meta charset=windows-1251><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>", "text/html");
  const ScannedAnswer scanned = scan_answer(arrival);
  EXPECT_EQ(scanned.sighting.page.title, "Привет");
  EXPECT_EQ(scanned.sighting.page.charset, "windows-1251");
}

TEST(IngestPage, redirect_is_resolved) {
  Arrival arrival = answer("http://a.example/x/y", "");
  arrival.status = 302;
  arrival.headers.add("Location", "../z");
  const ScannedAnswer scanned = scan_answer(arrival);
  EXPECT_EQ(scanned.sighting.redirects_to, "http://a.example/z");
  EXPECT_FALSE(scanned.sighting.has_page);
}

TEST(IngestPage, error_pages_say_nothing_about_the_page) {
  Arrival arrival = answer("http://a.example/", "<title>Not found</title><a href=/home>home</a>");
  arrival.status = 404;
  const ScannedAnswer scanned = scan_answer(arrival);
  EXPECT_FALSE(scanned.sighting.has_page);
  EXPECT_EQ(scanned.sighting.status, 404);
  EXPECT_EQ(scanned.sighting.error, NodeError::http);
}

TEST(IngestPage, headers_speak_for_what_has_no_head_of_its_own) {
  for (const char* type : {"application/pdf", "text/plain", "text/html"}) {
    Arrival arrival =
        answer("http://a.example/d.pdf", type == std::string_view{"application/pdf"} ? "" : "words", type);
    arrival.headers.add("X-Robots-Tag", "noindex");
    arrival.headers.add("Link", "<http://a.example/d>; rel=canonical");
    const ScannedAnswer scanned = scan_answer(arrival);
    EXPECT_TRUE(scanned.sighting.has_page) << type;
    EXPECT_TRUE(scanned.sighting.page.robots.noindex) << type;
    EXPECT_EQ(scanned.sighting.page.canonical, "http://a.example/d") << type;
    EXPECT_EQ(scanned.sighting.links.size(), 1U) << type;
    EXPECT_EQ(scanned.sighting.mime, type);
  }
  Arrival missing = answer("http://a.example/d.pdf", "", "application/pdf");
  missing.status = 404;
  missing.headers.add("X-Robots-Tag", "noindex");
  EXPECT_FALSE(scan_answer(missing).sighting.has_page);
}

TEST(IngestPage, deep_parse_gives_text_headings_and_language) {
  Arrival arrival =
      answer("http://a.example/",
             "<html><body><nav><a href=/>Start</a> <a href=/b>Mehr</a></nav><main><h1>Über Vögel</h1>"
             "<p>Die Vögel singen am frühen Morgen, und wer früh aufsteht, der hört ihnen zu. Später am Tag "
             "wird es still, weil die Hitze alle müde macht.</p></main></body></html>");
  ScannedAnswer scanned = scan_answer(arrival);
  ASSERT_TRUE(scanned.for_tree);
  read_deeply(scanned);
  const PageContent& page = scanned.sighting.page;
  EXPECT_TRUE(page.deep);
  ASSERT_EQ(page.headings.size(), 1U);
  EXPECT_EQ(page.headings[0].text, "Über Vögel");
  EXPECT_NE(page.text.find("Die Vögel singen"), std::string::npos);
  EXPECT_EQ(page.text.find("Mehr"), std::string::npos);
  EXPECT_EQ(page.language.code, "de");
  EXPECT_NE(page.fingerprint, 0U);
}

TEST(IngestPage, pictures_have_a_type_and_a_size_and_nothing_more) {
  Arrival arrival = answer("http://a.example/i", "\x89PNG\r\n\x1a\n and so on", "");
  const ScannedAnswer scanned = scan_answer(arrival);
  EXPECT_EQ(scanned.sighting.mime, "image/png");
  EXPECT_FALSE(scanned.sighting.has_page);
  EXPECT_TRUE(scanned.utf8.empty());
}

}  // namespace
}  // namespace outrider
