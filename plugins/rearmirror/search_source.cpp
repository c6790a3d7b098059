#include "plugins/rearmirror/search_source.hpp"

#include "base/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace outrider {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostLinks = 3000;
constexpr std::uint64_t kLargestPage = 2 << 20;
constexpr auto kGoodFor = 1h;

std::string without_fragment(std::string_view url) {
  return std::string{url.substr(0, url.find('#'))};
}

TaskSpec task_for(std::vector<std::string> start, std::string name) {
  TaskSpec spec;
  spec.name = std::move(name);
  spec.owner = SearchSource::kOwner;
  spec.start = std::move(start);
  spec.depth = 0;
  spec.restriction = Restriction::all;
  spec.interactive = true;
  spec.max_page_size = kLargestPage;
  spec.max_time_per_document = 20s;
  spec.max_attempts = 1;
  return spec;
}

}  // namespace

std::string_view to_string(SearchState::Stage stage) {
  constexpr std::array<std::string_view, 5> names{"waiting", "asking", "reading", "done", "failed"};
  return names[static_cast<std::size_t>(stage)];
}

SearchSource::SearchSource(Robot& robot, const Clock& clock)
    : clock_(clock), robot_(robot), errand_(robot, kMostLinks) {}

Result<void> SearchSource::ask(const std::string& url, const std::string& title,
                               std::shared_ptr<const RearMirrorSettings> settings) {
  const auto known = states_.find(url);
  if (known != states_.end()) {
    const bool open = known->second.stage < SearchState::Stage::done;
    const bool good = known->second.stage == SearchState::Stage::done && clock_.now() - known->second.at < kGoodFor;
    if (open || good) return {};
  }
  if (waiting_.size() >= kMostWaiting) return Error{ErrorKind::busy, Side::self, "too many questions are waiting"};
  while (states_.size() >= kMostKept) {
    auto oldest = states_.end();
    for (auto at = states_.begin(); at != states_.end(); ++at)
      if (at->second.stage >= SearchState::Stage::done &&
          (oldest == states_.end() || at->second.at < oldest->second.at))
        oldest = at;
    if (oldest == states_.end()) break;
    states_.erase(oldest);
  }
  states_[url] = SearchState{};
  states_[url].at = clock_.now();
  waiting_.push_back({url, title, std::move(settings)});
  advance();
  return {};
}

const SearchState* SearchSource::find(const std::string& url) const {
  const auto found = states_.find(url);
  return found == states_.end() ? nullptr : &found->second;
}

// Of the robot's thread: values only.
TaskJudges SearchSource::judges() const {
  const auto classifier =
      std::make_shared<const SearchLinkClassifier>(*question_.settings, results_url_, question_.url);
  const auto left = std::make_shared<std::int64_t>(question_.settings->search_hits);
  TaskJudges made;
  made.classify_link = [classifier](const JudgedLink& link, const Attributes&, Attributes& out) {
    Link found;
    found.target = link.url.href();
    found.text = link.text;
    found.kind = link.kind;
    const SearchLink judged = classifier->judge(found);
    out.set("search_kind", static_cast<double>(judged.kind));
    out.set("search_wrapped", judged.wrapped ? 1 : 0);
  };
  made.filter_link = [left](const JudgedLink&, const Attributes& attributes) -> UrlDecision {
    const auto kind = static_cast<SearchLinkKind>(static_cast<int>(attributes.get("search_kind").value_or(0)));
    if (kind == SearchLinkKind::self) return {Decision::reject, "of the page's own site"};
    if (kind != SearchLinkKind::result) return {Decision::reject, "of the search engine itself"};
    if (attributes.get("search_wrapped").value_or(0) != 0) return {Decision::reject, "asked for at its real address"};
    if (--*left < 0) return {Decision::reject, "enough results"};
    return {Decision::accept, ""};
  };
  return made;
}

void SearchSource::begin(Question question) {
  question_ = std::move(question);
  busy_ = true;
  has_results_ = false;
  wrapped_.clear();
  last_status_ = 0;
  results_url_ = search_address(question_.settings->search_url, question_.url, question_.title);
  if (results_url_.empty()) return fail("the address of the search engine is not usable");
  TaskSpec spec = task_for({results_url_}, "Rear mirror: asks the search engine");
  spec.depth = 1;
  current().stage = SearchState::Stage::asking;
  if (const Result<void> begun = errand_.begin(std::move(spec), judges()); !begun) fail(begun.error().detail);
}

