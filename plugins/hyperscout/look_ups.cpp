#include "plugins/hyperscout/look_ups.hpp"

#include "plugins/hyperscout/link_choice.hpp"
#include "plugins/hyperscout/pictures.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <mutex>

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
// Nobody told us that it has ended.
constexpr std::chrono::minutes kErrandLost{10};
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

// Of a look that has just failed. It counts more than what the memory says, which may not have heard of it yet.
void put_failure(json::object& facts, const UrlFate& fate, NodeError error, WallTime now) {
  const bool answered = error == NodeError::none || error == NodeError::http;
  const int status = answered ? status_in(fate.detail) : 0;
  for (const char* key : {"status", "trouble", "moved_to", "fresh"}) facts.erase(key);
  facts["state"] = status == 404 || status == 410 || status == 0 ? "dead" : "failing";
  if (status != 0) facts["status"] = status;
  if (status == 0) facts["trouble"] = error == NodeError::none ? "no answer" : trouble_of(error);
  facts["tried"] = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
}

// What was read when the time was over; what was not read by then is absent.
std::string dead_ones(const Memory& memory, const Viewer& viewer, const json::array& asked,
                      std::chrono::steady_clock::time_point until) {
  json::object dead;
  std::map<std::string, std::optional<std::string>, std::less<>> words;  // by address: places on a page share one
  for (std::size_t i = 0; i < asked.size() && i < LookUps::kMostMarks; ++i) {
    if (std::chrono::steady_clock::now() >= until) break;
    if (!asked[i].is_string()) continue;
    const Result<Url> url = Url::parse(std::string_view{asked[i].get_string()});
    if (!url) continue;
    const auto [word, is_new] = words.try_emplace(std::string{url->href_without_fragment()});
    if (is_new) {
      const Result<std::optional<Node>> node = memory.node(viewer, word->first, false, /*with_in_degree=*/false);
      if (node && *node) word->second = dead_word(**node);
    }
    if (word->second) dead[asked[i].get_string()] = *word->second;
  }
  return json::serialize(dead);
}

}  // namespace

void LookUps::Card::tell(json::object told) {
  stream->write(json::serialize(told) + "\n");
  facts = std::move(told);
}

FactsQuestion LookUps::facts_question(const Viewer& viewer, std::string url, const Settings& settings) const {
  return {viewer, std::move(url), ports_.clock->now(),
          std::chrono::duration_cast<std::chrono::seconds>(settings.refresh_after)};
}

KnownFacts LookUps::known(const Question& question, const Settings& settings) const {
  if (ports_.memory == nullptr) return {};
  KnownFacts found = facts_from_memory(*ports_.memory, facts_question(question.viewer, question.url, settings));
  if (ports_.copies != nullptr) put_pictures(found.facts, *ports_.copies, found.page, question.url);
  return found;
}

std::shared_ptr<PluginStream> LookUps::begin(const Question& question, const Settings& settings) {
  ++counts_.cards;
  heed_forgetting();
  auto card = std::make_shared<Card>();
  card->question = question;
  card->stream = std::make_shared<PluginStream>();
  card->since = ports_.clock->steady();
  const std::string site = site_of(question.site);
  // Before the memory is asked: neither whether the robot goes nor what is left may depend on what it knows.
  const bool sends =
      settings.fetch && ports_.robot != nullptr && for_cards_.spend(site, card->since, settings.fetches_per_minute) &&
      (under_way(site, question.url) != under_way_.end() || ledger_.may_ask(site, question.url, card->since));
  if (open_.size() >= kMostOpen) {
    open_.front()->stream->end();
    open_.erase(open_.begin());
  }
  open_.push_back(card);
  read(question, settings, [this, card, sends](KnownFacts found) {
    if (found.facts.contains("fetched")) ++counts_.from_memory;
    card->worth_a_look = found.worth_a_look;
    if (sends && found.worth_a_look && !card->departed) found.facts["looking"] = true;
    card->tell(std::move(found.facts));
  });
  if (sends) send_later([this, card, site, settings] { depart(card, site, settings); });
  return card->stream;
}

void LookUps::beside(std::function<std::function<void()>()> work) {
  if (ports_.own_thread == nullptr) return work()();
  reader_.at(std::chrono::steady_clock::now(), [this, work = std::move(work)] {
    try {
      ports_.own_thread->post(work());
    } catch (const std::exception&) {  // of this thread nobody else takes care; what is not known is absent
    }
  });
}

void LookUps::send_later(std::function<void()> send) {
  if (ports_.own_thread == nullptr) return send();
  bell_.at(std::chrono::steady_clock::now() + kSendAfter,
           [this, send = std::move(send)] { ports_.own_thread->post(send); });
}

void LookUps::read(const Question& question, const Settings& settings, std::function<void(KnownFacts)> then) {
  beside([this, question, settings, then = std::move(then)] {
    return [then, found = known(question, settings)] { then(found); };
  });
}

