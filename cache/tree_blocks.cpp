#include "cache/tree_blocks.hpp"

#include "cache/gumbo_tree.hpp"
#include "cache/page_skeleton.hpp"

#include <array>

namespace outrider {
namespace {

HtmlNameKey key_of(GumboTag tag) {
  static const auto keys = [] {
    std::array<HtmlNameKey, GUMBO_TAG_LAST + 1> table{};
    for (int i = 0; i < GUMBO_TAG_UNKNOWN; ++i) table[i] = html_name_key(gumbo_normalized_tagname(GumboTag(i)));
    return table;
  }();
  return keys[tag];
}

PageBlocks::Hints hints_of(const GumboElement& element) {
  PageBlocks::Hints hints;
  for (unsigned i = 0; i < element.attributes.length; ++i) {
    const auto& attribute = *static_cast<const GumboAttribute*>(element.attributes.data[i]);
    const std::string_view name = attribute.name;
    if (name == "id") hints.id = attribute.value;
    if (name == "class") hints.classes = attribute.value;
    if (name == "role") hints.role = attribute.value;
    if (name == "hidden" || (name == "aria-hidden" && std::string_view(attribute.value) == "true")) hints.hidden = true;
  }
  return hints;
}

bool has_children(const GumboNode& node) {
  return node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE;
}

// Without recursion: a page decides how deep the tree is.
std::vector<TextBlock> blocks_of(const GumboNode& root, const PageSkeleton& page) {
  struct Open {
    const GumboElement* element;
    unsigned next;
  };
  PageBlocks blocks;
  std::vector<Open> open{{&root.v.element, 0}};
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next == top.element->children.length) {
      blocks.leave(key_of(top.element->tag));
      open.pop_back();
      continue;
    }
    const auto& node = *static_cast<const GumboNode*>(top.element->children.data[top.next++]);
    if (has_children(node)) {
      blocks.enter(key_of(node.v.element.tag), hints_of(node.v.element));
      open.push_back({&node.v.element, 0});
    } else if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE || node.type == GUMBO_NODE_CDATA) {
      page.each_text(node.v.text.text, [&blocks](std::string_view text) { blocks.text(text); });
    }
  }
  return blocks.finish();
}

}  // namespace

std::vector<TextBlock> read_tree(std::string_view html) {
  const PageSkeleton page{html};
  const GumboTree tree{page.html()};
  return blocks_of(tree.root(), page);
}

}  // namespace outrider
