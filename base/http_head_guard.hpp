// The grammar of RFC 9112 sections 3 to 5, byte by byte. llhttp (even in strict mode) swallows the evidence of
// obs-fold, bare LF, bare CR, doubled spaces, empty names and foreign protocols; the guard sees each byte first and
// lets only a well-formed head through. It also enforces the limits, so that nothing over a limit is ever stored.
// Having seen where names and values begin and end, it puts the fields into the map itself; the start line it leaves to
// llhttp. Works on pieces of any size: the verdict is decided by the first offending byte, wherever the input is split.
#pragma once

#include "base/error.hpp"
#include "base/http_headers.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace outrider {

struct GuardLimits {
  std::size_t target_bytes = 0;
  std::size_t field_bytes = 0;  // names, values and the white space around them
  std::size_t field_count = 0;
};

struct GuardStep {
  std::size_t passed = 0;      // so many bytes are well-formed; the offending byte is not among them
  std::size_t start_line = 0;  // so many of them, from the first, belong to the start line or come before it
  bool complete = false;       // they end with the empty line
  bool refused = false;        // the byte behind them is not acceptable: `kind` and `why`
  ErrorKind kind = ErrorKind::bad_message;
  std::string_view why;
};

class HeadGuard {
 public:
  enum class Opening : std::uint8_t {
    request_line,  // a few empty lines may come before it (RFC 9112 section 2.2)
    status_line,
    none,  // fields only: a trailer section
  };

  // The fields are added to `fields`, which must stay where it is.
  void restart(Opening opening, const GuardLimits& limits, HeaderMap& fields);
  GuardStep scan(std::string_view input);
  bool started() const { return started_; }  // a byte other than the empty lines before a request

 private:
  enum class At : std::uint8_t {
    // clang-format off
    blank_line, blank_line_lf, method, target, request_version, status_version, status_code, status_code_end, reason,
    line_feed, field_start, name, value, last_lf, end
    // clang-format on
  };
  class Scanner;

  GuardLimits limits_;
  HeaderMap* fields_ = nullptr;
  std::size_t token_bytes_ = 0;  // of the current method, target, version, status code or name
  std::size_t field_bytes_ = 0;
  std::size_t field_count_ = 0;
  unsigned blank_lines_ = 0;
  At at_ = At::method;
  char major_ = 0, minor_ = 0;
  bool started_ = false;
  bool in_fields_ = false;  // the start line is over
};

}  // namespace outrider
