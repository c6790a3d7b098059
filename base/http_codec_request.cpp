#include "base/http_codec_core.hpp"
#include "base/http_validator.hpp"
#include "base/kept_memory.hpp"

#include <algorithm>

namespace outrider {

struct RequestParser::State final : HttpParserCore {
  explicit State(const HttpLimits& limits) : HttpParserCore(HTTP_REQUEST, callbacks(), limits) { reset(); }

  void reset() {
    head.clear();
    head.method_text.clear();  // it may come in pieces
    method_complete = false;
    keep_alive = false;
    expects_continue = false;
    begin_message();
  }

  void release_large() {
    outrider::release_large(head.method_text);
    outrider::release_large(head.target);
    head.headers.release_large();
    trailers().release_large();
  }

  HeaderMap& head_fields() override { return head.headers; }

  // llhttp refuses methods that are not in its table, but what they mean is between client and origin (RFC 9110 section
  // 9.1). So the name stays here, and llhttp is shown one that it knows: nothing but the form of the target depends on
  // it.
  std::string_view take_method(std::string_view passed) override {
    if (method_complete) return passed;
    if (head.method_text.empty())  // the guard has counted the empty lines before it
      passed.remove_prefix(std::min(passed.find_first_not_of("\r\n"), passed.size()));
    const std::size_t space = passed.find(' ');
    head.method_text.append(passed.substr(0, space));
    if (space == std::string_view::npos) return {};
    method_complete = true;
    const std::string_view stand_in = head.method_text == "CONNECT" ? "CONNECT " : "GET ";
    if (passed.starts_with(stand_in)) return passed;  // the most frequent one at no cost
    llhttp_execute(&llhttp_, stand_in.data(), stand_in.size());
    return passed.substr(space + 1);
  }

  Result<BodyFraming> accept_head(HttpVersion version) override {
    head.version = version;
    head.method = method_from(head.method_text);
    Result<BodyFraming> framing = validate_request(head);
    if (!framing) return framing;
    // A proxy must not keep a connection open for an HTTP/1.0 client, whatever it asks for (RFC 9112 section 9.3): the
    // word may have been passed on by an older proxy that does not know what it means.
    const bool modern = version == HttpVersion::http11;
    keep_alive = modern && wants_persistence(head.headers, version);
    // Ignored in HTTP/1.0 and without a body to wait for (RFC 9110 section 10.1.1).
    expects_continue = modern && framing->has_body() && head.headers.lists(HeaderId::expect, "100-continue");
    return framing;
  }

  static const llhttp_settings_t& callbacks() {
    static const llhttp_settings_t settings = [] {
      llhttp_settings_t s;
      llhttp_settings_init(&s);
      s.on_url = [](llhttp_t* parser, const char* at, std::size_t length) {
        self<State>(parser).head.target.append(at, length);
        return 0;
      };
      return s;
    }();
    return settings;
  }

  RequestHead head;
  bool method_complete = false;
  bool keep_alive = false;
  bool expects_continue = false;
};

RequestParser::RequestParser(const HttpLimits& limits) : state_(std::make_unique<State>(limits)) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

Result<ParseStep> RequestParser::feed(std::string_view input) {
  return state_->feed(input);
}
void RequestParser::reset() {
  state_->reset();
}
void RequestParser::release_large() {
  state_->release_large();
}
bool RequestParser::started() const {
  return state_->started();
}
RequestHead& RequestParser::head() {
  return state_->head;
}
const BodyFraming& RequestParser::framing() const {
  return state_->framing();
}
bool RequestParser::keep_alive() const {
  return state_->keep_alive;
}
bool RequestParser::expects_continue() const {
  return state_->expects_continue;
}
HeaderMap& RequestParser::trailers() {
  return state_->trailers();
}

}  // namespace outrider