// The answer is given when its time is over, neither before nor after, with as much as could be read until then: a disk
// that is slow to find what is known must not show.
std::shared_ptr<PluginStream> LookUps::marks(const Viewer& viewer, json::array asked) {
  struct Found {
    std::mutex mutex;
    std::string dead = "{}";
  };
  const auto stream = std::make_shared<PluginStream>();
  const auto found = std::make_shared<Found>();
  const auto over = std::chrono::steady_clock::now() + kMarksLast;
  const auto tell = [stream, found] {
    const std::lock_guard lock(found->mutex);
    stream->write(found->dead);
    stream->end();
  };
  beside([this, found, viewer, over, asked = std::move(asked)] {
    std::string dead = dead_ones(*ports_.memory, viewer, asked, over - kMarksLast / 6);
    const std::lock_guard lock(found->mutex);
    found->dead = std::move(dead);
    return [] {};
  });
  if (ports_.own_thread == nullptr) {
    tell();
  } else {
    bell_.at(over, tell);
  }
  return stream;
}

void LookUps::depart(const CardPtr& card, const std::string& site, const Settings& settings) {
  card->departed = true;
  const bool worth_a_look = card->worth_a_look.value_or(false);
  if (send_for(card, site, worth_a_look, settings) || !worth_a_look) return;
  json::object facts = card->facts;
  facts.erase("looking");
  card->tell(std::move(facts));
}

std::map<TaskId, LookUps::Errand>::iterator LookUps::under_way(std::string_view site, std::string_view url) {
  return std::find_if(under_way_.begin(), under_way_.end(),
                      [&](const auto& each) { return each.second.url == url && each.second.site == site; });
}

// `worth_a_look` decides what becomes of the answer, and nothing that can be seen from outside.
bool LookUps::send_for(const CardPtr& card, const std::string& site, bool worth_a_look, const Settings& settings) {
  if (const auto found = under_way(site, card->question.url); found != under_way_.end())
    return join(found->first, found->second, card, worth_a_look);
  const Result<Url> url = Url::parse(card->question.url);
  if (!url || !url->is_http() || !ledger_.may_ask(site, card->question.url, ports_.clock->steady())) return false;
  Errand errand;
  errand.site = site;
  errand.url = card->question.url;
  errand.spec = errand_to(*url, card->question.text, ports_.clock->now() + kWaitForCard);
  errand.spec.interactive = true;
  errand.spec.save_data = card->question.save_data;
  errand.spec.keep = worth_a_look;
  if (worth_a_look) errand.cards.push_back(card);
  return send(std::move(errand), settings);
}

// It may have been sent in advance, with time enough, or for somebody who knows the page already.
bool LookUps::join(TaskId task, Errand& errand, const CardPtr& card, bool worth_a_look) {
  TaskSpec wanted = errand.spec;
  wanted.interactive = true;
  wanted.priority = 0;
  wanted.keep = wanted.keep || worth_a_look;
  if (!(wanted == errand.spec) && ports_.robot->change(task, wanted)) errand.spec = std::move(wanted);
  if (!worth_a_look) return true;
  if (errand.cards.size() >= kMostForOne) return false;
  errand.cards.push_back(card);
  return true;
}

bool LookUps::send(Errand errand, const Settings& settings) {
  if (under_way_.size() >= kMostUnderWay) return false;
  errand.asked = ports_.clock->steady();
  errand.spec.apart = ledger_.word_for(errand.site);
  TaskCompany company;
  company.observer.on_fetch = [heard = errand.heard](const RobotFetch& fetch) {
    if (fetch.status != 0 && fetch.storage == StorageClass::never) heard->keeps = false;
    heard->error = fetch.error;
  };
  const Result<TaskId> task = ports_.robot->submit(errand.spec, std::move(company));
  if (!task) return false;
  ledger_.asked(errand.site, errand.url, errand.asked + settings.refresh_after);
  under_way_.emplace(*task, std::move(errand));
  return true;
}

void LookUps::arrived(const RobotPage& page) {
  const auto errand = under_way_.find(page.task);
  if (errand == under_way_.end()) return;
  errand->second.brought_page = true;
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
  const auto found = under_way_.find(task);
  if (found == under_way_.end()) return;
  const Errand errand = std::move(found->second);
  under_way_.erase(found);
  const Result<UrlFate> known_fate = ports_.robot->why_not(task, errand.url);
  const UrlFate fate = known_fate ? *known_fate : UrlFate{};
  settle(errand, fate);
  count(errand, fate);
  for (const CardPtr& card : errand.cards) conclude(card, fate, errand.heard->error);
  static_cast<void>(ports_.robot->remove(task));  // nobody wants to see it in a list
}

// When it may be asked for again depends on what the site answered: it knows that.
void LookUps::settle(const Errand& errand, const UrlFate& fate) {
  const bool answered = fate.state == UrlFate::State::fetched || fate.state == UrlFate::State::failed;
  if (!answered || !errand.heard->keeps) return ledger_.take_back(errand.site, errand.url);
  if (fate.state == UrlFate::State::failed || !errand.brought_page)
    ledger_.asked(errand.site, errand.url, ports_.clock->steady() + ask_again_after(errand.heard->error));
}

