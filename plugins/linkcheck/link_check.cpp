#include "plugins/linkcheck/link_check.hpp"

#include "base/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

constexpr std::uint64_t kLargestPage = 4 << 20;
constexpr std::uint64_t kBeginning = 1024;  // enough to know that it is there
constexpr std::size_t kMostLinks = 50'000;  // of a page, however many of them lead to the same address
constexpr std::string_view kNoRobotsTxt = "robots: robots.txt ";  // "… is answered with 503"
// Of a site these are not read for further links: a HEAD is enough.
const std::vector<std::string> kNoPages{"pdf", "zip", "gz",  "tgz", "xz",   "7z",  "exe", "dmg",  "iso",  "deb",  "rpm",
                                        "jpg", "png", "gif", "svg", "webp", "ico", "mp3", "mp4",  "ogg",  "webm", "avi",
                                        "mov", "css", "js",  "doc", "docx", "xls", "ppt", "xlsx", "woff", "woff2"};

std::string words_for(Reason reason, const std::string& detail) {
  switch (reason) {
    case Reason::robots:  // by its rules, or because there are none for the moment
      return detail.starts_with(kNoRobotsTxt) ? detail.substr(detail.find(' ') + 1)
                                              : "robots.txt does not allow a robot to look";
    case Reason::address:
      return "the robot may not go there";
    case Reason::too_long:
      return "the address is too long";
    case Reason::trap:
      return "it looks endless";
    default:
      return detail.empty() ? std::string{to_string(reason)} : fmt::format("{}: {}", to_string(reason), detail);
  }
}

}  // namespace

LinkCheck::LinkCheck(LinkReport report, LinkCheckLimits limits, Robot& robot, const Clock& clock)
    : report_(std::move(report)), limits_(limits), robot_(robot), clock_(clock), errand_(robot, kMostLinks) {}

void LinkCheck::begin() {
  report_.began = clock_.now();
  enter(Stage::page, {report_.url});
}

TaskSpec LinkCheck::spec_for(Stage stage, std::vector<std::string> urls) const {
  TaskSpec spec;
  spec.name = fmt::format("Link check of {}", report_.url);
  spec.owner = kOwner;
  spec.start = std::move(urls);
  spec.depth = 0;
  spec.restriction = Restriction::all;
  spec.priority = 3;
  spec.check_memory = false;  // what was there yesterday says nothing about today
  spec.max_attempts = 2;
  spec.max_page_size = kLargestPage;
  spec.max_time_per_document = std::chrono::seconds{30};
  if (stage == Stage::site) {
    spec.depth = kUnlimitedDepth;
    spec.restriction = Restriction::internal;
    spec.max_documents = limits_.pages;
    spec.exclude_extensions = kNoPages;
  }
  if (stage == Stage::head) spec.head_only = true;
  if (stage == Stage::get) spec.first_bytes = kBeginning;
  return spec;
}

void LinkCheck::enter(Stage stage, std::vector<std::string> urls) {
  stage_ = stage;
  asked_ = urls;
  switch (stage) {
    case Stage::page:
      report_.stage = "reading the page";
      break;
    case Stage::site:
      report_.stage = "reading the pages of the site";
      break;
    case Stage::head:
      report_.stage = fmt::format("asking for {} addresses", urls.size());
      break;
    case Stage::get:
      report_.stage = fmt::format("looking closer at {}", urls.size());
      break;
  }
  if (const Result<void> begun = errand_.begin(spec_for(stage, std::move(urls))); !begun)
    end(LinkReport::State::failed, begun.error().detail);
}

void LinkCheck::advance() {
  if (over()) return;
  RobotErrand::News news = errand_.take();
  for (RobotErrand::Fetch& fetch : news.fetches) {
    LinkAnswer answer;
    answer.status = fetch.told.status;
    answer.error = fetch.told.error;
    answer.error_text = std::move(fetch.error_text);
    answer.redirects_to = std::move(fetch.told.redirects_to);
    answer.took = fetch.told.first_byte;
    answer.refused = fetch.told.refused;
    answer.by_head = stage_ == Stage::head;
    if (stage_ == Stage::page && answer.redirects_to.empty()) root_ = fetch.url;
    answers_.insert_or_assign(std::move(fetch.url), std::move(answer));
  }
  for (const RobotErrand::Page& page : news.pages)
    if (stage_ == Stage::page || stage_ == Stage::site) note_links(page);
  if (!news.fetches.empty()) judge_all();
  if (news.ended) next_stage();
}

