// br (RFC 7932) with brotli.
#include "base/content_codecs.hpp"

#include <brotli/decode.h>
#include <brotli/encode.h>

#include <memory>
#include <new>

namespace outrider {
namespace {

// As quick as gzip's fast levels, and smaller.
constexpr std::uint32_t kEncoderQuality = 3;
constexpr std::uint32_t kEncoderWindow = 18;  // 256 KiB: what a page reaches back

const std::uint8_t* input_of(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

class BrotliStreamDecoder : public StreamDecoder {
 public:
  BrotliStreamDecoder() {
    if (!state_) throw std::bad_alloc{};
  }

  Step step(std::string_view in, std::span<char> out) override {
    if (ended_) return Step{in.size(), 0};
    const std::uint8_t* next_in = input_of(in);
    auto* next_out = reinterpret_cast<std::uint8_t*>(out.data());
    std::size_t in_left = in.size(), out_left = out.size();
    const BrotliDecoderResult outcome =
        BrotliDecoderDecompressStream(state_.get(), &in_left, &next_in, &out_left, &next_out, nullptr);
    ended_ = outcome == BROTLI_DECODER_RESULT_SUCCESS;
    Step step{in.size() - in_left, out.size() - out_left};
    if (outcome == BROTLI_DECODER_RESULT_ERROR) step.failure = failure();
    return step;
  }

  bool complete() const override { return ended_; }

 private:
  Error failure() const {
    const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state_.get());
    if (code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES)
      throw std::bad_alloc{};
    return {ErrorKind::bad_message, Side::origin,
            std::string("the body is not valid br: ") + BrotliDecoderErrorString(code)};
  }

  struct Free {
    void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
  };
  std::unique_ptr<BrotliDecoderState, Free> state_{BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)};
  bool ended_ = false;
};

class BrotliStreamEncoder : public StreamEncoder {
 public:
  BrotliStreamEncoder() {
    if (!state_) throw std::bad_alloc{};
    BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_QUALITY, kEncoderQuality);
    BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_LGWIN, kEncoderWindow);
  }

  void encode(std::string_view in, Until until, std::span<char> piece, const ContentSink& sink) override {
    const BrotliEncoderOperation operation = until == Until::buffered  ? BROTLI_OPERATION_PROCESS
                                             : until == Until::flushed ? BROTLI_OPERATION_FLUSH
                                                                       : BROTLI_OPERATION_FINISH;
    const std::uint8_t* next_in = input_of(in);
    std::size_t in_left = in.size();
    do {
      auto* next_out = reinterpret_cast<std::uint8_t*>(piece.data());
      std::size_t out_left = piece.size();
      // It fails only when memory is short or the caller goes on behind the end.
      if (!BrotliEncoderCompressStream(state_.get(), operation, &in_left, &next_in, &out_left, &next_out, nullptr))
        throw std::bad_alloc{};
      if (out_left < piece.size()) sink({piece.data(), piece.size() - out_left});
    } while (in_left > 0 || BrotliEncoderHasMoreOutput(state_.get()));
  }

 private:
  struct Free {
    void operator()(BrotliEncoderState* state) const { BrotliEncoderDestroyInstance(state); }
  };
  std::unique_ptr<BrotliEncoderState, Free> state_{BrotliEncoderCreateInstance(nullptr, nullptr, nullptr)};
};

}  // namespace

std::unique_ptr<StreamDecoder> make_brotli_decoder() {
  return std::make_unique<BrotliStreamDecoder>();
}

std::unique_ptr<StreamEncoder> make_brotli_encoder() {
  return std::make_unique<BrotliStreamEncoder>();
}

}  // namespace outrider
