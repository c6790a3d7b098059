#include "robot/classifiers/guest_judges.hpp"
#include "robot/classifiers/link_judges.hpp"
#include "robot/classifiers/page_judges.hpp"

namespace outrider {

Judges make_judges(const TaskSpec& spec, const TaskJudges& guests) {
  Judges judges;
  const bool by_topic = spec.order == QueueOrder::best_first && !spec.topic.empty() &&
                        (spec.score == LinkScore::anchor || spec.score == LinkScore::topic);
  if (by_topic) {
    const bool with_page = spec.score == LinkScore::topic;
    if (with_page) judges.page_classifiers.push_back(std::make_unique<TopicClassifier>(topic_of(spec.topic)));
    judges.link_classifiers.push_back(std::make_unique<AnchorClassifier>(topic_of(spec.topic), with_page));
  }
  if (spec.min_topic > 0) {
    if (!by_topic || spec.score != LinkScore::topic)
      judges.page_classifiers.push_back(std::make_unique<TopicClassifier>(topic_of(spec.topic)));
    judges.page_filters.push_back(std::make_unique<AttributeFilter>("topic", spec.min_topic, true));
  }
  if (!spec.languages.empty()) {
    judges.page_classifiers.push_back(std::make_unique<LanguageClassifier>());
    judges.page_filters.push_back(std::make_unique<LanguageFilter>(spec.languages));
  }
  if (!spec.text_match.empty()) {
    judges.page_classifiers.push_back(std::make_unique<TextMatchClassifier>(spec.text_match));
    judges.page_filters.push_back(std::make_unique<AttributeFilter>("text_match", 1, true));
  }
  if (spec.skip_near_duplicates) {
    judges.page_classifiers.push_back(std::make_unique<NearDuplicateClassifier>());
    judges.page_filters.push_back(std::make_unique<AttributeFilter>("near_duplicate", 1, false));
  }
  if (spec.skip_soft_404) {
    judges.page_classifiers.push_back(std::make_unique<SoftNotFoundClassifier>());
    judges.page_filters.push_back(std::make_unique<AttributeFilter>("soft_404", 1, false));
  }
  if (spec.skip_hubs) {
    judges.page_classifiers.push_back(std::make_unique<DegreeClassifier>());
    judges.page_filters.push_back(std::make_unique<AttributeFilter>("hub", 0.5, false));
  }
  add_guests(judges, guests);  // last: they may set the score
  return judges;
}

}  // namespace outrider