void LinkCheck::note_links(const RobotErrand::Page& page) {
  // The first page is read twice if there is a whole site: once to find out where it is.
  if (report_.site && stage_ == Stage::page) return;
  ++report_.pages;
  report_.left_out += static_cast<std::uint32_t>(page.left_out);
  for (const Link& link : page.links) {
    const Result<Url> target = Url::parse(link.target);
    if (!target || !target->is_http() || link.kind == LinkKind::form) continue;
    const std::string url{target->href_without_fragment()};
    auto known = places_.find(url);
    if (known == places_.end()) {
      if (report_.links.size() >= limits_.links) {
        ++report_.left_out;
        continue;
      }
      known = places_.emplace(url, report_.links.size()).first;
      report_.links.emplace_back().url = url;
    }
    CheckedLink& checked = report_.links[known->second];
    ++checked.count;
    if (checked.places.size() < CheckedLink::kMostPlaces) checked.places.push_back({page.url, link.text, link.kind});
  }
}

void LinkCheck::judge_all() {
  for (CheckedLink& link : report_.links) judge_link(link, answers_, limits_.slow_after);
}

std::vector<std::string> LinkCheck::unanswered() const {
  std::vector<std::string> urls;
  for (const CheckedLink& link : report_.links)
    if (!answers_.contains(link.url)) urls.push_back(link.url);
  return urls;
}

// Also what a redirect led to.
std::vector<std::string> LinkCheck::badly_answered() const {
  std::vector<std::string> urls;
  for (const auto& [url, answer] : answers_)
    if (wants_get(answer)) urls.push_back(url);
  return urls;
}

// Addresses that the robot takes for the same as others, or that it did not want to ask for.
void LinkCheck::ask_for_the_rest() {
  for (const std::string& url : asked_) {
    if (answers_.contains(url)) continue;
    const Result<UrlFate> fate = robot_.why_not(errand_.task(), url);
    LinkAnswer answer;
    if (!fate || fate->state == UrlFate::State::unknown || fate->state == UrlFate::State::queued) {
      answer.not_because = "the robot did not get to it";
    } else if (fate->state == UrlFate::State::rejected) {
      answer.not_because = words_for(fate->reason, fate->detail);
    } else if (fate->state == UrlFate::State::failed) {
      answer.error = NodeError::connect;
      answer.error_text = fate->detail;
    } else {
      answer.status = 200;
    }
    answers_.emplace(url, std::move(answer));
  }
}

void LinkCheck::next_stage() {
  if (stage_ == Stage::page) {
    const auto answer = answers_.find(root_);
    if (answer == answers_.end() || answer->second.status < 200 || answer->second.status >= 300) {
      ask_for_the_rest();
      CheckedLink page;
      page.url = root_.empty() ? report_.url : root_;
      judge_link(page, answers_, limits_.slow_after);
      return end(LinkReport::State::failed,
                 fmt::format("the page cannot be read: {}", page.note.empty() ? "no answer" : page.note));
    }
    if (report_.site) return enter(Stage::site, {root_});
  } else if (stage_ == Stage::head) {
    ask_for_the_rest();
  }
  if (stage_ == Stage::page || stage_ == Stage::site) {
    if (std::vector<std::string> urls = unanswered(); !urls.empty()) return enter(Stage::head, std::move(urls));
  }
  if (stage_ != Stage::get)
    if (std::vector<std::string> urls = badly_answered(); !urls.empty()) return enter(Stage::get, std::move(urls));
  end(LinkReport::State::finished);
}

void LinkCheck::end(LinkReport::State state, std::string why) {
  if (over()) return;
  errand_.leave();
  judge_all();
  report_.state = state;
  report_.why = std::move(why);
  report_.stage.clear();
  report_.ended = clock_.now();
  for (CheckedLink& link : report_.links)
    if (link.verdict == LinkVerdict::waiting) {
      link.verdict = LinkVerdict::unchecked;
      link.note = "the check ended before";
    }
}

}  // namespace outrider
