#include "cache/store_jobs.hpp"

namespace outrider {
namespace {

constexpr auto kCollect = std::chrono::milliseconds{2};
constexpr std::size_t kBatchBytes = 2 << 20;
constexpr std::size_t kBatchJobs = 512;

template <class T>
const CacheKey* pinned_by_a(const Job& job) {
  const T* change = std::get_if<T>(&job);
  return change != nullptr && change->pending ? &change->key : nullptr;
}

}  // namespace

const CacheKey* changed_by(const Job& job) {
  return std::visit(
      [](const auto& one) -> const CacheKey* {
        using One = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<One, CommitJob>) {
          return &one.body->key;
        } else if constexpr (requires { one.key; }) {
          return &one.key;
        } else {
          return nullptr;
        }
      },
      job);
}

const CacheKey* pinned_by(const Job& job) {
  if (const CacheKey* key = pinned_by_a<EraseJob>(job)) return key;
  if (const CacheKey* key = pinned_by_a<HeadJob>(job)) return key;
  return pinned_by_a<VisitJob>(job);
}

bool WriteQueue::push(Job job, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (closed_ || bytes_ + bytes + kSmall > limit_) return false;
  add(std::move(job), bytes + kSmall);
  return true;
}

bool WriteQueue::push_small(Job& job) {
  const std::lock_guard lock(mutex_);
  if (closed_ || bytes_ + kSmall > 2 * limit_) return false;
  if (std::holds_alternative<CallJob>(job)) urgent_ = true;
  add(std::move(job), kSmall);
  return true;
}

void WriteQueue::add(Job job, std::size_t bytes) {
  items_.push_back({std::move(job), bytes});
  bytes_ += bytes;
  if (bytes_ > kBatchBytes / 2) urgent_ = true;
  if (idle_ || urgent_) wake_.notify_one();
}

void WriteQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = urgent_ = true;
  wake_.notify_one();
}

std::vector<Job> WriteQueue::take(std::chrono::milliseconds patience) {
  if (taken_.empty()) {
    std::unique_lock lock(mutex_);
    idle_ = true;
    wake_.wait_for(lock, patience, [&] { return closed_ || !items_.empty(); });
    idle_ = false;
    wake_.wait_for(lock, kCollect, [&] { return urgent_ || items_.empty(); });
    urgent_ = closed_;
    taken_.swap(items_);
  }
  std::vector<Job> jobs;
  std::size_t bytes = 0;
  while (!taken_.empty() && bytes < kBatchBytes && jobs.size() < kBatchJobs) {
    const bool alone = std::holds_alternative<CallJob>(taken_.front().job);
    if (alone && !jobs.empty()) break;
    bytes += taken_.front().bytes;
    jobs.push_back(std::move(taken_.front().job));
    taken_.pop_front();
    if (alone) break;
  }
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  return jobs;
}

bool WriteQueue::finished() const {
  const std::lock_guard lock(mutex_);
  return closed_ && items_.empty() && taken_.empty();
}

}  // namespace outrider
