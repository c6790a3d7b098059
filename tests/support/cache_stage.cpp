#include "tests/support/cache_stage.hpp"

#include <gtest/gtest.h>

namespace outrider::testing {

CacheStage::CacheStage(const std::vector<std::string>& settings) : outrider(arguments(settings)) {}

CacheStage::~CacheStage() {
  EXPECT_EQ(outrider.stop(), 0) << outrider.output();
}

std::vector<std::string> CacheStage::arguments(const std::vector<std::string>& settings) {
  std::vector<std::string> all;
  for (const std::string& setting : settings) {
    all.emplace_back("--set");
    all.push_back(setting);
  }
  return all;
}

HttpAnswer CacheStage::ask(const std::string& method, const std::string& target, const std::string& fields,
                           const char* from, const std::string& body) {
  HttpPeer peer{outrider.port(), from};
  return peer.ask(method, origin.url(target), fields, body);
}

void CacheStage::settle() {
  for (int i = 0; i < 2; ++i) {
    HttpPeer peer{outrider.port()};
    EXPECT_EQ(peer.get("http://outrider.internal/healthz").status, 200);
  }
}

}  // namespace outrider::testing
