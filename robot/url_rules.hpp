// Which URLs a task wants, as a person writes it: one rule a line.
//
//   accept host .example.com        the name and everything below it; "www.example.com" that name alone; ":8080" if
//   given reject path /cgi-bin/           beginnings of paths reject regex [?&]sort=          RE2, anywhere in the URL
//   reject extension zip            of the last segment of the path, any case
//   reject query                    URLs with a query string
//   accept mime text/html           of the answer: "image/*"
//
// Three-valued: reject if a reject rule fits, accept if an accept rule does, none if nobody has an opinion. RE2 needs
// time linear in the URL, so a rule of a stranger cannot hang the robot. Immutable; any thread may ask.
#pragma once

#include "base/error.hpp"
#include "base/url.hpp"
#include "plugins/api/robot_judges.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class UrlRules {
 public:
  static constexpr std::size_t kMostRules = 1000;
  static constexpr std::size_t kLongestRule = 2000;

  UrlRules();  // no opinion on anything
  ~UrlRules();
  UrlRules(UrlRules&&) noexcept;
  UrlRules& operator=(UrlRules&&) noexcept;

  // Blank lines and lines that begin with '#' are left out. Failure: invalid_argument that names the line.
  static Result<UrlRules> parse(const std::vector<std::string>& lines);

  UrlDecision check(const Url& url) const;
  UrlDecision check_mime(std::string_view mime) const;  // "text/html; charset=utf-8" is fine
  bool empty() const { return rules_.empty(); }
  // Some rule accepts by URL: then whatever is not accepted may be left out by the caller.
  bool has_accept() const;

 private:
  struct Rule;
  std::vector<Rule> rules_;  // rejecting ones first
};

}  // namespace outrider
