#include "robot/classifier.hpp"

#include <algorithm>

namespace outrider {

UrlDecision combine(std::span<const UrlDecision> decisions) {
  UrlDecision all;
  for (const UrlDecision& each : decisions) {
    if (each.decision == Decision::reject) return each;
    if (each.decision == Decision::accept) all = each;
  }
  return all;
}

bool Judges::need_text() const {
  return std::any_of(page_classifiers.begin(), page_classifiers.end(),
                     [](const auto& classifier) { return classifier->needs_text(); });
}

Attributes Judges::judge(const PageView& page) const {
  Attributes out;
  for (const auto& classifier : page_classifiers) classifier->judge(page, out);
  return out;
}

UrlDecision Judges::decide(const PageView& page, const Attributes& attributes) const {
  std::vector<UrlDecision> decisions;
  for (const auto& filter : page_filters) decisions.push_back(filter->decide(page, attributes));
  return combine(decisions);
}

Attributes Judges::judge(const LinkView& link, const Attributes& page) const {
  Attributes out;
  for (const auto& classifier : link_classifiers) classifier->judge(link, page, out);
  return out;
}

UrlDecision Judges::decide(const LinkView& link, const Attributes& attributes) const {
  std::vector<UrlDecision> decisions;
  for (const auto& filter : link_filters) decisions.push_back(filter->decide(link, attributes));
  return combine(decisions);
}

}  // namespace outrider
