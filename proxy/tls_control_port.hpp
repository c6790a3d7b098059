// The port to HTTPS (plugins/api/control.hpp): whether it is opened, and which hosts pass because a client refused our
// certificate for them.
#pragma once

#include "plugins/api/control.hpp"
#include "proxy/settings.hpp"

#include <atomic>

namespace outrider {

struct ProxyShared;

class TlsControlPort final : public TlsControl {
 public:
  explicit TlsControlPort(ProxyShared& shared) : shared_(shared) {}

  void set_mode(InterceptMode mode) { mode_.store(mode, std::memory_order_relaxed); }  // after each reload

  TlsState state(WallTime now) const override;
  Result<void> accept(bool accepted) override;
  std::vector<PinnedHost> pinned(WallTime now) const override;
  std::size_t unpin(std::string_view host) override;

 private:
  ProxyShared& shared_;
  std::atomic<InterceptMode> mode_{InterceptMode::onboarded};
};

}  // namespace outrider
