// Lets filters (plugins/api/page_filter.hpp) change a page while it passes. Chunks go in as they arrive; what comes out
// is the same bytes with splices. Only a token that is not complete is held back, so whatever can be shown is on its
// way within the chunk it came in, and memory is bounded by the largest token (HtmlLimits).
//
// A filter that throws is left out for the rest of the page, and what it did to that token is undone; the page goes on.
// Neighbours: base/html_tokenizer finds the tokens, page_places where head and body begin and end, tag_splice applies
// edits, page_transform knows codings and heads.
#pragma once

#include "base/clock.hpp"
#include "base/html_tokenizer.hpp"
#include "plugins/api/page_filter.hpp"
#include "proxy/page_places.hpp"
#include "proxy/tag_splice.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class PageRewriter final : private HtmlHandler, private TagEdit {
 public:
  using Filters = std::vector<std::unique_ptr<PageFilter>>;
  struct Options {
    HtmlLimits limits{};
    bool utf8 = false;           // the page is known to be UTF-8
    bool charset_given = false;  // by the head: what <meta> says does not count
    bool measure = false;        // how much time each filter takes
    // A filter, by its index in `filters`, is called now.
    std::function<void(std::size_t filter)> calling;
    // A filter, by its index in `filters`, threw this.
    std::function<void(std::size_t filter, const char* what)> failed;
  };

  PageRewriter(Filters filters, Options options);
  ~PageRewriter() override;

  // What can go out now. Valid until the next call, or until `chunk` goes.
  std::string_view feed(std::string_view chunk);
  std::string_view finish();

  void drop(std::size_t filter) { slots_[filter].filter.reset(); }  // between two chunks: the rest passes without it
  std::size_t held() const { return tokenizer_.held(); }            // bytes of the input that have not gone out yet
  std::uint64_t edits() const { return edits_; }                    // tokens changed and things inserted
  Duration spent(std::size_t filter) const { return slots_[filter].spent; }  // with Options::measure

 private:
  struct Slot {
    std::unique_ptr<PageFilter> filter;  // nullptr: it has failed
    bool text = false, comments = false, end_tags = false;
    bool head_only = false, until_done = false;
    Duration spent{};
  };
  struct Wanted {
    HtmlNameKey element = 0;  // 0 = any
    std::string attribute;
    std::size_t slot = 0;
  };

  void on_start_tag(const HtmlTag& tag) override;
  void on_end_tag(const HtmlTag& tag) override;
  void on_text(const HtmlText& text) override;
  void on_comment(const HtmlComment& comment) override;
  void on_doctype(const HtmlDoctype& doctype) override;
  void on_filler(const HtmlFiller& filler) override;
  void on_end(std::uint64_t size) override;

  void before(std::string_view html) override;
  void after(std::string_view html) override;
  void replace(std::string_view html) override;
  void replace_by_text(std::string_view text) override;
  bool set_attribute(std::string_view name, std::string_view value) override;
  bool remove_attribute(std::string_view name) override;
  bool remove_element() override;

  template <class Call>
  void ask(Slot& slot, Call&& call);
  void insert(PagePlaces::Found found);
  std::string inserted_at(PagePlace place);
  void emit(const HtmlToken& token, const HtmlTag* tag);
  void pass(std::string_view raw);
  void splice(std::string_view bytes);
  void look_at_charset(const HtmlTag& meta);
  std::string_view take();
  bool is_between_tokens() const;  // nothing of what came so far is still to be done
  bool is_anybody_left() const;    // who wants to see more of the page

  // What filters want done to the current token.
  struct Edits {
    std::string before, after, replacement;
    bool replaced = false;
    TagSplice attributes;
    bool element = false;  // remove all of it
    void clear();
  };

  Options options_;
  std::vector<Slot> slots_;
  std::vector<Wanted> wanted_;
  bool wants_text_ = false, wants_comments_ = false, wants_end_tags_ = false;
  PagePlaces places_;

  bool ends_early_ = true;   // nobody wants all of the page …
  bool unread_ = false;      // … and nobody is left: the rest passes
  bool off_ = false;         // an encoding in which nothing can be found: the rest passes
  bool untouchable_ = true;  // the current token cannot be changed, only be given something before or after it
  const HtmlTag* current_tag_ = nullptr;
  bool touched_ = false;
  Edits edit_;
  std::string pending_after_;         // goes behind the remainder of a truncated token
  HtmlNameKey removing_ = 0;          // the element that is being removed …
  std::uint32_t removing_depth_ = 0;  // … and how many of its name are open
  bool drop_remainder_ = false;       // of a truncated token that was removed
  bool open_end_ = false;             // what would stand behind the last token would be markup
  bool first_ = true;

  std::string_view chunk_;
  std::string_view run_;  // the end of the output, still in chunk_: not copied unless something else follows
  std::string out_;
  std::uint64_t edits_ = 0;
  HtmlTokenizer tokenizer_;  // last: it calls us
};

}  // namespace outrider
