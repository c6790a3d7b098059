#include "cache/graph_queue.hpp"

#include "cache/graph_keys.hpp"
#include "cache/graph_records.hpp"

namespace outrider::graph {
namespace {

constexpr std::string_view kNextBlock = "queue_block";
constexpr std::uint64_t kBlock = 1ull << 32;  // numbers for one opening: a ticket is never given out twice

}  // namespace

Result<void> IndexQueue::open() {
  const Result<std::optional<std::string>> block = db_.get(Family::meta, kNextBlock);
  if (!block) return block.error();
  next_ = *block ? number_at_end(**block) : kBlock;
  if (db_.read_only()) return {};
  std::string following;
  append_number(following, next_ + kBlock);
  rocksdb::WriteBatch batch;
  db_.put(batch, Family::meta, kNextBlock, following);
  // Lanes of former versions: pages that were to be read more closely, and are when they are seen again.
  for (const char lane : {'3', '4'}) db_.erase(batch, Family::queue, KeyRange::of_prefix(std::string(1, lane)));
  return db_.write(batch);
}

void IndexQueue::add(rocksdb::WriteBatch& batch, Lane lane, std::string_view page_key, std::string& ticket) {
  drop(batch, ticket);
  ticket.push_back(static_cast<char>(lane));
  append_number(ticket, next_++);
  db_.put(batch, Family::queue, ticket, page_key);
}

void IndexQueue::drop(rocksdb::WriteBatch& batch, std::string& ticket) const {
  if (!ticket.empty()) db_.erase(batch, Family::queue, ticket);
  ticket.clear();
}

Result<void> IndexQueue::collect(Lane lane, std::size_t limit, std::vector<IndexItem>& items) const {
  if (items.size() >= limit) return {};
  const std::string prefix(1, static_cast<char>(lane));
  return db_.each(Family::queue, KeyRange::of_prefix(prefix), [&](std::string_view ticket, std::string_view key) {
    IndexItem item{std::string{ticket}, std::string{key}, {}, lane == Lane::visited};
    if (auto page = page_of(key)) item.page = std::move(*page);  // else damaged: the URL is empty, the ticket can go
    items.push_back(std::move(item));
    return items.size() < limit;
  });
}

Result<std::vector<IndexItem>> IndexQueue::next(std::size_t limit, bool only_visited) const {
  std::vector<IndexItem> items;
  if (Result<void> read = collect(Lane::visited, limit, items); !read) return read.error();
  if (only_visited) return items;
  if (Result<void> read = collect(Lane::others, limit, items); !read) return read.error();
  return items;
}

Result<std::vector<IndexItem>> IndexQueue::next_with_links(std::size_t limit) const {
  std::vector<IndexItem> items;
  if (Result<void> read = collect(Lane::links, limit, items); !read) return read.error();
  return items;
}

bool IndexQueue::has(std::string_view ticket) const {
  if (ticket.empty()) return false;
  const Result<std::optional<std::string>> page = db_.get(Family::queue, ticket);
  return page && *page;
}

Result<std::vector<IndexItem>> IndexQueue::next_removals(std::size_t limit) const {
  std::vector<IndexItem> items;
  std::vector<std::string> back_again;
  if (Result<void> read = collect(Lane::removal, limit, items); !read) return read.error();
  std::erase_if(items, [&](const IndexItem& item) {
    const Result<std::optional<std::string>> node = db_.get(Family::nodes, item.key);
    if (!node || !*node) return false;
    back_again.push_back(item.ticket);
    return true;
  });
  if (Result<void> dropped = done(back_again); !dropped) return dropped.error();
  return items;
}

Result<void> IndexQueue::done(std::span<const std::string> tickets) const {
  if (tickets.empty()) return {};
  rocksdb::WriteBatch batch;
  for (const std::string& ticket : tickets) db_.erase(batch, Family::queue, ticket);
  return db_.write(batch);
}

std::uint64_t IndexQueue::size() const {
  return db_.keys_estimate(Family::queue);
}

void IndexQueue::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(wake_mutex_);
  wake_ = std::move(wake);
}

void IndexQueue::wake() const {
  const std::lock_guard lock(wake_mutex_);
  if (wake_) wake_();
}

}  // namespace outrider::graph
