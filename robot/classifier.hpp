// Classifiers judge, filters decide. A classifier looks at a page or a link and writes down attributes, which belong to
// the pair of task and page, or task and link: two tasks may judge the same page differently. A filter looks at the
// attributes and says accept, none or reject; one rejection is enough (AND).
//
// To add one: derive, and have it made in classifiers/make_judges.cpp.
#pragma once

#include "plugins/api/node.hpp"
#include "robot/found_link.hpp"
#include "robot/url_rules.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// A page as it can be judged once it was scanned. `page.text` is there where a judge said that it needs it.
struct PageView {
  const Url& url;
  int status = 0;
  const PageContent& page;
  std::span<const FoundLink> links;
};

struct LinkView {
  const PageView& page;
  const FoundLink& link;
};

class PageClassifier {
 public:
  virtual ~PageClassifier() = default;
  virtual bool needs_text() const { return false; }  // the deep parse has to come first
  virtual void judge(const PageView& page, Attributes& out) = 0;
};

class LinkClassifier {
 public:
  virtual ~LinkClassifier() = default;
  virtual void judge(const LinkView& link, const Attributes& page, Attributes& out) = 0;
};

// `reason` for people, of a rejection: "language: en is not wanted".
class TaskPageFilter {
 public:
  virtual ~TaskPageFilter() = default;
  virtual UrlDecision decide(const PageView& page, const Attributes& attributes) const = 0;
};

class TaskLinkFilter {
 public:
  virtual ~TaskLinkFilter() = default;
  virtual UrlDecision decide(const LinkView& link, const Attributes& attributes) const = 0;
};

// All together: the first rejection counts; else accept, if anybody accepts; else nobody has an opinion.
UrlDecision combine(std::span<const UrlDecision> decisions);

// Everything that judges for one task.
struct Judges {
  std::vector<std::unique_ptr<PageClassifier>> page_classifiers;
  std::vector<std::unique_ptr<LinkClassifier>> link_classifiers;
  std::vector<std::unique_ptr<TaskPageFilter>> page_filters;
  std::vector<std::unique_ptr<TaskLinkFilter>> link_filters;

  bool need_text() const;
  bool judge_links() const { return !link_classifiers.empty() || !link_filters.empty(); }
  Attributes judge(const PageView& page) const;
  UrlDecision decide(const PageView& page, const Attributes& attributes) const;
  Attributes judge(const LinkView& link, const Attributes& page) const;
  UrlDecision decide(const LinkView& link, const Attributes& attributes) const;
};

// What the task's parameters ask for, and those who came with it.
Judges make_judges(const TaskSpec& spec, const TaskJudges& guests = {});

}  // namespace outrider
