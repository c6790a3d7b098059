// HTTP/1 parsing on llhttp, for both directions. Bytes in, events out; no sockets. Grammar and limits are enforced
// before llhttp sees a byte (base/http_head_guard), and each complete head passes base/http_validator before the caller
// sees it. The verdict does not depend on how the bytes are split. After a failure feed() repeats it until reset().
#pragma once

#include "base/error.hpp"
#include "base/http_message.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace outrider {

struct HttpLimits {                            // in bytes, but for the count
  std::size_t target_bytes = 16'384;           // beyond: ErrorKind::target_too_long
  std::size_t header_bytes = 65'536;           // names, values and white space of one head; beyond: head_too_large
  std::size_t header_count = 256;              // beyond: head_too_large
  std::size_t trailer_bytes = 8'192;           // beyond: head_too_large
  std::size_t chunk_extension_bytes = 16'384;  // all chunk extensions of one message; beyond: bad_message
};

enum class ParseEvent : std::uint8_t {
  need_more,  // all input consumed, nothing complete
  head,       // head() and framing() are valid
  body,       // Step::body is the next piece (a view into the input)
  done,       // the message is complete, trailers() are valid; bytes behind it are not consumed
};

// One call of feed() gives one event. feed() without input is allowed and tells whether something is due without any:
// after the head of a message without a body, and after the last piece of a body with Content-Length, that is `done`.
// So call it with what is left, even if that is nothing, before waiting for more bytes.
struct ParseStep {
  ParseEvent event = ParseEvent::need_more;
  std::size_t consumed = 0;
  std::string_view body;
};

// One request after another from one client connection. Call feed() until `done`, then reset() and go on with the bytes
// that were not consumed. With CONNECT or an accepted Upgrade the caller stops feeding after `head`: what follows is
// not HTTP (framing().kind is tunnel for CONNECT; for Upgrade it is the framing of the request's own body).
// Failures: bad_message, unsupported, bad_version, target_too_long, head_too_large; the side is client.
class RequestParser {
 public:
  explicit RequestParser(const HttpLimits& limits = {});
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  Result<ParseStep> feed(std::string_view input);
  void reset();          // ready for the next message; memory kept
  void release_large();  // between reset() and the next message: the memory of a large one is given back
  bool started() const;  // a byte of the current message has been seen (white lines before it do not count)

  RequestHead& head();
  const BodyFraming& framing() const;
  bool keep_alive() const;  // the client allows another request; never in HTTP/1.0
  bool expects_continue() const;
  HeaderMap& trailers();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Responses of one origin connection. expect() names the method that the next response answers. A 1xx head is an event
// of its own (head, then done, with head().is_informational()); call reset() and go on feeding: the final response
// follows. 101 is a final response whose framing is tunnel. Failures: bad_message, bad_version, head_too_large,
// closed_early; the side is origin.
class ResponseParser {
 public:
  explicit ResponseParser(const HttpLimits& limits = {});
  ~ResponseParser();
  ResponseParser(ResponseParser&&) noexcept;
  ResponseParser& operator=(ResponseParser&&) noexcept;

  void expect(Method request_method);
  Result<ParseStep> feed(std::string_view input);
  Result<ParseStep> finish();  // the peer closed: `done` for an until-close body, otherwise closed_early
  void reset();
  bool started() const;

  ResponseHead& head();
  const BodyFraming& framing() const;
  bool keep_alive() const;  // the origin allows another request, and the framing leaves the connection usable
  // The origin contradicted itself about the body (base/http_validator, framing_is_doubtful), here or in an interim
  // response before: deliver it, but do not store it (RFC 9112 section 6.3); keep_alive() is false.
  bool framing_doubtful() const;
  HeaderMap& trailers();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace outrider
