#include "plugins/rearmirror/page_picture.hpp"

#include "base/address_policy.hpp"
#include "base/http_headers.hpp"
#include "base/url.hpp"
#include "base/url_percent.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>

namespace outrider {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr unsigned kMostRequests = 150;
constexpr auto kToCapture = 2s;  // of the time is left for the picture itself
// 1024 × 768, shown as 320 × 240.
constexpr int kWidth = 1024, kHeight = 768;
constexpr double kScale = 0.3125;

Error refused(std::string what) {
  return {ErrorKind::bad_message, Side::origin, std::move(what)};
}

std::string_view text_in(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string_view{found->get_string()} : std::string_view{};
}

const json::object& object_in(const json::object& object, std::string_view key) {
  static const json::object none;
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_object() ? found->get_object() : none;
}

// This machine and the networks behind it are not for pages that nobody has opened.
bool is_public_host(const Url& url) {
  const std::string_view host = url.hostname();
  if (url.host_kind() == HostKind::ipv4 || url.host_kind() == HostKind::ipv6) {
    std::string bare{host};
    if (bare.starts_with('[')) bare = bare.substr(1, bare.size() - 2);
    boost::system::error_code failed;
    const IpAddress address = boost::asio::ip::make_address(bare, failed);
    return !failed && AddressPolicy::public_only().check(address, url.effective_port()).has_value();
  }
  if (url.host_kind() != HostKind::domain || host.find('.') == std::string_view::npos) return false;
  for (const std::string_view ending : {".localhost", ".local", ".internal", ".lan", ".home.arpa"})
    if (host.ends_with(ending)) return false;
  return true;
}

}  // namespace

bool picture_from_base64(std::string_view text, std::string& out) {
  const auto value = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (is_ascii_digit(c)) return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
  };
  while (text.ends_with('=')) text.remove_suffix(1);
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const int six = value(c);
    if (six < 0) return false;
    held = (held << 6 | static_cast<unsigned>(six)) & 0xFFFFFF;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(held >> bits & 0xFF);
  }
  return true;
}

bool picture_may_load(std::string_view url, std::string_view method, std::string_view kind, bool main,
                      std::string_view page_url) {
  if (method != "GET") return false;
  if (kind == "Document" && !main) return false;  // frames
  if (kind != "Document" && kind != "Stylesheet" && kind != "Image" && kind != "Font") return false;
  if (url.starts_with("data:")) return kind != "Document";
  const Result<Url> wanted = Url::parse(url);
  const Result<Url> page = Url::parse(page_url);
  if (!wanted || !page || !wanted->is_http()) return false;
  return wanted->host() == page->host() || is_public_host(*wanted);
}

