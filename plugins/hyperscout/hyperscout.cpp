// HyperScout: puts a small script into pages, serves the card that it shows, and answers what the card asks.
#include "plugins/hyperscout/hyperscout.hpp"

#include "plugins/api/document.hpp"
#include "plugins/api/plugin_library.hpp"
#include "plugins/hyperscout/assets.hpp"
#include "plugins/hyperscout/documents.hpp"
#include "plugins/hyperscout/look_ups.hpp"
#include "plugins/hyperscout/page_injection.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <array>
#include <atomic>

namespace outrider {
namespace hyperscout {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestUrl = 4096;
constexpr std::size_t kLinksToChooseFrom = 3;  // for each that is looked at in advance
constexpr auto kFramed =
    std::to_array<std::string_view>({"card", "card.css", "card.js", "marks", "marks.css", "marks.js"});

PluginAnswer refusal(int status, std::string_view words) {
  return {status, "text/plain; charset=utf-8", std::string{words} + "\n", {}, nullptr};
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string{value->get_string()} : std::string{};
}

bool saves_data(const HeaderMap& headers) {
  return equal_ignoring_case(headers.find(HeaderId::save_data).value_or(""), "on");
}

class HyperScout final : public Plugin {
 public:
  PluginInfo info() const override {
    return {"hyperscout",
            "HyperScout",
            "1.0",
            "Shows what is behind a link before it is followed.",
            {Hook::page, Hook::visit, Hook::robot_page, Hook::task_end, Hook::timer, Hook::document, Hook::card}};
  }
  void describe_settings(ConfigSchema& schema) const override { schema.add<Settings>(); }
  void configure(const Config& config) override { settings_ = config.share<Settings>(); }
  void start(const PluginPorts& ports) override {
    ports_ = ports;
    look_ups_ = std::make_unique<LookUps>(ports);
  }
  void stop() override { look_ups_->stop(); }
  std::vector<PluginResource> resources() const override {
    const Asset& script = *find_asset(kScriptFile);
    return {{std::string{script.name}, std::string{script.type}, std::string{script.bytes}}};
  }
  // What is in frames of other pages: how soon it comes says nothing about what the plugin is doing.
  std::vector<PluginDocument> documents() const override {
    std::vector<PluginDocument> all;
    for (const std::string_view name : kFramed) all.push_back({fmt::format("/{}", name), *asset_answer(name)});
    return all;
  }

  std::unique_ptr<PageFilter> on_page(const PluginRequest& request, const PluginResponse& response) override {
    const Result<Url> url = Url::parse(request.url);
    if (!url) return nullptr;
    return std::make_unique<PageInjection>(*url, *settings_.load(), watch(*url, request, response));
  }
  void on_visit(const MemoryEvent& visit) override {
    const Result<Url> url = Url::parse(visit.url);
    if (ports_.own_switch != nullptr && url && !ports_.own_switch->is_on(url->hostname())) return;
    look_ups_->visited({visit.user, true}, visit.url, *settings_.load());
  }
  void on_robot_page(const RobotPage& page) override { look_ups_->arrived(page); }
  void on_task_end(std::uint64_t task, std::string_view) override { look_ups_->ended(static_cast<TaskId>(task)); }
  void on_timer() override { look_ups_->tick(); }

  PluginAnswer on_document(const PluginDocumentRequest& request) override {
    const std::string_view name = std::string_view{request.path}.substr(1);
    if (request.method == Method::post) {
      // Whatever is asked or changed here is a person's own business: only for the card and for pages of ours.
      if (!request.own_page) return refusal(403, "This is for Outrider's own pages.");
      // Who is not known by name has no more than his own view; and there is none of somebody else of this machine.
      if (!request.local && request.user.empty()) return refusal(403, "This is for people who have logged in.");
      if (name == "look") return look(request);
      if (name == "dead") return dead_ones(request);
      if (name == "copy") return copy(request);
      if (name == "switch")
        return may_look(request) ? turn(request) : refusal(403, "This is for people who have logged in.");
      return refusal(404, "There is no such thing.");
    }
    if (name.empty()) return switches(form_value(request.query, "site"));
    if (std::optional<PluginAnswer> asset = asset_answer(name); asset && name != kScriptFile) return std::move(*asset);
    return refusal(404, "There is no such thing.");
  }

  json::object card() override {
    const LookUps::Counts& counts = look_ups_->counts();
    const auto line = [](std::string_view label, std::uint64_t value) {
      return json::object{{"label", label}, {"value", value}};
    };
    return {{"lines",
             json::array{line("Cards", counts.cards), line("From memory", counts.from_memory),
                         line("Fetched for cards", counts.for_cards), line("Fetched in advance", counts.in_advance)}},
            {"link", "/plugins/hyperscout/"}};
  }

