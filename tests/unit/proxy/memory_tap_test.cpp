#include "proxy/memory_tap.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace outrider {
namespace {

class Answer final : public ExchangeResponse {
 public:
  explicit Answer(std::string_view type, BodyFraming framing = {BodyFraming::Kind::chunked, 0}) : framing_(framing) {
    if (!type.empty()) head_.headers.add("Content-Type", type);
  }
  ResponseHead& head() override { return head_; }
  BodyFraming framing() const override { return framing_; }
  std::optional<Result<std::string_view>> read_now() override { return std::nullopt; }
  bool buffered() const override { return false; }
  Task<Result<std::string_view>> read() override { co_return std::string_view{}; }

 private:
  ResponseHead head_;
  BodyFraming framing_;
};

class Collector final : public Ingest {
 public:
  bool submit(Arrival&& arrival) override {
    taken.push_back(std::move(arrival));
    return true;
  }
  bool turns_away_asides() override { return full; }
  std::size_t queued() const override { return 0; }
  bool full = false;
  std::vector<Arrival> taken;
};

class MemoryTapTest : public ::testing::Test {
 protected:
  MemoryTap tap() { return MemoryTap{&ingest_, *rules_, url_, request_, cache_, "ann"}; }
  Arrival passed(Answer&& answer, std::string_view piece, std::size_t pieces) {
    MemoryTap listener = tap();
    listener.begin(answer, {});
    for (std::size_t i = 0; i < pieces; ++i) listener.add(piece);
    listener.end(true);
    Arrival arrival = std::move(ingest_.taken.back());
    ingest_.taken.pop_back();
    return arrival;
  }
  void wants_to_see_it() {
    request_.headers.add("Sec-Fetch-Mode", "navigate");
    request_.headers.add("Sec-Fetch-Dest", "document");
  }

  MemorySettings settings_;
  Collector ingest_;
  std::shared_ptr<const MemoryRules> rules_ = *MemoryRules::create(settings_);
  Url url_ = *Url::parse("http://a.example/");
  RequestHead request_;
  CacheRules cache_;
  const std::string page_ = "<!doctype html>" + std::string(64 << 10, 'x');
  const std::string noise_ = std::string(64 << 10, '\1');
};

TEST_F(MemoryTapTest, a_page_is_copied_up_to_the_limit_of_pages) {
  const Arrival whole = passed(Answer{"text/html"}, page_, 3);
  EXPECT_EQ(whole.body.size(), 3 * page_.size());
  EXPECT_TRUE(whole.body_complete);
  const Arrival part = passed(Answer{"text/html"}, page_, 100);
  EXPECT_EQ(part.body.size(), 4U << 20);
  EXPECT_FALSE(part.body_complete);
  EXPECT_EQ(part.wire_size, 100 * page_.size());
}

TEST_F(MemoryTapTest, when_too_much_waits_only_what_somebody_opened_is_listened_to) {
  ingest_.full = true;
  Answer answer{"text/html"};
  {
    MemoryTap listener = tap();
    listener.begin(answer, {});
    listener.add(page_);
    EXPECT_EQ(MemoryTap::held_by_all(), 0U);
    listener.end(true);
  }
  EXPECT_TRUE(ingest_.taken.empty());
  wants_to_see_it();
  EXPECT_EQ(passed(Answer{"text/html"}, page_, 1).body.size(), page_.size());
}

TEST_F(MemoryTapTest, what_nobody_reads_is_not_copied) {
  EXPECT_LE(passed(Answer{""}, noise_, 100).body.size(), noise_.size());
  EXPECT_LE(passed(Answer{"text/plain"}, noise_, 100).body.size(), noise_.size());
  EXPECT_TRUE(passed(Answer{"application/octet-stream"}, noise_, 100).body.empty());
  EXPECT_EQ(passed(Answer{""}, page_, 10).body.size(), 10 * page_.size());
}

TEST_F(MemoryTapTest, of_what_is_announced_as_too_long_only_the_beginning) {
  const BodyFraming framing{BodyFraming::Kind::length, 100 * page_.size()};
  const Arrival arrival = passed(Answer{"text/html", framing}, page_, 100);
  EXPECT_EQ(arrival.body.size(), 64U << 10);
  EXPECT_FALSE(arrival.body_complete);
}

TEST_F(MemoryTapTest, all_taps_together_stay_within_one_budget) {
  {
    std::deque<MemoryTap> taps;
    for (std::size_t i = 0; i < 40; ++i) {
      MemoryTap& one = taps.emplace_back(&ingest_, *rules_, url_, request_, cache_, "ann");
      Answer answer{"text/html"};
      one.begin(answer, {});
      for (std::size_t piece = 0; piece < 60; ++piece) one.add(page_);
      EXPECT_LE(MemoryTap::held_by_all(), MemoryTap::kMostOfAll);
    }
    taps.back().end(true);
    EXPECT_FALSE(ingest_.taken.back().body_complete);
  }
  EXPECT_EQ(MemoryTap::held_by_all(), 0U);
}

TEST_F(MemoryTapTest, the_referrer_tells_frames_from_visits_also_of_what_is_never_kept) {
  wants_to_see_it();
  request_.headers.add("Referer", "http://b.example/");
  Answer answer{"text/html"};
  answer.head().headers.add("Cache-Control", "no-store");
  const Arrival arrival = passed(std::move(answer), page_, 1);
  EXPECT_EQ(arrival.storage, StorageClass::never);
  EXPECT_EQ(arrival.visit->referrer, "http://b.example/");
  EXPECT_TRUE(arrival.body.empty());
}

TEST_F(MemoryTapTest, a_failure_is_not_noted_where_the_answer_would_not_have_been_kept) {
  const Error error{ErrorKind::connect_refused, Side::origin, "refused"};
  wants_to_see_it();
  tap().failed(error, {});
  EXPECT_EQ(ingest_.taken.size(), 1U);
  request_.headers.add("Authorization", "Basic eA==");
  tap().failed(error, {});
  request_.headers.remove(HeaderId::authorization);
  request_.headers.add("Cache-Control", "no-store");
  tap().failed(error, {});
  request_.headers.remove(HeaderId::cache_control);
  settings_.never_keep = {"2001:db8::1"};
  rules_ = *MemoryRules::create(settings_);
  url_ = *Url::parse("http://[2001:db8::1]/");
  tap().failed(error, {});
  EXPECT_EQ(ingest_.taken.size(), 1U);
}

}  // namespace
}  // namespace outrider
