#include "base/content_encoder.hpp"

#include <gtest/gtest.h>

#include <random>

namespace outrider {
namespace {

constexpr ContentCoding kAll[] = {ContentCoding::identity, ContentCoding::gzip, ContentCoding::deflate,
                                  ContentCoding::brotli, ContentCoding::zstd};

std::string noise(std::size_t size) {
  std::mt19937 random{3};
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST(ContentEncoder, EncodedBody_IsDecodedToTheSame) {
  const std::string page = "<p>a paragraph</p>\n";
  std::string pages;
  for (int i = 0; i < 20'000; ++i) pages += page + std::to_string(i * i);
  for (const ContentCoding coding : kAll) {
    for (const std::string& body :
         {std::string(), std::string("x"), page, pages, noise(kContentPiece), noise(500'000)}) {
      const std::string wire = encode_content(coding, body);
      const Result<std::string> back = decode_content(to_string(coding), wire);
      ASSERT_TRUE(back) << to_string(coding) << ' ' << back.error().to_string();
      EXPECT_TRUE(*back == body) << to_string(coding) << ' ' << body.size();
    }
    const std::size_t small = coding == ContentCoding::identity ? pages.size() : pages.size() / 3;
    EXPECT_LE(encode_content(coding, pages).size(), small) << to_string(coding);
  }
}

TEST(ContentEncoder, WhatWasFlushed_CanBeDecodedAtOnce) {
  for (const ContentCoding coding : kAll) {
    ContentEncoder encoder{coding};
    ContentDecoder decoder = *ContentDecoder::create(to_string(coding));
    std::string seen, expected;
    const ContentSink reader = [&](std::string_view piece) { seen += piece; };
    const ContentSink wire = [&](std::string_view piece) {
      EXPECT_LE(piece.size(), kContentPiece);
      ASSERT_TRUE(decoder.feed(piece, reader));
    };
    for (const std::string& chunk : {std::string("<!DOCTYPE html>"), std::string("<p>"), noise(100'000)}) {
      encoder.feed(chunk, wire);
      encoder.flush(wire);
      expected += chunk;
      EXPECT_TRUE(seen == expected) << to_string(coding);
    }
    encoder.finish(wire);
    EXPECT_TRUE(decoder.finish()) << to_string(coding);
    EXPECT_TRUE(seen == expected) << to_string(coding);
  }
}

TEST(ContentEncoder, FlushWithoutNews_WritesNothing) {
  for (const ContentCoding coding : kAll) {
    ContentEncoder encoder{coding};
    std::size_t pieces = 0;
    const ContentSink count = [&](std::string_view) { ++pieces; };
    encoder.flush(count);
    EXPECT_EQ(pieces, 0U) << to_string(coding);
    encoder.feed("text", count);
    encoder.flush(count);
    const std::size_t before = pieces;
    encoder.feed("", count);
    encoder.flush(count);
    EXPECT_EQ(pieces, before) << to_string(coding);
  }
}

}  // namespace
}  // namespace outrider
