#include "base/http_codec_core.hpp"
#include "base/http_validator.hpp"

namespace outrider {

struct ResponseParser::State final : HttpParserCore {
  explicit State(const HttpLimits& limits) : HttpParserCore(HTTP_RESPONSE, callbacks(), limits) { reset(); }

  void reset() {
    interim_doubtful = interim && doubtful;  // an interim response is part of the answer that follows
    interim = false;
    doubtful = interim_doubtful;
    keep_alive = false;
    head.clear();
    begin_message();
  }

  Result<ParseStep> finish() {
    if (failure_) return *failure_;
    if (phase_ == Phase::until_close) phase_ = Phase::complete;
    if (phase_ == Phase::complete) return ParseStep{ParseEvent::done, 0, {}};
    return fail(ErrorKind::closed_early, !started()              ? "closed without an answer"
                                         : phase_ == Phase::head ? "closed in the middle of the head"
                                                                 : "closed in the middle of the body");
  }

  HeaderMap& head_fields() override { return head.headers; }

  Result<BodyFraming> accept_head(HttpVersion version) override {
    head.version = version;
    head.status = llhttp_.status_code;
    Result<BodyFraming> framing = validate_response(head, request_method);
    if (!framing) return framing;
    interim = head.is_informational() && head.status != 101;
    doubtful = interim_doubtful || framing_is_doubtful(head);
    const bool ends_by_itself =
        framing->kind != BodyFraming::Kind::until_close && framing->kind != BodyFraming::Kind::tunnel;
    keep_alive = ends_by_itself && !doubtful && wants_persistence(head.headers, version);
    return framing;
  }

  static const llhttp_settings_t& callbacks() {
    static const llhttp_settings_t settings = [] {
      llhttp_settings_t s;
      llhttp_settings_init(&s);
      s.on_status = [](llhttp_t* parser, const char* at, std::size_t length) {
        self<State>(parser).head.reason.append(at, length);
        return 0;
      };
      return s;
    }();
    return settings;
  }

  ResponseHead head;
  Method request_method = Method::get;
  bool interim = false;           // the head is 1xx: another follows
  bool interim_doubtful = false;  // an earlier 1xx of the same answer was doubtful
  bool doubtful = false;
  bool keep_alive = false;
};

ResponseParser::ResponseParser(const HttpLimits& limits) : state_(std::make_unique<State>(limits)) {}
ResponseParser::~ResponseParser() = default;
ResponseParser::ResponseParser(ResponseParser&&) noexcept = default;
ResponseParser& ResponseParser::operator=(ResponseParser&&) noexcept = default;

void ResponseParser::expect(Method request_method) {
  state_->request_method = request_method;
}
Result<ParseStep> ResponseParser::feed(std::string_view input) {
  return state_->feed(input);
}
Result<ParseStep> ResponseParser::finish() {
  return state_->finish();
}
void ResponseParser::reset() {
  state_->reset();
}
bool ResponseParser::started() const {
  return state_->started();
}
ResponseHead& ResponseParser::head() {
  return state_->head;
}
const BodyFraming& ResponseParser::framing() const {
  return state_->framing();
}
bool ResponseParser::keep_alive() const {
  return state_->keep_alive;
}
bool ResponseParser::framing_doubtful() const {
  return state_->doubtful;
}
HeaderMap& ResponseParser::trailers() {
  return state_->trailers();
}

}  // namespace outrider
