// May a task follow this link? Everything that can be told from the link alone, by the task's own rules: kind, scheme,
// nofollow, restriction, hosts, paths, extensions, query, length. Pure; made anew when a task is changed.
#pragma once

#include "plugins/api/robot_task.hpp"
#include "robot/found_link.hpp"
#include "robot/url_rules.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// What rejected a link, and in which words.
struct Rejection {
  Reason reason = Reason::none;
  std::string detail;
  explicit operator bool() const { return reason != Reason::none; }
};

// "www.example.com", "example.com:8080", ".example.com" (with all below).
class HostList {
 public:
  HostList() = default;
  explicit HostList(const std::vector<std::string>& hosts);
  bool empty() const { return hosts_.empty(); }
  bool contains(const Url& url) const;  // is asked for every link

 private:
  struct Host {
    std::string text;         // as it was written
    std::size_t name = 0;     // length of the part before the port
    std::uint16_t port = 0;   // 0: none
    bool with_below = false;  // begins with a dot
  };
  std::vector<Host> hosts_;
};

class LinkRules {
 public:
  static Result<std::unique_ptr<LinkRules>> create(const TaskSpec& spec);

  // `from` is the page with the link; nullptr: somebody named the URL as a start.
  Rejection check(const FoundLink& link, const Url* from) const;
  // Of an answer; `type` as the server wrote it.
  Rejection check_type(std::string_view type) const;

 private:
  LinkRules() = default;
  Rejection check_kind(const FoundLink& link) const;
  Rejection check_restriction(const Url& url, const Url* from) const;
  Rejection check_place(const Url& url) const;

  struct Start {
    std::string host;    // with port
    std::string folder;  // "/a/b/"
  };
  TaskSpec spec_;
  std::vector<Start> starts_;
  HostList hosts_, include_hosts_, exclude_hosts_;
  UrlRules patterns_;
};

}  // namespace outrider
