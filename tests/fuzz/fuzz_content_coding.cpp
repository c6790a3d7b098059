// Bodies in content codings: what comes out, and whether it fails, does not depend on how the body is cut; the limits
// hold; and what we encode comes back. The first byte selects the coding, the second seeds the cutting.
#include "base/content_coding.hpp"
#include "base/content_encoder.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/split_feeder.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using namespace outrider;

constexpr std::string_view kCodings[] = {"gzip", "deflate", "br", "zstd", "identity", "gzip, deflate", "zstd, br"};
constexpr DecodeLimits kLimits{.size = 1 << 20, .ratio = 100, .ratio_from = 1 << 20};

struct Outcome {
  std::string text;
  ErrorKind failure = ErrorKind::not_found;  // none
  bool operator==(const Outcome&) const = default;
};

Outcome decode(std::string_view coding, const std::vector<std::string_view>& pieces) {
  ContentDecoder decoder = *ContentDecoder::create(coding, kLimits);
  Outcome outcome;
  const ContentSink sink = [&](std::string_view piece) {
    require(!piece.empty() && piece.size() <= kContentPiece);
    outcome.text += piece;
  };
  Result<void> state;
  for (const std::string_view piece : pieces)
    if (state) state = decoder.feed(std::string(piece), sink);
  if (state) state = decoder.finish();
  if (!state) outcome.failure = state.error().kind;
  require(outcome.text.size() <= kLimits.size);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view body{reinterpret_cast<const char*>(data) + 2, size - 2};
  const std::string_view coding = kCodings[data[0] % std::size(kCodings)];
  const Outcome whole = decode(coding, {body});
  const Outcome cut = decode(coding, test::cut_at_random(body, data[1]));
  // Damage may be seen before or after the last bytes in front of it were handed out, and before or after a limit.
  if (whole.failure == ErrorKind::not_found || whole.failure == ErrorKind::closed_early) {
    require(cut == whole);
  } else {
    require(cut.failure == ErrorKind::bad_message || cut.failure == ErrorKind::body_too_large);
    const std::size_t common = std::min(cut.text.size(), whole.text.size());
    require(cut.text.compare(0, common, whole.text, 0, common) == 0);
  }

  const ContentCoding way_back = static_cast<ContentCoding>(data[0] % 5);
  ContentEncoder encoder{way_back};
  std::string wire;
  const ContentSink append = [&](std::string_view piece) { wire += piece; };
  for (const std::string_view piece : test::cut_at_random(body, data[1])) {
    encoder.feed(piece, append);
    if (piece.size() % 2 != 0) encoder.flush(append);
  }
  encoder.finish(append);
  require(*decode_content(to_string(way_back), wire) == body);
  return 0;
}
