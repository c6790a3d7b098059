// gzip (RFC 1952) and deflate (zlib of RFC 1950, or raw RFC 1951) with zlib.
#include "base/content_codecs.hpp"

#include <zlib.h>

#include <limits>
#include <new>
#include <optional>

namespace outrider {
namespace {

constexpr int kGzip = 15 + 16, kZlib = 15, kRaw = -15;  // windowBits, as zlib wants it said
constexpr int kEncoderLevel = 1;                        // a reader waits for it

// zlib's pointers are not const, but it does not write to its input.
Bytef* input_of(std::string_view bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));  // NOLINT(*-const-cast)
}

uInt clamped(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

Error damaged(std::string_view coding, const char* why) {
  return {ErrorKind::bad_message, Side::origin,
          "the body is not valid " + std::string(coding) + (why != nullptr ? std::string(": ") + why : "")};
}

class Inflater {
 public:
  explicit Inflater(int window_bits) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc{};
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void restart() { inflateReset(&stream_); }

  // `ended` is set when the last byte of the compressed data was consumed.
  StreamDecoder::Step step(std::string_view in, std::span<char> out, bool& ended, std::string_view coding) {
    stream_.next_in = input_of(in);
    stream_.avail_in = clamped(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = clamped(out.size());
    const uInt given = stream_.avail_in, room = stream_.avail_out;
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    ended = outcome == Z_STREAM_END;
    if (outcome == Z_MEM_ERROR) throw std::bad_alloc{};
    StreamDecoder::Step step{given - stream_.avail_in, room - stream_.avail_out};
    if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR)
      step.failure = damaged(coding, stream_.msg);
    return step;
  }

 private:
  z_stream stream_{};
};

// A sequence of members. Behind one there is another or, whatever it is, something that is ignored.
class GzipDecoder : public StreamDecoder {
 public:
  Step step(std::string_view in, std::span<char> out) override {
    switch (state_) {
      case State::between:
        return begin_member(in);
      case State::member: {
        bool ended = false;
        const Step step = inflater_.step(in, out, ended, "gzip");
        if (ended) state_ = State::between;
        return step;
      }
      case State::trailing:
        break;
    }
    return Step{in.size(), 0};
  }

  bool complete() const override { return state_ != State::member; }

 private:
  // Another member begins with 1f 8b; these bytes may come one by one.
  Step begin_member(std::string_view in) {
    if (in.empty()) return Step{};
    if (first_member_) {
      first_member_ = false;
      state_ = State::member;
      return Step{};
    }
    if (!magic_seen_) {
      if (in[0] != '\x1f') state_ = State::trailing;
      magic_seen_ = true;
      return Step{1, 0};
    }
    magic_seen_ = false;
    if (in[0] != '\x8b') {
      state_ = State::trailing;
      return Step{1, 0};
    }
    inflater_.restart();
    state_ = State::member;
    bool ended = false;
    char none = 0;
    inflater_.step("\x1f", {&none, 0}, ended, "gzip");  // the byte that is gone already
    return Step{};
  }

  enum class State : std::uint8_t { between, member, trailing };
  State state_ = State::between;
  bool first_member_ = true;
  bool magic_seen_ = false;  // 1f came, and nothing yet behind it
  Inflater inflater_{kGzip};
};

// "deflate" is zlib's format (RFC 9110 section 8.4.1.2), but many servers sent raw deflate data, and browsers take
// both. The first two bytes tell: no encoder writes a raw stream that begins like a zlib header (it would be a stored
// block with garbage in its padding).
class DeflateDecoder : public StreamDecoder {
 public:
  Step step(std::string_view in, std::span<char> out) override {
    if (ended_) return Step{in.size(), 0};
    if (!inflater_) return begin(in);
    return inflater_->step(in, out, ended_, "deflate");
  }

  bool complete() const override { return ended_; }

 private:
  Step begin(std::string_view in) {
    if (in.empty()) return Step{};
    if (!first_) {
      first_ = in[0];
      return Step{1, 0};
    }
    const unsigned cmf = static_cast<unsigned char>(*first_), flg = static_cast<unsigned char>(in[0]);
    const bool zlib = (cmf & 0x0F) == 8 && (cmf >> 4) <= 7 && (cmf * 256 + flg) % 31 == 0;
    inflater_.emplace(zlib ? kZlib : kRaw);
    // One byte makes neither output nor an end.
    char none = 0;
    return Step{0, 0, inflater_->step({&*first_, 1}, {&none, 0}, ended_, "deflate").failure};
  }

  std::optional<char> first_;
  std::optional<Inflater> inflater_;
  bool ended_ = false;
};

class ZlibEncoder : public StreamEncoder {
 public:
  explicit ZlibEncoder(bool gzip) {
    if (deflateInit2(&stream_, kEncoderLevel, Z_DEFLATED, gzip ? kGzip : kZlib, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc{};
  }
  ~ZlibEncoder() override { deflateEnd(&stream_); }
  ZlibEncoder(const ZlibEncoder&) = delete;
  ZlibEncoder& operator=(const ZlibEncoder&) = delete;

  void encode(std::string_view in, Until until, std::span<char> piece, const ContentSink& sink) override {
    do {
      const std::string_view now = in.substr(0, kMostAtOnce);
      in.remove_prefix(now.size());
      run(now, in.empty() ? mode(until) : Z_NO_FLUSH, piece, sink);
    } while (!in.empty());
  }

 private:
  static constexpr std::size_t kMostAtOnce = 1U << 30;  // zlib counts in 32 bits

  static int mode(Until until) {
    return until == Until::buffered ? Z_NO_FLUSH : until == Until::flushed ? Z_SYNC_FLUSH : Z_FINISH;
  }

  void run(std::string_view in, int flush, std::span<char> piece, const ContentSink& sink) {
    stream_.next_in = input_of(in);
    stream_.avail_in = static_cast<uInt>(in.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream_, flush);
      if (const std::size_t made = piece.size() - stream_.avail_out; made > 0) sink({piece.data(), made});
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

}  // namespace

std::unique_ptr<StreamDecoder> make_gzip_decoder() {
  return std::make_unique<GzipDecoder>();
}

std::unique_ptr<StreamDecoder> make_deflate_decoder() {
  return std::make_unique<DeflateDecoder>();
}

std::unique_ptr<StreamEncoder> make_zlib_encoder(bool gzip) {
  return std::make_unique<ZlibEncoder>(gzip);
}

}  // namespace outrider
