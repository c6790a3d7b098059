#include "base/content_coding.hpp"

#include "base/content_encoder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace outrider {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16)));
  return bytes;
}

// The same sentence, written by other programs: Python's zlib and gzip, brotli, zstd.
const std::string kText = "hello hello hello, outrider";
const std::string kZlib = from_hex("789ccb48cdc9c957c840903a0af9a525459929a945008d910a37");
const std::string kGzip = from_hex("1f8b0800000000000203cb48cdc9c957c840903a0af9a525459929a9450068c165b51b000000");
const std::string kBrotli = from_hex("1b1a00f8c56d6c5df9de2b3804412a1551059e3a6095b5924244ffd200");
const std::string kZstd = from_hex("28b52ffd0458b500008068656c6c6f202c206f757472696465720100314a11afe25cf1");

// What comes out, and the failure behind it if there is one: "text", "text !closed_early".
std::string decode(std::string_view encoding, const std::vector<std::string_view>& pieces, DecodeLimits limits = {}) {
  Result<ContentDecoder> decoder = ContentDecoder::create(encoding, limits);
  if (!decoder) return "!" + std::string(to_string(decoder.error().kind));
  std::string out;
  const ContentSink sink = [&](std::string_view piece) {
    EXPECT_FALSE(piece.empty());
    EXPECT_LE(piece.size(), kContentPiece);
    out += piece;
  };
  const auto failed = [&](const Error& error) { return out + " !" + std::string(to_string(error.kind)); };
  for (const std::string_view piece : pieces) {
    const std::unique_ptr<char[]> exact{new char[piece.size()]};
    if (!piece.empty()) std::memcpy(exact.get(), piece.data(), piece.size());
    if (const auto fed = decoder->feed({exact.get(), piece.size()}, sink); !fed) {
      const auto again = decoder->feed("x", sink);  // a failure stays
      EXPECT_TRUE(!again && again.error().kind == fed.error().kind && !decoder->finish());
      return failed(fed.error());
    }
  }
  EXPECT_EQ(decoder->bytes_out(), out.size());
  if (const auto finished = decoder->finish(); !finished) return failed(finished.error());
  return out;
}

// Also in two pieces at every position, and byte by byte.
std::string decode_split(std::string_view encoding, std::string_view wire) {
  std::string whole = decode(encoding, {wire});
  for (std::size_t at = 0; at <= wire.size(); ++at)
    EXPECT_EQ(decode(encoding, {wire.substr(0, at), wire.substr(at)}), whole) << encoding << " split at " << at;
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at < wire.size(); ++at) bytes.push_back(wire.substr(at, 1));
  EXPECT_EQ(decode(encoding, bytes), whole) << encoding << " byte by byte";
  return whole;
}

std::string raw_deflate_of(const std::string& zlib) {
  return zlib.substr(2, zlib.size() - 6);
}

std::string varied_text(std::size_t size) {
  std::mt19937 random{7};
  std::string text;
  while (text.size() < size) text += "word" + std::to_string(random() % 5000) + ' ';
  return text;
}

TEST(ContentCoding, NamesOfCodings_AreReadInAnyCase) {  // RFC 9110 section 8.4.1
  const auto one = [](std::string_view value) { return *parse_content_encoding(value); };
  EXPECT_EQ(one("gzip"), std::vector{ContentCoding::gzip});
  EXPECT_EQ(one(" X-GZip "), std::vector{ContentCoding::gzip});
  EXPECT_EQ(one("BR"), std::vector{ContentCoding::brotli});
  EXPECT_EQ(one("identity"), std::vector<ContentCoding>{});
  EXPECT_EQ(one(""), std::vector<ContentCoding>{});
  EXPECT_EQ(one("deflate, identity ,, zstd"), (std::vector{ContentCoding::deflate, ContentCoding::zstd}));
  for (const ContentCoding coding :
       {ContentCoding::gzip, ContentCoding::deflate, ContentCoding::brotli, ContentCoding::zstd})
    EXPECT_EQ(one(to_string(coding)), std::vector{coding});
}

