// The keys of the session tickets that we give to clients: made at random for this process, never written anywhere,
// changed twice a day. A ticket of the key before is still taken and replaced. Thread safe.
#pragma once

#include "base/clock.hpp"

#include <openssl/ssl.h>

#include <array>
#include <mutex>
#include <optional>

namespace outrider {

class TicketKeys {
 public:
  static constexpr auto kChangeEvery = std::chrono::hours{12};

  struct Key {
    std::array<unsigned char, 16> name{};
    std::array<unsigned char, 32> cipher{};
    std::array<unsigned char, 32> mac{};
    SteadyTime made{};
  };
  struct Found {
    Key key;
    bool current = false;
  };

  // The key for new tickets; nothing if the system has no random numbers.
  std::optional<Key> current(SteadyTime now);
  // The key that a ticket names, unless it is too old.
  std::optional<Found> find(const unsigned char* name, SteadyTime now);

  // Makes `context` use these keys; they must outlive it.
  void install(SSL_CTX* context);

 private:
  bool change(SteadyTime now);

  std::mutex mutex_;
  std::optional<Key> now_;
  std::optional<Key> before_;
};

}  // namespace outrider
