#include "base/content_encoder.hpp"

#include "base/content_codecs.hpp"

namespace outrider {

std::unique_ptr<StreamEncoder> make_stream_encoder(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::gzip:
      return make_zlib_encoder(true);
    case ContentCoding::deflate:
      return make_zlib_encoder(false);
    case ContentCoding::brotli:
      return make_brotli_encoder();
    case ContentCoding::zstd:
      return make_zstd_encoder();
    case ContentCoding::identity:
      break;
  }
  return nullptr;
}

ContentEncoder::ContentEncoder(ContentCoding coding) {
  if (coding == ContentCoding::identity) return;
  encoder_ = make_stream_encoder(coding);
  piece_.reset(new char[kContentPiece]);
}
ContentEncoder::ContentEncoder(ContentEncoder&&) noexcept = default;
ContentEncoder& ContentEncoder::operator=(ContentEncoder&&) noexcept = default;
ContentEncoder::~ContentEncoder() = default;

void ContentEncoder::feed(std::string_view bytes, const ContentSink& sink) {
  if (bytes.empty()) return;
  if (encoder_) {
    encoder_->encode(bytes, StreamEncoder::Until::buffered, {piece_.get(), kContentPiece}, sink);
    unflushed_ = true;
    return;
  }
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kContentPiece)))
    sink(bytes.substr(0, kContentPiece));
}

void ContentEncoder::flush(const ContentSink& sink) {
  if (!unflushed_) return;
  unflushed_ = false;
  encoder_->encode({}, StreamEncoder::Until::flushed, {piece_.get(), kContentPiece}, sink);
}

void ContentEncoder::finish(const ContentSink& sink) {
  if (encoder_) encoder_->encode({}, StreamEncoder::Until::ended, {piece_.get(), kContentPiece}, sink);
}

std::string encode_content(ContentCoding coding, std::string_view body) {
  std::string out;
  const ContentSink append = [&out](std::string_view piece) { out += piece; };
  ContentEncoder encoder{coding};
  encoder.feed(body, append);
  encoder.finish(append);
  return out;
}

}  // namespace outrider
