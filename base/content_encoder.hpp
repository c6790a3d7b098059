// The way back of content_coding.hpp: encodes a body while it is written, at levels that do not keep a reader waiting.
//
//   encoder.feed(begin, sink);
//   encoder.flush(sink);  // everything so far can be decoded by who receives it
//   encoder.feed(rest, sink);
//   encoder.finish(sink);
#pragma once

#include "base/content_coding.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace outrider {

class StreamEncoder;  // content_codecs.hpp

class ContentEncoder {
 public:
  explicit ContentEncoder(ContentCoding coding);  // deflate is written in zlib's spelling

  ContentEncoder(ContentEncoder&&) noexcept;
  ContentEncoder& operator=(ContentEncoder&&) noexcept;
  ~ContentEncoder();

  // May keep bytes back for the sake of the ratio.
  void feed(std::string_view bytes, const ContentSink& sink);
  // Costs a few bytes; nothing if nothing was fed since the last time.
  void flush(const ContentSink& sink);
  // Nothing may be fed afterwards.
  void finish(const ContentSink& sink);

 private:
  std::unique_ptr<StreamEncoder> encoder_;  // none: identity
  std::unique_ptr<char[]> piece_;
  bool unflushed_ = false;
};

// A body that is there already.
std::string encode_content(ContentCoding coding, std::string_view body);

}  // namespace outrider