 private:
  // Who looks at the links of a page while it passes; nullptr: nobody, because it is one person's, or asks robots to
  // leave it alone, or the reader wants to save data, or all that may be spent is spent.
  std::unique_ptr<LinkWatch> watch(const Url& page, const PluginRequest& request, const PluginResponse& response) {
    const std::shared_ptr<const Settings> settings = settings_.load();
    if (ports_.own_thread == nullptr || !response.for_everybody || response.headers.has(HeaderId::x_robots_tag) ||
        saves_data(request.headers) || !look_ups_->may_look_ahead(page.hostname(), *settings))
      return nullptr;
    auto tell = [this, page, user = request.user](SeenLinks seen) {
      ports_.own_thread->post([this, page, user, seen = std::move(seen)] {
        look_ups_->passing({user, true}, page, seen, *settings_.load());
      });
    };
    return std::make_unique<LinkWatch>(std::size_t{settings->quiet_links} * kLinksToChooseFrom, std::move(tell));
  }

  PluginAnswer look(const PluginDocumentRequest& request) {
    json::error_code wrong;
    const json::value asked = json::parse(request.body, wrong);
    if (wrong || !asked.is_object()) return refusal(400, "This is no question.");
    const Result<Url> url = Url::parse(text_of(asked.get_object(), "url"));
    if (!url || !url->is_http() || url->href().size() > kLongestUrl) return refusal(400, "This is no address.");
    LookUps::Question question;
    question.viewer = {request.user, true};
    question.url = url->href_without_fragment();
    question.text = text_of(asked.get_object(), "text").substr(0, 400);
    question.site = text_of(asked.get_object(), "page").substr(0, 255);  // the card has it from the browser
    question.save_data = saves_data(request.headers);
    PluginAnswer answer{200, "application/x-ndjson", "", {{"Cache-Control", "no-store"}}, nullptr};
    answer.stream = look_ups_->begin(question, *settings_.load());
    return answer;
  }

  PluginAnswer dead_ones(const PluginDocumentRequest& request) {
    if (!settings_.load()->mark_dead_links) return refusal(403, "Dead links are not marked.");
    json::error_code wrong;
    const json::value asked = json::parse(request.body, wrong);
    if (wrong || !asked.is_array() || ports_.memory == nullptr) return refusal(400, "This is no question.");
    PluginAnswer answer{200, "application/json", "", {{"Cache-Control", "no-store"}}, nullptr};
    answer.stream = look_ups_->marks({request.user, true}, asked.get_array());
    return answer;
  }

  PluginAnswer copy(const PluginDocumentRequest& request) {
    const Result<Url> url = Url::parse(form_value(request.body, "url"));
    if (!url || ports_.memory == nullptr) return refusal(400, "This is no address.");
    const Result<std::optional<Node>> node =
        ports_.memory->node({request.user, true}, url->href_without_fragment(), true);
    if (!node || !*node || (*node)->page.text.empty()) return refusal(404, "Nothing is kept of this page.");
    return copy_page(**node);
  }

  PluginAnswer turn(const PluginDocumentRequest& request) {
    const std::string site = form_value(request.body, "site");
    const std::string on = form_value(request.body, "on");
    if (ports_.own_switch == nullptr || (on != "0" && on != "1")) return refusal(400, "This is no switch.");
    if (Result<void> turned = ports_.own_switch->turn(site, on == "1"); !turned)
      return refusal(400, turned.error().detail);
    const bool by_form = request.headers.joined(HeaderId::accept).find("text/html") != std::string::npos;
    if (!by_form) return {204, "", "", {}, nullptr};
    std::string back = "./";
    if (!site.empty()) back += "?site=" + site;  // the switch took it, so it is a host name
    return {303, "text/plain", "", {{"Location", back}}, nullptr};
  }

  PluginAnswer switches(const std::string& site) {
    if (ports_.own_switch == nullptr) return refusal(404, "There is no such thing.");
    return switch_page(site, ports_.own_switch->is_on(""), ports_.own_switch->is_on(site));
  }

  PluginPorts ports_;
  std::unique_ptr<LookUps> look_ups_;
  std::atomic<std::shared_ptr<const Settings>> settings_{std::make_shared<const Settings>()};
};

}  // namespace
}  // namespace hyperscout
}  // namespace outrider

OUTRIDER_PLUGIN(outrider::hyperscout::HyperScout, make_hyperscout_plugin)
