// A store in a folder that is gone after the test, driven by a reactor, and bodies that prove themselves: each one
// begins with its own checksum.
#pragma once

#include "base/metrics.hpp"
#include "cache/store.hpp"
#include "tests/support/process.hpp"
#include "tests/support/reactor_fixture.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>

namespace outrider::testing {

inline CacheKey store_key(std::string text) {
  return {text, std::hash<std::string>{}(text)};
}

inline StoredHead store_head(std::string_view content = "text/plain") {
  StoredHead head;
  head.response.status = 200;
  head.response.reason = "OK";
  head.response.headers.add("Content-Type", content);
  head.response.headers.add("Cache-Control", "max-age=3600");
  head.response_time = WallTime{std::chrono::seconds{1'700'000'000}};
  head.request_time = head.response_time - std::chrono::milliseconds{20};
  return head;
}

inline StoredHead store_head_with_vary(std::string_view field, std::string_view value) {
  StoredHead head = store_head();
  head.vary_request.add(field, value);
  return head;
}

// `length` bytes that cannot be compressed, of which the first ones are a hash of the rest.
inline std::string proven_body(std::uint64_t seed, std::size_t length) {
  std::mt19937_64 random(seed);
  std::string body(std::max<std::size_t>(length, 16), '\0');
  for (std::size_t i = 16; i < body.size(); i += 8) {
    const std::uint64_t noise = random();
    std::memcpy(body.data() + i, &noise, std::min<std::size_t>(8, body.size() - i));
  }
  const std::string proof = fmt::format("{:016x}", std::hash<std::string_view>{}(std::string_view(body).substr(16)));
  return body.replace(0, 16, proof);
}

inline bool proves_itself(std::string_view body) {
  return body.size() >= 16 &&
         body.substr(0, 16) == fmt::format("{:016x}", std::hash<std::string_view>{}(body.substr(16)));
}

// Turned by the test while the writer thread looks at it.
class SharedClock final : public Clock {
 public:
  WallTime now() const override { return WallTime{std::chrono::seconds{1'700'000'000}} + Duration{elapsed_.load()}; }
  SteadyTime steady() const override { return SteadyTime{Duration{elapsed_.load()}}; }
  void advance(Duration by) { elapsed_ += by.count(); }

 private:
  std::atomic<Duration::rep> elapsed_{0};
};

class StoreFixture : public ::testing::Test {
 protected:
  ~StoreFixture() override {
    if (store_) store_->close();
  }

  CacheSettings settings() const {
    CacheSettings small;
    small.memory = {128 << 20};
    small.disk = {64 << 20};
    return small;
  }
  void open(CacheSettings settings, std::function<int()> write_fault = {}) {
    StoreOptions options;
    options.folder = folder();
    options.settings = settings;
    options.write_fault = std::move(write_fault);
    metrics_ = std::make_unique<Metrics>();
    auto opened = Store::open(std::move(options), *metrics_, clock_);
    ASSERT_TRUE(opened) << opened.error().detail;
    store_ = std::move(*opened);
  }
  void open() { open(settings()); }
  void close() {
    store_->close();
    store_.reset();
  }
  // Everything in memory is gone, what is on disk stays.
  void reopen() {
    close();
    open();
  }

  std::filesystem::path folder() const { return folder_.empty() ? directory_.path() / "cache" : folder_; }
  // What a crash would leave behind now: a copy of all files, in which the test goes on.
  void crash() {
    const std::filesystem::path left = folder().string() + "-crashed";
    std::error_code vanished;  // RocksDB removes files while we copy
    for (int tries = 0; tries < 20; ++tries) {
      std::filesystem::remove_all(left);
      std::filesystem::copy(folder(), left, std::filesystem::copy_options::recursive, vanished);
      if (!vanished) break;
    }
    ASSERT_FALSE(vanished) << vanished.message();
    close();
    folder_ = left;
  }

  VariantPtr put(const CacheKey& key, std::string_view body, StoredHead head = store_head(),
                 Store::BeginOptions options = {}) {
    auto writer = store_->begin(key, std::move(head), std::move(options));
    writer->append(body);
    return writer->commit();
  }
  // An origin is not faster than the disk: called between two put(), it leaves room in the queue.
  void pace() const {
    while (store_->stats().queued_bytes > 1'000'000) std::this_thread::yield();
  }
  EntryPtr find(const CacheKey& key) { return run_task(reactor_, store_->find(key)); }
  bool flush() { return run_task(reactor_, store_->flush()).has_value(); }
  Result<PurgeReport> purge(PurgeScope scope) { return run_task(reactor_, store_->purge(std::move(scope))); }

  // The whole body; nothing if any piece of it cannot be read.
  std::optional<std::string> read(const VariantPtr& variant) {
    std::string text;
    while (text.size() < variant->body->length()) {
      const auto piece = run_task(reactor_, store_->read(variant->body, text.size(), UINT64_MAX));
      if (!piece || piece->bytes.empty()) return std::nullopt;
      text += piece->bytes;
    }
    return text;
  }
  std::optional<std::string> body_of(const CacheKey& key) {
    const EntryPtr entry = find(key);
    return entry ? read(entry->variants.front()) : std::nullopt;
  }

  double metric(std::string_view name) const {
    double sum = 0;
    std::istringstream lines(metrics_->to_prometheus());
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(name)) sum += std::stod(line.substr(line.rfind(' ')));
    return sum;
  }

  std::uint64_t files_bytes() const {
    std::uint64_t bytes = 0;
    std::error_code vanished;  // RocksDB removes files while we look
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder(), vanished)) {
      struct stat status {};
      if (::stat(file.path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
        bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
    }
    return bytes;
  }
  // The files in which `text` is found.
  std::vector<std::string> files_with(std::string_view text) const {
    std::vector<std::string> found;
    std::error_code vanished;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder(), vanished)) {
      if (!file.is_regular_file(vanished)) continue;
      const std::string bytes = (std::ostringstream() << std::ifstream(file.path(), std::ios::binary).rdbuf()).str();
      if (bytes.find(text) != std::string::npos) found.push_back(file.path().filename().string());
    }
    return found;
  }
  std::vector<std::filesystem::path> segments() const {
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(folder() / "bodies")) files.push_back(file.path());
    std::sort(files.begin(), files.end());
    return files;
  }

  testing_support::TemporaryDirectory directory_;
  std::filesystem::path folder_;  // instead of the one in directory_
  SharedClock clock_;
  Reactor reactor_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<Store> store_;
};

}  // namespace outrider::testing
