// Feeds an HTTP parser the way a connection does and writes down what comes out, so that the same bytes can be fed
// whole, split at every position, and byte by byte, and the outcomes compared. Each piece lies in a heap buffer of
// exactly its size, so that a read beyond it is seen by AddressSanitizer. Used by the tests and by the fuzz targets.
#pragma once

#include "base/http_codec.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::test {

inline std::string describe(const HeaderMap& headers) {
  std::string text;
  for (const HeaderField& field : headers) {
    text += " [";
    text += field.name;
    text += "|";
    text += field.value;
    text += "]";
  }
  return text;
}

inline std::string describe(const BodyFraming& framing) {
  using Kind = BodyFraming::Kind;
  switch (framing.kind) {
    case Kind::none:
      return "none";
    case Kind::length:
      return "length " + std::to_string(framing.length);
    case Kind::chunked:
      return "chunked";
    case Kind::until_close:
      return "until_close";
    case Kind::tunnel:
      return "tunnel";
  }
  return "?";
}

inline std::string describe(HttpVersion version) {
  return version == HttpVersion::http10 ? "1.0" : version == HttpVersion::http11 ? "1.1" : "2";
}

inline std::string describe_head(RequestParser& parser) {
  const RequestHead& head = parser.head();
  return head.method_text + " " + head.target + " " + describe(head.version) + describe(head.headers) + " (" +
         describe(parser.framing()) + (parser.keep_alive() ? ", keep" : ", close") +
         (parser.expects_continue() ? ", continue)" : ")");
}

inline std::string describe_head(ResponseParser& parser) {
  const ResponseHead& head = parser.head();
  return std::to_string(head.status) + " " + head.reason + " " + describe(head.version) + describe(head.headers) +
         " (" + describe(parser.framing()) + (parser.keep_alive() ? ", keep" : ", close") +
         (parser.framing_doubtful() ? ", doubtful)" : ")");
}

// One line per event; the pieces of a body are joined. Ends with "more" (everything was eaten), "tunnel <bytes>" or
// "error <kind>".
template <class Parser>
class Transcriber {
 public:
  explicit Transcriber(Parser& parser) : parser_(parser) {}

  void feed(std::string_view piece) {
    if (over_) return;
    const std::unique_ptr<char[]> exact{new char[piece.size()]};
    if (!piece.empty()) std::memcpy(exact.get(), piece.data(), piece.size());
    std::string_view rest{exact.get(), piece.size()};
    while (!over_ && step(rest)) {
    }
    if (tunnel_) after_tunnel_ += rest;
  }

  // What happened; for a response parser the connection is closed first if `close` is set.
  std::string finish(bool close) {
    if constexpr (std::is_same_v<Parser, ResponseParser>) {
      if (close && !over_ && !tunnel_) record(parser_.finish());
    }
    flush_body();
    if (tunnel_) return text_ + "tunnel " + after_tunnel_ + "\n";
    if (!over_) text_ += parser_.started() ? "more, started\n" : "more\n";
    return text_;
  }

 private:
  bool step(std::string_view& rest) {
    if (tunnel_) return false;
    const Result<ParseStep> step = parser_.feed(rest);
    if (!record(step)) return false;
    if (step->consumed > rest.size()) std::abort();
    rest.remove_prefix(step->consumed);
    if (step->event == ParseEvent::need_more && !rest.empty()) std::abort();  // promised by the header
    return step->event != ParseEvent::need_more;
  }

  bool record(const Result<ParseStep>& step) {
    if (!step) {
      if (step.error().kind == ErrorKind::internal) std::abort();  // no input may reveal a bug of ours
      flush_body();
      text_ += "error " + step.error().to_string() + "\n";
      const Result<ParseStep> again = parser_.feed("x");  // a failure stays
      if (again || again.error().to_string() != step.error().to_string()) std::abort();
      over_ = true;
      return false;
    }
    switch (step->event) {
      case ParseEvent::need_more:
        break;
      case ParseEvent::head:
        text_ += "head " + describe_head(parser_) + "\n";
        tunnel_ = parser_.framing().kind == BodyFraming::Kind::tunnel;
        break;
      case ParseEvent::body:
        if (step->body.empty()) std::abort();
        body_ += step->body;
        break;
      case ParseEvent::done:
        flush_body();
        text_ += "done" + describe(parser_.trailers()) + "\n";
        parser_.reset();
        break;
    }
    return true;
  }

  void flush_body() {
    if (!body_.empty()) text_ += "body " + body_ + "\n";
    body_.clear();
  }

  Parser& parser_;
  std::string text_, body_, after_tunnel_;
  bool over_ = false, tunnel_ = false;
};

struct FeedOptions {
  HttpLimits limits;
  Method method = Method::get;  // what responses answer
  bool close = false;           // the peer closes behind the last byte
};

template <class Parser>
std::string transcribe(const std::vector<std::string_view>& pieces, const FeedOptions& options) {
  Parser parser{options.limits};
  if constexpr (std::is_same_v<Parser, ResponseParser>) parser.expect(options.method);
  Transcriber<Parser> transcriber{parser};
  for (const std::string_view piece : pieces) transcriber.feed(piece);
  return transcriber.finish(options.close);
}

// Pieces of sizes that depend on the seed alone.
inline std::vector<std::string_view> cut_at_random(std::string_view wire, unsigned seed) {
  std::vector<std::string_view> pieces;
  while (!wire.empty()) {
    seed = seed * 1664525u + 1013904223u;
    const std::size_t size = std::min<std::size_t>(wire.size(), 1 + (seed >> 16) % (seed >> 31 != 0 ? 3 : 40));
    pieces.push_back(wire.substr(0, size));
    wire.remove_prefix(size);
  }
  return pieces;
}

struct SplitOutcome {
  std::string whole;     // the transcript of the input fed in one piece
  std::string mismatch;  // empty, or the first way of splitting that had another outcome
};

// Whole, in two pieces split at every position (every `stride`th), byte by byte, and with an empty piece between all
// bytes.
template <class Parser>
SplitOutcome feed_split(std::string_view input, const FeedOptions& options = {}, std::size_t stride = 1) {
  SplitOutcome outcome;
  outcome.whole = transcribe<Parser>({input}, options);
  const auto compare = [&](const std::vector<std::string_view>& pieces, const std::string& how) {
    const std::string transcript = transcribe<Parser>(pieces, options);
    if (transcript != outcome.whole && outcome.mismatch.empty())
      outcome.mismatch = how + " gives\n" + transcript + "instead of\n" + outcome.whole;
  };
  for (std::size_t at = 0; at <= input.size(); at += stride)
    compare({input.substr(0, at), input.substr(at)}, "split at " + std::to_string(at));
  std::vector<std::string_view> bytes, spaced;
  for (std::size_t at = 0; at < input.size(); ++at) {
    bytes.push_back(input.substr(at, 1));
    spaced.push_back({});
    spaced.push_back(input.substr(at, 1));
  }
  compare(bytes, "byte by byte");
  compare(spaced, "byte by byte with pauses");
  return outcome;
}

}  // namespace outrider::test
