#include "cache/main_text.hpp"

#include "base/escape.hpp"
#include "cache/page_limits.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr double kMostlyLinks = 0.5;
constexpr std::uint32_t kSentenceWords = 12;      // so many words are a sentence, whatever they end with
constexpr std::uint32_t kShortSentenceWords = 4;  // with a full stop behind them
constexpr std::size_t kNear = 2;                  // blocks between a sentence and what belongs to it
constexpr std::size_t kEnoughRunningText = 300;   // bytes; below that lists and tables are asked for the language, too

double link_share(const TextBlock& block) {
  return block.text.empty() ? 1 : static_cast<double>(block.link_bytes) / static_cast<double>(block.text.size());
}

bool ends_like_a_sentence(std::string_view text) {
  for (const std::string_view end :
       {".", "!", "?", ":", ";", "…", "。", "！", "？", "।", "؟", "۔", ".\"", ".)", "»", "”"})
    if (text.ends_with(end)) return true;
  return false;
}

bool is_sentence(const TextBlock& block) {
  if (block.heading > 0 || link_share(block) > kMostlyLinks) return false;
  return block.words >= kSentenceWords || (block.words >= kShortSentenceWords && ends_like_a_sentence(block.text));
}

// Forms and the header of the page count only where nearly everything is inside one, as on sites built that way.
bool apart_counts(const std::vector<TextBlock>& blocks) {
  std::size_t inside = 0;
  std::size_t all = 0;
  for (const TextBlock& block : blocks) {
    if (!is_sentence(block)) continue;
    all += block.text.size();
    if (block.set_apart) inside += block.text.size();
  }
  return inside * 2 > all;
}

// <main> and <article> are believed if they hold a good part of the sentences.
bool main_counts(const std::vector<TextBlock>& blocks) {
  std::size_t inside = 0;
  std::size_t all = 0;
  for (const TextBlock& block : blocks) {
    if (!is_sentence(block)) continue;
    all += block.text.size();
    if (block.in_main) inside += block.text.size();
  }
  return inside > 0 && inside * 3 >= all;
}

// Marks the sentences and what stands near them.
std::vector<bool> chosen(const std::vector<TextBlock>& blocks, bool with_apart, bool only_main) {
  std::vector<bool> keep(blocks.size(), false);
  const auto may = [&](const TextBlock& block) {
    return (with_apart || !block.set_apart) && (!only_main || block.in_main) && link_share(block) <= kMostlyLinks;
  };
  std::size_t last_sentence = blocks.size();  // none yet
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!may(blocks[i])) continue;
    if (is_sentence(blocks[i])) {
      keep[i] = true;
      for (std::size_t before = i; before-- > 0 && i - before <= kNear;)
        keep[before] = keep[before] || may(blocks[before]);
      last_sentence = i;
    } else if (last_sentence != blocks.size() && i - last_sentence <= kNear) {
      keep[i] = true;
    }
  }
  return keep;
}

// False: the limit is reached.
bool append_line(std::string& out, std::string_view line, std::size_t limit) {
  const std::size_t room = limit - std::min(limit, out.size() + 1);
  const std::string_view fits = utf8_prefix(line, room);
  if (!out.empty() && !fits.empty()) out += '\n';
  out += fits;
  return fits.size() == line.size();
}

}  // namespace

MainText choose_main_text(const std::vector<TextBlock>& blocks) {
  MainText out;
  const bool with_apart = apart_counts(blocks);
  std::vector<bool> keep = chosen(blocks, with_apart, main_counts(blocks));
  // A page without sentences (a table, a list of names) is all that it has.
  if (std::find(keep.begin(), keep.end(), true) == keep.end()) {
    for (std::size_t i = 0; i < blocks.size(); ++i) keep[i] = link_share(blocks[i]) <= kMostlyLinks;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const TextBlock& block = blocks[i];
    if (block.heading > 0 && out.headings.size() < page_limits::kHeadings) {
      out.headings.push_back({block.heading, collapsed(block.text, page_limits::kHeading)});
    }
    if (!keep[i]) continue;
    out.words += block.words;
    if (!append_line(out.text, block.text, page_limits::kText)) break;
    if (block.is_running_text && is_sentence(block)) append_line(out.running_text, block.text, page_limits::kText);
  }
  if (out.running_text.size() < kEnoughRunningText) out.running_text = out.text;
  return out;
}

}  // namespace outrider
