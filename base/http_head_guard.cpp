#include "base/http_head_guard.hpp"

#include "base/http_chars.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace outrider {
namespace {

constexpr unsigned kMaxBlankLines = 4;
constexpr std::size_t kMaxMethodBytes = 64;
constexpr std::size_t kMaxNameBytes = std::numeric_limits<std::uint16_t>::max();  // what HeaderMap can hold

constexpr std::string_view kVersionShape = "HTTP/d.d";  // d: a digit

}  // namespace

void HeadGuard::restart(Opening opening, const GuardLimits& limits, HeaderMap& fields) {
  *this = HeadGuard{};
  limits_ = limits;
  fields_ = &fields;
  in_fields_ = opening == Opening::none;
  at_ = opening == Opening::request_line  ? At::blank_line
        : opening == Opening::status_line ? At::status_version
                                          : At::field_start;
}

// One call of scan(): a position that moves through the input while the guard changes its state.
class HeadGuard::Scanner {
 public:
  Scanner(HeadGuard& guard, std::string_view input)
      : guard_(guard), begin_(input.data()), here_(begin_), end_(begin_ + input.size()) {}

  GuardStep run() {
    while (here_ != end_ && !step_.refused && guard_.at_ != At::end) advance();
    step_.passed = static_cast<std::size_t>(here_ - begin_);
    if (!guard_.in_fields_) step_.start_line = step_.passed;
    step_.complete = guard_.at_ == At::end;
    return step_;
  }

 private:
  void advance() {
    switch (guard_.at_) {
      case At::blank_line:
        return blank_line();
      case At::blank_line_lf:
        return expect('\n', At::blank_line, "an empty line before the request ends without LF");
      case At::method:
        return method();
      case At::target:
        return target();
      case At::request_version:
        return version('\r', At::line_feed);
      case At::status_version:
        return version(' ', At::status_code);
      case At::status_code:
        return status_code();
      case At::status_code_end:
        return status_code_end();
      case At::reason:
        return reason();
      case At::line_feed:
        return line_feed();
      case At::field_start:
        return field_start();
      case At::name:
        return name();
      case At::value:
        return value();
      case At::last_lf:
        return expect('\n', At::end, "CR without LF at the end of the head");
      case At::end:
        return;
    }
  }

  void refuse(std::string_view why, ErrorKind kind = ErrorKind::bad_message) {
    step_.refused = true;
    step_.kind = kind;
    step_.why = why;
  }
  void pass(At next) {
    ++here_;
    guard_.at_ = next;
    guard_.token_bytes_ = 0;
  }
  void expect(char c, At next, std::string_view why) {
    if (*here_ != c) return refuse(why);
    pass(next);
  }
  // Takes the bytes up to `run_end` as far as `limit` allows, the bytes of earlier pieces (`count`) included.
  bool take(const char* run_end, std::size_t& count, std::size_t limit, ErrorKind kind, std::string_view why) {
    const auto wanted = static_cast<std::size_t>(run_end - here_);
    const std::size_t taken = std::min(wanted, limit - std::min(limit, count));
    here_ += taken;
    count += taken;
    if (taken < wanted) refuse(why, kind);
    return taken == wanted;
  }
  bool take_field_bytes(const char* run_end) {
    return take(run_end, guard_.field_bytes_, guard_.limits_.field_bytes, ErrorKind::head_too_large,
                "the header section is too large");
  }

  void blank_line() {
    if (*here_ != '\r') {
      guard_.at_ = At::method;
      return;
    }
    if (++guard_.blank_lines_ > kMaxBlankLines) return refuse("too many empty lines before the request");
    pass(At::blank_line_lf);
  }

  void method() {
    const char* stop = skip_http_class(here_, end_, char_class::kToken);
    guard_.started_ = true;
    if (!take(stop, guard_.token_bytes_, kMaxMethodBytes, ErrorKind::unsupported, "the method is too long")) return;
    if (here_ == end_) return;
    if (*here_ != ' ' || guard_.token_bytes_ == 0) return refuse("the request line does not begin with a method");
    pass(At::target);
  }

  void target() {
    const char* stop = skip_target(here_, end_);
    if (!take(stop, guard_.token_bytes_, guard_.limits_.target_bytes, ErrorKind::target_too_long,
              "the target is too long"))
      return;
    if (here_ == end_) return;
    if (*here_ != ' ') return refuse("a byte that is not allowed in a request target, or no version behind it");
    if (guard_.token_bytes_ == 0) return refuse("more than one space in the request line");
    pass(At::request_version);
  }

