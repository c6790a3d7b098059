// https://mimesniff.spec.whatwg.org/
#include "base/mime_sniff.hpp"

#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::string_literals;

std::string sniff(std::string_view type, std::string_view bytes, bool nosniff = false) {
  return sniff_mime(type, nosniff, test::ExactBuffer(bytes));
}

TEST(MimeSniff, SuppliedType_IsUsuallyBelieved) {  // section 7
  EXPECT_EQ(sniff("text/css", "<html>"), "text/css");
  EXPECT_EQ(sniff("application/json; charset=utf-8", "<html>"), "application/json");
  EXPECT_EQ(sniff("text/plain; charset=utf-8", "<html>\x01"), "text/plain");  // not one of Apache's spellings
  EXPECT_EQ(sniff("application/xhtml+xml", "<rss>"), "application/xhtml+xml");
  EXPECT_EQ(sniff("application/octet-stream", "GIF89a"), "application/octet-stream");
  EXPECT_EQ(sniff("text/html", "%PDF-1.4"), "text/html");
}

TEST(MimeSniff, Nosniff_EndsGuessing) {
  EXPECT_EQ(sniff("text/plain", "\x01", true), "text/plain");
  EXPECT_EQ(sniff("text/html", "<rss>", true), "text/html");
  EXPECT_EQ(sniff("image/png", "GIF89a", true), "image/png");
  EXPECT_EQ(sniff("", "<html>", true), "text/plain");  // nothing that runs comes out of guessing then
  EXPECT_EQ(sniff("", "GIF89a", true), "image/gif");
}

TEST(MimeSniff, ApacheBug_IsTextOrBinary) {  // sections 5.1 and 7.2
  for (const std::string_view type : {"text/plain", "text/plain; charset=ISO-8859-1", "text/plain; charset=iso-8859-1",
                                      "text/plain; charset=UTF-8"}) {
    EXPECT_EQ(sniff(type, "plain <html>\x1B"), "text/plain");
    EXPECT_EQ(sniff(type, ""), "text/plain");
    EXPECT_EQ(sniff(type, "GIF89a\x01"), "application/octet-stream");  // never anything more
    EXPECT_EQ(sniff(type, "\xFE\xFF\x01"), "text/plain");
    EXPECT_EQ(sniff(type, "\xFF\xFE\x01"), "text/plain");
    EXPECT_EQ(sniff(type, "\xEF\xBB\xBF\x01"), "text/plain");
  }
  for (int byte = 0; byte < 0x20; ++byte) {  // section 3
    const bool text = byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D || byte == 0x1B;
    EXPECT_EQ(sniff("text/plain", "x"s + static_cast<char>(byte)), text ? "text/plain" : "application/octet-stream");
  }
}

TEST(MimeSniff, UnknownType_IsFoundByItsBytes) {  // section 7.1
  for (const std::string_view type : {"", "unknown/unknown", "application/unknown", "*/*", "nonsense"}) {
    EXPECT_EQ(sniff(type, " \n<!doctype HTML><p>"), "text/html");
    EXPECT_EQ(sniff(type, "plain"), "text/plain");
    EXPECT_EQ(sniff(type, "\x01\x02"), "application/octet-stream");
    EXPECT_EQ(sniff(type, ""), "text/plain");
  }
  for (const std::string_view html : {"<HTML ", "<head>", "<Script>", "<iframe ", "<h1>", "<div>", "<font>", "<table>",
                                      "<a ", "<style>", "<title>", "<b>", "<body>", "<br>", "<p>", "<!--x"})
    EXPECT_EQ(sniff("", html), "text/html") << html;
  for (const std::string_view text : {"<html", "<htmlx>", "<a\t", "x<html>", "<h2>", "\xC2\xA0<html>"})
    EXPECT_EQ(sniff("", text), "text/plain") << text;
  EXPECT_EQ(sniff("", "\t<?xml version"), "text/xml");
  EXPECT_EQ(sniff("", "%PDF-1.4"), "application/pdf");
  EXPECT_EQ(sniff("", " %PDF-1.4"), "text/plain");
  EXPECT_EQ(sniff("", "%!PS-Adobe-3.0"), "application/postscript");
  EXPECT_EQ(sniff("", "\xFE\xFF\0a"s), "text/plain");
  EXPECT_EQ(sniff("", "\xEF\xBB\xBF\x01"), "text/plain");
  EXPECT_EQ(sniff("", "\x1F\x8B\x08\0"s), "application/x-gzip");
  EXPECT_EQ(sniff("", "PK\x03\x04"), "application/zip");
  EXPECT_EQ(sniff("", "Rar \x1A\x07\0"s), "application/x-rar-compressed");
}

const std::string kPng = "\x89PNG\r\n\x1A\n";

