// Content codings (RFC 9110 section 8.4.1): gzip, deflate, br and zstd, decoded as the bytes arrive, in bounded memory
// and with limits against bombs. The way back is content_encoder.hpp; the libraries are behind content_codecs.hpp.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

enum class ContentCoding : std::uint8_t { identity, gzip, deflate, brotli, zstd };

// As it stands in Content-Encoding: "gzip", "br" …
std::string_view to_string(ContentCoding coding);

inline constexpr std::size_t kMostContentCodings = 3;

// The codings of a Content-Encoding value in the order in which they were applied; identity is left out. `unsupported`
// if one is unknown or there are more than kMostContentCodings. Several fields are joined with commas by the caller.
Result<std::vector<ContentCoding>> parse_content_encoding(std::string_view value);

// What may come out. They hold for each of several stacked codings, so that nothing hides in the middle.
struct DecodeLimits {
  std::uint64_t size = 64'000'000;     // bytes
  std::uint64_t ratio = 100;           // bytes out for each byte that came over the wire …
  std::uint64_t ratio_from = 1 << 20;  // … asked once more than this came out: small pages may be regular
};

// Receives what comes out, piece by piece; a piece is never empty, at most kContentPiece long, and gone after the call.
using ContentSink = std::function<void(std::string_view piece)>;

inline constexpr std::size_t kContentPiece = 32 * 1024;

class StreamDecoder;  // content_codecs.hpp

// Decodes one body. What can be decoded from the bytes so far is handed to the sink before feed() returns. What came
// out before a failure is right and may be used; the failure stays. Bytes behind the end of the coded data are ignored,
// as browsers do, but a further gzip member or zstd frame is decoded (RFC 1952 section 2.2, RFC 8878 section 3.1).
class ContentDecoder {
 public:
  static Result<ContentDecoder> create(std::string_view content_encoding, DecodeLimits limits = {});

  ContentDecoder(ContentDecoder&&) noexcept;
  ContentDecoder& operator=(ContentDecoder&&) noexcept;
  ~ContentDecoder();

  // body_too_large: over a limit; bad_message: not what the coding allows.
  Result<void> feed(std::string_view bytes, const ContentSink& sink);
  // The body ends here. closed_early: in the middle of the coded data. A body without a single byte is complete: that
  // is how answers to HEAD and empty files are sent, whatever their Content-Encoding says.
  Result<void> finish();

  bool identity() const { return stages_.empty(); }
  std::uint64_t bytes_in() const { return bytes_in_; }
  std::uint64_t bytes_out() const { return bytes_out_; }

 private:
  struct Stage;

  explicit ContentDecoder(DecodeLimits limits);
  Result<void> pass_on(std::size_t stage, std::string_view bytes, const ContentSink& sink);
  Result<void> deliver(std::string_view bytes, const ContentSink& sink);
  Result<void> check(std::uint64_t produced) const;

  DecodeLimits limits_;
  std::vector<Stage> stages_;  // the first one reads what came over the wire
  std::uint64_t bytes_in_ = 0;
  std::uint64_t wire_used_ = 0;  // bytes that the first stage has looked at: what a ratio is measured against
  std::uint64_t bytes_out_ = 0;
  Result<void> state_;  // the first failure
};

// A body that is there already.
Result<std::string> decode_content(std::string_view content_encoding, std::string_view body, DecodeLimits limits = {});

}  // namespace outrider
