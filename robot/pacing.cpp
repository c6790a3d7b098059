#include "robot/pacing.hpp"

#include "base/http_date.hpp"
#include "cache/directives.hpp"
#include "robot/frontier.hpp"

#include <algorithm>

namespace outrider {

Duration FreePacing::begin(const Url& url, std::string_view) {
  std::size_t& under_way = under_way_[std::string{url.host()}];
  if (under_way >= per_host_) return kUntilEnd;
  ++under_way;
  return Duration::zero();
}

void FreePacing::end(const Url& url, const Fetched&) {
  const auto found = under_way_.find(std::string{url.host()});
  if (found != under_way_.end() && --found->second == 0) under_way_.erase(found);
}

class PolitePacing::Notes final : public PolitenessStore {
 public:
  explicit Notes(Frontier& frontier) : frontier_(frontier) {}
  std::optional<std::string> get(std::string_view host) override {
    return frontier_.note(std::string{kPaceNote}.append(host));
  }
  void put(std::string_view host, std::string_view record) override {
    frontier_.set_note(std::string{kPaceNote}.append(host), record);
  }

 private:
  Frontier& frontier_;
};

PolitePacing::PolitePacing(const RobotSettings& settings, Frontier& frontier, const Clock& clock)
    : clock_(clock),
      notes_(std::make_unique<Notes>(frontier)),
      politeness_(std::make_shared<const RobotSettings>(settings), notes_.get()) {}

PolitePacing::~PolitePacing() = default;

Duration PolitePacing::begin(const Url& url, std::string_view address) {
  const Moment now = Moment::of(clock_);
  if (const std::optional<Lease> lease = politeness_.try_acquire(url.host(), address, now)) {
    leases_[std::string{url.host()}].push_back(*lease);
    return Duration::zero();
  }
  const SteadyTime next = politeness_.next_possible(url.host(), now);
  if (next == SteadyTime::max()) return kUntilEnd;
  return std::max<Duration>(next - now.steady, std::chrono::milliseconds{1});
}

void PolitePacing::end(const Url& url, const Fetched& fetched) {
  const auto found = leases_.find(std::string{url.host()});
  if (found == leases_.end()) return;
  FetchOutcome outcome;
  outcome.status = fetched.error ? 0 : fetched.status;
  outcome.latency = fetched.first_byte;
  outcome.retry_after = retry_after(fetched.headers.find("Retry-After"), clock_.now());
  // What was answered from the store, or forbidden by a rule, the host never heard of. A stale answer may stand for an
  // attempt that failed.
  if (fetched.origin_failure) {
    const std::string& text = fetched.origin_failure->retry_after;
    outcome.status = fetched.origin_failure->status;
    outcome.retry_after = text.empty() ? std::nullopt : retry_after(text, clock_.now());
  }
  outcome.not_sent = (fetched.from_store() && !fetched.origin_failure) || (fetched.error && is_refusal(*fetched.error));
  outcome.cancelled = outcome.not_sent || (fetched.error && fetched.error->side == Side::self);
  politeness_.release(found->second.back(), outcome, Moment::of(clock_));
  found->second.pop_back();
  if (found->second.empty()) leases_.erase(found);
}

void PolitePacing::set_crawl_delay(const Url& url, std::optional<Duration> delay) {
  politeness_.set_crawl_delay(url.host(), delay, Moment::of(clock_));
}

std::optional<Duration> retry_after(std::optional<std::string_view> text, WallTime now) {
  if (!text) return std::nullopt;
  if (const auto seconds = parse_delta_seconds(*text)) return *seconds;
  const auto date = parse_http_date(*text, now);
  if (!date) return std::nullopt;
  return std::max<Duration>(*date - now, Duration::zero());
}

}  // namespace outrider
