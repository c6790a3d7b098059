#include "cache/page_reader.hpp"

#include "base/escape.hpp"
#include "base/html_tokenizer.hpp"
#include "cache/language.hpp"
#include "cache/main_text.hpp"
#include "cache/nested_page.hpp"
#include "cache/page_blocks.hpp"
#include "cache/page_limits.hpp"
#include "cache/text_statistics.hpp"
#include "cache/tree_blocks.hpp"
#include "cache/tree_bounds.hpp"

#include <utility>
#include <vector>

namespace outrider {
namespace {

constexpr HtmlOptions kOptions{.limits = {}, .scripting = false};

void fill_in(MainText main, PageContent& into, bool deep) {
  into.headings = std::move(main.headings);
  into.text = std::move(main.text);
  into.word_count = main.words;
  into.reading_seconds = reading_seconds(into.word_count);
  into.language = detect_language(main.running_text, into.declared_language);
  into.fingerprint = text_fingerprint(into.text);
  into.simhash = text_simhash(into.text);
  into.deep = deep;
}

// The blocks from tags in a row, for pages that gumbo may not see.
class TagReader final : public HtmlHandler {
 public:
  void on_start_tag(const HtmlTag& tag) override {
    PageBlocks::Hints hints;
    const auto value = [&tag](const HtmlAttribute& attribute) { return tag.raw_value(attribute); };
    for (const HtmlAttribute& attribute : tag.attributes) {
      if (attribute.duplicate) continue;
      switch (html_name_key(tag.raw_name(attribute))) {
        case html_name_key("id"):
          hints.id = value(attribute);
          break;
        case html_name_key("class"):
          hints.classes = value(attribute);
          break;
        case html_name_key("role"):
          hints.role = value(attribute);
          break;
        case html_name_key("hidden"):
          hints.hidden = true;
          break;
        case html_name_key("aria-hidden"):
          hints.hidden = hints.hidden || same_html_name(value(attribute), "true");
          break;
        default:
          break;
      }
    }
    if (tag.key == html_name_key("a")) blocks_.leave(tag.key);  // a link ends at the next one
    blocks_.enter(tag.key, hints);
  }
  void on_end_tag(const HtmlTag& tag) override { blocks_.leave(tag.key); }
  void on_text(const HtmlText& text) override {
    if (text.content == HtmlContent::data || text.content == HtmlContent::cdata) blocks_.text(text.decoded(scratch_));
  }
  bool full() const { return blocks_.full(); }
  std::vector<TextBlock> finish() { return blocks_.finish(); }

 private:
  PageBlocks blocks_;
  std::string scratch_;
};

class BoundsReader final : public HtmlHandler {
 public:
  void on_start_tag(const HtmlTag& tag) override { bounds_.start_tag(tag); }
  void on_end_tag(const HtmlTag& tag) override { bounds_.end_tag(tag); }
  void on_text(const HtmlText& text) override { bounds_.text(text.raw.size()); }
  void on_comment(const HtmlComment& comment) override { bounds_.text(comment.raw.size()); }
  bool exceeded() const { return bounds_.exceeded(); }
  bool full() const { return exceeded(); }

 private:
  TreeBounds bounds_;
};

// Until the end, or until the reader has enough.
template <class Reader>
void read_tags(std::string_view html, Reader& reader) {
  constexpr std::size_t kSlice = 64 << 10;
  HtmlTokenizer tokenizer{reader, kOptions};
  for (std::size_t at = 0; at < html.size() && !reader.full(); at += kSlice) tokenizer.feed(html.substr(at, kSlice));
  tokenizer.finish();
}

void read(std::string_view html, bool too_much_for_tree, PageContent& into) {
  if (too_much_for_tree) {
    TagReader reader;
    read_tags(html, reader);
    return fill_in(choose_main_text(reader.finish()), into, false);
  }
  std::optional<std::vector<TextBlock>> blocks = read_nested_page(html);
  fill_in(choose_main_text(blocks ? *blocks : read_tree(html)), into, true);
}

}  // namespace

void read_page(std::string_view utf8_html, const Url& /*page*/, PageContent& into) {
  BoundsReader bounds;
  read_tags(utf8_html, bounds);
  read(utf8_html, bounds.exceeded(), into);
}

void read_page(std::string_view utf8_html, PageScan& scan) {
  read(utf8_html, scan.too_much_for_tree, scan.page);
}

void read_plain_text(std::string_view utf8, PageContent& into) {
  MainText main;
  utf8 = utf8_prefix(utf8, 2 * page_limits::kText);
  while (!utf8.empty()) {
    // A paragraph ends at an empty line.
    std::size_t end = 0;
    while (end < utf8.size() && !(utf8[end] == '\n' && end + 1 < utf8.size() &&
                                  (utf8[end + 1] == '\n' || utf8.substr(end + 1, 2) == "\r\n"))) {
      ++end;
    }
    const std::string paragraph = collapsed(utf8.substr(0, end), page_limits::kText);
    utf8.remove_prefix(std::min(utf8.size(), end + 1));
    if (paragraph.empty() || main.text.size() + paragraph.size() >= page_limits::kText) continue;
    if (!main.text.empty()) main.text += '\n';
    main.text += paragraph;
  }
  main.running_text = main.text;
  main.words = count_words(main.text);
  fill_in(std::move(main), into, false);
}

}  // namespace outrider
