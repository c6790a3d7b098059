// How long gumbo would take for a page, told from its tags in one linear pass. gumbo 0.10.1 walks its stack of open
// elements for most tags, compares each attribute with those before it, and clones unclosed <b>, <font>, <a> … into
// each block that follows: a page of 50 KB can keep it busy for seconds. This follows the stack as the tree builder of
// the HTML standard would (section 13.2.6, with the rules that let elements pile up) and adds up what gumbo would do.
// Where it differs it errs towards too deep. Measured in docs/decisions/0055-gumbo-bounds.md.
#pragma once

#include "base/html_tokens.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace outrider {

class TreeBounds {
 public:
  static constexpr std::size_t kDepth = 512;
  static constexpr std::size_t kAttributes = 256;  // of one tag
  static constexpr std::uint64_t kBytes = 2 << 20;
  static constexpr std::uint64_t kNanoseconds = 24'000'000;  // estimated: the worst shapes need twice that

  TreeBounds();
  void start_tag(const HtmlTag& tag);
  void end_tag(const HtmlTag& tag);
  void text(std::size_t bytes);

  bool exceeded() const { return exceeded_ || cost_ > kNanoseconds; }
  std::uint64_t cost() const { return cost_; }  // nanoseconds, estimated
  std::size_t deepest() const { return deepest_; }

 private:
  void count(std::size_t bytes, std::uint64_t cost);
  void note_root(std::uint64_t attributes);
  void close_implied(HtmlNameKey key);
  void close_last(HtmlNameKey key, HtmlNameKey or_key);
  void end_formatting(HtmlNameKey key);
  std::size_t find_open(HtmlNameKey key) const;  // index, or open_.size()
  bool in_foreign() const;
  void push(HtmlNameKey key);
  void pop_to(std::size_t index);  // and that one, too
  void reopen();

  std::vector<HtmlNameKey> open_;
  std::vector<HtmlNameKey> orphans_;  // formatting elements whose block was closed before them: they will be cloned
  std::size_t paragraphs_ = 0;        // <p> among open_
  std::size_t anchors_ = 0;           // <a> among open_
  std::size_t deepest_ = 0;
  std::uint64_t root_attributes_ = 0;  // of all <html> and <body> tags
  std::uint64_t bytes_ = 0;
  std::uint64_t cost_ = 0;
  bool exceeded_ = false;
};

}  // namespace outrider
