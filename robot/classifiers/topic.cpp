#include "robot/classifiers/topic.hpp"

#include <cmath>

namespace outrider {
namespace {

constexpr std::size_t kShortest = 3;  // bytes
constexpr std::size_t kLongest = 64;
constexpr std::size_t kMostWords = 20'000;  // of one text, different ones

// Letters, digits and everything beyond ASCII.
bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

void WordVector::add(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && is_word_byte(text[i])) {
      word += lower(text[i]);
      continue;
    }
    if (word.size() >= kShortest && word.size() <= kLongest && counts_.size() < kMostWords) counts_[word] += 1;
    word.clear();
  }
}

double WordVector::cosine(const WordVector& other) const {
  double product = 0, mine = 0, others = 0;
  for (const auto& [word, count] : counts_) {
    mine += count * count;
    if (const auto found = other.counts_.find(word); found != other.counts_.end()) product += count * found->second;
  }
  for (const auto& [word, count] : other.counts_) others += count * count;
  return product == 0 ? 0 : product / std::sqrt(mine * others);
}

double WordVector::covered_by(const WordVector& text) const {
  double all = 0, found = 0;
  for (const auto& [word, count] : counts_) {
    all += count;
    if (text.counts_.contains(word)) found += count;
  }
  return all == 0 ? 0 : found / all;
}

WordVector topic_of(const std::vector<std::string>& samples) {
  WordVector topic;
  for (const std::string& sample : samples) topic.add(sample);
  return topic;
}

}  // namespace outrider