bool SearchSource::advance() {
  bool fresh = false;
  if (!busy_ && !waiting_.empty()) {
    Question next = std::move(waiting_.front());
    waiting_.pop_front();
    begin(std::move(next));
    fresh = true;
  }
  if (!busy_) return fresh;
  const RobotErrand::News news = errand_.take();
  auto page = news.pages.begin();
  if (!has_results_ && page != news.pages.end()) read_results((page++)->links);
  for (const RobotErrand::Fetch& fetch : news.fetches) {  // before the pages that redirects lead to
    last_status_ = fetch.told.status;
    if (!fetch.told.redirects_to.empty()) note_redirect(fetch.url, fetch.told.redirects_to);
  }
  for (; page != news.pages.end(); ++page) note_page(*page);
  if (news.ended) next_or_done();
  return fresh || news.ended || !news.pages.empty();
}

void SearchSource::read_results(const std::vector<Link>& links) {
  has_results_ = true;
  current().stage = SearchState::Stage::reading;
  const SearchLinkClassifier classifier{*question_.settings, results_url_, question_.url};
  for (const SearchLink& result :
       search_results(links, classifier, static_cast<std::size_t>(question_.settings->search_hits))) {
    FoundBySearch hit;
    hit.url = result.target;
    hit.title = result.text;
    current().hits.push_back(std::move(hit));
    if (result.wrapped) wrapped_.push_back(result.target);
  }
}

std::string SearchSource::reason_of_silence() const {
  const Result<UrlFate> fate = robot_.why_not(errand_.task(), results_url_);
  if (fate && fate->reason == Reason::robots) return "the robots.txt of the search engine does not allow it";
  if (fate && fate->reason == Reason::address) return "the robot may not go there";
  if (last_status_ != 0) return fmt::format("the search engine answered with status {}", last_status_);
  return "the search engine did not answer";
}

void SearchSource::next_or_done() {
  if (!has_results_) return fail(reason_of_silence());
  if (!wrapped_.empty()) {
    TaskSpec spec = task_for(std::exchange(wrapped_, {}), "Rear mirror: reads what was found");
    if (const Result<void> begun = errand_.begin(std::move(spec)); !begun) fail(begun.error().detail);
    return;
  }
  errand_.leave();
  SearchState& state = current();
  std::stable_partition(state.hits.begin(), state.hits.end(), [](const FoundBySearch& hit) { return hit.links; });
  state.stage = SearchState::Stage::done;
  state.at = clock_.now();
  busy_ = false;
}

// The page that is read is the one at the end, and the memory knows it by that address.
void SearchSource::note_redirect(const std::string& from, const std::string& to) {
  std::vector<FoundBySearch>& hits = current().hits;
  const auto at = [&hits](const std::string& url) {
    return std::find_if(hits.begin(), hits.end(), [&url](const FoundBySearch& hit) { return hit.url == url; });
  };
  const auto hit = at(from);
  const Result<Url> target = Url::parse(to);
  if (hit == hits.end() || !target || !target->is_http()) return;
  std::string end{target->href_without_fragment()};
  if (end == from) return;
  if (at(end) == hits.end()) {
    hit->url = std::move(end);
  } else {
    hits.erase(hit);
  }
}

void SearchSource::note_page(const RobotErrand::Page& page) {
  for (FoundBySearch& hit : current().hits) {
    if (hit.url != page.url) continue;
    hit.looked_at = true;
    if (!page.title.empty()) hit.title = page.title;
    for (const Link& link : page.links) {
      if (link.kind == LinkKind::embedded || without_fragment(link.target) != question_.url) continue;
      if (!hit.links || hit.text.empty()) hit.text = link.text;
      hit.links = true;
    }
  }
}

void SearchSource::fail(std::string why) {
  errand_.leave();
  current().stage = SearchState::Stage::failed;
  current().why = std::move(why);
  current().at = clock_.now();
  busy_ = false;
}

void SearchSource::stop() {
  errand_.leave();
  waiting_.clear();
  busy_ = false;
}

void SearchSource::forget() {
  stop();
  states_.clear();
}

}  // namespace outrider
