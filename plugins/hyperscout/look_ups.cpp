#include "plugins/hyperscout/look_ups.hpp"

#include "plugins/hyperscout/link_choice.hpp"
#include "plugins/hyperscout/pictures.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace outrider::hyperscout {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kBeginning = 64 * 1024;
constexpr std::size_t kMostLinksOfAPage = 500;
// A robot that is busy elsewhere need not come at all.
constexpr std::chrono::seconds kWaitForCard{30};
constexpr std::chrono::minutes kWaitInAdvance{5};
// After a page has passed the memory learns of the visit.
constexpr std::chrono::minutes kVisitFollows{1};
constexpr std::size_t kMostPassed = 64;

TaskSpec errand_to(const Url& url, const std::string& text, WallTime until) {
  TaskSpec spec;
  spec.name = "Preview of " + std::string{url.host()};
  spec.owner = "hyperscout";
  spec.start = {std::string{url.href_without_fragment()}};
  spec.start_texts = {text};
  spec.prefetch = true;
  spec.expires = until;
  spec.depth = 0;
  spec.restriction = Restriction::all;
  spec.max_attempts = 1;
  spec.max_time_per_document = std::chrono::seconds{8};
  spec.max_page_size = kBeginning;
  if (look_for(url) == Look::head) {
    spec.head_only = true;
  } else {
    spec.first_bytes = kBeginning;
  }
  return spec;
}

// The status that a failed fetch is told with: "404", "status 404".
int status_in(std::string_view detail) {
  const std::size_t digit = detail.find_first_of("12345");
  int status = 0;
  if (digit != std::string_view::npos) std::from_chars(detail.data() + digit, detail.data() + detail.size(), status);
  return status >= 100 && status <= 599 ? status : 0;
}

}  // namespace

void LookUps::Card::tell(json::object told) {
  stream->write(json::serialize(told) + "\n");
  facts = std::move(told);
}

KnownFacts LookUps::known(const Question& question, const Settings& settings) const {
  if (ports_.memory == nullptr) return {};
  const auto refresh = std::chrono::duration_cast<std::chrono::seconds>(settings.refresh_after);
  KnownFacts found = facts_from_memory(*ports_.memory, {question.viewer, question.url, ports_.clock->now(), refresh});
  if (ports_.copies != nullptr) put_pictures(found.facts, *ports_.copies, found.page, question.url);
  return found;
}

std::shared_ptr<PluginStream> LookUps::begin(const Question& question, const Settings& settings) {
  ++counts_.cards;
  auto card = std::make_shared<Card>();
  card->question = question;
  card->stream = std::make_shared<PluginStream>();
  card->since = ports_.clock->steady();
  // Before the memory is asked: how much is left must not depend on what it knows.
  const bool may_send = settings.fetch && ports_.robot != nullptr &&
                        for_cards_.spend(question.site, card->since, settings.fetches_per_minute);
  KnownFacts found = known(question, settings);
  if (found.facts.contains("fetched")) ++counts_.from_memory;
  const bool sends = found.worth_a_look && may_send;
  if (sends) found.facts["looking"] = true;
  card->tell(found.facts);  // before the robot can have an answer
  if (sends && !send_robot(card)) {
    found.facts.erase("looking");
    card->tell(std::move(found.facts));
  }
  if (open_.size() >= kMostOpen) {
    open_.front()->stream->end();
    open_.erase(open_.begin());
  }
  open_.push_back(card);
  return card->stream;
}

bool LookUps::send_robot(const CardPtr& card) {
  const std::string& address = card->question.url;
  const Result<Url> url = Url::parse(address);
  if (!url || !url->is_http()) return false;
  for (auto& [task, errand] : under_way_) {
    if (errand.url != address) continue;
    if (errand.cards.size() >= kMostForOne) return false;
    errand.cards.push_back(card);
    return true;
  }
  TaskSpec spec = errand_to(*url, card->question.text, ports_.clock->now() + kWaitForCard);
  spec.interactive = true;
  spec.save_data = card->question.save_data;
  const Result<TaskId> task = ports_.robot->submit(std::move(spec));
  if (!task) return false;
  under_way_[*task] = {address, {card}};
  ++counts_.errands;
  return true;
}

void LookUps::arrived(const RobotPage& page) {
  const auto errand = under_way_.find(page.task);
  if (errand == under_way_.end()) return;
  for (const CardPtr& card : errand->second.cards) {
    json::object facts = facts_of_document(page.node, page.node);
    for (const auto& [key, value] : card->facts)
      if (!facts.contains(key)) facts[key] = value;
    facts.erase("looking");
    facts["fresh"] = true;
    card->fetched = true;
    card->tell(std::move(facts));
  }
}

void LookUps::ended(TaskId task) {
  if (const auto errand = under_way_.find(task); errand != under_way_.end()) {
    for (const CardPtr& card : errand->second.cards) conclude(*card, task);
    under_way_.erase(errand);
  } else if (std::erase(quiet_tasks_, task) == 0) {
    return;
  }
  static_cast<void>(ports_.robot->remove(task));  // nobody wants to see it in a list
}