TEST(MimeSniff, Images_AreWhatTheirBytesSay) {  // section 6.1
  const std::pair<std::string, std::string> cases[] = {{"GIF87a", "image/gif"},
                                                       {"GIF89a", "image/gif"},
                                                       {kPng, "image/png"},
                                                       {"\xFF\xD8\xFF\xE0", "image/jpeg"},
                                                       {"RIFF\1\2\3\4WEBPVP8", "image/webp"},
                                                       {"BM", "image/bmp"},
                                                       {"\0\0\1\0"s, "image/x-icon"},
                                                       {"\0\0\2\0"s, "image/x-icon"}};
  for (const auto& [bytes, mime] : cases) {
    EXPECT_EQ(sniff("image/x-anything", bytes), mime);
    EXPECT_EQ(sniff("", bytes), mime);
    EXPECT_EQ(sniff("text/css", bytes), "text/css");
  }
  EXPECT_EQ(sniff("image/avif", "\0\0\0 ftypavif"s), "image/avif");
  EXPECT_EQ(sniff("image/svg+xml", kPng), "image/svg+xml");
  EXPECT_EQ(sniff("image/png", "RIFF"), "image/png");
}

TEST(MimeSniff, AudioAndVideo_AreWhatTheirBytesSay) {  // section 6.2
  const std::string webm = "\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\x82\x84webm\x42\x87";
  const std::string mp3 = "\xFF\xFB\x90\x64" + std::string(413, '\0');  // 128 kbit/s, 44.1 kHz: 417 bytes
  const std::pair<std::string, std::string> cases[] = {
      {"FORM\1\2\3\4AIFF", "audio/aiff"},
      {"ID3", "audio/mpeg"},
      {"OggS\0"s, "application/ogg"},
      {"MThd\0\0\0\6"s, "audio/midi"},
      {"RIFF\1\2\3\4AVI ", "video/avi"},
      {"RIFF\1\2\3\4WAVE", "audio/wave"},
      {"\0\0\0\x18"
       "ftypmp42\0\0\0\0mp42isom"s,
       "video/mp4"},
      {"\0\0\0\x18"
       "ftypisom\0\0\2\0isommp41"s,
       "video/mp4"},
      {webm, "video/webm"},
      {mp3 + mp3, "audio/mpeg"},
  };
  for (const auto& [bytes, mime] : cases) {
    EXPECT_EQ(sniff("video/x-anything", bytes), mime);
    EXPECT_EQ(sniff("audio/x-anything", bytes), mime);
    EXPECT_EQ(sniff("", bytes), mime);
  }
  for (const std::string& none : {"\0\0\0\x18"
                                  "ftypavif\0\0\0\0avifmif1"s,
                                  "\0\0\0\x20"
                                  "ftypmp42\0\0\0\0mp42isom"s,
                                  mp3, mp3 + "xxxx", "\x1A\x45\xDF\xA3\x42\x82\x88matroska"s})
    EXPECT_EQ(sniff("video/x-anything", none), "video/x-anything");
}

TEST(MimeSniff, Fonts_AreWhatTheirBytesSay) {  // section 6.3
  std::string embedded(34, '\0');
  embedded += "LP";
  const std::pair<std::string, std::string> cases[] = {
      {"\0\1\0\0"s, "font/ttf"}, {"OTTO", "font/otf"},   {"ttcf", "font/collection"},
      {"wOFF", "font/woff"},     {"wOF2", "font/woff2"}, {embedded, "application/vnd.ms-fontobject"}};
  for (const auto& [bytes, mime] : cases) {
    EXPECT_EQ(sniff("application/font-anything", bytes), mime);
    EXPECT_EQ(sniff("font/anything", bytes), mime);
  }
  EXPECT_EQ(sniff("font/woff", "x"), "font/woff");
}

TEST(MimeSniff, FeedsSentAsHtml_AreFeeds) {  // section 7.3
  EXPECT_EQ(sniff("text/html", "\xEF\xBB\xBF <?xml version='1.0'?><!-- <html> --><!DOCTYPE x> <rss version='2.0'>"),
            "application/rss+xml");
  EXPECT_EQ(sniff("text/html; charset=utf-8", "<feed xmlns='http://www.w3.org/2005/Atom'>"), "application/atom+xml");
  const std::string rdf = "xmlns='http://www.w3.org/1999/02/22-rdf-syntax-ns#'";
  EXPECT_EQ(sniff("text/html", "<rdf:RDF " + rdf + " xmlns:r='http://purl.org/rss/1.0/'>"), "application/rss+xml");
  EXPECT_EQ(sniff("text/html", "<rdf:RDF xmlns:r='http://purl.org/rss/1.0/' " + rdf + ">"), "application/rss+xml");
  for (const std::string& html : {"<html><rss>"s, ""s, "<"s, "<!-- <rss>"s, "<?xml <rss>"s, "x<rss>"s, "<RSS>"s,
                                  "<rdf:RDF " + rdf + ">", "<rdf:RDF>"s})
    EXPECT_EQ(sniff("text/html", html), "text/html") << html;
}

TEST(MimeSniff, BeyondItsReach_NothingIsSeen) {
  EXPECT_EQ(sniff("text/plain", std::string(kSniffBytes, 'x') + '\x01'), "text/plain");
  EXPECT_EQ(sniff("text/plain", std::string(kSniffBytes - 1, 'x') + '\x01'), "application/octet-stream");
}

}  // namespace
}  // namespace outrider
