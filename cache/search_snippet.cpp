#include "cache/search_snippet.hpp"

#include "cache/search_stemmer.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr std::size_t kSnippetBytes = 240;
constexpr std::size_t kMaxSearchedBytes = 32 << 10;  // looking through all of a long text would cost milliseconds
constexpr char kOpen = '\x02', kClose = '\x03';

// One line without control characters, so that the marks are ours.
std::string prepare(const std::string& text) {
  std::size_t length = std::min(text.size(), kMaxSearchedBytes);
  while (length > 0 && length < text.size() && (text[length] & 0xC0) == 0x80) --length;
  std::string line = text.substr(0, length);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return line;
}

}  // namespace

Snippet unmark(std::string_view marked) {
  static constexpr std::array<std::pair<std::string_view, char>, 4> kEscapes = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}}};
  Snippet snippet;
  std::uint32_t begin = 0;
  bool open = false;
  const auto here = [&snippet] { return static_cast<std::uint32_t>(snippet.text.size()); };
  while (!marked.empty()) {
    const char c = marked.front();
    std::size_t used = 1;
    if (c == kOpen) {
      begin = here();
      open = true;
    } else if (c == kClose) {
      if (open && here() > begin) snippet.highlights.emplace_back(begin, here());
      open = false;
    } else if (c == '&') {
      const auto escape = std::find_if(kEscapes.begin(), kEscapes.end(),
                                       [marked](const auto& known) { return marked.starts_with(known.first); });
      snippet.text += escape == kEscapes.end() ? c : escape->second;
      if (escape != kEscapes.end()) used = escape->first.size();
    } else {
      snippet.text += c;
    }
    marked.remove_prefix(used);
  }
  return snippet;
}

Snippet make_snippet(const Xapian::MSet& matches, const std::string& text, const std::string& stem_language) {
  if (text.empty()) return {};
  return unmark(matches.snippet(prepare(text), kSnippetBytes, stemmer_for(stem_language),
                                Xapian::MSet::SNIPPET_CJK_NGRAM, std::string(1, kOpen), std::string(1, kClose), "…"));
}

}  // namespace outrider