// What the memory says now, or why the robot came back with nothing.
void LookUps::conclude(Card& card, TaskId task) {
  if (card.stream->abandoned()) return;
  json::object facts = known(card.question, {}).facts;
  const Result<UrlFate> fate = ports_.robot->why_not(task, card.question.url);
  if (fate && fate->state == UrlFate::State::rejected) {
    facts["refused"] = fate->detail.empty() ? std::string{to_string(fate->reason)} : fate->detail;
  } else if (card.fetched || (fate && fate->state != UrlFate::State::unknown)) {
    facts["fresh"] = true;
    const int status = fate && fate->state == UrlFate::State::failed ? status_in(fate->detail) : 0;
    if (!facts.contains("state") && fate && fate->state == UrlFate::State::failed) {
      facts["state"] = status == 404 || status == 410 || status == 0 ? "dead" : "failing";
      if (status != 0) facts["status"] = status;
      if (status == 0) facts["trouble"] = fate->detail.empty() ? "no answer" : fate->detail;
    }
  }
  for (const auto& [key, value] : card.facts)  // the page may come before the memory has it
    if (!facts.contains(key) && key != "looking") facts[key] = value;
  card.tell(std::move(facts));
}

bool LookUps::is_over(const Card& card, SteadyTime now) {
  return card.stream->abandoned() || now - card.since >= kStreamLasts;
}

void LookUps::tick() {
  const SteadyTime now = ports_.clock->steady();
  for (auto& [task, errand] : under_way_)
    std::erase_if(errand.cards, [now](const CardPtr& card) { return is_over(*card, now); });
  std::erase_if(open_, [now](const CardPtr& card) {
    const bool over = is_over(*card, now);
    if (over) card->stream->end();
    return over;
  });
}

void LookUps::stop() {
  for (const CardPtr& card : open_) card->stream->end();
  for (const auto& [task, errand] : under_way_) static_cast<void>(ports_.robot->remove(task));
  for (const TaskId task : quiet_tasks_) static_cast<void>(ports_.robot->remove(task));
  open_.clear();
  under_way_.clear();
  quiet_tasks_.clear();
}

bool LookUps::is_quiet_allowed(const Settings& settings) const {
  return ports_.robot != nullptr && ports_.memory != nullptr && settings.quiet_links != 0 && settings.fetch;
}

bool LookUps::may_look_ahead(std::string_view host, const Settings& settings) {
  return is_quiet_allowed(settings) && in_advance_.has_left(host, ports_.clock->steady(), settings.fetches_per_minute);
}

void LookUps::passing(const Viewer& viewer, const Url& page, SeenLinks seen, const Settings& settings) {
  if (!is_quiet_allowed(settings)) return;
  if (passed_.size() >= kMostPassed) passed_.pop_front();
  passed_.push_back({viewer.user, std::string{page.href_without_fragment()}, ports_.clock->steady()});
  const Result<Url> base = Url::parse(seen.base, &page);
  for (Link& link : seen.links) {
    const Result<Url> target = Url::parse(link.target, base && base->is_http() ? &*base : &page);
    link.target = target ? std::string{target->href()} : std::string{};
  }
  look_at(viewer, page, std::move(seen.links), settings);
}

void LookUps::visited(const Viewer& viewer, std::string_view page, const Settings& settings) {
  const Result<Url> url = Url::parse(page);
  if (!url || !is_quiet_allowed(settings)) return;
  const std::string address{url->href_without_fragment()};
  const SteadyTime now = ports_.clock->steady();
  const auto is_same = [&](const Passed& passed) {
    return passed.user == viewer.user && passed.page == address && now - passed.at <= kVisitFollows;
  };
  if (std::erase_if(passed_, is_same) != 0) return;
  // What only this person may see has links that only he may follow.
  const Result<std::optional<Node>> opened = ports_.memory->node(Viewer::nobody(), address, false, false);
  if (!opened || !*opened || (*opened)->storage != StorageClass::open || (*opened)->page.robots.nofollow) return;
  const Result<LinkPage> known = ports_.memory->links_from(Viewer::nobody(), address, {kMostLinksOfAPage, ""});
  if (!known) return;
  std::vector<Link> links;
  for (const KnownLink& each : known->links) links.push_back(each.link);
  look_at(viewer, *url, std::move(links), settings);
}

void LookUps::look_at(const Viewer& viewer, const Url& page, std::vector<Link> links, const Settings& settings) {
  // The choice and its price do not depend on what is known about the links: a server that sees which of its own are
  // fetched would learn something about the others.
  std::vector<Link> likely = likely_links(page, std::move(links));
  if (likely.size() > settings.quiet_links) likely.resize(settings.quiet_links);
  if (!in_advance_.spend(page.hostname(), ports_.clock->steady(), settings.fetches_per_minute, likely.size())) return;
  for (const Link& link : likely) {
    const Result<Url> target = Url::parse(link.target);
    const Result<std::optional<Node>> node = ports_.memory->node(viewer, link.target, false, false);
    if (!target || !node || (*node && (*node)->fetched_by != FetchedBy::nobody)) continue;
    TaskSpec spec = errand_to(*target, link.text, ports_.clock->now() + kWaitInAdvance);
    spec.priority = -5;
    if (const Result<TaskId> task = ports_.robot->submit(std::move(spec))) {
      quiet_tasks_.push_back(*task);
      ++counts_.quiet;
    }
  }
}

}  // namespace outrider::hyperscout
