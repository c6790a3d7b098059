// The plugin: starts checks, shows them, keeps what they found.
#include "plugins/linkcheck/linkcheck.hpp"

#include "base/url.hpp"
#include "plugins/api/document.hpp"
#include "plugins/api/plugin_library.hpp"
#include "plugins/linkcheck/link_check.hpp"
#include "plugins/linkcheck/report_shelf.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <atomic>
#include <charconv>

namespace outrider {

const PluginFile* find_linkcheck_file(std::string_view name);

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = 2;       // checks
constexpr unsigned kSecondsToSave = 10;  // what is under way
constexpr std::size_t kLongestUrl = 2048;
constexpr unsigned kSecondsToSweep = 30;
constexpr std::size_t kSweptAtOnce = 100;

struct LinkcheckSettings {
  std::int64_t max_pages = 500;
  std::int64_t max_links = 2000;
  Duration slow_after = 3s;
  std::int64_t keep = 20;

  static constexpr std::string_view kSection = "plugins.linkcheck";
  static constexpr std::string_view kComment = "Checks the links of a page or a site; see docs/linkcheck.md.";
  static void describe(SectionSchema<LinkcheckSettings>& s) {
    s.key("max_pages", &LinkcheckSettings::max_pages, "Pages that are read in the check of a site.", Change::live,
          in_range(1, 100'000));
    s.key("max_links", &LinkcheckSettings::max_links, "Different addresses that are asked for in one check.",
          Change::live, in_range(1, 5000));
    s.key("slow_after", &LinkcheckSettings::slow_after,
          "A link whose answer takes longer to begin is reported as slow. Waiting for one's turn does not count.",
          Change::live, in_range(100ms, 1min));
    s.key("keep", &LinkcheckSettings::keep, "Reports that are kept; the oldest goes first.", Change::live,
          in_range(1, 1000));
  }
};

// "example.org/page" is what people type.
Result<std::string> page_address(std::string_view typed) {
  if (typed.size() > kLongestUrl) return Error{ErrorKind::invalid_argument, Side::client, "the address is too long"};
  const bool bare = typed.find("://") == std::string_view::npos;
  Result<Url> url = Url::parse(bare ? "https://" + std::string{typed} : std::string{typed});
  if (!url || !url->is_http() || url->hostname().empty())
    return Error{ErrorKind::invalid_argument, Side::client, "that is not the address of a page"};
  url->set_username("");
  url->set_password("");
  return std::string{url->href_without_fragment()};
}

class LinkcheckPlugin final : public Plugin {
 public:
  PluginInfo info() const override {
    return {"linkcheck",
            "Link check",
            "1.0",
            "Finds dead, moved, insecure and slow links of a page or a whole site.",
            {Hook::document, Hook::timer, Hook::card}};
  }
  void describe_settings(ConfigSchema& schema) const override { schema.add<LinkcheckSettings>(); }
  void configure(const Config& config) override { settings_ = config.share<LinkcheckSettings>(); }
  void start(const PluginPorts& ports) override;
  void stop() override;
  void on_timer() override {
    advance();
    if (++seconds_ % kSecondsToSweep == 0) sweep();
  }
  PluginAnswer on_document(const PluginDocumentRequest& request) override;
  json::object card() override;

 private:
  PluginAnswer read(const PluginDocumentRequest& request);
  PluginAnswer change(const PluginDocumentRequest& request);
  PluginAnswer begin(const PluginDocumentRequest& request);
  PluginAnswer show(std::string_view name, const std::string& user);
  json::array list(const std::string& user) const;
  LinkCheck* running(std::uint64_t id, const std::string& user);
  bool owns(std::uint64_t id, const std::string& user) const;
  void advance();
  void save(const LinkCheck& check);
  void sweep();

  std::atomic<std::shared_ptr<const LinkcheckSettings>> settings_{std::make_shared<const LinkcheckSettings>()};
  PluginPorts ports_;
  std::unique_ptr<ReportShelf> shelf_;
  std::map<std::uint64_t, std::unique_ptr<LinkCheck>> checks_;  // under way
  std::uint64_t last_id_ = 0;
  std::uint64_t version_ = 0;  // of what is shown; grows also over a restart
  unsigned ticks_ = 0, seconds_ = 0;
};

void LinkcheckPlugin::start(const PluginPorts& ports) {
  ports_ = ports;
  shelf_ = std::make_unique<ReportShelf>(*ports.store);
  last_id_ = shelf_->load(ports.clock->now());
  version_ = static_cast<std::uint64_t>(ports.clock->now().time_since_epoch() / 1ms);
  if (ports.robot == nullptr) return;
  for (const TaskStatus& task : ports.robot->list())  // of a check that is no more
    if (task.spec.owner == LinkCheck::kOwner) (void)ports.robot->remove(task.id);
}

void LinkcheckPlugin::stop() {
  for (auto& [id, check] : checks_) {
    check->end(LinkReport::State::interrupted, "Outrider was stopped meanwhile");
    save(*check);
  }
  checks_.clear();
}

void LinkcheckPlugin::save(const LinkCheck& check) {
  const Result<void> put = shelf_->put(check.report(), static_cast<std::size_t>(settings_.load()->keep));
  if (!put && ports_.events != nullptr) ports_.events->publish("not_saved", {{"reason", put.error().detail}});
}

void LinkcheckPlugin::advance() {
  if (checks_.empty()) return;
  ++version_;
  const bool due = ++ticks_ % kSecondsToSave == 0;
  for (auto at = checks_.begin(); at != checks_.end();) {
    LinkCheck& check = *at->second;
    check.advance();
    if (check.over() || due) save(check);
    if (!check.over()) {
      ++at;
      continue;
    }
    if (ports_.events != nullptr) ports_.events->publish("finished", summary_json(check.report()));
    at = checks_.erase(at);
  }
}

void LinkcheckPlugin::sweep() {
  if (ports_.memory == nullptr) return;
  const auto is_known = [this](const std::string& user, const std::string& url) {
    const Result<std::optional<Node>> node = ports_.memory->node(Viewer{user}, url, false, /*with_in_degree=*/false);
    return !node || node->has_value();  // a memory that does not answer has forgotten nothing
  };
  if (shelf_->sweep(is_known, kSweptAtOnce)) ++version_;
}

PluginAnswer LinkcheckPlugin::on_document(const PluginDocumentRequest& request) {
  if (!may_look(request)) return problem_answer(403, "This is for people who have logged in.");
  if (request.method == Method::post) return change(request);
  if (request.method != Method::get && request.method != Method::head) return problem_answer(405, "GET or POST.");
  return read(request);
}

PluginAnswer LinkcheckPlugin::read(const PluginDocumentRequest& request) {
  const std::string_view name = std::string_view{request.path}.substr(1);
  if (const PluginFile* file = find_linkcheck_file(name.empty() ? "index.html" : name)) return file_answer(*file);
  if (name == "reports") return json_answer(json::object{{"reports", list(request.user)}});
  if (name == "events") {
    std::optional<json::value> news;
    if (last_event_id(request) != version_) news = json::object{{"reports", list(request.user)}};
    return event_answer(version_, news);
  }
  if (name.starts_with("reports/")) return show(name.substr(8), request.user);
  return problem_answer(404, "There is no such document.");
}

// "12.json", "12.csv"
PluginAnswer LinkcheckPlugin::show(std::string_view name, const std::string& user) {
  std::uint64_t id = 0;
  const auto [rest, failed] = std::from_chars(name.data(), name.data() + name.size(), id);
  const std::string_view ending{rest, static_cast<std::size_t>(name.data() + name.size() - rest)};
  if (failed != std::errc{} || (ending != ".json" && ending != ".csv") || !owns(id, user))
    return problem_answer(404, "There is no such report.");
  std::optional<LinkReport> kept;
  const LinkCheck* const check = running(id, user);
  if (check == nullptr) kept = shelf_->get(id);
  if (check == nullptr && !kept) return problem_answer(404, "There is no such report.");
  const LinkReport& report = check != nullptr ? check->report() : *kept;
  if (ending == ".json") return json_answer(to_json(report));
  PluginAnswer answer = fresh_answer("text/csv; charset=utf-8; header=present", to_csv(report));
  answer.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"links-{}.csv\"", id));
  return answer;
}

PluginAnswer LinkcheckPlugin::change(const PluginDocumentRequest& request) {
  if (request.path == "/check") return begin(request);
  const std::string_view path = request.path;
  const std::string id_text = form_value(request.body, "id").value_or("");
  std::uint64_t id = 0;
  std::from_chars(id_text.data(), id_text.data() + id_text.size(), id);
  if ((path != "/stop" && path != "/remove") || !owns(id, request.user))
    return problem_answer(404, "There is no such report.");
  if (LinkCheck* const check = running(id, request.user)) {
    check->advance();
    check->end(LinkReport::State::stopped, "somebody stopped it");
    save(*check);
    checks_.erase(id);
  }
  if (path == "/remove") shelf_->remove(id);
  ++version_;
  return json_answer(json::object{{"reports", list(request.user)}});
}

PluginAnswer LinkcheckPlugin::begin(const PluginDocumentRequest& request) {
  if (ports_.robot == nullptr) return problem_answer(503, "This Outrider has no robot, which it takes to ask.");
  const Result<std::string> url = page_address(form_value(request.body, "url").value_or(""));
  if (!url) return problem_answer(400, url.error().detail);
  if (ports_.own_switch != nullptr && !ports_.own_switch->is_on(Url::parse(*url)->hostname()))
    return problem_answer(503, "The link check is switched off.");
  if (checks_.size() >= kAtOnce)
    return problem_answer(429, "Two checks are running; wait for one of them, or stop it.");
  const std::shared_ptr<const LinkcheckSettings> settings = settings_.load();
  LinkCheckLimits limits;
  limits.pages = static_cast<std::size_t>(settings->max_pages);
  limits.links = static_cast<std::size_t>(settings->max_links);
  limits.slow_after = settings->slow_after;
  LinkReport report;
  report.id = ++last_id_;
  report.user = request.user;
  report.url = *url;
  report.site = form_value(request.body, "site").has_value();
  auto check = std::make_unique<LinkCheck>(std::move(report), limits, *ports_.robot, *ports_.clock);
  check->begin();
  save(*check);
  json::object shown = summary_json(check->report());
  if (!check->over()) checks_.emplace(last_id_, std::move(check));
  ++version_;
  return json_answer(shown, 202);
}

bool LinkcheckPlugin::owns(std::uint64_t id, const std::string& user) const {
  const auto found = shelf_->entries().find(id);
  return found != shelf_->entries().end() && found->second.user == user;
}

LinkCheck* LinkcheckPlugin::running(std::uint64_t id, const std::string& user) {
  const auto found = checks_.find(id);
  return found != checks_.end() && found->second->report().user == user ? found->second.get() : nullptr;
}

json::array LinkcheckPlugin::list(const std::string& user) const {
  json::array all;
  for (auto at = shelf_->entries().rbegin(); at != shelf_->entries().rend(); ++at) {
    if (at->second.user != user) continue;
    const auto check = checks_.find(at->first);
    all.push_back(check != checks_.end() ? summary_json(check->second->report()) : at->second.summary);
  }
  return all;
}

json::object LinkcheckPlugin::card() {
  return {{"lines",
           {{{"label", "Reports"}, {"value", shelf_->entries().size()}},
            {{"label", "Running"}, {"value", checks_.size()}}}},
          {"link", "/plugins/linkcheck/"}};
}

}  // namespace
}  // namespace outrider

OUTRIDER_PLUGIN(outrider::LinkcheckPlugin, make_linkcheck_plugin)
