// A memory in a folder that is gone after the test, and answers that arrive for it.
#pragma once

#include "cache/ingest_page.hpp"
#include "cache/ingest_pool.hpp"
#include "tests/support/process.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace outrider::testing {

class IngestFixture : public ::testing::Test {
 protected:
  IngestFixture() {
    GraphOptions options;
    options.folder = folder_.path() / "memory";
    options.background = false;
    options.keep_bodies = true;
    graph_ = std::move(*Graph::open(options, metrics_, clock_));
  }
  ~IngestFixture() override { graph_->close(); }

  Arrival page(std::string_view url, std::string body = "<title>T</title><a href=/b>to b</a>") const {
    Arrival arrival;
    arrival.url = *Url::parse(url);
    arrival.status = 200;
    arrival.at = clock_.now();
    arrival.headers.add("Content-Type", "text/html; charset=utf-8");
    arrival.body = std::move(body);
    return arrival;
  }
  void take_in(std::vector<Arrival> arrivals, IngestOptions options = {}) {
    IngestPool pool{*graph_, options, metrics_};
    for (Arrival& arrival : arrivals) EXPECT_TRUE(pool.submit(std::move(arrival)));
    pool.close();
  }
  std::optional<Node> node(std::string_view url, const Viewer& viewer = {}) const {
    return *graph_->node(viewer, url, true);
  }
  std::vector<Visit> visits() const { return *graph_->visits({}, {}); }

  testing_support::TemporaryDirectory folder_;
  Metrics metrics_;
  FakeClock clock_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace outrider::testing
