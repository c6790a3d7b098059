// One content coding each, on top of the library that knows it: zlib, brotli, zstd. Only content_coding and
// content_encoder use these. The memory of a decoder is bounded by the window that its coding may ask for: 32 KiB for
// gzip and deflate, 16 MiB for br, 8 MiB for zstd (RFC 9659).
#pragma once

#include "base/content_coding.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace outrider {

class StreamDecoder {
 public:
  virtual ~StreamDecoder() = default;

  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    std::optional<Error> failure = std::nullopt;  // behind what was produced
  };
  // Decodes from `in` to `out`, which is not empty. To be called again while some of `in` is left, and after `out` was
  // filled, for more may be waiting.
  virtual Step step(std::string_view in, std::span<char> out) = 0;
  // Nothing is missing at the end of what was consumed.
  virtual bool complete() const = 0;
};

class StreamEncoder {
 public:
  virtual ~StreamEncoder() = default;

  enum class Until : std::uint8_t { buffered, flushed, ended };
  // Encodes `in` and hands what comes out to the sink, using `piece` as its space.
  virtual void encode(std::string_view in, Until until, std::span<char> piece, const ContentSink& sink) = 0;
};

// `coding` is not identity.
std::unique_ptr<StreamDecoder> make_stream_decoder(ContentCoding coding);
std::unique_ptr<StreamEncoder> make_stream_encoder(ContentCoding coding);

std::unique_ptr<StreamDecoder> make_gzip_decoder();
std::unique_ptr<StreamDecoder> make_deflate_decoder();
std::unique_ptr<StreamDecoder> make_brotli_decoder();
std::unique_ptr<StreamDecoder> make_zstd_decoder();
std::unique_ptr<StreamEncoder> make_zlib_encoder(bool gzip);  // else deflate, in zlib's spelling
std::unique_ptr<StreamEncoder> make_brotli_encoder();
std::unique_ptr<StreamEncoder> make_zstd_encoder();

}  // namespace outrider