void LookUps::count(const Errand& errand, const UrlFate& fate) {
  if (fate.state != UrlFate::State::fetched && !errand.brought_page) return;
  ++(errand.in_advance ? counts_.in_advance : counts_.for_cards);
}

// What the memory says now, or why the robot came back with nothing.
void LookUps::conclude(const CardPtr& card, const UrlFate& fate, NodeError error) {
  if (card->stream->abandoned()) return;
  read(card->question, {}, [card, fate, error, now = ports_.clock->now()](KnownFacts found) {
    json::object& facts = found.facts;
    for (const auto& [key, value] : card->facts)  // the page may come before the memory has it
      if (!facts.contains(key) && key != "looking") facts[key] = value;
    if (fate.state == UrlFate::State::rejected) {
      facts["refused"] = fate.detail.empty() ? std::string{to_string(fate.reason)} : fate.detail;
    } else if (fate.state == UrlFate::State::failed) {
      put_failure(facts, fate, error, now);
    } else if (card->fetched || fate.state == UrlFate::State::fetched) {
      facts["fresh"] = true;
    }
    card->tell(std::move(facts));
  });
}

// All of it goes: then it may be asked for again, and a server that sees that sees nothing but a new beginning.
void LookUps::heed_forgetting() {
  if (ports_.memory == nullptr || ports_.memory->forgettings() == forgettings_) return;
  forgettings_ = ports_.memory->forgettings();
  ledger_.clear();
}

bool LookUps::is_over(const Card& card, SteadyTime now) {
  return card.stream->abandoned() || now - card.since >= kStreamLasts;
}

void LookUps::tick() {
  heed_forgetting();
  const SteadyTime now = ports_.clock->steady();
  for (auto& [task, errand] : under_way_)
    std::erase_if(errand.cards, [now](const CardPtr& card) { return is_over(*card, now); });
  std::erase_if(under_way_, [now](const auto& each) { return now - each.second.asked > kErrandLost; });
  std::erase_if(open_, [now](const CardPtr& card) {
    const bool over = is_over(*card, now);
    if (over) card->stream->end();
    return over;
  });
}

void LookUps::stop() {
  reader_.stop();
  bell_.stop();
  for (const CardPtr& card : open_) card->stream->end();
  for (const auto& [task, errand] : under_way_) static_cast<void>(ports_.robot->remove(task));
  open_.clear();
  under_way_.clear();
}

bool LookUps::is_quiet_allowed(const Settings& settings) const {
  return ports_.robot != nullptr && ports_.memory != nullptr && settings.quiet_links != 0 && settings.fetch;
}

bool LookUps::may_look_ahead(std::string_view host, const Settings& settings) {
  return is_quiet_allowed(settings) &&
         in_advance_.has_left(site_of(host), ports_.clock->steady(), settings.fetches_per_minute);
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
  // The choice, its price and what is sent do not depend on what is known about the links: a server that sees which of
  // its own are fetched would learn something about them, and about the others.
  heed_forgetting();
  std::vector<Link> likely = likely_links(page, std::move(links));
  if (likely.size() > settings.quiet_links) likely.resize(settings.quiet_links);
  const std::string site = site_of(page.hostname());
  const SteadyTime now = ports_.clock->steady();
  if (!in_advance_.spend(site, now, settings.fetches_per_minute, likely.size())) return;
  const auto errands = std::make_shared<std::vector<Errand>>();
  std::vector<std::string> urls;
  for (const Link& link : likely) {
    const Result<Url> target = Url::parse(link.target);
    if (!target || !ledger_.may_ask(site, link.target, now)) continue;
    Errand& errand = errands->emplace_back();
    errand.site = site;
    errand.url = link.target;
    errand.spec = errand_to(*target, link.text, ports_.clock->now() + kWaitInAdvance);
    errand.spec.priority = -5;
    errand.spec.keep = false;  // until the memory was asked
    errand.in_advance = true;
    urls.push_back(link.target);
  }
  if (urls.empty()) return;
  beside([this, errands, viewer, settings, urls = std::move(urls)] {
    std::vector<bool> keep;
    for (const std::string& url : urls)
      keep.push_back(is_worth_a_look(*ports_.memory, facts_question(viewer, url, settings)));
    return [errands, keep] {
      for (std::size_t i = 0; i < errands->size(); ++i) (*errands)[i].spec.keep = keep[i];
    };
  });
  send_later([this, errands, settings] {
    const SteadyTime later = ports_.clock->steady();
    for (Errand& errand : *errands)
      if (ledger_.may_ask(errand.site, errand.url, later)) send(std::move(errand), settings);
    errands->clear();
  });
}

}  // namespace outrider::hyperscout
