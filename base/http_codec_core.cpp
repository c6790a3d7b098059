#include "base/http_codec_core.hpp"

#include "base/http_lists.hpp"
#include "base/http_validator.hpp"

#include <algorithm>
#include <string>

namespace outrider {
// --- llhttp

void HttpParserCore::start_llhttp() {
  llhttp_init(&llhttp_, type_, &settings_);
  llhttp_.data = this;
  llhttp_.lenient_flags = LENIENT_VERSION;  // the guard judges versions
}

Result<GuardStep> HttpParserCore::cut_head(std::string_view input) {
  const GuardStep guarded = guard_.scan(input);
  std::string_view start_line = input.substr(0, guarded.start_line);
  if (phase_ == Phase::head) start_line = take_method(start_line);
  if (!start_line.empty()) {
    const llhttp_errno_t code = llhttp_execute(&llhttp_, start_line.data(), start_line.size());
    if (code != HPE_OK) {
      const char* reason = llhttp_get_error_reason(&llhttp_);
      return fail(ErrorKind::bad_message, reason != nullptr ? reason : "malformed head");
    }
  }
  if (guarded.refused) return fail(guarded.kind, guarded.why);
  return guarded;
}

// --- the message

HttpParserCore::HttpParserCore(llhttp_type_t type, const llhttp_settings_t& settings, const HttpLimits& limits)
    : type_(type), settings_(settings), limits_(limits) {}

void HttpParserCore::begin_message() {
  start_llhttp();
  guard_.restart(type_ == HTTP_REQUEST ? HeadGuard::Opening::request_line : HeadGuard::Opening::status_line,
                 {limits_.target_bytes, limits_.header_bytes, limits_.header_count}, head_fields());
  phase_ = Phase::head;
  framing_ = {};
  trailers_.clear();
  failure_.reset();
}

Error HttpParserCore::fail(ErrorKind kind, std::string_view why) {
  failure_.emplace(kind, type_ == HTTP_REQUEST ? Side::client : Side::origin, std::string{why});
  return *failure_;
}

Result<ParseStep> HttpParserCore::feed(std::string_view input) {
  if (failure_) return *failure_;
  switch (phase_) {
    case Phase::head:
      return feed_head(input);
    case Phase::length:
      return feed_length(input);
    case Phase::chunked:
      return feed_chunked(input);
    case Phase::trailers:
      return feed_trailers(input);
    case Phase::until_close:
      if (input.empty()) return ParseStep{};
      return ParseStep{ParseEvent::body, input.size(), input};
    case Phase::complete:
      break;
  }
  return ParseStep{ParseEvent::done, 0, {}};
}

Result<ParseStep> HttpParserCore::feed_head(std::string_view input) {
  const Result<GuardStep> cut = cut_head(input);
  if (!cut) return cut.error();
  if (!cut->complete) return ParseStep{ParseEvent::need_more, cut->passed, {}};

  const Result<BodyFraming> accepted = accept_head(llhttp_.http_minor == 0 ? HttpVersion::http10 : HttpVersion::http11);
  if (!accepted) {
    failure_ = accepted.error();
    return *failure_;
  }
  framing_ = *accepted;
  switch (framing_.kind) {
    case BodyFraming::Kind::length:
      remaining_ = framing_.length;
      phase_ = remaining_ > 0 ? Phase::length : Phase::complete;
      break;
    case BodyFraming::Kind::chunked:
      chunks_.restart(limits_.chunk_extension_bytes);
      phase_ = Phase::chunked;
      break;
    case BodyFraming::Kind::until_close:
      phase_ = Phase::until_close;
      break;
    case BodyFraming::Kind::none:
    case BodyFraming::Kind::tunnel:
      phase_ = Phase::complete;
      break;
  }
  return ParseStep{ParseEvent::head, cut->passed, {}};
}

Result<ParseStep> HttpParserCore::feed_length(std::string_view input) {
  if (input.empty()) return ParseStep{};
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size()));
  remaining_ -= size;
  if (remaining_ == 0) phase_ = Phase::complete;
  return ParseStep{ParseEvent::body, size, input.substr(0, size)};
}

Result<ParseStep> HttpParserCore::feed_chunked(std::string_view input) {
  const ChunkStep chunk = chunks_.next(input);
  switch (chunk.event) {
    case ChunkStep::Event::need_more:
      return ParseStep{ParseEvent::need_more, chunk.consumed, {}};
    case ChunkStep::Event::data:
      return ParseStep{ParseEvent::body, chunk.consumed, chunk.data};
    case ChunkStep::Event::refused:
      return fail(ErrorKind::bad_message, chunk.why);
    case ChunkStep::Event::last_chunk:
      break;
  }
  begin_trailers();
  Result<ParseStep> step = feed_trailers(input.substr(chunk.consumed));
  if (step) step->consumed += chunk.consumed;
  return step;
}

void HttpParserCore::begin_trailers() {
  guard_.restart(HeadGuard::Opening::none, {0, limits_.trailer_bytes, limits_.header_count}, trailers_);
  phase_ = Phase::trailers;
}

Result<ParseStep> HttpParserCore::feed_trailers(std::string_view input) {
  const Result<GuardStep> cut = cut_head(input);
  if (!cut) return cut.error();
  if (!cut->complete) return ParseStep{ParseEvent::need_more, cut->passed, {}};
  for (std::size_t i = 0; i < trailers_.size();) {
    const HeaderId id = trailers_.at(i).id;
    const TrailerRule rule = trailer_rule(id);
    if (rule == TrailerRule::refuse)
      return fail(ErrorKind::bad_message, "a trailer field that would change the framing or route");
    if (rule == TrailerRule::drop) {
      trailers_.remove(id);  // none of them stands before i
    } else {
      ++i;
    }
  }
  phase_ = Phase::complete;
  return ParseStep{ParseEvent::done, cut->passed, {}};
}

bool wants_persistence(const HeaderMap& headers, HttpVersion version) {
  bool close = false, keep = version == HttpVersion::http11;
  headers.each(HeaderId::connection, [&](const HeaderField& field) {
    ListReader options{field.value};
    while (const auto option = options.next()) {
      close = close || equal_ignoring_case(*option, "close");
      keep = keep || equal_ignoring_case(*option, "keep-alive");
    }
  });
  return keep && !close;
}

}  // namespace outrider
