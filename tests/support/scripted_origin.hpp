// An origin that answers by path, remembers what it was asked, and can be made to wait in the middle of an answer.
#pragma once

#include "tests/support/test_origin.hpp"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::testing {

// A 200 with that body; `fields` are lines with their ends.
std::string page(std::string_view body, std::string_view fields = "");
// Bytes in which nothing repeats, so that a part in the wrong place is noticed. The same for the same seed.
std::string noise(std::size_t bytes, unsigned seed = 1);

// What one thread waits for until another lets it go on. Waiting ends after a minute: that is a hang, and the test will
// fail by what it finds then.
class Gate {
 public:
  void open();
  bool wait();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// The same for several that wait until all of them are there.
class Meeting {
 public:
  explicit Meeting(std::size_t expected) : expected_(expected) {}
  bool arrive();  // true: everybody came
  bool wait();    // without being one of them

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::size_t expected_;
  std::size_t arrived_ = 0;
};

class ScriptedOrigin {
 public:
  struct Request {
    std::string method;
    std::string target;
    std::string head;
    std::string body;
    std::string field(std::string_view name) const;
  };
  using Answer = std::function<std::string(const Request&)>;
  // Speaks for itself; false ends the connection.
  using Talk = std::function<bool(const Request&, RawSocket&)>;

  ScriptedOrigin();

  std::string url(const std::string& path) const { return origin_.url(path); }
  std::uint16_t port() const { return origin_.port(); }

  // By the target of requests; of the same target the last one counts. Other targets are answered 404.
  void on(const std::string& target, std::string answer);
  void on(const std::string& target, Answer answer);
  void talk(const std::string& target, Talk talk);

  std::size_t connections() const { return origin_.connections(); }
  std::size_t count(std::string_view target = "");  // of requests; "" = of all
  Request last(std::string_view target = "");

 private:
  void serve(RawSocket& socket);

  std::mutex mutex_;
  std::map<std::string, Talk, std::less<>> routes_;
  std::vector<Request> requests_;
  TestOrigin origin_;  // last: its threads use the others
};

}  // namespace outrider::testing
