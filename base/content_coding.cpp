#include "base/content_coding.hpp"

#include "base/content_codecs.hpp"
#include "base/escape.hpp"
#include "base/http_header_id.hpp"
#include "base/http_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

struct CodingName {
  std::string_view name;
  ContentCoding coding;
};
// RFC 9110 section 8.4.1.3: x-gzip is gzip. The first name of a coding is the one we write.
constexpr CodingName kNames[] = {
    {"identity", ContentCoding::identity}, {"gzip", ContentCoding::gzip}, {"x-gzip", ContentCoding::gzip},
    {"deflate", ContentCoding::deflate},   {"br", ContentCoding::brotli}, {"zstd", ContentCoding::zstd},
};

const CodingName* find_coding(std::string_view name) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const CodingName& known) { return equal_ignoring_case(name, known.name); });
  return found == std::end(kNames) ? nullptr : found;
}

}  // namespace

std::string_view to_string(ContentCoding coding) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const CodingName& known) { return known.coding == coding; });
  return found->name;
}

Result<std::vector<ContentCoding>> parse_content_encoding(std::string_view value) {
  std::vector<ContentCoding> codings;
  for (ListReader list{value}; const auto name = list.next();) {
    const CodingName* known = find_coding(*name);
    if (known == nullptr) {
      return Error{ErrorKind::unsupported, Side::origin,
                   fmt::format("unknown content coding {}", quoted(utf8_prefix(*name, 40)))};
    }
    if (known->coding == ContentCoding::identity) continue;
    if (codings.size() == kMostContentCodings) {
      return Error{ErrorKind::unsupported, Side::origin,
                   fmt::format("more than {} content codings on top of each other", kMostContentCodings)};
    }
    codings.push_back(known->coding);
  }
  return codings;
}

std::unique_ptr<StreamDecoder> make_stream_decoder(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::gzip:
      return make_gzip_decoder();
    case ContentCoding::deflate:
      return make_deflate_decoder();
    case ContentCoding::brotli:
      return make_brotli_decoder();
    case ContentCoding::zstd:
      return make_zstd_decoder();
    case ContentCoding::identity:
      break;
  }
  return nullptr;
}

struct ContentDecoder::Stage {
  std::unique_ptr<StreamDecoder> decoder;
  std::unique_ptr<char[]> piece;
  std::uint64_t produced = 0;
  bool begun = false;
};

ContentDecoder::ContentDecoder(DecodeLimits limits) : limits_(limits) {}
ContentDecoder::ContentDecoder(ContentDecoder&&) noexcept = default;
ContentDecoder& ContentDecoder::operator=(ContentDecoder&&) noexcept = default;
ContentDecoder::~ContentDecoder() = default;

Result<ContentDecoder> ContentDecoder::create(std::string_view content_encoding, DecodeLimits limits) {
  const Result<std::vector<ContentCoding>> codings = parse_content_encoding(content_encoding);
  if (!codings) return codings.error();
  ContentDecoder decoder{limits};
  // What was applied last has to come off first.
  for (auto coding = codings->rbegin(); coding != codings->rend(); ++coding)
    decoder.stages_.push_back({make_stream_decoder(*coding), std::unique_ptr<char[]>(new char[kContentPiece])});
  return decoder;
}

Result<void> ContentDecoder::feed(std::string_view bytes, const ContentSink& sink) {
  if (!state_) return state_;
  bytes_in_ += bytes.size();
  state_ = pass_on(0, bytes, sink);
  return state_;
}

Result<void> ContentDecoder::pass_on(std::size_t index, std::string_view bytes, const ContentSink& sink) {
  if (index == stages_.size()) return deliver(bytes, sink);
  Stage& stage = stages_[index];
  stage.begun = stage.begun || !bytes.empty();
  for (bool filled = false; filled || !bytes.empty();) {
    const StreamDecoder::Step step = stage.decoder->step(bytes, {stage.piece.get(), kContentPiece});
    bytes.remove_prefix(step.consumed);
    if (index == 0) wire_used_ += step.consumed;
    filled = step.produced == kContentPiece;
    stage.produced += step.produced;
    if (const auto within = check(stage.produced); !within) return within;
    if (const auto passed = pass_on(index + 1, {stage.piece.get(), step.produced}, sink); !passed) return passed;
    if (step.failure) return *step.failure;
  }
  return {};
}

// Behind the last stage, and all there is to identity.
Result<void> ContentDecoder::deliver(std::string_view bytes, const ContentSink& sink) {
  if (stages_.empty() && bytes_out_ + bytes.size() > limits_.size) return check(bytes_out_ + bytes.size());
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kContentPiece))) {
    const std::string_view piece = bytes.substr(0, kContentPiece);
    bytes_out_ += piece.size();
    sink(piece);
  }
  return {};
}

Result<void> ContentDecoder::check(std::uint64_t produced) const {
  if (produced > limits_.size) {
    return Error{ErrorKind::body_too_large, Side::origin,
                 fmt::format("the decoded body is larger than {} bytes", limits_.size)};
  }
  if (produced > limits_.ratio_from && produced / limits_.ratio > wire_used_) {
    return Error{
        ErrorKind::body_too_large, Side::origin,
        fmt::format("decompression bomb: {} bytes became {}, more than {}:1", wire_used_, produced, limits_.ratio)};
  }
  return {};
}

Result<void> ContentDecoder::finish() {
  if (!state_) return state_;
  for (const Stage& stage : stages_) {
    if (!stage.begun || stage.decoder->complete()) continue;
    state_ = Error{ErrorKind::closed_early, Side::origin, "the body ends in the middle of its content coding"};
    break;
  }
  return state_;
}

Result<std::string> decode_content(std::string_view content_encoding, std::string_view body, DecodeLimits limits) {
  Result<ContentDecoder> decoder = ContentDecoder::create(content_encoding, limits);
  if (!decoder) return decoder.error();
  std::string out;
  const ContentSink append = [&out](std::string_view piece) { out += piece; };
  if (const auto fed = decoder->feed(body, append); !fed) return fed.error();
  if (const auto finished = decoder->finish(); !finished) return finished.error();
  return out;
}

}  // namespace outrider