  void version(char behind, At next) {
    guard_.started_ = true;
    std::size_t& at = guard_.token_bytes_;
    if (at == 0 && end_ - here_ >= 8 && std::memcmp(here_, "HTTP/1.", 7) == 0 &&
        is_digit(here_[7])) {  // the usual case
      guard_.major_ = '1';
      guard_.minor_ = here_[7];
      at = kVersionShape.size();
      here_ += at;
      if (here_ == end_) return;
    }
    if (at < kVersionShape.size()) {
      const char shape = kVersionShape[at];
      if (shape == 'd' ? !is_digit(*here_) : *here_ != shape) return refuse("no HTTP version where one is expected");
      if (shape == 'd') (at == 5 ? guard_.major_ : guard_.minor_) = *here_;
      ++at;
      ++here_;
      return;
    }
    if (*here_ != behind) return refuse("the HTTP version is not followed by what belongs there");
    if (guard_.major_ != '1' || guard_.minor_ > '1') return refuse("not HTTP/1.0 or HTTP/1.1", ErrorKind::bad_version);
    pass(next);
  }

  void status_code() {
    const bool first = guard_.token_bytes_ == 0;
    if (!is_digit(*here_) || (first && *here_ == '0')) return refuse("the status code is not a number from 100 to 999");
    ++here_;
    if (++guard_.token_bytes_ == 3) guard_.at_ = At::status_code_end;
  }

  void status_code_end() {
    if (*here_ == ' ') return pass(At::reason);
    if (*here_ == '\r') return pass(At::line_feed);  // no space, no reason: wrong, common and harmless
    refuse("the status code is not followed by a space");
  }

  // Visible characters, spaces, tabs and bytes from 0x80, as far as they go.
  bool text() {
    const char* stop = skip_text(here_, end_);
    while (stop != end_ && *stop == '\t') stop = skip_text(stop + 1, end_);
    return take_field_bytes(stop);
  }

  void reason() {
    if (!text() || here_ == end_) return;
    if (*here_ != '\r') return refuse("a control byte in the reason phrase");
    pass(At::line_feed);
  }

  void line_feed() {
    if (*here_ != '\n') return refuse("CR without LF");
    pass(At::field_start);
    if (!guard_.in_fields_) step_.start_line = static_cast<std::size_t>(here_ - begin_);
    guard_.in_fields_ = true;
  }

  void value() {
    const char* from = here_;
    const bool all = text();
    guard_.fields_->append_value({from, here_});
    if (!all || here_ == end_) return;
    if (*here_ != '\r') return refuse("a control byte or bare LF in a field value");
    guard_.fields_->finish_field();
    pass(At::line_feed);
    if (here_ != end_) line_feed();
  }

  // The quick way through lines that are here as a whole and have nothing special; stops before any other line.
  void plain_fields() {
    while (guard_.field_count_ < guard_.limits_.field_count) {
      const char* colon = skip_token(here_, end_);
      if (colon == here_ || colon == end_ || *colon != ':' ||
          colon - here_ > static_cast<std::ptrdiff_t>(kMaxNameBytes))
        return;
      const char* line_end = skip_text(colon + 1, end_);
      if (end_ - line_end < 2 || line_end[0] != '\r' || line_end[1] != '\n') return;
      const auto bytes = static_cast<std::size_t>(line_end - here_ - 1);  // all but the colon
      if (bytes > guard_.limits_.field_bytes - guard_.field_bytes_) return;
      guard_.field_bytes_ += bytes;
      ++guard_.field_count_;
      guard_.fields_->add_line({here_, line_end + 2}, static_cast<std::size_t>(colon - here_));
      here_ = line_end + 2;
    }
  }

  void field_start() {
    plain_fields();
    if (here_ == end_) return;
    if (*here_ == '\r') return pass(At::last_lf);
    if (is_ows(*here_)) return refuse("a line begins with white space (obs-fold)");
    if (*here_ == ':') return refuse("a field without a name");
    if (++guard_.field_count_ > guard_.limits_.field_count)
      return refuse("too many header fields", ErrorKind::head_too_large);
    guard_.at_ = At::name;
    guard_.fields_->begin_field();
    name();
  }

  void name() {
    const char* stop = skip_token(here_, end_);
    const auto run = static_cast<std::size_t>(stop - here_);
    if (guard_.token_bytes_ + run > kMaxNameBytes) {
      stop = here_ + (kMaxNameBytes - guard_.token_bytes_);
      if (take_field_bytes(stop)) refuse("a field name is too long", ErrorKind::head_too_large);
      return;
    }
    const char* from = here_;
    const bool all = take_field_bytes(stop);
    guard_.fields_->append_name({from, here_});
    if (!all) return;
    guard_.token_bytes_ += run;
    if (here_ == end_) return;
    if (*here_ != ':') return refuse("a byte that is not allowed in a field name, or no colon behind it");
    pass(At::value);
    if (here_ != end_) value();
  }

  HeadGuard& guard_;
  const char* begin_;
  const char* here_;
  const char* end_;
  GuardStep step_;
};

GuardStep HeadGuard::scan(std::string_view input) {
  return Scanner{*this, input}.run();
}

}  // namespace outrider
