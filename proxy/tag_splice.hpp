// Changes of the attributes of one tag, applied as splices: every byte that is not of a changed attribute stays. Used
// by proxy/rewriter.
#pragma once

#include "base/html_tokens.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class TagSplice {
 public:
  // Later ones replace earlier ones of the same name. `value` is plain text in UTF-8.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);
  bool empty() const { return changes_.empty(); }
  void clear() { changes_.clear(); }

  // Appends the changed tag.
  void apply(const HtmlTag& tag, bool utf8, std::string& out) const;

 private:
  struct Change {
    std::string name;
    std::optional<std::string> value;  // nothing = removed
  };
  void note(std::string_view name, std::optional<std::string> value);
  std::vector<Change> changes_;
};

// `text` for a place between tags or, quoted with ", in an attribute. Beyond ASCII as references unless `utf8`.
void append_html_text(std::string& out, std::string_view text, bool utf8);
// Markup as it is, but what is beyond ASCII as references unless `utf8`. Broken UTF-8 becomes U+FFFD.
void append_html_markup(std::string& out, std::string_view html, bool utf8);

}  // namespace outrider
