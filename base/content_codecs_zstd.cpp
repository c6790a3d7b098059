// zstd (RFC 8878, and RFC 9659 for the window) with libzstd.
#include "base/content_codecs.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <memory>
#include <new>

namespace outrider {
namespace {

constexpr int kWindowLog = 23;  // 8 MiB: RFC 9659 section 3
constexpr std::size_t kMagicSize = 4;
constexpr int kEncoderLevel = 1;  // a reader waits for it

class ZstdStreamDecoder : public StreamDecoder {
 public:
  ZstdStreamDecoder() {
    if (!state_) throw std::bad_alloc{};
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

  Step step(std::string_view in, std::span<char> out) override {
    if (trailing_) return Step{in.size(), 0};
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t hint = ZSTD_decompressStream(state_.get(), &output, &input);
    if (ZSTD_isError(hint)) return failed(hint, in, output.pos);
    behind_frame_ += input.pos;
    if (hint == 0) {
      frame_seen_ = true;
      behind_frame_ = 0;
    }
    return Step{input.pos, output.pos};
  }

  // A few bytes that are no whole magic number are as good as other bytes behind a frame.
  bool complete() const override { return trailing_ || (frame_seen_ && behind_frame_ < kMagicSize); }

 private:
  Step failed(std::size_t outcome, std::string_view in, std::size_t produced) {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(outcome);
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc{};
    // Something else behind a whole frame.
    if (code == ZSTD_error_prefix_unknown && frame_seen_) {
      trailing_ = true;
      return Step{in.size(), produced};
    }
    return {0, produced,
            Error{ErrorKind::bad_message, Side::origin,
                  std::string("the body is not valid zstd: ") + ZSTD_getErrorName(outcome)}};
  }

  struct Free {
    void operator()(ZSTD_DCtx* state) const { ZSTD_freeDCtx(state); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> state_{ZSTD_createDCtx()};
  bool frame_seen_ = false;         // a whole one
  std::uint64_t behind_frame_ = 0;  // bytes since the end of the last one
  bool trailing_ = false;
};

class ZstdStreamEncoder : public StreamEncoder {
 public:
  ZstdStreamEncoder() {
    if (!state_) throw std::bad_alloc{};
    ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_compressionLevel, kEncoderLevel);
    ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_checksumFlag, 0);
  }

  void encode(std::string_view in, Until until, std::span<char> piece, const ContentSink& sink) override {
    const ZSTD_EndDirective directive = until == Until::buffered  ? ZSTD_e_continue
                                        : until == Until::flushed ? ZSTD_e_flush
                                                                  : ZSTD_e_end;
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer output{piece.data(), piece.size(), 0};
      const std::size_t left = ZSTD_compressStream2(state_.get(), &output, &input, directive);
      if (ZSTD_isError(left)) throw std::bad_alloc{};  // nothing else can fail here
      if (output.pos > 0) sink({piece.data(), output.pos});
      done = until == Until::buffered ? input.pos == input.size : left == 0;
    }
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* state) const { ZSTD_freeCCtx(state); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> state_{ZSTD_createCCtx()};
};

}  // namespace

std::unique_ptr<StreamDecoder> make_zstd_decoder() {
  return std::make_unique<ZstdStreamDecoder>();
}

std::unique_ptr<StreamEncoder> make_zstd_encoder() {
  return std::make_unique<ZstdStreamEncoder>();
}

}  // namespace outrider
