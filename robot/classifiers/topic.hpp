// How near a text is to a topic: the cosine of the angle between their word counts (0 = no word in common, 1 = the same
// words in the same proportion). Words are compared without case; very short ones do not count.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace outrider {

class WordVector {
 public:
  void add(std::string_view text);
  double cosine(const WordVector& other) const;
  // How much of this vector's words is in the text: 0 to 1. For short texts, which have no proportions.
  double covered_by(const WordVector& text) const;
  bool empty() const { return counts_.empty(); }

 private:
  std::unordered_map<std::string, double> counts_;
};

WordVector topic_of(const std::vector<std::string>& samples);

}  // namespace outrider