TEST(ContentCoding, UnknownOrTooManyCodings_AreUnsupported) {
  EXPECT_EQ(decode("compress", {""}), "!unsupported");
  EXPECT_EQ(decode("gzip, aes128gcm", {""}), "!unsupported");
  EXPECT_EQ(decode("gzip,gzip,gzip,gzip", {""}), "!unsupported");
}

TEST(ContentCoding, WhatOtherProgramsWrote_IsDecoded) {
  EXPECT_EQ(decode_split("gzip", kGzip), kText);
  EXPECT_EQ(decode_split("deflate", kZlib), kText);
  EXPECT_EQ(decode_split("deflate", raw_deflate_of(kZlib)), kText);
  EXPECT_EQ(decode_split("br", kBrotli), kText);
  EXPECT_EQ(decode_split("zstd", kZstd), kText);
  EXPECT_EQ(decode_split("identity", kText), kText);
}

TEST(ContentCoding, StackedCodings_ComeOffInReverseOrder) {  // RFC 9110 section 8.4
  const std::string twice = encode_content(ContentCoding::brotli, kGzip);
  EXPECT_EQ(decode_split("gzip, br", twice), kText);
  EXPECT_EQ(decode_split("gzip, br, zstd", encode_content(ContentCoding::zstd, twice)), kText);
  EXPECT_EQ(decode("br, gzip", {twice}), " !bad_message");
}

TEST(ContentCoding, BodyWithoutBytes_IsComplete) {
  for (const std::string_view coding : {"gzip", "deflate", "br", "zstd", "identity"}) EXPECT_EQ(decode(coding, {}), "");
  EXPECT_EQ(decode("deflate, gzip", {encode_content(ContentCoding::gzip, "")}), "");
}

TEST(ContentCoding, TruncatedBody_IsTold_AndItsBeginningIsThere) {
  const std::string text = varied_text(1'000'000);
  for (const ContentCoding coding :
       {ContentCoding::gzip, ContentCoding::deflate, ContentCoding::brotli, ContentCoding::zstd}) {
    const std::string wire = encode_content(coding, text);
    const std::string half = decode(to_string(coding), {std::string_view(wire).substr(0, wire.size() / 2)});
    EXPECT_TRUE(half.ends_with(" !closed_early")) << to_string(coding);
    const std::size_t out = half.size() - std::strlen(" !closed_early");
    EXPECT_EQ(half.substr(0, out), text.substr(0, out));
    EXPECT_GT(out, 1000U) << to_string(coding);
  }
  for (std::size_t size = 1; size < kGzip.size(); ++size)
    EXPECT_TRUE(decode("gzip", {std::string_view(kGzip).substr(0, size)}).ends_with(" !closed_early")) << size;
  for (std::size_t size = 1; size < kZstd.size(); ++size)
    EXPECT_TRUE(decode("zstd", {std::string_view(kZstd).substr(0, size)}).ends_with(" !closed_early")) << size;
}

TEST(ContentCoding, GzipMembers_AreJoined) {  // RFC 1952 section 2.2
  EXPECT_EQ(decode_split("gzip", kGzip + kGzip), kText + kText);
  const std::string empty = encode_content(ContentCoding::gzip, "");
  EXPECT_EQ(decode_split("gzip", empty + kGzip + empty), kText);
  EXPECT_EQ(decode_split("gzip", kGzip + kGzip.substr(0, 11)), kText + " !closed_early");
}

TEST(ContentCoding, ZstdFrames_AreJoined_AndSkippableOnesSkipped) {  // RFC 8878 section 3.1
  const std::string skippable = from_hex("502a4d1803000000616263");
  EXPECT_EQ(decode_split("zstd", kZstd + skippable + kZstd), kText + kText);
}

TEST(ContentCoding, GzipHeaderWithAllItsFields_IsSkipped) {  // RFC 1952 section 2.3
  std::string wire = kGzip;
  wire[3] = 0x04 | 0x08 | 0x10;  // FEXTRA, FNAME, FCOMMENT
  wire.insert(10, from_hex("0300616263") + "name" + '\0' + "comment" + '\0');
  EXPECT_EQ(decode_split("gzip", wire), kText);
}

