// A streaming tokenizer by the HTML standard, section 13.2.5. Chunks go in as they arrive, cut anywhere; tokens
// (html_tokens.hpp) come out as soon as they are complete, with their exact bytes. Every byte of the input is in
// exactly one token, so a rewriter passes on what it does not change without looking at it.
//
// Linear in time; memory is bounded by the largest token allowed. A token is scanned where it lies: only one that is
// cut by the end of a chunk is copied. Nothing is decoded unless a token is asked for it.
//
// There is no tree behind it. What the tokenizer of the standard learns from the tree builder (that the content of
// <script> is no markup, that <![CDATA[ counts inside <svg>) html_content_model knows from the tags alone.
//
// The input is UTF-8 or any other encoding in which the ASCII characters of the syntax are their own bytes and not part
// of others. A byte order mark is text. Parse errors are not reported. Not thread-safe. If the handler throws, the
// tokenizer can only be destroyed.
#pragma once

#include "base/html_content_model.hpp"
#include "base/html_tokens.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

struct HtmlLimits {
  // Bytes of a tag, comment or doctype. A longer one is handed out truncated after so many bytes, with the attributes
  // that were complete by then; its other bytes follow as filler. Text is never held back, so it needs no limit.
  std::uint32_t token = 1 << 20;
  std::uint32_t attributes = 4096;  // of a tag; further ones are not recorded
};

struct HtmlOptions {
  HtmlLimits limits;
  // As a browser that runs scripts sees the page: the content of <noscript> is text, not markup.
  bool scripting = true;
};

class HtmlTokenizer {
 public:
  // The handler must outlive the tokenizer.
  explicit HtmlTokenizer(HtmlHandler& handler, const HtmlOptions& options = {});

  void feed(std::string_view chunk);
  // The page is over. Afterwards the tokenizer can only be destroyed.
  void finish();

  // Bytes that were fed and wait for the end of their token.
  std::size_t held() const { return held_.size(); }

  // From on_start_tag: is it a whole element, because of the "/" at its end? Void elements are not looked for.
  bool closes_itself(const HtmlTag& tag) const { return model_.closes_itself(tag); }

  // What the bytes that follow are taken for: before the first feed, or from on_start_tag, where it replaces what the
  // element's name implies. The end tag of `last_start_tag` ends rcdata, rawtext and script.
  void set_content(HtmlContent content, std::string_view last_start_tag = {});

 private:
  // clang-format off
  enum class State : std::uint8_t {
    // Text: what was scanned can be handed out at any time.
    data, raw, plaintext, cdata,
    script, script_escape_start, script_escape_start_dash, script_escaped, script_double_escape_start,
    script_double_escaped, script_double_less_than, script_double_escape_end,
    // Text up to mark_; there is a "<" that may turn out to begin a tag.
    tag_open, end_tag_open, raw_less_than, raw_end_tag_open, raw_end_tag_name,
    // Inside a tag.
    tag_name, before_attribute, attribute_name, after_attribute_name, before_value, quoted_value, unquoted_value,
    self_closing,
    // Inside other markup.
    markup_declaration, comment, bogus_comment, doctype,
  };
  // clang-format on

  // Why a token that is handed out ends where it does.
  enum class Ending : std::uint8_t { complete, cut, end_of_input };

  // html_tokenizer.cpp: chunks, windows, tokens
  std::size_t scan(std::string_view window);
  void run();
  void end_of_window();
  void end_of_input();
  std::size_t size() const { return pos_ - token_; }  // of the current token, so far
  void enter(HtmlContent content);
  void begin_markup(State state);
  void flush_text(std::size_t end);
  void emit_filler(HtmlFiller::Kind kind, std::size_t end);
  void cut_token();
  void finish_markup();
  void emit_markup(std::size_t length, Ending ending);

  // html_tokenizer_text.cpp
  void data();
  void raw();
  void cdata();
  void tag_open();
  void end_tag_open();
  void raw_less_than();
  void raw_end_tag_open();
  void raw_end_tag_name();
  std::size_t text_hold() const;
  void emit_cdata(std::size_t end, std::size_t closing);

  // html_tokenizer_script.cpp
  void script_escape_start();
  void script_escaped();
  void script_double_escape_word();
  void script_double_less_than();

  // html_tokenizer_tags.cpp
  void begin_tag(bool is_end);
  void tag();
  void at_tag_end(const char* greater_than);
  void start_attribute(std::uint32_t at);
  void finish_tag();
  void emit_tag(std::size_t length, Ending ending);
  void drop_attributes_beyond(std::size_t length);

  // html_tokenizer_comments.cpp
  void markup_declaration();
  void comment();
  void until_greater_than();
  void emit_comment(std::size_t length, Ending ending);

  // html_tokenizer_doctype.cpp
  void emit_doctype(std::size_t length, Ending ending);

  HtmlHandler& handler_;
  HtmlLimits limits_;
  HtmlContentModel model_;

  // The window is the memory that is being scanned: a chunk, or held_.
  const char* window_ = nullptr;
  std::size_t end_ = 0;
  std::size_t pos_ = 0;    // next byte to look at
  std::size_t token_ = 0;  // first byte that was not handed out
  std::size_t mark_ = 0;   // the "<" that may begin a tag
  std::uint64_t window_offset_ = 0;
  std::string held_;  // the beginning of a token whose end has not come yet

  State state_ = State::data;
  State text_state_ = State::data;  // where a "<" that begins nothing leads back to
  HtmlContent content_ = HtmlContent::data;
  std::optional<HtmlContent> forced_content_;
  bool in_tag_ = false;                    // from the call of the handler to the ">"
  bool skimming_ = false;                  // the token was cut; its other bytes are filler
  std::uint8_t dashes_ = 0, matched_ = 0;  // of a script: "-" just seen, letters of "script"
  std::uint32_t characters_begin_ = 0;     // of a comment or CDATA section, relative to token_
  char quote_ = '"';
  HtmlNameKey last_start_key_ = 0;
  std::size_t last_start_length_ = 0;

  HtmlTag tag_;
  HtmlText text_;
};

}  // namespace outrider
