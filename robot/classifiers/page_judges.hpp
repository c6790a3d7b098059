// The built-in judges of pages. Their attributes:
//   out_degree, external_share    links to other pages; which part of them leads away from the host
//   hub                           0 to 1: mostly links to other hosts, as link lists have
//   soft_404                      1: says "not found" with status 200
//   near_duplicate                1: a page of this task with nearly the same text came before
//   topic                         0 to 1: cosine to the words of the task's topic
//   text_match                    1: holds the text that the task looks for
#pragma once

#include "robot/classifier.hpp"
#include "robot/classifiers/topic.hpp"

#include <unordered_map>

namespace outrider {

class DegreeClassifier final : public PageClassifier {
  void judge(const PageView& page, Attributes& out) override;
};

class SoftNotFoundClassifier final : public PageClassifier {
  void judge(const PageView& page, Attributes& out) override;
};

// Remembers the SimHash of what it saw, in bands, so that a look is not a look at all of them. Bounded.
class NearDuplicateClassifier final : public PageClassifier {
 public:
  static constexpr int kFarthest = 3;  // bits that may differ
  static constexpr std::size_t kMost = 200'000;

 private:
  bool needs_text() const override { return true; }
  void judge(const PageView& page, Attributes& out) override;
  std::unordered_multimap<std::uint64_t, std::uint64_t> bands_;  // number and value of a band → SimHash
};

class TopicClassifier final : public PageClassifier {
 public:
  explicit TopicClassifier(WordVector topic) : topic_(std::move(topic)) {}

 private:
  bool needs_text() const override { return true; }
  void judge(const PageView& page, Attributes& out) override;
  const WordVector topic_;
};

class TextMatchClassifier final : public PageClassifier {
 public:
  explicit TextMatchClassifier(std::string_view text);

 private:
  bool needs_text() const override { return true; }
  void judge(const PageView& page, Attributes& out) override;
  std::string text_;
};

// Only there so that the language is known in time.
class LanguageClassifier final : public PageClassifier {
  bool needs_text() const override { return true; }
  void judge(const PageView& page, Attributes& out) override;
};

// Rejects what an attribute says is not wanted.
class AttributeFilter final : public TaskPageFilter {
 public:
  // Rejects where the attribute is at least (or, `below`: less than) `bound`.
  AttributeFilter(std::string name, double bound, bool below) : name_(std::move(name)), bound_(bound), below_(below) {}
  UrlDecision decide(const PageView& page, const Attributes& attributes) const override;

 private:
  const std::string name_;
  const double bound_;
  const bool below_;
};

// "de" accepts "de", "de-AT". Pages whose language cannot be told: no opinion.
class LanguageFilter final : public TaskPageFilter {
 public:
  explicit LanguageFilter(std::vector<std::string> wanted) : wanted_(std::move(wanted)) {}
  UrlDecision decide(const PageView& page, const Attributes& attributes) const override;

 private:
  const std::vector<std::string> wanted_;
};

}  // namespace outrider
