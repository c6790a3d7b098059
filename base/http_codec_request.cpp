#include "base/http_codec_core.hpp"
#include "base/http_validator.hpp"

namespace outrider {

struct RequestParser::State final : HttpParserCore {
  explicit State(const HttpLimits& limits) : HttpParserCore(HTTP_REQUEST, callbacks(), limits) { reset(); }

  void reset() {
    head.clear();
    head.method_text.clear();  // llhttp delivers it in pieces
    keep_alive = false;
    expects_continue = false;
    begin_message();
  }

  HeaderMap& head_fields() override { return head.headers; }

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
      s.on_method = [](llhttp_t* parser, const char* at, std::size_t length) {
        self<State>(parser).head.method_text.append(at, length);
        return 0;
      };
      s.on_url = [](llhttp_t* parser, const char* at, std::size_t length) {
        self<State>(parser).head.target.append(at, length);
        return 0;
      };
      return s;
    }();
    return settings;
  }

  RequestHead head;
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
