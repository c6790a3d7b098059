// The plugin: follows the reader, and shows who links to the page in front of him.
#include "plugins/rearmirror/rearmirror.hpp"

#include "base/escape.hpp"
#include "base/url.hpp"
#include "plugins/api/document.hpp"
#include "plugins/api/plugin_library.hpp"
#include "plugins/api/proxy_user.hpp"
#include "plugins/rearmirror/hit_pictures.hpp"
#include "plugins/rearmirror/mirror_hits.hpp"
#include "plugins/rearmirror/search_source.hpp"
#include "plugins/rearmirror/settings.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <atomic>

namespace outrider {

const PluginFile* find_rearmirror_file(std::string_view name);

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t kLongestUrl = 4096;

std::string clean(std::string_view text) {
  return one_line(utf8_prefix(text, 2048));
}

std::int64_t millis(WallTime at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

// As the memory names pages. "" = not a page of the web.
std::string page_name(std::string_view text) {
  if (text.size() > kLongestUrl) return {};
  const Result<Url> url = Url::parse(text);
  if (!url || !url->is_http() || url->hostname() == "outrider.internal") return {};
  return std::string{url->href_without_fragment()};
}

class RearMirrorPlugin final : public Plugin, public ProxyUser {
 public:
  PluginInfo info() const override {
    return {"rearmirror",
            "Rear mirror",
            "1.0",
            "Shows which pages link to the one in front of you.",
            {Hook::document, Hook::timer, Hook::card}};
  }
  void describe_settings(ConfigSchema& schema) const override { schema.add<RearMirrorSettings>(); }
  void configure(const Config& config) override { settings_ = config.share<RearMirrorSettings>(); }
  void use_proxy(ProxyPlace place) override { place_ = std::move(place); }
  void start(const PluginPorts& ports) override;
  void stop() override;
  void on_timer() override;
  PluginAnswer on_document(const PluginDocumentRequest& request) override;
  json::object card() override;

 private:
  PluginAnswer follow(const PluginDocumentRequest& request);
  PluginAnswer mirror(const PluginDocumentRequest& request);
  PluginAnswer picture(const PluginDocumentRequest& request);
  PluginAnswer search(const PluginDocumentRequest& request);
  json::object search_json(const std::string& url, const std::vector<MirrorHit>& known, bool open);
  HitPictures::State picture_of(const std::string& url);
  void heed_forgetting();

  std::atomic<std::shared_ptr<const RearMirrorSettings>> settings_{std::make_shared<const RearMirrorSettings>()};
  PluginPorts ports_;
  ProxyPlace place_;  // without address: nothing is drawn
  std::unique_ptr<SearchSource> source_;
  std::unique_ptr<HitPictures> pictures_;
  std::string shown_;  // the page that was asked about last
  std::uint64_t forgettings_ = 0;
  std::uint64_t version_ = 0;  // of what is shown; grows also over a restart
};

void RearMirrorPlugin::start(const PluginPorts& ports) {
  ports_ = ports;
  if (ports.memory != nullptr) forgettings_ = ports.memory->forgettings();
  version_ = static_cast<std::uint64_t>(ports.clock->now().time_since_epoch() / 1ms);
  if (ports.robot != nullptr) {
    for (const TaskStatus& task : ports.robot->list())  // of a run that was killed
      if (task.spec.owner == SearchSource::kOwner) (void)ports.robot->remove(task.id);
    source_ = std::make_unique<SearchSource>(*ports.robot, *ports.clock);
  }
  if (ports.memory == nullptr || ports.store == nullptr) return;
  pictures_ = std::make_unique<HitPictures>(*ports.store, *ports.memory, ports.robot, *ports.clock);
  const std::shared_ptr<const RearMirrorSettings> settings = settings_.load();
  ChromiumOptions options;
  options.program = settings->thumbnails ? find_chromium(settings->renderer) : "";
  options.proxy = place_.address;
  options.trusted_spki = spki_digest(place_.authority);
  options.without_sandbox = settings->renderer_without_sandbox;
  if (!options.program.empty() && !options.proxy.empty())
    pictures_->use_renderer(std::move(options), settings->render_time);
}

void RearMirrorPlugin::stop() {
  if (source_) source_->stop();
  if (pictures_) pictures_->stop();
}

// What a search engine said names pages that a person has read. Which of them is meant is not told, so all of it goes.
void RearMirrorPlugin::heed_forgetting() {
  if (ports_.memory == nullptr || ports_.memory->forgettings() == forgettings_) return;
  forgettings_ = ports_.memory->forgettings();
  shown_.clear();
  if (source_) source_->forget();
  ++version_;
}

void RearMirrorPlugin::on_timer() {
  heed_forgetting();
  const bool found = source_ && source_->advance();
  const bool drawn = pictures_ && pictures_->advance(static_cast<std::size_t>(settings_.load()->keep_thumbnails));
  if (found || drawn) ++version_;
}

PluginAnswer RearMirrorPlugin::on_document(const PluginDocumentRequest& request) {
  if (!may_look(request)) return problem_answer(403, "This is for people who have logged in.");
  if (ports_.memory == nullptr) return problem_answer(503, "This Outrider has no memory, so it knows no links.");
  heed_forgetting();
  const std::string_view name = std::string_view{request.path}.substr(1);
  if (request.method == Method::post)
    return name == "search" ? search(request) : problem_answer(404, "There is no such document.");
  if (request.method != Method::get && request.method != Method::head) return problem_answer(405, "GET or POST.");
  if (const PluginFile* file = find_rearmirror_file(name.empty() ? "index.html" : name)) return file_answer(*file);
  // A page of somebody else cannot read the rest, but it could load it, see how long that takes, and have pictures
  // made.
  if (!request.own_page) return problem_answer(403, "This is for Outrider's own pages.");
  if (name == "events") return follow(request);
  if (name == "mirror") return mirror(request);
  if (name == "picture") return picture(request);
  return problem_answer(404, "There is no such document.");
}

// The page in front of the person who asks.
PluginAnswer RearMirrorPlugin::follow(const PluginDocumentRequest& request) {
  VisitQuery query;
  query.limit = 10;
  const Result<std::vector<Visit>> visits = ports_.memory->visits(Viewer{request.user}, query);
  if (!visits) return problem_answer(503, "The memory does not answer.");
  json::object data{{"page", nullptr}};
  std::uint64_t id = version_;
  for (const Visit& visit : *visits) {
    const std::string page = page_name(visit.url);
    if (page.empty()) continue;
    data["page"] = {{"url", clean(page)}, {"title", clean(visit.title)}, {"at", millis(visit.at)}};
    id += visit.id;  // both only grow
    break;
  }
  return event_answer(id, last_event_id(request) == id ? std::nullopt : std::optional<json::value>{std::move(data)});
}

HitPictures::State RearMirrorPlugin::picture_of(const std::string& url) {
  if (!pictures_ || !settings_.load()->thumbnails) return HitPictures::State::none;
  return pictures_->want(url);
}

PluginAnswer RearMirrorPlugin::mirror(const PluginDocumentRequest& request) {
  const std::string url = page_name(form_value(request.query, "url").value_or(""));
  if (url.empty()) return problem_answer(400, "That is not the address of a page.");
  if (url != shown_ && pictures_) pictures_->forget_waiting();
  shown_ = url;
  const Viewer viewer{request.user};
  const std::shared_ptr<const RearMirrorSettings> settings = settings_.load();
  const Result<std::vector<MirrorHit>> hits =
      hits_from_memory(*ports_.memory, viewer, url, static_cast<std::size_t>(settings->hits));
  if (!hits) return problem_answer(503, "The memory does not answer.");
  const Result<std::optional<Node>> node = ports_.memory->node(viewer, url);
  json::array shown;
  for (const MirrorHit& hit : *hits)
    shown.push_back({{"url", clean(hit.url)},
                     {"title", clean(hit.title)},
                     {"text", clean(hit.text)},
                     {"kind", to_string(hit.kind)},
                     {"first_seen", millis(hit.first_seen)},
                     {"last_seen", millis(hit.last_seen)},
                     {"links", hit.links},
                     {"same_site", hit.same_site},
                     {"aside", hit.aside},
                     {"picture", to_string(picture_of(hit.url))}});
  return json_answer(json::object{{"url", clean(url)},
                                  {"title", node && *node ? clean((*node)->page.title) : ""},
                                  {"hits", std::move(shown)},
                                  {"search", search_json(url, *hits, is_open_page(*ports_.memory, url))}});
}

json::object RearMirrorPlugin::search_json(const std::string& url, const std::vector<MirrorHit>& known, bool open) {
  const std::shared_ptr<const RearMirrorSettings> settings = settings_.load();
  json::object shown{{"mode", "off"}, {"stage", ""}, {"why", ""}, {"hits", json::array{}}};
  if (settings->search == SearchMode::off || !source_) return shown;
  const Result<Url> engine = Url::parse(search_address(settings->search_url, "http://example.org/", ""));
  shown["mode"] = settings->search == SearchMode::ask ? "ask" : "always";
  shown["engine"] = engine ? clean(engine->host()) : "";
  shown["open"] = open;  // else nobody is told about it
  const SearchState* const state = source_->find(url);
  if (state == nullptr) return shown;
  shown["stage"] = to_string(state->stage);
  shown["why"] = clean(state->why);
  json::array hits;
  for (const FoundBySearch& hit : state->hits) {
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&hit](const MirrorHit& other) { return other.url == hit.url; });
    if (is_known) continue;  // it is shown already, with more about it
    hits.push_back({{"url", clean(hit.url)},
                    {"title", clean(hit.title)},
                    {"text", clean(hit.text)},
                    {"looked_at", hit.looked_at},
                    {"links", hit.links},
                    {"picture", to_string(picture_of(hit.url))}});
  }
  shown["hits"] = std::move(hits);
  return shown;
}

