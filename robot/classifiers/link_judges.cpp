#include "robot/classifiers/link_judges.hpp"

namespace outrider {

void ExternalLinkClassifier::judge(const LinkView& link, const Attributes&, Attributes& out) {
  out.set("external", link.link.url.host() != link.page.url.host() ? 1 : 0);
}

void AnchorClassifier::judge(const LinkView& link, const Attributes& page, Attributes& out) {
  WordVector words;
  words.add(link.link.text);
  words.add(link.link.url.pathname());
  const double anchor = topic_.covered_by(words);
  out.set("anchor", anchor);
  out.set("score", with_page_ ? (2 * anchor + page.get("topic").value_or(0)) / 3 : anchor);
}

}  // namespace outrider
