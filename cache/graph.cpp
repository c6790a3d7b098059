#include "cache/graph.hpp"

#include "base/log.hpp"
#include "cache/graph_forget.hpp"
#include "cache/graph_keys.hpp"
#include "cache/graph_link_news.hpp"
#include "cache/graph_reader.hpp"
#include "cache/graph_upkeep.hpp"
#include "cache/graph_visits.hpp"
#include "cache/graph_writer.hpp"

namespace outrider {

class Graph::Impl {
 public:
  Impl(GraphOptions options, Metrics& metrics, const Clock& clock, std::unique_ptr<graph::GraphDb> db)
      : core(std::move(options), clock, std::move(db)),
        visits(core),
        writer(core),
        reader(core, visits),
        link_news(core, visits),
        upkeep(core, writer, [this] { return open_parts(); }),
        recorded(metrics.counter("outrider_memory_records_total", "Answers written to the memory.")),
        failed(metrics.counter("outrider_memory_failures_total", "Answers that the memory could not write.")),
        disk(metrics.gauge_from("outrider_memory_disk_bytes", "Disk space that the memory uses.", {},
                                [this] { return static_cast<double>(core.disk_bytes); })) {}

  Result<void> open_parts() {
    for (const Result<void>& opened : {core.events.open(), core.queue.open(), visits.open()})
      if (!opened) return opened.error();
    core.disk_bytes = core.db->disk_bytes();
    return {};
  }

  graph::GraphCore core;
  graph::GraphVisits visits;
  graph::GraphWriter writer;
  graph::GraphReader reader;
  graph::LinkNews link_news;
  graph::GraphUpkeep upkeep;
  Counter& recorded;
  Counter& failed;

