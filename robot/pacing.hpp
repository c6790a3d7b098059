// How fast hosts are asked. The robot asks before each request and reports each answer; the rules are somebody else's.
#pragma once

#include "base/url.hpp"
#include "robot/fetcher.hpp"
#include "robot/politeness.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace outrider {

class Frontier;

class Pacing {
 public:
  static constexpr Duration kUntilEnd = Duration::max();

  virtual ~Pacing() = default;
  // May a request to this URL's host begin now? Zero: yes, and it has begun. Else: wait at least so long; kUntilEnd:
  // until another request has ended. `address`: of the machine behind the name, "" = not known.
  virtual Duration begin(const Url& url, std::string_view address) = 0;
  virtual void end(const Url& url, const Fetched& fetched) = 0;
  virtual void set_crawl_delay(const Url&, std::optional<Duration>) {}  // what robots.txt asks for
  virtual void set_settings(const RobotSettings&) {}
  virtual void browser_asked(std::string_view) {}  // the host; any thread
  virtual void forgive(const Url&) {}              // its failures are forgotten, and it may be asked
  virtual std::optional<Politeness::HostView> view(const Url&) const { return std::nullopt; }
};

// Only a number of requests at a time: for laboratories.
class FreePacing final : public Pacing {
 public:
  explicit FreePacing(std::size_t per_host) : per_host_(per_host) {}
  Duration begin(const Url& url, std::string_view address) override;
  void end(const Url& url, const Fetched& fetched) override;

 private:
  const std::size_t per_host_;
  std::unordered_map<std::string, std::size_t> under_way_;
};

// In the frontier, the names of the notes on hosts' paces begin so; the host (with its port) follows.
inline constexpr std::string_view kPaceNote = "pace ";

// By the robot's politeness, which survives restarts in the frontier.
class PolitePacing final : public Pacing {
 public:
  PolitePacing(const RobotSettings& settings, Frontier& frontier, const Clock& clock);
  ~PolitePacing() override;
  Duration begin(const Url& url, std::string_view address) override;
  void end(const Url& url, const Fetched& fetched) override;
  void set_crawl_delay(const Url& url, std::optional<Duration> delay) override;
  void set_settings(const RobotSettings& settings) override {
    politeness_.set_settings(std::make_shared<const RobotSettings>(settings));
  }
  void browser_asked(std::string_view host) override { politeness_.browser_asked(host, "", Moment::of(clock_)); }
  void forgive(const Url& url) override { politeness_.forgive(url.host(), Moment::of(clock_)); }
  std::optional<Politeness::HostView> view(const Url& url) const override { return politeness_.view(url.host()); }

 private:
  class Notes;
  const Clock& clock_;
  std::unique_ptr<Notes> notes_;
  Politeness politeness_;
  std::unordered_map<std::string, std::vector<Lease>> leases_;  // one is as good as another of the same host
};

// Retry-After (RFC 9110 section 10.2.3): seconds, or a date.
std::optional<Duration> retry_after(std::optional<std::string_view> text, WallTime now);

}  // namespace outrider