PluginAnswer RearMirrorPlugin::picture(const PluginDocumentRequest& request) {
  const std::string url = page_name(form_value(request.query, "url").value_or(""));
  std::optional<Thumbnail> found;
  if (pictures_ && !url.empty()) found = pictures_->get(url);
  if (!found) return problem_answer(404, "There is no picture.");
  PluginAnswer answer = fresh_answer(std::move(found->type), std::move(found->bytes));
  answer.headers.emplace_back("Content-Security-Policy", "default-src 'none'; sandbox");
  return answer;
}

// Tells somebody else what is read: only if that is wanted, and never about pages that are not for everybody.
PluginAnswer RearMirrorPlugin::search(const PluginDocumentRequest& request) {
  const std::string url = page_name(form_value(request.body, "url").value_or(""));
  if (url.empty()) return problem_answer(400, "That is not the address of a page.");
  const std::shared_ptr<const RearMirrorSettings> settings = settings_.load();
  if (settings->search == SearchMode::off) return problem_answer(403, "The search is off: plugins.rearmirror.search.");
  if (!source_) return problem_answer(503, "This Outrider has no robot, which it takes to ask.");
  if (ports_.own_switch != nullptr && !ports_.own_switch->is_on(Url::parse(url)->hostname()))
    return problem_answer(503, "The rear mirror is switched off.");
  if (!is_open_page(*ports_.memory, url))
    return problem_answer(403, "Nobody is told about this page: it is not one that everybody may see.");
  const Result<std::optional<Node>> node = ports_.memory->node(Viewer::nobody(), url);
  const std::string title = node && *node ? (*node)->page.title : "";
  if (const Result<void> asked = source_->ask(url, title, settings); !asked)
    return problem_answer(429, asked.error().detail);
  ++version_;
  return json_answer(json::object{{"asked", true}}, 202);
}

json::object RearMirrorPlugin::card() {
  return {{"lines",
           {{{"label", "Pictures"}, {"value", pictures_ ? pictures_->size() : 0}},
            {{"label", "Renderer"}, {"value", pictures_ ? pictures_->renderer_state() : "none"}},
            {{"label", "Search"}, {"value", settings_.load()->search == SearchMode::off ? "off" : "on"}}}},
          {"link", "/plugins/rearmirror/"}};
}

}  // namespace
}  // namespace outrider

OUTRIDER_PLUGIN(outrider::RearMirrorPlugin, make_rearmirror_plugin)
