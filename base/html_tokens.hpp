// What html_tokenizer hands out: tokens that know where they lie in the page. Raw bytes are views that are valid during
// the call of the handler; what they mean is decoded when somebody asks. All ranges inside a token are relative to its
// first byte, so a rewriter can splice: raw.substr(0, attribute.value_begin) + "new" + raw.substr(attribute.value_end).
#pragma once

#include "base/html_name.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// What the tokenizer takes the bytes outside tags for; HTML standard, sections 13.2.5.1 to 13.2.5.5 and 13.2.5.69.
enum class HtmlContent : std::uint8_t { data, rcdata, rawtext, script, plaintext, cdata };

struct HtmlToken {
  std::uint64_t offset = 0;  // of its first byte in the page
  std::string_view raw;      // its bytes, exactly as they came
  bool truncated = false;    // longer than HtmlLimits::token: `raw` is its beginning, on_filler gets the rest
};

// A piece of text; a run of text may come in any number of pieces. Characters, references and line ends are not cut.
struct HtmlText : HtmlToken {
  HtmlContent content = HtmlContent::data;
  // `raw` without the "<![CDATA[" and "]]>" around a section.
  std::string_view characters;

  // A view of `characters` if there is nothing to decode, otherwise of `scratch`.
  std::string_view decoded(std::string& scratch) const;
};

struct HtmlAttribute {
  std::uint32_t name_begin = 0;
  std::uint32_t name_end = 0;
  std::uint32_t value_begin = 0;  // without the quotes; where there is no value, value_begin == value_end == name_end
  std::uint32_t value_end = 0;
  char quote = '\0';       // " or ' or none
  bool has_value = false;  // there is a "=", perhaps with nothing behind it
  bool duplicate = false;  // an attribute of this name came before: it does not count (section 13.2.5.33)

  std::uint32_t end() const { return value_end + (quote != '\0' ? 1 : 0); }
};

struct HtmlTag : HtmlToken {
  bool is_end = false;
  bool self_closing = false;
  std::uint32_t name_begin = 0;
  std::uint32_t name_end = 0;
  HtmlNameKey key = 0;
  // In the order of the page, duplicates included. An end tag may have some, which mean nothing.
  std::vector<HtmlAttribute> attributes;
  bool attributes_dropped = false;  // there were more than HtmlLimits::attributes

  std::string_view raw_name() const { return raw.substr(name_begin, name_end - name_begin); }
  std::string_view raw_name(const HtmlAttribute& a) const {
    return raw.substr(a.name_begin, a.name_end - a.name_begin);
  }
  std::string_view raw_value(const HtmlAttribute& a) const {
    return raw.substr(a.value_begin, a.value_end - a.value_begin);
  }
  // In lower case, NUL replaced.
  std::string name() const;
  std::string name(const HtmlAttribute& attribute) const;
  // A view of the raw value if there is nothing to decode, otherwise of `scratch`.
  std::string_view value(const HtmlAttribute& attribute, std::string& scratch) const;
  // The attribute that counts, or null. `attribute_name` in lower case.
  const HtmlAttribute* find(std::string_view attribute_name) const;
};

// Also what the standard makes a comment of: <?…>, <!…> and </ …>.
struct HtmlComment : HtmlToken {
  std::string_view characters;  // `raw` without the delimiters

  std::string_view decoded(std::string& scratch) const;
};

struct HtmlDoctype : HtmlToken {
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool present = false;
  };
  Range name, public_id, system_id;  // the identifiers without their quotes
  bool force_quirks = false;

  std::string_view raw_of(const Range& range) const { return raw.substr(range.begin, range.end - range.begin); }
  std::string name_text() const;  // in lower case
  std::string text(const Range& identifier) const;
};

// Bytes that mean nothing, so that every byte of a page is in exactly one token.
struct HtmlFiller : HtmlToken {
  enum class Kind : std::uint8_t {
    empty_end_tag,   // </>
    unfinished_tag,  // the page ends inside a tag
    remainder,       // of a truncated token; in pieces
  };
  Kind kind = Kind::empty_end_tag;
};

// The tokens in the order of the page. Their ranges follow each other without gap or overlap.
class HtmlHandler {
 public:
  virtual ~HtmlHandler() = default;
  virtual void on_start_tag(const HtmlTag&) {}
  virtual void on_end_tag(const HtmlTag&) {}
  virtual void on_text(const HtmlText&) {}
  virtual void on_comment(const HtmlComment&) {}
  virtual void on_doctype(const HtmlDoctype&) {}
  virtual void on_filler(const HtmlFiller&) {}
  virtual void on_end(std::uint64_t /*size*/) {}
};

}  // namespace outrider
