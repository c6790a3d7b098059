#include "proxy/cli/crawl_progress.hpp"

#include <fmt/format.h>

namespace outrider::cli {
namespace {

constexpr Duration kTerminalEvery = std::chrono::milliseconds{250};
constexpr Duration kLineEvery = std::chrono::seconds{10};

std::string size_of(std::uint64_t bytes) {
  if (bytes < 10'000'000) return fmt::format("{} KB", bytes / 1000);
  return fmt::format("{} MB", bytes / 1'000'000);
}

std::string time_of(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

std::uint64_t fetched(const TaskStatistics& statistics) {
  return statistics.downloaded + statistics.cache_hits;
}

}  // namespace

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > 0; at -= 3) text.insert(text.begin() + at, ',');
  return text;
}

std::string CrawlProgress::show(const TaskStatistics& now, SteadyTime at) {
  const double passed = std::chrono::duration<double>(at - last_rated_).count();
  if (!is_time(at)) return "";
  const double recent = passed > 0 ? static_cast<double>(fetched(now) - last_fetched_) / passed : 0;
  rate_ = rate_ == 0 ? recent : 0.7 * rate_ + 0.3 * recent;
  last_shown_ = last_rated_ = at;
  last_fetched_ = fetched(now);
  std::string line = fmt::format("{} pages  {:.0f}/s  queue {}  errors {}  {}", with_commas(fetched(now)), rate_,
                                 with_commas(now.pending), with_commas(now.failed), size_of(now.bytes));
  // How much will still be found nobody knows; what is queued takes so long at least.
  if (rate_ > 0 && now.pending > 0)
    line += fmt::format("  at least {} to go", time_of(static_cast<double>(now.pending) / rate_));
  return this->line(std::move(line));
}

std::string CrawlProgress::show_unread(std::size_t unread, SteadyTime at) {
  if (last_unread_ != 0 && !is_time(at)) return "";
  const double passed = std::chrono::duration<double>(at - last_rated_).count();
  std::string text = fmt::format("everything is loaded; {} pages are still to be read", with_commas(unread));
  if (last_unread_ > unread && passed > 0) {
    const double rate = static_cast<double>(last_unread_ - unread) / passed;
    text += fmt::format("  {:.0f}/s  about {} to go", rate, time_of(static_cast<double>(unread) / rate));
  }
  last_shown_ = last_rated_ = at;
  last_unread_ = unread;
  return line(std::move(text));
}

bool CrawlProgress::is_time(SteadyTime at) const {
  return at - last_shown_ >= (terminal_ ? kTerminalEvery : kLineEvery);
}

std::string CrawlProgress::line(std::string text) const {
  return terminal_ ? "\r\x1b[K" + text : text + "\n";
}

std::string summary(const TaskStatus& status, Duration took) {
  const TaskStatistics& s = status.statistics;
  const double seconds = std::chrono::duration<double>(took).count();
  return fmt::format(
      "{}: {} pages in {:.1f} s ({:.0f}/s), {} from the cache, {} not modified, {} redirects, {} errors, {} rejected, "
      "{} waiting, {}",
      to_string(status.state), with_commas(fetched(s)), seconds,
      seconds > 0 ? static_cast<double>(fetched(s)) / seconds : 0, with_commas(s.cache_hits),
      with_commas(s.not_modified), with_commas(s.redirects), with_commas(s.failed), with_commas(s.filtered),
      with_commas(s.pending), size_of(s.bytes));
}

}  // namespace outrider::cli
