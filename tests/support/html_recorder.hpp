// Writes down what the HTML tokenizer hands out, and sees to it that every byte of the input is handed out exactly
// once, in order and unchanged. Used by the tests and by the fuzz target; breaking a promise of the tokenizer's header
// ends the program.
#pragma once

#include "base/html_tokenizer.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::test {

// What the tests of html5lib call a token, and where it lies. Adjacent pieces of text are joined.
struct RecordedToken {
  enum class Kind { start_tag, end_tag, text, comment, doctype, filler };
  struct Attribute {
    std::string name, value;
    bool operator==(const Attribute&) const = default;
  };

  Kind kind = Kind::text;
  std::uint64_t begin = 0, end = 0;
  std::string name;  // or the decoded text
  std::vector<Attribute> attributes;
  std::vector<std::uint32_t> ranges;  // of names and values
  bool flag = false;                  // self-closing; force-quirks
  bool truncated = false, attributes_dropped = false;
  HtmlContent content = HtmlContent::data;
  HtmlDoctype::Range has_name, has_public, has_system;
  std::string public_id, system_id;

  bool operator==(const RecordedToken& other) const {
    return kind == other.kind && begin == other.begin && end == other.end && name == other.name &&
           attributes == other.attributes && ranges == other.ranges && flag == other.flag &&
           truncated == other.truncated && attributes_dropped == other.attributes_dropped && content == other.content &&
           has_name.present == other.has_name.present && has_public.present == other.has_public.present &&
           has_system.present == other.has_system.present && public_id == other.public_id &&
           system_id == other.system_id;
  }
};

class HtmlRecorder : public HtmlHandler {
 public:
  using Kind = RecordedToken::Kind;

  // `input`: the whole page, to compare with.
  explicit HtmlRecorder(std::string_view input) : input_(input) {}

  const std::vector<RecordedToken>& tokens() const { return tokens_; }
  bool ended() const { return ended_; }

  void on_start_tag(const HtmlTag& tag) override { add_tag(Kind::start_tag, tag); }
  void on_end_tag(const HtmlTag& tag) override { add_tag(Kind::end_tag, tag); }
  void on_text(const HtmlText& text) override {
    const bool joins = !tokens_.empty() && tokens_.back().kind == Kind::text && tokens_.back().content == text.content;
    std::string scratch;
    const std::string decoded{text.decoded(scratch)};
    if (joins) {
      const std::uint64_t begin = tokens_.back().begin;
      RecordedToken last = tokens_.back();
      tokens_.pop_back();
      RecordedToken& token = add(Kind::text, text);
      last.end = token.end;
      token = last;
      token.begin = begin;
      token.name += decoded;
    } else {
      RecordedToken& token = add(Kind::text, text);
      token.name = decoded;
      token.content = text.content;
    }
  }
  void on_comment(const HtmlComment& comment) override {
    std::string scratch;
    add(Kind::comment, comment).name = comment.decoded(scratch);
  }
  void on_doctype(const HtmlDoctype& doctype) override {
    RecordedToken& token = add(Kind::doctype, doctype);
    token.name = doctype.name_text();
    token.public_id = doctype.text(doctype.public_id);
    token.system_id = doctype.text(doctype.system_id);
    token.has_name = doctype.name;
    token.has_public = doctype.public_id;
    token.has_system = doctype.system_id;
    token.flag = doctype.force_quirks;
  }
  void on_filler(const HtmlFiller& filler) override {
    const bool joins = filler.kind == HtmlFiller::Kind::remainder && !tokens_.empty() &&
                       tokens_.back().kind == Kind::filler && tokens_.back().name == "remainder";
    const std::uint64_t begin = joins ? tokens_.back().begin : filler.offset;
    if (joins) tokens_.pop_back();
    RecordedToken& token = add(Kind::filler, filler);
    token.begin = begin;
    token.name = filler.kind == HtmlFiller::Kind::remainder       ? "remainder"
                 : filler.kind == HtmlFiller::Kind::empty_end_tag ? "empty_end_tag"
                                                                  : "unfinished_tag";
  }
  void on_end(std::uint64_t size) override {
    require(!ended_ && size == input_.size() && covered_ == size);
    ended_ = true;
  }

 private:
  static void require(bool ok) {
    if (!ok) std::abort();
  }

  RecordedToken& add(Kind kind, const HtmlToken& token) {
    require(!ended_ && token.offset == covered_ && !token.raw.empty());
    require(token.raw == input_.substr(covered_, token.raw.size()));
    covered_ += token.raw.size();
    RecordedToken& recorded = tokens_.emplace_back();
    recorded.kind = kind;
    recorded.begin = token.offset;
    recorded.end = covered_;
    recorded.truncated = token.truncated;
    return recorded;
  }

