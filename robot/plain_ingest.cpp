#include "robot/plain_ingest.hpp"

#include "base/log.hpp"
#include "cache/ingest_page.hpp"

namespace outrider {
namespace {

// Whatever happens, whoever waits for the page is told.
void scan(Arrival& arrival) {
  if (!arrival.on_scanned) return;
  Node node;
  std::vector<Link> links;
  std::vector<Url> urls;
  try {
    node.url = arrival.url.href_without_fragment();
    node.status = arrival.status;
    node.fetched_by = arrival.by;
    node.wire_size = arrival.wire_size;
    ScannedAnswer answer = scan_answer(arrival, arrival.only_links ? ScanFor::links : ScanFor::everything);
    node.mime = std::move(answer.sighting.mime);
    node.page = std::move(answer.sighting.page);
    links = std::move(answer.sighting.links);
    urls = std::move(answer.urls);
  } catch (const std::exception& failure) {
    log::error(Room::robot, "work_failed", {{"in", "scan"}, {"reason", failure.what()}});
  }
  try {
    arrival.on_scanned({node, links, true, true, urls});
  } catch (const std::exception& failure) {
    log::error(Room::robot, "work_failed", {{"in", "on_scanned"}, {"reason", failure.what()}});
  }
}

}  // namespace

PlainIngest::PlainIngest(std::size_t most_waiting) : most_waiting_(most_waiting), thread_([this] { work(); }) {}

PlainIngest::~PlainIngest() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool PlainIngest::submit(Arrival&& arrival) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= most_waiting_) return false;
  waiting_.push_back(std::move(arrival));
  changed_.notify_one();
  return true;
}

std::size_t PlainIngest::queued() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void PlainIngest::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    Arrival next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    scan(next);
    lock.lock();
  }
}

}  // namespace outrider
