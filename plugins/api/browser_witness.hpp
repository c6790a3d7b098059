// What the robot is told of the browser's traffic: a person's requests come first, and what a person has loaded safely
// may be loaded ahead. Called by I/O threads for every request: costs next to nothing while the robot rests.
#pragma once

#include <string_view>

namespace outrider {

class BrowserWitness {
 public:
  virtual ~BrowserWitness() = default;
  // A request goes out to this host ("example.com", "example.com:8080").
  virtual void browser_asks(std::string_view host) = 0;
  virtual void browser_saves_data() = 0;  // it sent Save-Data: on
  // A GET of this URL, which has a query, was answered with a page for everybody: 200, shareable, without a cookie.
  virtual void saw_safe_query(std::string_view url) = 0;
};

}  // namespace outrider
