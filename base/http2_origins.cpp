#include "base/http2_origins.hpp"

#include "base/egress.hpp"

#include <algorithm>

namespace outrider {
namespace {

// An answer is read at the speed of its reader, and the window is what may be on its way: large enough for distant
// origins, from the first byte on, or a page would come slower than without us. All streams together may hold several.
constexpr std::uint32_t kStreamWindow = 1024 * 1024;
constexpr std::uint32_t kConnectionWindow = 4 * 1024 * 1024;
constexpr std::size_t kBuffered = 16 * 1024 * 1024;

}  // namespace

Http2Origins::Http2Origins(Reactor& reactor, const HttpLimits& limits, Duration idle, Http2Homes* homes,
                           std::shared_ptr<HttpHome> me)
    : reactor_(reactor), homes_(homes), me_(std::move(me)), tasks_(reactor.executor()) {
  limits_.http = limits;
  limits_.stream_window = kStreamWindow;
  limits_.stream_window_most = kStreamWindow;
  limits_.connection_window = kConnectionWindow;
  limits_.buffered = kBuffered;
  limits_.idle = idle;
}

Http2Origins::~Http2Origins() = default;

Http2Origins::Origin& Http2Origins::origin(std::string_view key) {
  const auto found = places_.find(key);
  if (found != places_.end()) {
    origins_.splice(origins_.begin(), origins_, found->second);
    return origins_.front();
  }
  make_room();
  origins_.emplace_front();
  origins_.front().key = key;
  places_.emplace(key, origins_.begin());
  return origins_.front();
}

const Http2Origins::Origin* Http2Origins::known(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &*found->second;
}

// Whoever was not used for longest is forgotten, but for those that are in use.
void Http2Origins::make_room() {
  for (auto it = origins_.end(); origins_.size() >= kOriginsKnown && it != origins_.begin();) {
    --it;
    forget_closed(*it);
    if (!it->connections.empty() || it->attempt) continue;
    places_.erase(it->key);
    it = origins_.erase(it);
  }
}

void Http2Origins::forget_closed(Origin& origin) {
  const auto is_closed = [](const std::shared_ptr<Http2Connection>& c) { return c->closed() || !c->accepts_streams(); };
  const std::size_t before = origin.connections.size();
  std::erase_if(origin.connections, is_closed);  // what runs on them goes on: its task holds them
  connections_ -= before - origin.connections.size();
}

std::shared_ptr<Http2Connection> Http2Origins::find(std::string_view key) {
  const auto found = places_.find(key);
  if (found == places_.end() || found->second->connections.empty()) return nullptr;
  Origin& here = origin(key);
  if (here.speaks == Speaks::http1_only && !is_over(here)) return nullptr;
  forget_closed(here);
  std::shared_ptr<Http2Connection> best;
  const auto load = [](const Http2Connection& c) { return std::pair{c.congested(), c.streams()}; };
  for (const std::shared_ptr<Http2Connection>& connection : here.connections)
    if (!best || load(*connection) < load(*best)) best = connection;
  // Beyond what the origin allows requests wait inside the connection, and behind streams that nobody reads they would
  // wait, too; but first there may be another one.
  const bool would_wait = best && (best->congested() || best->streams() >= best->streams_allowed());
  if (would_wait && here.connections.size() < kPerOrigin) return nullptr;
  return best;
}

// One request that was to be sent in HTTP/1 says little about the rest, and origins change.
bool Http2Origins::is_over(const Origin& origin) const {
  return reactor_.sweeper().now() - origin.learnt > kRememberHttp1;
}

Http2Origins::Speaks Http2Origins::speaks(std::string_view key) const {
  const Origin* here = known(key);
  return here == nullptr || (here->speaks == Speaks::http1_only && is_over(*here)) ? Speaks::unknown : here->speaks;
}

void Http2Origins::learn(std::string_view key, Speaks what) {
  Origin& here = origin(key);
  if (here.speaks == Speaks::http1_only && !is_over(here)) return;
  here.speaks = what;
  here.learnt = reactor_.sweeper().now();
}

std::vector<std::string> Http2Origins::offer(std::string_view key) const {
  std::vector<std::string> offered;
  if (speaks(key) != Speaks::http1_only) offered.emplace_back("h2");
  offered.emplace_back("http/1.1");
  return offered;
}

std::shared_ptr<Http2Origins::Attempt> Http2Origins::attempt(std::string_view key) const {
  const Origin* here = known(key);
  return here == nullptr ? nullptr : here->attempt;
}

std::shared_ptr<Http2Origins::Attempt> Http2Origins::begin_attempt(std::string_view key, const void* policy) {
  Origin& here = origin(key);
  here.attempt = std::make_shared<Attempt>(reactor_.executor(), policy);
  return here.attempt;
}

void Http2Origins::end_attempt(std::string_view key, const std::shared_ptr<Attempt>& attempt,
                               std::optional<Error> failure) {
  attempt->over = true;
  attempt->failure = std::move(failure);
  attempt->done.notify();
  Origin& here = origin(key);
  if (here.attempt == attempt) here.attempt.reset();
  release_home(key);
}

void Http2Origins::release_home(std::string_view key) {
  if (homes_ == nullptr) return;
  const Origin* here = known(key);
  const auto stands = [](const std::shared_ptr<Http2Connection>& c) { return !c->closed() && c->accepts_streams(); };
  const bool has_any =
      here != nullptr && (here->attempt || std::any_of(here->connections.begin(), here->connections.end(), stands));
  if (!has_any) homes_->release(key, me_);
}

Task<> Http2Origins::look_after(std::string key, std::shared_ptr<Http2Connection> connection) {
  const std::weak_ptr<Http2Origins> origins = weak_from_this();
  co_await connection->run(tasks_);
  if (const std::shared_ptr<Http2Origins> alive = origins.lock()) alive->release_home(key);
}

std::shared_ptr<Http2Connection> Http2Origins::add(std::string_view key, std::shared_ptr<Stream> stream) {
  for (auto it = origins_.rbegin(); connections_ >= kConnections && it != origins_.rend(); ++it) {
    for (const std::shared_ptr<Http2Connection>& connection : it->connections)
      if (connection->streams() == 0) connection->drain();
    forget_closed(*it);
  }
  Origin& here = origin(key);
  learn(key, Speaks::http2);
  auto connection = std::make_shared<Http2Connection>(std::move(stream), Http2Connection::Role::client, limits_);
  here.connections.push_back(connection);
  ++connections_;
  if (homes_ != nullptr) homes_->keep(key, me_);
  tasks_.spawn(look_after(std::string{key}, connection), "http2 to an origin");
  return connection;
}

void Http2Origins::close_idle() {
  for (Origin& here : origins_)
    for (const std::shared_ptr<Http2Connection>& connection : here.connections) connection->drain();
}

HttpOffer::HttpOffer(std::shared_ptr<Http2Origins> origins, EgressTarget& target, const std::string& key)
    : origins_(std::move(origins)), key_(key) {
  target.alpn.clear();
  if (!target.tls) return;
  target.alpn = target.tunnel ? std::vector<std::string>{"http/1.1"} : origins_->offer(key);
  offered_ = target.alpn.front() == "h2";
  if (offered_ && origins_->speaks(key) != Http2Origins::Speaks::http1 && !origins_->attempt(key))
    attempt_ = origins_->begin_attempt(key, target.policy.get());
}

HttpOffer::~HttpOffer() {
  if (attempt_) origins_->end_attempt(key_, attempt_, std::nullopt);  // unwound: let somebody else try
}

void HttpOffer::failed(const Error& error) {
  if (attempt_) origins_->end_attempt(key_, attempt_, error);
  attempt_.reset();
}

std::shared_ptr<Http2Connection> HttpOffer::taken(std::string_view protocol, const std::shared_ptr<Stream>& stream) {
  std::shared_ptr<Http2Connection> connection;
  if (protocol == "h2") {
    connection = origins_->add(key_, stream);
  } else if (offered_) {
    origins_->learn(key_, Http2Origins::Speaks::http1);
  }
  if (attempt_) origins_->end_attempt(key_, attempt_, std::nullopt);
  attempt_.reset();
  return connection;
}

}  // namespace outrider
