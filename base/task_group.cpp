#include "base/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/system/system_error.hpp>

#include <atomic>
#include <cstdio>
#include <exception>

namespace outrider {
namespace {

namespace intrusive = boost::intrusive;

struct Entry : intrusive::list_base_hook<intrusive::link_mode<intrusive::auto_unlink>> {
  asio::cancellation_signal signal;
};

void print_report(std::string_view what, std::string_view message) {
  std::fprintf(stderr, "outrider: internal error in %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(message.size()), message.data());
}

std::atomic<TaskGroup::Report> g_report{print_report};

void report(std::string_view what, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& e) {
    // A cancelled coroutine is unwound by Asio with operation_aborted: that is how cancel() ends a task.
    if (e.code() != asio::error::operation_aborted) g_report.load()(what, e.what());
  } catch (const std::exception& e) {
    g_report.load()(what, e.what());
  } catch (...) {
    g_report.load()(what, "unknown exception");
  }
}

// Reporting needs memory, which may be the very thing that has run out.
void report_failure(std::string_view what, const std::exception_ptr& failure) noexcept {
  try {
    report(what, failure);
  } catch (...) {
  }
}

}  // namespace

struct TaskGroup::State {
  explicit State(const Executor& e) : executor(e), ended(e) {}
  Executor executor;
  AsyncEvent ended;
  std::size_t active = 0;
  intrusive::list<Entry, intrusive::constant_time_size<false>> entries;
};

TaskGroup::TaskGroup(const Executor& executor) : state_(std::make_shared<State>(executor)) {}

// Outside the reactor's thread the reactor is not running any more: its coroutines end with it, and what a late
// cancellation would touch (sockets of the owner) is about to go.
TaskGroup::~TaskGroup() {
  if (state_->executor.running_in_this_thread()) cancel();
}

void TaskGroup::set_report(Report report) {
  g_report = report;
}

std::size_t TaskGroup::active() const {
  return state_->active;
}

void TaskGroup::spawn(Task<> task, std::string_view what) {
  auto entry = std::make_unique<Entry>();
  state_->entries.push_back(*entry);
  ++state_->active;
  asio::cancellation_slot slot = entry->signal.slot();
  // The state outlives the group as long as a task is running.
  auto ended = [state = state_, entry = std::move(entry), what](const std::exception_ptr& failure) {
    if (failure) report_failure(what, failure);
    --state->active;
    state->ended.notify();
  };
  asio::co_spawn(state_->executor, std::move(task), asio::bind_cancellation_slot(slot, std::move(ended)));
}

// Asio hands a cancellation on to the coroutine by dispatch() with a bare pointer into memory that goes when the
// coroutine ends; emitting on the reactor's own thread makes that immediate, hence safe.
void TaskGroup::cancel() {
  asio::dispatch(state_->executor, [state = state_] {
    for (auto it = state->entries.begin(); it != state->entries.end();) {
      Entry& entry = *it++;
      entry.signal.emit(asio::cancellation_type::terminal);
    }
  });
}

Task<bool> TaskGroup::join(Deadline deadline) {
  auto state = state_;
  while (state->active > 0 && !deadline.passed()) co_await state->ended.wait(deadline);
  co_return state->active == 0;
}

}  // namespace outrider
