#include "robot/plain_ingest.hpp"

#include "cache/page_scan.hpp"

namespace outrider {
namespace {

void scan(Arrival& arrival) {
  if (!arrival.on_scanned) return;
  Node node;
  node.url = arrival.url.href_without_fragment();
  node.status = arrival.status;
  node.fetched_by = arrival.by;
  node.wire_size = arrival.wire_size;
  node.mime = arrival.headers.find(HeaderId::content_type).value_or("");
  node.mime.resize(std::min(node.mime.find_first_of("; \t"), node.mime.size()));
  PageScan found;
  if (node.mime == "text/html" || node.mime == "application/xhtml+xml") {
    PageScanner scanner{arrival.url};
    scanner.feed(arrival.body);
    found = scanner.finish();
  }
  node.page = std::move(found.page);
  arrival.on_scanned({node, found.links, true, true});
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
