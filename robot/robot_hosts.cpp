// What has to be known of a host before its first page is asked for: where it is, and its robots.txt.
#include "base/content_coding.hpp"
#include "base/log.hpp"
#include "robot/robot.hpp"

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

constexpr Duration kLookUpWithin = std::chrono::seconds{10};
constexpr Duration kLearnAgain = std::chrono::seconds{10};  // after a fault of our own
constexpr std::size_t kMostApart = 4096, kMostApartBytes = 16 << 20;
constexpr Duration kKeepsPlace = std::chrono::seconds{1};  // who has to wait longer for a host lets others learn

// What says nothing about the host: we are too busy, or on the way out.
bool is_our_own(const Error& error) {
  return error.kind == ErrorKind::cancelled || error.kind == ErrorKind::internal ||
         (error.side == Side::self && (error.kind == ErrorKind::busy || error.kind == ErrorKind::io));
}

// In the words of somebody who wanted a page.
Error why_unreachable(Error error) {
  if (!is_of_host(error) && !is_refusal(error)) error.detail.insert(0, "robots.txt: ");
  return error;
}

// Sent in a content coding although none was asked for. Nothing: it cannot be read.
std::optional<std::string> decoded(const Fetched& fetched) {
  constexpr std::size_t kMost = kRobotsTxtBytes + 1;
  DecodeLimits limits;
  limits.size = kMost + kContentPiece;
  Result<ContentDecoder> decoder = ContentDecoder::create(fetched.headers.joined(HeaderId::content_encoding), limits);
  if (!decoder) return std::nullopt;
  std::string text;
  const auto append = [&text](std::string_view piece) { text.append(piece.substr(0, kMost - text.size())); };
  Result<void> read = decoder->feed(fetched.body, append);
  if (read && fetched.complete) read = decoder->finish();
  if (!read && text.size() < kMost) return std::nullopt;
  return text;
}

}  // namespace

// One page can name thousands of hosts: they are learnt about in turn, and tasks take turns.
void RobotEngine::learn_later(const std::string& host, bool robots, const RobotTask& task) {
  const bool at_once = task.spec.interactive;
  const bool waiting = std::exchange(host_state(host).learning, true);
  if (waiting && !at_once) return;
  Lesson lesson{host, robots, task.spec.apart, !task.waits_for_robots()};
  if (waiting) {  // somebody waits for it now: before the others, unless it is under way already
    bool found = false;
    for (auto& [id, lessons] : to_learn_) {
      const auto is_it = [&](const Lesson& each) { return each.host == host; };
      const auto here = std::find_if(lessons.begin(), lessons.end(), is_it);
      if (here == lessons.end()) continue;
      if (here->robots) lesson = std::move(*here);  // ours, if it is another one, comes when that has ended
      lessons.erase(here);
      found = true;
      break;
    }
    if (!found) return;
  }
  to_learn_[at_once ? 0 : task.id].push_back(std::move(lesson));
  if (learners_ >= options_.concurrency + (at_once ? options_.interactive : 0)) return;
  ++learners_;
  work_.spawn(learn_waiting(), "hosts' rules");
}

std::optional<RobotEngine::Lesson> RobotEngine::next_to_learn() {
  std::erase_if(to_learn_, [](const auto& each) { return each.second.empty(); });
  if (to_learn_.empty()) return std::nullopt;
  auto next = to_learn_.begin();
  if (next->first != 0) {
    next = to_learn_.upper_bound(learnt_for_);
    if (next == to_learn_.end()) next = to_learn_.begin();
    learnt_for_ = next->first;
  }
  Lesson lesson = std::move(next->second.front());
  next->second.pop_front();
  return lesson;
}

Task<> RobotEngine::learn_waiting() {
  while (!stopping_) {
    const std::optional<Lesson> next = next_to_learn();
    if (!next) break;
    const std::string& host = next->host;
    bool learnt = false;
    try {
      co_await learn(*next);
      learnt = true;
    } catch (const std::exception& failure) {
      if (stopping_) break;  // it was cut off, which is nobody's fault
      log::error(Room::robot, "host_not_learnt", {{"reason", failure.what()}});
    }
    host_state(host).learning = false;
    if (!learnt) later(kLearnAgain, [this, name = host] { set_open(name, true); });
    pump();
  }
  --learners_;
}

Task<> RobotEngine::learn(const Lesson& lesson) {
  const std::string& host = lesson.host;
  const bool is_apart = !lesson.apart.empty();
  const Result<Url> url = Url::parse(host + "/robots.txt");
  RobotsRules known = host_state(host).robots;
  if (is_apart) {
    const auto own = rules_apart_.find({lesson.apart, host});
    known = own == rules_apart_.end() ? RobotsRules{} : own->second;
  } else if (lesson.robots && known.state() == RobotsState::unknown) {
    if (const std::optional<std::string> note = frontier_->note(robots_note(host)))
      known = RobotsRules::load(*note, options_.settings).value_or(RobotsRules{});
  }
  const WallTime now = reactor_.clock().now();
  const bool is_old = lesson.impatient ? known.must_fetch_for_impatient(now) : known.must_fetch(now);
  const bool fetches = url && lesson.robots && is_old;
  // With new rules it is looked up anew, too: machines move.
  if (url && (!host_state(host).resolved || fetches)) {
    std::string address = co_await find_address(*url);
    host_state(host).address = std::move(address);
  }
  host_state(host).resolved = true;
  if (fetches) {
    Duration wait = is_lab(*url) ? options_.retry_after : kLearnAgain;
    std::optional<RobotsRules> learnt = co_await fetch_robots(lesson, std::move(known), wait);
    if (!learnt) {
      later(wait, [this, host] { set_open(host, true); });
      co_return;
    }
    known = std::move(*learnt);
    if (is_apart) keep_apart(lesson, known);
  }
  // What was learnt apart is good for all others, but not that it could not be had: they may know more.
  if (!is_apart || (fetches && known.state() != RobotsState::nothing)) {
    if (fetches && !is_lab(*url)) frontier_->set_note(robots_note(host), known.save(options_.settings));
    if (url) pacing_of(*url).set_crawl_delay(*url, known.crawl_delay());
    bound_rules(known);
    host_state(host).robots = std::move(known);
  }
  set_open(host, true);
}

