#include "proxy/tag_splice.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

void append_reference(std::string& out, std::string_view text, std::size_t& at) {
  fmt::format_to(std::back_inserter(out), "&#x{:X};", static_cast<std::uint32_t>(next_code_point(text, at)));
}

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

// A range of the tag and what takes its place.
struct Cut {
  std::uint32_t begin = 0, end = 0;
  std::string text;
};

// With the space before it, unless something that is not a space follows: it would join with what is before.
Cut removal_of(const HtmlTag& tag, const HtmlAttribute& attribute) {
  Cut cut{attribute.name_begin, attribute.end(), {}};
  const char next = cut.end < tag.raw.size() ? tag.raw[cut.end] : '>';
  if ((next == '>' || is_space(next)) && is_space(tag.raw[cut.begin - 1])) --cut.begin;
  return cut;
}

}  // namespace

void append_html_text(std::string& out, std::string_view text, bool utf8) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (!utf8 && static_cast<unsigned char>(c) >= 0x80) {
      append_reference(out, text, at);
      continue;
    }
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
    ++at;
  }
}

void append_html_markup(std::string& out, std::string_view html, bool utf8) {
  if (utf8 || is_ascii(html)) {
    out += html;
    return;
  }
  for (std::size_t at = 0; at < html.size();) {
    if (static_cast<unsigned char>(html[at]) >= 0x80) {
      append_reference(out, html, at);
    } else {
      out += html[at++];
    }
  }
}

void TagSplice::note(std::string_view name, std::optional<std::string> value) {
  const auto same = std::find_if(changes_.begin(), changes_.end(), [name](const Change& c) { return c.name == name; });
  if (same != changes_.end()) {
    same->value = std::move(value);
  } else {
    changes_.push_back({std::string{name}, std::move(value)});
  }
}

void TagSplice::set(std::string_view name, std::string_view value) {
  note(name, std::string{value});
}

void TagSplice::remove(std::string_view name) {
  note(name, std::nullopt);
}

void TagSplice::apply(const HtmlTag& tag, bool utf8, std::string& out) const {
  std::vector<Cut> cuts;
  for (const Change& change : changes_) {
    std::string written;
    if (change.value) {
      written = "=\"";
      append_html_text(written, *change.value, utf8);
      written += '"';
    }
    bool found = false;
    for (const HtmlAttribute& attribute : tag.attributes) {
      if (!same_html_name(tag.raw_name(attribute), change.name)) continue;
      if (!change.value) {
        cuts.push_back(removal_of(tag, attribute));  // the duplicates as well: one of them would begin to count
      } else if (!found) {
        cuts.push_back({attribute.name_end, attribute.end(), written});
      }
      found = true;
    }
    // Behind the name, because there everything is what it seems: "<a b = >" would take what follows for a value.
    if (!found && change.value) cuts.push_back({tag.name_end, tag.name_end, " " + change.name + written});
  }
  // What is inserted goes before what is cut away at the same place.
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const Cut& a, const Cut& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::size_t from = 0;
  for (const Cut& cut : cuts) {
    out += tag.raw.substr(from, cut.begin - from);
    out += cut.text;
    from = cut.end;
  }
  out += tag.raw.substr(from);
}

}  // namespace outrider
