// The built-in judges of links. Their attributes:
//   external      1: leads to another host than its page is on
//   anchor        0 to 1: how much of the topic is in the text of the link
//   score         for the order best first: of what the task chose
#pragma once

#include "robot/classifier.hpp"
#include "robot/classifiers/topic.hpp"

namespace outrider {

class ExternalLinkClassifier final : public LinkClassifier {
  void judge(const LinkView& link, const Attributes& page, Attributes& out) override;
};

// Words of the link's text and of its path count as what the target is about. With `with_page` the page that it is on
// counts for a third: good pages link to good pages.
class AnchorClassifier final : public LinkClassifier {
 public:
  AnchorClassifier(WordVector topic, bool with_page) : topic_(std::move(topic)), with_page_(with_page) {}

 private:
  void judge(const LinkView& link, const Attributes& page, Attributes& out) override;
  const WordVector topic_;
  const bool with_page_;
};

}  // namespace outrider
