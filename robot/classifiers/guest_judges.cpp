#include "robot/classifiers/guest_judges.hpp"

#include <exception>

namespace outrider {
namespace {

JudgedPage shown(const PageView& view) {
  return {view.url, view.status, view.page};
}

// A classifier that throws has said nothing.
template <class Call>
void quietly(Call call) {
  try {
    call();
  } catch (const std::exception&) {
  }
}

template <class Call>
UrlDecision decided(Call call) {
  try {
    return call();
  } catch (const std::exception& failure) {
    return {Decision::reject, std::string{"the judge of the task failed: "} + failure.what()};
  }
}

class GuestPageClassifier final : public PageClassifier {
 public:
  explicit GuestPageClassifier(const TaskJudges& guests) : call_(guests.classify_page), text_(guests.need_text) {}
  bool needs_text() const override { return text_; }
  void judge(const PageView& page, Attributes& out) override {
    quietly([&] {
      if (call_) call_(shown(page), out);
    });
  }

 private:
  const std::function<void(const JudgedPage&, Attributes&)> call_;
  const bool text_;
};

class GuestPageFilter final : public TaskPageFilter {
 public:
  explicit GuestPageFilter(const TaskJudges& guests) : call_(guests.filter_page) {}
  UrlDecision decide(const PageView& page, const Attributes& attributes) const override {
    return decided([&] { return call_(shown(page), attributes); });
  }

 private:
  const std::function<UrlDecision(const JudgedPage&, const Attributes&)> call_;
};

class GuestLinkClassifier final : public LinkClassifier {
 public:
  explicit GuestLinkClassifier(const TaskJudges& guests) : call_(guests.classify_link) {}
  void judge(const LinkView& link, const Attributes& page, Attributes& out) override {
    const JudgedPage on = shown(link.page);
    const JudgedLink asked{on, link.link.url, link.link.kind, link.link.flags, link.link.position, link.link.text};
    quietly([&] { call_(asked, page, out); });
  }

 private:
  const std::function<void(const JudgedLink&, const Attributes&, Attributes&)> call_;
};

class GuestLinkFilter final : public TaskLinkFilter {
 public:
  explicit GuestLinkFilter(const TaskJudges& guests) : call_(guests.filter_link) {}
  UrlDecision decide(const LinkView& link, const Attributes& attributes) const override {
    const JudgedPage on = shown(link.page);
    const JudgedLink asked{on, link.link.url, link.link.kind, link.link.flags, link.link.position, link.link.text};
    return decided([&] { return call_(asked, attributes); });
  }

 private:
  const std::function<UrlDecision(const JudgedLink&, const Attributes&)> call_;
};

}  // namespace

void add_guests(Judges& judges, const TaskJudges& guests) {
  if (guests.classify_page || guests.need_text)
    judges.page_classifiers.push_back(std::make_unique<GuestPageClassifier>(guests));
  if (guests.filter_page) judges.page_filters.push_back(std::make_unique<GuestPageFilter>(guests));
  if (guests.classify_link) judges.link_classifiers.push_back(std::make_unique<GuestLinkClassifier>(guests));
  if (guests.filter_link) judges.link_filters.push_back(std::make_unique<GuestLinkFilter>(guests));
}

}  // namespace outrider
