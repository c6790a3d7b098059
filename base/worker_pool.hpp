// A bounded thread pool for what blocks or burns CPU (name lookups, RocksDB, parsing, files): the I/O threads hop onto
// it and come back. A full queue is an error (busy), never a wait: the caller decides what to do without. A thread is
// started when there is work that no other one is free for; dozens that wait for nothing would cost memory.
#pragma once

#include "base/async.hpp"
#include "base/error.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

namespace outrider {

// What run() yields: Result<T> for work that returns T, and work's own Result if it returns one.
template <class T>
struct AsResult {
  using Type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
  using Type = Result<T>;
};

class WorkerPool {
 public:
  WorkerPool(std::size_t threads, std::size_t max_queued)
      : pool_(std::in_place, 0), max_threads_(threads), max_queued_(max_queued) {}
  ~WorkerPool() { stop(); }

  // Runs work() on a pool thread and resumes the caller on its own reactor with the result. An exception thrown by
  // work() arrives at the caller. Work that has begun is not interrupted.
  template <class Work, class T = std::invoke_result_t<Work>>
  Task<typename AsResult<T>::Type> run(Work work);

  std::size_t queued() const { return queued_.load(std::memory_order_relaxed); }
  void stop() {  // waits for running work, drops what is queued
    if (!pool_) return;
    pool_->stop();
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    for (std::thread& thread : threads_) thread.join();
    pool_.reset();  // only this lets go of what is queued, and of the coroutines that wait for it
  }

 private:
  // A place in the queue, and a thread that will come to it.
  bool reserve() {
    const std::size_t before = queued_.fetch_add(1, std::memory_order_relaxed);
    if (before < max_queued_ && has_threads_for(before + 1)) return true;
    queued_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  bool has_threads_for(std::size_t jobs) {
    if (started_.load(std::memory_order_relaxed) >= std::min(jobs, max_threads_)) return true;
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    if (threads_.size() >= std::min(jobs, max_threads_)) return true;
    try {
      threads_.reserve(max_threads_);
      threads_.emplace_back([this] { pool_->attach(); });
      started_.store(threads_.size(), std::memory_order_relaxed);
    } catch (const std::system_error&) {  // no more to be had: those that there are do the work
    }
    return !threads_.empty();
  }

  std::optional<asio::thread_pool> pool_;
  const std::size_t max_threads_;
  const std::size_t max_queued_;
  std::atomic<std::size_t> queued_{0};  // running ones included
  std::mutex mutex_;                    // guards the next two
  std::vector<std::thread> threads_;
  bool stopped_ = false;
  std::atomic<std::size_t> started_{0};
};

template <class Work, class T>
Task<typename AsResult<T>::Type> WorkerPool::run(Work work) {
  static_assert(!std::is_void_v<T>, "return something, if only true");
  if (!reserve()) co_return Error{ErrorKind::busy, Side::self, "the worker queue is full", true};
  std::optional<T> value;
  std::exception_ptr failure;
  auto initiate = [this, &work, &value, &failure](auto handler) {
    auto home = asio::get_associated_executor(handler);
    auto job = [this, &work, &value, &failure, home, handler = std::move(handler),
                guard = asio::make_work_guard(home)]() mutable {
      try {
        value.emplace(work());
      } catch (...) {
        failure = std::current_exception();
      }
      queued_.fetch_sub(1, std::memory_order_relaxed);
      asio::post(home, std::move(handler));
    };
    asio::post(*pool_, std::move(job));
  };
  const auto& token = asio::use_awaitable_t<Executor>{};
  co_await asio::async_initiate<const asio::use_awaitable_t<Executor>&, void()>(std::move(initiate), token);
  if (failure) std::rethrow_exception(failure);
  co_return std::move(*value);
}

}  // namespace outrider
