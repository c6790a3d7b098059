#include "cache/graph_link_news.hpp"

#include "cache/graph_keys.hpp"
#include "cache/graph_links.hpp"

#include <algorithm>
#include <bit>

namespace outrider::graph {
namespace {

constexpr std::size_t kSources = 100;      // pages with new links in one piece of work: they share many targets
constexpr std::size_t kTargetsOfOne = 64;  // further ones of a page wait until something else happens to them
constexpr std::uint32_t kFew = 8, kMost = 1024;
constexpr std::size_t kPeople = 16;  // whose own entries of a page get the words of open links

bool is_worth_it(std::uint32_t links, std::uint32_t told, bool only_words) {
  if (links <= told && !only_words) return false;
  return links <= kFew || std::bit_width(links) > std::bit_width(told);
}

// More links than these need not be counted to know that.
std::uint32_t next_worth(std::uint32_t told) {
  return std::max(kFew + 1, 1u << std::bit_width(told));
}

}  // namespace

Result<bool> LinkNews::spread() {
  const Result<std::vector<IndexItem>> sources = core_.queue.next_with_links(kSources);
  if (!sources) return sources.error();
  if (sources->empty()) return false;
  const Result<std::vector<std::string>> people = visits_.user_spaces();
  if (!people) return people.error();

  std::map<std::string, bool> news;  // by the page's key
  std::vector<std::optional<std::string>> links_then;
  for (const IndexItem& source : *sources) {
    Result<std::optional<std::string>> value = core_.db->get(Family::links_out, source.key);
    if (!value) return value.error();
    std::string_view resource = source.key;
    const std::string space{take_space(resource).value_or("")};
    records::LinkSetRecord links;
    if (*value && parse(**value, links)) {
      for (const auto& [target, only_words] : news_in(links, resource, kTargetsOfOne)) {
        const auto tell = [&](const std::string& whose) {
          const auto [known, is_new] = news.try_emplace(whose + target, only_words);
          if (!is_new) known->second |= only_words;
        };
        tell(space);
        if (space != open_space()) continue;
        for (std::size_t i = 0; i < std::min(people->size(), kPeople); ++i) tell((*people)[i]);
      }
    }
    links_then.push_back(std::move(*value));
  }
  for (const auto& [page_key, only_words] : news)
    if (Result<void> queued = queue(page_key, only_words); !queued) return queued.error();
  for (std::size_t i = 0; i < sources->size(); ++i)
    if (Result<void> done = finish((*sources)[i], links_then[i]); !done) return done.error();
  return true;
}

Result<void> LinkNews::queue(const std::string& page_key, bool only_words) {
  const std::shared_lock not_forgetting(core_.forgetting);
  const std::lock_guard lock(core_.page_lock(page_key));
  const Result<std::optional<std::string>> value = core_.db->get(Family::nodes, page_key);
  if (!value) return value.error();
  records::NodeRecord node;
  if (!*value || !parse(**value, node) || !was_answered(node)) return {};  // nobody has it
  if (node.indexed_links() >= kMost || core_.queue.has(node.index_ticket())) return {};
  const Result<std::uint32_t> links = links_to(page_key, next_worth(node.indexed_links()));
  if (!links) return links.error();
  if (!is_worth_it(*links, node.indexed_links(), only_words)) return {};
  rocksdb::WriteBatch batch;
  std::string ticket;
  core_.queue.add(batch, IndexQueue::Lane::others, page_key, ticket);
  node.set_index_ticket(ticket);
  node.set_indexed_links(*links);
  core_.db->put(batch, Family::nodes, page_key, node.SerializeAsString());
  return core_.db->write(batch);
}

// Those that its owner sees; counted as far as it matters.
Result<std::uint32_t> LinkNews::links_to(std::string_view page_key, std::uint32_t most) const {
  std::uint32_t count = 0;
  std::string_view resource = page_key;
  const std::string_view own = take_space(resource).value_or("");
  const auto one_more = [&](std::string_view, std::string_view) { return ++count < most; };
  if (Result<void> read = each_source(*core_.db, seen_from(own), resource, {}, one_more); !read) return read.error();
  return count;
}

// If it has other links by now, it waits for the next time.
Result<void> LinkNews::finish(const IndexItem& source, const std::optional<std::string>& links_then) {
  const std::shared_lock not_forgetting(core_.forgetting);
  const std::lock_guard lock(core_.page_lock(source.key));
  const Result<std::optional<std::string>> links = core_.db->get(Family::links_out, source.key);
  if (!links) return links.error();
  if (*links != links_then) return {};
  return core_.queue.done({&source.ticket, 1});
}

Result<void> LinkNews::told(std::string_view page_key, std::uint32_t in_degree) {
  const std::uint32_t known = std::min(in_degree, kMost);
  const std::shared_lock not_forgetting(core_.forgetting);
  const std::lock_guard lock(core_.page_lock(page_key));
  const Result<std::optional<std::string>> value = core_.db->get(Family::nodes, page_key);
  if (!value) return value.error();
  records::NodeRecord node;
  if (!*value || !parse(**value, node) || node.indexed_links() == known) return {};
  node.set_indexed_links(known);
  rocksdb::WriteBatch batch;
  core_.db->put(batch, Family::nodes, page_key, node.SerializeAsString());
  return core_.db->write(batch);
}

}  // namespace outrider::graph
