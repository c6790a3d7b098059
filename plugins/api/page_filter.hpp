// A plugin's view of one page on its way to the reader: the tokens that it asked for, while they pass, and the means to
// change them. What nobody changes goes through byte by byte. One filter a page; made by Plugin::on_page(), called by
// proxy/rewriter, always by one thread at a time.
//
// All filters see the page as the origin sent it, not what other filters made of it. Text that is given to an edit is
// markup in UTF-8; for a page in another encoding the characters beyond ASCII are written as references (&#x2014;), so
// put none into a script or style sheet.
#pragma once

#include "base/html_tokens.hpp"
#include "base/http_headers.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// What a filter wants to see. What nobody wants is not even looked at.
struct PageInterest {
  struct Tags {
    std::string element;    // in lower case; "" = every element …
    std::string attribute;  // … that has this attribute; "" = whatever attributes it has
  };
  std::vector<Tags> tags;  // start tags
  bool end_tags = false;   // of the elements that `tags` names
  bool text = false;       // all text, scripts and style sheets included; in pieces of any size
  bool comments = false;
  // Nothing behind the head concerns it: it is called no more. Where that is so for all filters, the rest of the page
  // passes unread.
  bool head_only = false;
  // The same from where PageFilter::is_done() says so.
  bool until_done = false;

  static PageInterest in(std::vector<Tags> tags) { return {std::move(tags), false, false, false, false}; }
  static PageInterest in_head(std::vector<Tags> tags) { return {std::move(tags), false, false, false, true}; }
};

// Changes the token that a filter was called for.
class TokenEdit {
 public:
  virtual void before(std::string_view html) = 0;
  virtual void after(std::string_view html) = 0;
  virtual void replace(std::string_view html) = 0;  // this token; "" removes it
  // `text` as text, not as markup. In a script or style sheet it would be misunderstood: use replace() there.
  virtual void replace_by_text(std::string_view text) = 0;

 protected:
  ~TokenEdit() = default;
};

// Several filters may change one tag: of two values for an attribute the later one stays. A tag that is longer than the
// limit (HtmlTag::truncated) can only be given something before or after it; the other calls say false.
class TagEdit : public TokenEdit {
 public:
  // Replaces the value, or adds the attribute. `name` in lower case; `value` is escaped as needed.
  virtual bool set_attribute(std::string_view name, std::string_view value) = 0;
  virtual bool remove_attribute(std::string_view name) = 0;
  // With everything up to its end tag. False where its end cannot be told from the tags alone: elements whose end tag
  // may be left out (<p>, <li>, <td> …), <html>, <head> and <body>. An element that is never closed ends at </body>.
  virtual bool remove_element() = 0;

 protected:
  ~TagEdit() = default;
};

// Where something can be inserted that belongs to no token. Found as a browser finds it, also where the tags are left
// out. A page that is empty, or a set of frames where there is no body, has no such place.
enum class PagePlace : std::uint8_t {
  head_start,  // only what belongs into a head: <script>, <style>, <link>, <meta>, <base>
  head_end,
  body_start,
  body_end,
};

class PageFilter {
 public:
  virtual ~PageFilter() = default;
  // The head of the page as the reader gets it, asked first of all: for what the page needs to admit what is inserted
  // (base/content_security_policy.hpp). Not what says how the body is coded or how long it is.
  virtual void on_head(HeaderMap&) {}
  virtual PageInterest interest() const { return {}; }  // asked once, before the first token

  virtual void on_start_tag(const HtmlTag&, TagEdit&) {}
  virtual void on_end_tag(const HtmlTag&, TokenEdit&) {}
  virtual void on_text(const HtmlText&, TokenEdit&) {}
  virtual void on_comment(const HtmlComment&, TokenEdit&) {}
  // Asked once for each place when it is reached.
  virtual std::string insert_at(PagePlace) { return {}; }
  virtual void on_end() {}  // the page is complete
  // With PageInterest::until_done; asked after each call. True: it has seen enough and is called no more.
  virtual bool is_done() const { return false; }
};

}  // namespace outrider