TEST(ContentCoding, TrailingBytes_AreIgnored) {
  for (const std::string& tail : {std::string("\n"), std::string(600, '\0'), std::string("\x1f"),
                                  std::string("garbage"), std::string("\x1f\x1f\x8b")}) {
    EXPECT_EQ(decode_split("gzip", kGzip + tail), kText);
    EXPECT_EQ(decode_split("deflate", kZlib + tail), kText);
    EXPECT_EQ(decode_split("deflate", raw_deflate_of(kZlib) + tail), kText);
    EXPECT_EQ(decode_split("br", kBrotli + tail), kText);
    EXPECT_EQ(decode_split("zstd", kZstd + tail), kText);
  }
}

TEST(ContentCoding, DamagedBody_IsRefused) {
  EXPECT_EQ(decode_split("gzip", "<!DOCTYPE html>"), " !bad_message");
  EXPECT_EQ(decode_split("deflate", "\xff\xff\xff"), " !bad_message");
  EXPECT_EQ(decode_split("br", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"), " !bad_message");
  EXPECT_EQ(decode_split("zstd", "<!DOCTYPE html>"), " !bad_message");
  std::string wrong_checksum = kGzip;
  wrong_checksum[wrong_checksum.size() - 8] ^= 1;  // RFC 1952 section 2.3.1: CRC32
  EXPECT_EQ(decode_split("gzip", wrong_checksum), kText + " !bad_message");
  std::string needs_dictionary = kZlib;  // RFC 1950 section 2.2: FDICT
  needs_dictionary[1] = '\xbb';
  EXPECT_EQ(decode_split("deflate", needs_dictionary), " !bad_message");
}

TEST(ContentCoding, ZstdWindowOver8MiB_IsRefused) {  // RFC 9659 section 3
  // A frame header without a size: window descriptor 0x68 is 2^23 bytes, 0x70 is 2^24. An empty last block follows.
  EXPECT_EQ(decode_split("zstd", from_hex("28b52ffd0068010000")), "");
  EXPECT_EQ(decode_split("zstd", from_hex("28b52ffd0070010000")), " !bad_message");
}

TEST(ContentCoding, Bomb_IsStoppedAtTheRatio) {
  const std::string zeros(8 << 20, '\0');
  for (const ContentCoding coding :
       {ContentCoding::gzip, ContentCoding::deflate, ContentCoding::brotli, ContentCoding::zstd}) {
    const std::string wire = encode_content(coding, zeros);
    const std::string out = decode(to_string(coding), {wire});
    EXPECT_TRUE(out.ends_with(" !body_too_large")) << to_string(coding);
    // Not much later than the ratio was passed: the memory of a bomb is what it is built to use up.
    EXPECT_LE(out.size(), std::max<std::size_t>(1 << 20, 100 * wire.size()) + kContentPiece) << to_string(coding);
  }
}

TEST(ContentCoding, RegularSmallBody_IsNoBomb) {
  const std::string zeros(1 << 20, '\0');
  EXPECT_EQ(decode("br", {encode_content(ContentCoding::brotli, zeros)}), zeros);
}

TEST(ContentCoding, BombInTheMiddleOfStackedCodings_IsStopped) {
  // Empty members: the outer coding yields a lot, the inner nothing at all.
  std::string empties;
  while (empties.size() < (8 << 20)) empties += encode_content(ContentCoding::gzip, "");
  EXPECT_EQ(decode("gzip, zstd", {encode_content(ContentCoding::zstd, empties)}), " !body_too_large");
}

TEST(ContentCoding, SizeLimit_Holds) {
  const std::string text = varied_text(300'000);
  const std::string wire = encode_content(ContentCoding::gzip, text);
  EXPECT_EQ(decode("gzip", {wire}, {.size = text.size()}), text);
  EXPECT_TRUE(decode("gzip", {wire}, {.size = text.size() - 1}).ends_with(" !body_too_large"));
  EXPECT_EQ(decode("", {text}, {.size = text.size()}), text);
  EXPECT_EQ(decode("", {text}, {.size = text.size() - 1}), " !body_too_large");
}

}  // namespace
}  // namespace outrider