  void add_tag(Kind kind, const HtmlTag& tag) {
    require(tag.is_end == (kind == Kind::end_tag));
    require(tag.name_begin < tag.name_end && tag.name_end <= tag.raw.size());
    RecordedToken& token = add(kind, tag);
    token.name = tag.name();
    token.flag = tag.self_closing;
    token.attributes_dropped = tag.attributes_dropped;
    token.ranges = {tag.name_begin, tag.name_end};
    std::uint32_t at = tag.name_end;
    std::string scratch;
    for (const HtmlAttribute& a : tag.attributes) {
      require(a.name_begin >= at && a.name_begin < a.name_end && a.name_end <= a.value_begin);
      require(a.value_begin <= a.value_end && a.end() <= tag.raw.size());
      require(a.has_value || (a.value_begin == a.name_end && a.value_end == a.name_end));
      require(a.quote == '\0' || (tag.raw[a.value_begin - 1] == a.quote && tag.raw[a.value_end] == a.quote));
      require(a.duplicate == (tag.find(tag.raw_name(a)) != &a));
      at = a.end();
      token.ranges.insert(token.ranges.end(), {a.name_begin, a.name_end, a.value_begin, a.value_end});
      if (!a.duplicate) token.attributes.push_back({tag.name(a), std::string(tag.value(a, scratch))});
    }
  }

  std::string_view input_;
  std::uint64_t covered_ = 0;
  std::vector<RecordedToken> tokens_;
  bool ended_ = false;
};

struct HtmlStart {
  HtmlOptions options;
  HtmlContent content = HtmlContent::data;
  std::string last_start_tag;
};

// Each piece lies in a heap buffer of exactly its size, and is gone when the next one comes.
inline std::vector<RecordedToken> tokenize_html(const std::vector<std::string_view>& pieces,
                                                const HtmlStart& start = {}) {
  std::string input;
  for (const std::string_view piece : pieces) input += piece;
  HtmlRecorder recorder{input};
  HtmlTokenizer tokenizer{recorder, start.options};
  if (start.content != HtmlContent::data || !start.last_start_tag.empty())
    tokenizer.set_content(start.content, start.last_start_tag);
  for (const std::string_view piece : pieces) {
    const std::unique_ptr<char[]> exact{new char[piece.size()]};
    if (!piece.empty()) std::memcpy(exact.get(), piece.data(), piece.size());
    tokenizer.feed({exact.get(), piece.size()});
  }
  tokenizer.finish();
  if (!recorder.ended()) std::abort();
  return recorder.tokens();
}

// The first way of cutting `input` that gives other tokens than `whole`; empty if there is none. In two pieces at every
// position, byte by byte, and in pieces of three.
inline std::string first_split_that_matters(std::string_view input, const std::vector<RecordedToken>& whole,
                                            const HtmlStart& start = {}) {
  for (std::size_t at = 0; at <= input.size(); ++at)
    if (tokenize_html({input.substr(0, at), input.substr(at)}, start) != whole) return "split at " + std::to_string(at);
  for (const std::size_t size : {1, 3}) {
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; at < input.size(); at += size) pieces.push_back(input.substr(at, size));
    if (tokenize_html(pieces, start) != whole) return "pieces of " + std::to_string(size);
  }
  return {};
}

// One line: <p class=[x]> </p> "text" {comment} !doctype ~filler~. An attribute without value looks like an empty one.
inline std::string describe(const std::vector<RecordedToken>& tokens) {
  using Kind = RecordedToken::Kind;
  std::string text;
  for (const RecordedToken& token : tokens) {
    if (!text.empty()) text += ' ';
    if (token.truncated) text += "cut:";
    switch (token.kind) {
      case Kind::start_tag:
        text += "<" + token.name;
        for (const auto& [name, value] : token.attributes) {
          text += " ";
          text += name;
          text += "=[" + value + "]";
        }
        text += token.flag ? "/>" : ">";
        break;
      case Kind::end_tag:
        text += "</" + token.name + ">";
        break;
      case Kind::text:
        text += "\"" + token.name + "\"";
        break;
      case Kind::comment:
        text += "{" + token.name + "}";
        break;
      case Kind::doctype:
        text += "!" + token.name;
        break;
      case Kind::filler:
        text += "~" + token.name + "~";
        break;
    }
  }
  return text;
}

// The tokens of a page, which must not depend on how it is cut.
inline std::string tokens_of(std::string_view page, const HtmlStart& start = {}) {
  const std::vector<RecordedToken> whole = tokenize_html({page}, start);
  const std::string mismatch = first_split_that_matters(page, whole, start);
  return mismatch.empty() ? describe(whole) : "other tokens: " + mismatch;
}

}  // namespace outrider::test
