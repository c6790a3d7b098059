#include "tests/support/scripted_origin.hpp"

#include "tests/support/http_peer.hpp"

#include <chrono>
#include <random>

namespace outrider::testing {
namespace {

constexpr std::chrono::seconds kHang{60};

}  // namespace

std::string page(std::string_view body, std::string_view fields) {
  std::string text = "HTTP/1.1 200 OK\r\n";
  text.append(fields).append("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n").append(body);
  return text;
}

std::string noise(std::size_t bytes, unsigned seed) {
  std::mt19937_64 random{seed};
  std::string text;
  text.reserve(bytes + 8);
  while (text.size() < bytes) {
    const std::uint64_t word = random();
    text.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  text.resize(bytes);
  return text;
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

bool Gate::wait() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kHang, [this] { return open_; });
}

bool Meeting::arrive() {
  std::unique_lock lock(mutex_);
  ++arrived_;
  changed_.notify_all();
  return changed_.wait_for(lock, kHang, [this] { return arrived_ >= expected_; });
}

bool Meeting::wait() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kHang, [this] { return arrived_ >= expected_; });
}

std::string ScriptedOrigin::Request::field(std::string_view name) const {
  return field_of(head, name);
}

ScriptedOrigin::ScriptedOrigin() : origin_([this](RawSocket& socket) { serve(socket); }) {}

void ScriptedOrigin::on(const std::string& target, std::string answer) {
  on(target, [answer = std::move(answer)](const Request&) { return answer; });
}

void ScriptedOrigin::on(const std::string& target, Answer answer) {
  talk(target, [answer = std::move(answer)](const Request& request, RawSocket& socket) {
    std::string text = answer(request);
    if (request.method == "HEAD") text.resize(text.find("\r\n\r\n") + 4);
    return socket.send(text);
  });
}

void ScriptedOrigin::talk(const std::string& target, Talk talk) {
  const std::lock_guard lock(mutex_);
  routes_[target] = std::move(talk);
}

std::size_t ScriptedOrigin::count(std::string_view target) {
  const std::lock_guard lock(mutex_);
  std::size_t found = 0;
  for (const Request& request : requests_) found += target.empty() || request.target == target;
  return found;
}

ScriptedOrigin::Request ScriptedOrigin::last(std::string_view target) {
  const std::lock_guard lock(mutex_);
  for (auto request = requests_.rbegin(); request != requests_.rend(); ++request)
    if (target.empty() || request->target == target) return *request;
  return {};
}

void ScriptedOrigin::serve(RawSocket& socket) {
  for (;;) {
    const std::string text = socket.read_message();
    if (text.empty()) return;
    Request request;
    const std::size_t end_of_head = text.find("\r\n\r\n") + 4;
    request.head = text.substr(0, end_of_head);
    request.body = text.substr(end_of_head);
    request.method = text.substr(0, text.find(' '));
    const std::size_t target = request.method.size() + 1;
    request.target = text.substr(target, text.find(' ', target) - target);
    Talk talk;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      if (const auto found = routes_.find(request.target); found != routes_.end()) talk = found->second;
    }
    if (!talk) {
      socket.send("HTTP/1.1 404 Not Found\r\nCache-Control: no-store\r\nContent-Length: 0\r\n\r\n");
    } else if (!talk(request, socket)) {
      return;
    }
  }
}

}  // namespace outrider::testing