Result<json::object> PagePicture::command(std::string_view method, json::object parameters, Deadline until) {
  const std::int64_t id = ++last_;
  json::object message{{"id", id}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  if (Result<void> sent = chromium_.send(json::serialize(message), until); !sent) return sent.error();
  for (;;) {
    Result<std::string> text = chromium_.receive(until);
    if (!text) return text.error();
    boost::system::error_code failed;
    json::value parsed = json::parse(*text, failed);
    if (failed || !parsed.is_object()) return refused("Chromium sent no JSON");
    json::object& answer = parsed.get_object();
    const json::value* number = answer.if_contains("id");
    if (number == nullptr) {
      note(answer, until);
    } else if (number->is_int64() && number->get_int64() == id) {
      if (answer.contains("error"))
        return refused(fmt::format("{}: {}", method, text_in(object_in(answer, "error"), "message")));
      return object_in(answer, "result");
    }
  }
}

void PagePicture::note(const json::object& event, Deadline until) {
  const std::string_view method = text_in(event, "method");
  const json::object& about = object_in(event, "params");
  if (method == "Fetch.requestPaused") {
    decide(about, until);
  } else if (method == "Page.loadEventFired") {
    loaded_ = true;
  } else if (method == "Page.javascriptDialogOpening") {
    loaded_ = true;
  } else if (method == "Network.responseReceived" && text_in(about, "type") == "Document" &&
             text_in(about, "frameId") == frame_) {
    const json::object& response = object_in(about, "response");
    if (const json::value* status = response.if_contains("status"); status != nullptr && status->is_number())
      status_ = static_cast<int>(status->to_number<double>());
    for (const auto& [name, value] : object_in(response, "headers")) {
      if (!equal_ignoring_case(name, "cache-control") || !value.is_string()) continue;
      std::string text{value.get_string()};
      std::transform(text.begin(), text.end(), text.begin(), to_ascii_lower);
      if (text.find("no-store") != std::string::npos || text.find("private") != std::string::npos) may_keep_ = false;
    }
  }
}

// Answers are not waited for: the request is either gone or goes on.
void PagePicture::decide(const json::object& about, Deadline until) {
  const json::object& request = object_in(about, "request");
  const bool main = text_in(about, "frameId") == frame_;
  const bool fine =
      ++requests_ <= kMostRequests && picture_may_load(text_in(request, "url"), text_in(request, "method"),
                                                       text_in(about, "resourceType"), main, page_url_);
  json::object parameters{{"requestId", text_in(about, "requestId")}};
  if (!fine) parameters["errorReason"] = "BlockedByClient";
  const json::object message{{"id", ++last_},
                             {"method", fine ? "Fetch.continueRequest" : "Fetch.failRequest"},
                             {"params", std::move(parameters)},
                             {"sessionId", session_}};
  (void)chromium_.send(json::serialize(message), until);
}

Result<void> PagePicture::prepare(Deadline until) {
  Result<json::object> context = command("Target.createBrowserContext", {{"disposeOnDetach", true}}, until);
  if (!context) return context.error();
  context_ = text_in(*context, "browserContextId");
  Result<json::object> target =
      command("Target.createTarget",
              {{"url", "about:blank"}, {"browserContextId", context_}, {"width", kWidth}, {"height", kHeight}}, until);
  if (!target) return target.error();
  frame_ = text_in(*target, "targetId");  // of a page it is also the name of its frame
  (void)command("Browser.setDownloadBehavior", {{"behavior", "deny"}, {"browserContextId", context_}}, until);
  Result<json::object> attached = command("Target.attachToTarget", {{"targetId", frame_}, {"flatten", true}}, until);
  if (!attached) return attached.error();
  session_ = text_in(*attached, "sessionId");
  const std::pair<std::string_view, json::object> wishes[] = {
      {"Page.enable", {}},
      {"Network.enable", {}},
      // So that the memory does not take it for a person's visit.
      {"Network.setExtraHTTPHeaders", {{"headers", {{"Sec-Purpose", "prefetch;preview"}}}}},
      {"Emulation.setScriptExecutionDisabled", {{"value", true}}},
      {"Emulation.setDeviceMetricsOverride",
       {{"width", kWidth}, {"height", kHeight}, {"deviceScaleFactor", 1}, {"mobile", false}}},
      {"Fetch.enable", {{"patterns", json::array{json::object{{"urlPattern", "*"}}}}}},
  };
  for (const auto& [method, parameters] : wishes)
    if (Result<json::object> done = command(method, parameters, until); !done) return done.error();
  return {};
}

Result<void> PagePicture::load(const std::string& url, Deadline until) {
  Result<json::object> gone = command("Page.navigate", {{"url", url}}, until);
  if (!gone) return gone.error();
  if (const std::string_view problem = text_in(*gone, "errorText"); !problem.empty())
    return refused(fmt::format("the page cannot be loaded: {}", problem));
  // What is not there by then is missing in the picture.
  const Deadline enough{until.at() - kToCapture};
  while (!loaded_) {
    Result<std::string> text = chromium_.receive(enough);
    if (!text && text.error().kind == ErrorKind::timeout) break;
    if (!text) return text.error();
    boost::system::error_code failed;
    const json::value parsed = json::parse(*text, failed);
    if (!failed && parsed.is_object() && !parsed.get_object().contains("id")) note(parsed.get_object(), until);
  }
  if (status_ != 200) return refused(fmt::format("the page answered with status {}", status_));
  if (!may_keep_) return refused("the page is not to be kept");
  return {};
}

Result<std::string> PagePicture::draw(const std::string& url, Deadline until) {
  page_url_ = url;
  session_.clear();
  requests_ = 0;
  status_ = 0;
  may_keep_ = true;
  loaded_ = false;
  if (Result<void> prepared = prepare(until); !prepared) return prepared.error();
  if (Result<void> loaded = load(url, until); !loaded) return loaded.error();
  const json::object clip{{"x", 0}, {"y", 0}, {"width", kWidth}, {"height", kHeight}, {"scale", kScale}};
  Result<json::object> picture =
      command("Page.captureScreenshot", {{"format", "jpeg"}, {"quality", 72}, {"clip", clip}}, until);
  if (!picture) return picture.error();
  std::string bytes;
  if (!picture_from_base64(text_in(*picture, "data"), bytes)) return refused("Chromium sent no picture");
  session_.clear();
  (void)command("Target.disposeBrowserContext", {{"browserContextId", context_}}, until);
  return bytes;
}

}  // namespace outrider
