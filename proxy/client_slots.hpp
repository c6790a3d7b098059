// How many connections there are, in all and per client: an address, or the /64 that one machine has in IPv6. Asked
// once per connection, so a mutex is good enough.
#pragma once

#include "base/ip_address.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace outrider {

class ClientSlots {
 public:
  struct Limits {
    std::size_t total;
    std::size_t per_client;
  };

  // The slot is given back when the last copy of the pointer goes; nullptr: a limit is reached.
  std::shared_ptr<void> take(const IpAddress& address, const Limits& limits) {
    const IpAddress client = allotment_of(address);
    const std::lock_guard lock(table_->mutex);
    auto& count = table_->per_client[client];
    if (table_->total >= limits.total || count >= limits.per_client) {
      if (count == 0) table_->per_client.erase(client);
      return nullptr;
    }
    ++count;
    ++table_->total;
    return std::make_shared<Slot>(table_, client);
  }

  std::size_t total() const {
    const std::lock_guard lock(table_->mutex);
    return table_->total;
  }

 private:
  struct Table {
    std::mutex mutex;
    std::map<IpAddress, std::size_t> per_client;
    std::size_t total = 0;
  };
  struct Slot {
    Slot(std::shared_ptr<Table> t, const IpAddress& c) : table(std::move(t)), client(c) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() {
      const std::lock_guard lock(table->mutex);
      --table->total;
      const auto entry = table->per_client.find(client);
      if (--entry->second == 0) table->per_client.erase(entry);
    }
    std::shared_ptr<Table> table;
    IpAddress client;
  };
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

}  // namespace outrider
