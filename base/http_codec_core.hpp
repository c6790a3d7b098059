// What RequestParser and ResponseParser share (private to base/http_codec_*.cpp). One way through:
//   bytes -> HeadGuard (grammar, limits, fields) -> llhttp (start line) -> typed head -> http_validator -> caller
// Names and values are cut by the guard, which has to find their ends anyway: a second parser behind it cost two fifths
// of the time and could only agree. How a body is framed is decided by the validator alone and carried out here and in
// ChunkedDecoder, so there is no second opinion that an attacker could play off against ours.
#pragma once

#include "base/http_chunked.hpp"
#include "base/http_codec.hpp"
#include "base/http_head_guard.hpp"

#include <llhttp.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace outrider {

class HttpParserCore {
 public:
  HttpParserCore(const HttpParserCore&) = delete;  // llhttp holds our address
  HttpParserCore& operator=(const HttpParserCore&) = delete;

  Result<ParseStep> feed(std::string_view input);
  bool started() const { return guard_.started() || phase_ != Phase::head; }
  const BodyFraming& framing() const { return framing_; }
  HeaderMap& trailers() { return trailers_; }

 protected:
  enum class Phase : std::uint8_t { head, length, chunked, trailers, until_close, complete };

  HttpParserCore(llhttp_type_t type, const llhttp_settings_t& settings, const HttpLimits& limits);
  virtual ~HttpParserCore() = default;

  void begin_message();  // also forgets a failure
  Error fail(ErrorKind kind, std::string_view why);

  virtual HeaderMap& head_fields() = 0;
  // Requests: takes the method off the front of the well-formed bytes of a head; what is left is for llhttp.
  virtual std::string_view take_method(std::string_view passed) { return passed; }
  // The head is complete and well-formed: fills in what is typed, validates.
  virtual Result<BodyFraming> accept_head(HttpVersion version) = 0;

  template <class Parser>
  static Parser& self(llhttp_t* parser) {
    return static_cast<Parser&>(*static_cast<HttpParserCore*>(parser->data));
  }

  llhttp_t llhttp_{};
  Phase phase_ = Phase::head;
  std::optional<Error> failure_;

 private:
  Result<ParseStep> feed_head(std::string_view input);
  Result<ParseStep> feed_length(std::string_view input);
  Result<ParseStep> feed_chunked(std::string_view input);
  Result<ParseStep> feed_trailers(std::string_view input);
  void start_llhttp();
  void begin_trailers();
  // Guard and llhttp over one piece of a head or trailer section: a failure, or how far it went.
  Result<GuardStep> cut_head(std::string_view input);

  const llhttp_type_t type_;
  const llhttp_settings_t& settings_;
  const HttpLimits limits_;
  HeadGuard guard_;
  ChunkedDecoder chunks_;
  BodyFraming framing_;
  std::uint64_t remaining_ = 0;  // of a body with Content-Length
  HeaderMap trailers_;
};

// RFC 9112 section 9.3.
bool wants_persistence(const HeaderMap& headers, HttpVersion version);

}  // namespace outrider
