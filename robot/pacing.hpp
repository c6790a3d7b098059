// How fast hosts are asked. The robot asks before each request and reports each answer; the rules are somebody else's.
#pragma once

#include "base/url.hpp"
#include "robot/fetcher.hpp"

#include <string>
#include <unordered_map>

namespace outrider {

class Pacing {
 public:
  static constexpr Duration kUntilEnd = Duration::max();

  virtual ~Pacing() = default;
  // May a request to this host begin now? Zero: yes, and it has begun. Else: wait at least so long; kUntilEnd: until
  // another request to it has ended. `host` as host_of() gives it.
  virtual Duration begin(std::string_view host, const Url& url) = 0;
  virtual void end(std::string_view host, const Url& url, const Fetched& fetched) = 0;
  // What robots.txt asks for.
  virtual void set_crawl_delay(std::string_view, std::optional<Duration>) {}
};

// Only a number of requests at a time: for laboratories.
class FreePacing final : public Pacing {
 public:
  explicit FreePacing(std::size_t per_host) : per_host_(per_host) {}
  Duration begin(std::string_view host, const Url&) override {
    std::size_t& under_way = under_way_[std::string{host}];
    if (under_way >= per_host_) return kUntilEnd;
    ++under_way;
    return Duration::zero();
  }
  void end(std::string_view host, const Url&, const Fetched&) override {
    const auto found = under_way_.find(std::string{host});
    if (found != under_way_.end() && --found->second == 0) under_way_.erase(found);
  }

 private:
  const std::size_t per_host_;
  std::unordered_map<std::string, std::size_t> under_way_;
};

}  // namespace outrider