  // Set once, by the wiring; asked by any thread.
  mutable std::mutex hooks_mutex;
  std::function<Result<SearchAnswer>(const Viewer&, const SearchRequest&)> search;
  std::function<Result<void>(std::span<const std::string>)> index_eraser;
  std::function<Result<void>(const Doomed&)> waiting_eraser;
  std::function<std::uint64_t()> waiting_count;
  std::function<void(MemoryStats&)> extra_stats;
  template <class Hook>
  Hook hook(const Hook& which) const {
    const std::lock_guard lock(hooks_mutex);
    return which;
  }
  CallbackGauge disk;
};

Graph::Graph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Graph::~Graph() = default;

Result<std::unique_ptr<Graph>> Graph::open(GraphOptions options, Metrics& metrics, const Clock& clock) {
  Result<std::unique_ptr<graph::GraphDb>> db = graph::GraphDb::open(options);
  if (!db) {
    if (!options.patient || options.read_only || db.error().kind == ErrorKind::unsupported) return db.error();
    log::error(Room::cache, "memory_not_open",
               {{"reason", db.error().detail}, {"what_to_do", "nothing is remembered until it can be opened"}});
    db = graph::GraphDb::open_later(options);
  }
  const bool works = options.background && !options.read_only;
  auto impl = std::make_unique<Impl>(std::move(options), metrics, clock, std::move(*db));
  if (!impl->core.db->failed())
    if (Result<void> opened = impl->open_parts(); !opened) return opened.error();
  if (works) impl->upkeep.start();
  return std::unique_ptr<Graph>(new Graph(std::move(impl)));
}

// --- writing

Result<Recorded> Graph::record(const Sighting& sighting) {
  Result<Recorded> recorded = impl_->writer.record(sighting);
  (recorded ? impl_->recorded : impl_->failed).add();
  return recorded;
}

Result<void> Graph::record_body(const PageRef& page, std::string_view body) {
  return impl_->writer.record_body(page, body);
}

Result<VisitId> Graph::record_visit(Visit visit, StorageClass storage) {
  const std::shared_lock not_forgetting(impl_->core.forgetting);
  const std::string resource = graph::resource_of(visit.url);
  if (impl_->core.was_forgotten(graph::personal_space(visit.user), resource, visit.at)) return VisitId{0};
  const std::string from = graph::resource_of(visit.referrer);
  if (impl_->core.was_forgotten(graph::personal_space(visit.user), from, visit.at)) visit.referrer.clear();
  if (storage == StorageClass::never) {
    Visit bare;
    bare.at = visit.at;
    bare.user = visit.user;
    bare.url = visit.url;
    return impl_->visits.record(bare);
  }
  const Result<Visit> complete = impl_->visits.complete(std::move(visit));
  if (!complete) return complete.error();
  Result<VisitId> id = impl_->visits.record(*complete);
  if (!id) return id;
  for (const std::string& space : {graph::open_space(), graph::personal_space(complete->user)})
    if (Result<void> noted = impl_->writer.visited(space, resource); !noted) return noted.error();
  return id;
}

Result<ForgetReport> Graph::forget(const ForgetScope& scope) {
  graph::GraphForget forget(impl_->core, impl_->writer, impl_->visits, impl_->hook(impl_->index_eraser),
                            impl_->hook(impl_->waiting_eraser));
  Result<ForgetReport> report = forget.run(scope);
  impl_->core.forgettings.fetch_add(1);  // when it is gone: whoever compares finds nothing of it any more
  return report;
}

std::uint64_t Graph::forgettings() const {
  return impl_->core.forgettings.load();
}

// --- for the full-text index

Result<std::vector<IndexItem>> Graph::next_to_index(std::size_t limit, bool only_visited) const {
  return impl_->core.queue.next(limit, only_visited);
}

Result<bool> Graph::queue_targets_of_new_links() {
  return impl_->link_news.spread();
}

Result<void> Graph::links_indexed(const IndexItem& item, std::uint32_t in_degree) {
  return impl_->link_news.told(item.key, in_degree);
}

Result<void> Graph::indexed(std::span<const std::string> tickets) {
  const std::shared_lock not_forgetting(impl_->core.forgetting);
  return impl_->core.queue.done(tickets);
}

Result<std::vector<IndexItem>> Graph::next_to_unindex(std::size_t limit) const {
  const std::shared_lock not_forgetting(impl_->core.forgetting);
  return impl_->core.queue.next_removals(limit);
}

Result<void> Graph::unindexed(std::span<const std::string> tickets) {
  return indexed(tickets);
}

Result<void> Graph::queue_everything_for_index() {
  return impl_->writer.queue_everything();
}

Result<std::optional<Node>> Graph::page(const PageRef& page, bool with_text) const {
  return impl_->reader.page(page, with_text);
}

Result<std::vector<VisitsOfPage>> Graph::visits_of(const PageRef& page) const {
  return impl_->visits.of_page(page);
}

Result<std::vector<std::string>> Graph::anchor_texts(const PageRef& page, std::size_t limit) const {
  return impl_->reader.anchor_texts(page, limit);
}

void Graph::set_index_wake(std::function<void()> wake) {
  impl_->core.queue.set_wake(std::move(wake));
}

void Graph::set_index_eraser(std::function<Result<void>(std::span<const std::string> keys)> eraser) {
  const std::lock_guard lock(impl_->hooks_mutex);
  impl_->index_eraser = std::move(eraser);
}

void Graph::set_waiting_eraser(std::function<Result<void>(const Doomed&)> eraser) {
  const std::lock_guard lock(impl_->hooks_mutex);
  impl_->waiting_eraser = std::move(eraser);
}

void Graph::set_waiting_count(std::function<std::uint64_t()> count) {
  const std::lock_guard lock(impl_->hooks_mutex);
  impl_->waiting_count = std::move(count);
}

void Graph::set_search(std::function<Result<SearchAnswer>(const Viewer&, const SearchRequest&)> search) {
  const std::lock_guard lock(impl_->hooks_mutex);
  impl_->search = std::move(search);
}

void Graph::set_index_size(std::function<std::uint64_t()> bytes, std::function<void()> shrink,
                           std::function<bool()> shrinking) {
  impl_->core.set_index({std::move(bytes), std::move(shrink), std::move(shrinking)});
}

void Graph::set_extra_stats(std::function<void(MemoryStats&)> add) {
  const std::lock_guard lock(impl_->hooks_mutex);
  impl_->extra_stats = std::move(add);
}

// --- Memory

Result<std::optional<Node>> Graph::node(const Viewer& viewer, std::string_view url, bool with_text,
                                        bool with_in_degree) const {
  return impl_->reader.node(viewer, url, with_text, with_in_degree);
}

Result<LinkPage> Graph::links_from(const Viewer& viewer, std::string_view url, const LinkQuery& query) const {
  return impl_->reader.links_from(viewer, url, query);
}

Result<LinkPage> Graph::links_to(const Viewer& viewer, std::string_view url, const LinkQuery& query) const {
  return impl_->reader.links_to(viewer, url, query);
}

Result<std::vector<Visit>> Graph::visits(const Viewer& viewer, const VisitQuery& query) const {
  return impl_->visits.find(viewer, query);
}

Result<std::vector<Visit>> Graph::trail(const Viewer& viewer, VisitId visit, std::size_t limit) const {
  return impl_->visits.trail(viewer, visit, limit);
}

Result<SearchAnswer> Graph::search(const Viewer& viewer, const SearchRequest& request) const {
  const auto search = impl_->hook(impl_->search);
  if (!search) return Error{ErrorKind::unsupported, Side::self, "the full-text search is not available"};
  return search(viewer, request);
}

Result<std::vector<MemoryEvent>> Graph::events(const Viewer& viewer, EventCursor after, std::size_t limit) const {
  return impl_->core.events.read(viewer, after, limit);
}

Result<std::vector<MemoryEvent>> Graph::everybodys_events(EventCursor after, std::size_t limit) const {
  return impl_->core.events.read_all(after, limit);
}

EventCursor Graph::newest_event() const {
  return impl_->core.events.newest();
}

MemoryStats Graph::stats() const {
  using graph::Family;
  const graph::GraphDb& db = *impl_->core.db;
  MemoryStats stats;
  stats.nodes = db.keys_estimate(Family::nodes);
  stats.pages = db.keys_estimate(Family::texts);
  stats.links = db.keys_estimate(Family::links_in);
  stats.visits = db.keys_estimate(Family::visits) / 2;
  stats.events = impl_->core.events.count();
  stats.disk_bytes = db.disk_bytes();
  stats.text_bytes = db.disk_bytes(Family::texts);
  stats.index_queued = impl_->core.queue.size();
  if (const auto count = impl_->hook(impl_->waiting_count)) stats.ingest_queued = count();
  if (const auto add = impl_->hook(impl_->extra_stats)) add(stats);
  return stats;
}

std::shared_ptr<void> Graph::on_events(std::function<void()> wake) {
  return impl_->core.events.subscribe(std::move(wake));
}

Result<std::optional<std::string>> Graph::body(const Viewer& viewer, std::string_view url) const {
  return impl_->reader.body(viewer, url);
}

// --- upkeep

bool Graph::upkeep() {
  return impl_->upkeep.step();
}

bool Graph::sync() {
  return impl_->core.db->sync();
}

void Graph::close() {
  impl_->upkeep.stop();
  const std::unique_lock nobody_writes(impl_->core.forgetting);
  impl_->core.db->close();
}

}  // namespace outrider