const RobotsRules& RobotEngine::rules_for(const RobotTask& task, const std::string& host) {
  static const RobotsRules kUnknown;
  if (task.spec.apart.empty()) return host_state(host).robots;
  const auto found = rules_apart_.find({task.spec.apart, host});
  return found == rules_apart_.end() ? kUnknown : found->second;
}

// When it is too much, everybody asks again: as after a start.
void RobotEngine::keep_apart(const Lesson& lesson, RobotsRules fresh) {
  if (rules_apart_.size() >= kMostApart || apart_bytes_ + fresh.memory_bytes() > kMostApartBytes) {
    rules_apart_.clear();
    apart_bytes_ = 0;
  }
  apart_bytes_ += fresh.memory_bytes();
  rules_apart_[{lesson.apart, lesson.host}] = std::move(fresh);
}

// Those of hosts that nobody asks at the moment are on disk.
void RobotEngine::bound_rules(const RobotsRules& fresh) {
  rules_bytes_ += fresh.memory_bytes();
  if (rules_bytes_ <= options_.most_rules_bytes) return;
  rules_bytes_ = fresh.memory_bytes();
  for (auto& [name, host] : hosts_) {
    const bool idle = host.under_way == 0 && host.open && !host.learning;
    if (idle) host.robots = RobotsRules{};
    rules_bytes_ += host.robots.memory_bytes();
  }
}

// Ten thousand names of one machine are one machine. Behind a parent proxy nobody knows.
Task<std::string> RobotEngine::find_address(Url url) {
  if (is_lab(url)) co_return "";
  if (options_.rules.parent && options_.rules.parent(url.hostname(), url.effective_port()).parent) co_return "";
  std::string name{url.hostname()};
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  const Result<Addresses> found = co_await resolver_.resolve(name, Deadline::after(kLookUpWithin));
  if (!found || found->empty()) co_return "";
  co_return found->front().to_string();
}

// RFC 9309 section 2.3: redirects are followed, and the rules are those of the host that was asked first.
Task<std::optional<RobotsRules>> RobotEngine::fetch_robots(const Lesson& lesson, RobotsRules known,
                                                           Duration& come_back) {
  const std::string& host = lesson.host;
  Result<Url> url = Url::parse(host + "/robots.txt");
  RobotsFetch result;
  Fetched fetched;
  for (int redirects = 0; url && url->is_http() && redirects <= kRobotsRedirects; ++redirects) {
    for (;;) {  // it is a request like others
      const Duration wait = pacing_of(*url).begin(*url, redirects == 0 ? host_state(host).address : "");
      if (wait == Duration::zero()) break;
      if (redirects == 0 && wait != Pacing::kUntilEnd && wait > kKeepsPlace) {
        come_back = wait;
        co_return std::nullopt;
      }
      Timer pause{reactor_.executor()};
      pause.expires_after(wait == Pacing::kUntilEnd ? std::chrono::milliseconds{100} : wait);
      const auto [cancelled] = co_await pause.async_wait(as_result);
      if (cancelled || stopping_) co_return std::nullopt;
    }
    FetchOrder order = order_for(nullptr, *url, {});
    order.apart = lesson.apart;
    fetched = co_await fetcher_.fetch(order);
    request_ended(std::string{host_of(url->href())}, *url, fetched);
    if (fetched.error && (stopping_ || is_our_own(*fetched.error))) co_return std::nullopt;
    result.status = fetched.error ? 0 : fetched.status;
    result.for_good = fetched.error && !may_pass(fetched);
    if (redirects == 0 && fetched.error) result.failure = why_unreachable(*fetched.error);
    const auto location = fetched.headers.find(HeaderId::location);
    if (result.status < 300 || result.status >= 400 || !location) break;
    const Url base = *url;
    url = Url::parse(*location, &base);
  }
  std::optional<std::string> text;
  if (result.status >= 200 && result.status < 300) {
    text = decoded(fetched);
    result.status = text ? result.status : 0;
    if (text) result.body = *text;
  }
  if (const auto age = parse_response_directives(fetched.headers).max_age) result.max_age = *age;
  if (url && is_lab(*url)) result.retry_first = options_.retry_after;
  std::optional<RobotsRules> rules = known.after(result, options_.settings, reactor_.clock().now());
  co_return rules;
}

}  // namespace outrider
