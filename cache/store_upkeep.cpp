// The upkeep of the store: purge, flush, figures, closing.
#include "cache/store_local.hpp"
#include "cache/store_purge.hpp"

#include <fstream>

namespace outrider {

// Runs `work` on the writer thread, after everything that is queued there, and comes back with its result.
template <class T>
Task<Result<T>> LocalStore::on_writer_thread(std::function<Result<T>()> work) {
  std::optional<Result<T>> result;
  bool queued = true;
  auto initiate = [this, &work, &result, &queued](auto handler) {
    auto home = asio::get_associated_executor(handler);
    auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
    auto finish = [home, waiting, guard = asio::make_work_guard(home)] { asio::post(home, std::move(*waiting)); };
    auto call = [&work, &result, finish] {
      result.emplace(work());
      finish();
    };
    queued = disk_->parts.queue.push_small(CallJob{std::move(call)});
    if (!queued) finish();
  };
  const auto& token = asio::use_awaitable_t<Executor>{};
  co_await asio::async_initiate<const asio::use_awaitable_t<Executor>&, void()>(std::move(initiate), token);
  if (!queued) co_return Error(ErrorKind::busy, Side::self, "the disk of the cache does not keep up", true);
  co_return std::move(*result);
}

Task<Result<PurgeReport>> LocalStore::purge(PurgeScope scope) {
  purges_.add(scope);
  if (!disk_) {
    PurgeReport report;
    const std::size_t before = memory_.entries();
    Purge::from_memory(memory_, scope);
    report.entries = before - std::min(before, memory_.entries());
    co_return report;
  }
  Purge::from_memory(memory_, scope);
  std::function<Result<PurgeReport>()> work = [this, &scope] {
    Result<PurgeReport> report = disk_->writer.purge(scope);
    Purge::from_memory(memory_, scope);
    return report;
  };
  co_return co_await on_writer_thread<PurgeReport>(std::move(work));
}

void LocalStore::when_written(std::function<void()> then) {
  const bool queued = disk_ && disk_->parts.queue.push_small(CallJob{then});
  if (!queued) then();
}

Task<Result<void>> LocalStore::flush() {
  if (!disk_) co_return Result<void>{};
  std::function<Result<void>()> work = [this] { return disk_->writer.flush(); };
  co_return co_await on_writer_thread<void>(std::move(work));
}

StoreStats LocalStore::stats() const {
  StoreStats stats;
  stats.memory_entries = memory_.entries();
  stats.memory_bytes = memory_.bytes();
  if (!disk_) return stats;
  const DiskParts& parts = disk_->parts;
  stats.index_bytes = parts.index->disk_bytes();
  stats.disk_bytes = parts.segments->used_bytes() + stats.index_bytes;
  stats.segments = parts.segments->count();
  stats.entries_estimate = parts.index->entries_estimate();
  stats.queued_bytes = parts.queue.bytes();
  stats.disk_on = disk_->on_off.on();
  stats.disk_off_reason = disk_->on_off.reason();
  return stats;
}

void LocalStore::register_gauges(Metrics& metrics) {
  const auto gauge = [&](std::string_view name, std::string_view help, std::function<double(const StoreStats&)> read) {
    gauges_.push_back(metrics.gauge_from(name, help, {}, [this, read = std::move(read)] { return read(stats()); }));
  };
  const auto number = [](auto value) { return static_cast<double>(value); };
  gauge("outrider_store_memory_bytes", "Memory spent on entries.", [=](auto& s) { return number(s.memory_bytes); });
  gauge("outrider_store_memory_entries", "Entries in memory.", [=](auto& s) { return number(s.memory_entries); });
  gauge("outrider_store_disk_bytes", "Disk space used.", [=](auto& s) { return number(s.disk_bytes); });
  gauge("outrider_store_index_bytes", "Of it by the index.", [=](auto& s) { return number(s.index_bytes); });
  gauge("outrider_store_disk_entries", "Entries on disk, roughly.",
        [=](auto& s) { return number(s.entries_estimate); });
  gauge("outrider_store_queued_bytes", "Waiting to be written.", [=](auto& s) { return number(s.queued_bytes); });
  gauge("outrider_store_disk_on", "1 = the disk is in use, 0 = it is off or failed.",
        [](auto& s) { return s.disk_on ? 1.0 : 0.0; });
}

void LocalStore::close() {
  if (closed_) return;
  closed_ = true;
  gauges_.clear();
  if (!disk_) return;
  disk_->readers.stop();
  disk_->parts.queue.close();
  disk_->writer.stop();
  std::ofstream(folder_ / kSketch, std::ios::binary | std::ios::trunc) << sketch_.save();
  std::ofstream(folder_ / kPresence, std::ios::binary | std::ios::trunc) << disk_->parts.presence.save();
  disk_->parts.index->close();
  lock_.release();
}

}  // namespace outrider
