// The real program with its cache between clients and a scripted origin.
#pragma once

#include "tests/support/http_peer.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/scripted_origin.hpp"

#include <string>
#include <vector>

namespace outrider::testing {

struct CacheStage {
  // Settings as for --set: "cache.offline=true".
  explicit CacheStage(const std::vector<std::string>& settings = {});
  ~CacheStage();  // it must have lived until here, and end properly

  static std::vector<std::string> arguments(const std::vector<std::string>& settings);

  HttpAnswer get(const std::string& target, const std::string& fields = "", const char* from = "127.0.0.1") {
    return ask("GET", target, fields, from);
  }
  HttpAnswer ask(const std::string& method, const std::string& target, const std::string& fields = "",
                 const char* from = "127.0.0.1", const std::string& body = "");
  HttpPeer client(const char* from = "127.0.0.1") { return HttpPeer{outrider.port(), from}; }
  // All that was sent to a reactor before has been read by it when this returns (with one thread).
  void settle();

  ScriptedOrigin origin;
  RunningOutrider outrider;
};

// What makes an answer reusable for a minute, and one that was reusable until 40 s ago.
inline const std::string kFresh = "Cache-Control: max-age=60\r\n";
inline const std::string kStale = "Cache-Control: max-age=60\r\nAge: 100\r\n";

}  // namespace outrider::testing
