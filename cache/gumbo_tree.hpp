// One page parsed by gumbo. Its memory comes from an arena of the thread, which is given back at once when the tree
// dies: gumbo allocates some ten pieces for each element, and freeing them one by one is a fifth of its time. Only one
// tree a thread at a time. Never for a page that TreeBounds refused.
#pragma once

#include <gumbo.h>

#include <string_view>

namespace outrider {

class GumboTree {
 public:
  explicit GumboTree(std::string_view utf8_html);  // views the text: it must live as long as the tree
  ~GumboTree();
  GumboTree(const GumboTree&) = delete;
  GumboTree& operator=(const GumboTree&) = delete;

  const GumboNode& root() const { return *output_->root; }

 private:
  GumboOutput* output_;
};

}  // namespace outrider
