// The blocks of a page whose elements lie in each other as its tags say. Where that is so, there is nothing for a tree
// builder to mend, and a walk through the tree would meet the same elements and texts as the tags in a row, with the
// end tags added that the HTML standard lets people leave out (</p>, </li>, </td> …). Most pages are like that, and
// gumbo takes ten times as long for them. Neighbours: page_reader, which asks gumbo otherwise; page_blocks.
#pragma once

#include "cache/page_blocks.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace outrider {

// Nothing at the first sign that a tree builder would move, close or repeat something: formatting elements that
// overlap, text between the cells of a table, forms in forms … As deep and as costly as the page is: TreeBounds first.
std::optional<std::vector<TextBlock>> read_nested_page(std::string_view utf8_html);

}  // namespace outrider
