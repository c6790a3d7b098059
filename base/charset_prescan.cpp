#include "base/charset_prescan.hpp"

#include "base/url_percent.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace outrider {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

bool is_letter(char c) {
  return to_ascii_lower(c) >= 'a' && to_ascii_lower(c) <= 'z';
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) { return a == to_ascii_lower(b); });
}

// Whoever can read the declaration as ASCII knows that the page is not UTF-16.
std::optional<Encoding> not_utf16(std::optional<Encoding> encoding) {
  if (encoding == Encoding::utf_16be || encoding == Encoding::utf_16le) return Encoding::utf_8;
  return encoding;
}

// The steps of the standard with their names. Reading beyond the end ends the scan: at_ stays at the size.
class Prescan {
 public:
  explicit Prescan(std::string_view bytes) : bytes_(bytes) {}

  std::optional<Encoding> run() {
    for (; at_ < bytes_.size(); ++at_) {
      at_ = std::min(bytes_.find('<', at_), bytes_.size());
      const std::string_view rest = bytes_.substr(at_);
      if (rest.starts_with("<!--")) {
        skip_comment();
      } else if (starts_with_ignoring_case(rest, "<meta") && rest.size() > 5 && (is_space(rest[5]) || rest[5] == '/')) {
        at_ += 5;
        if (const auto found = meta()) return found;
      } else if (rest.size() > 1 && (is_letter(rest[1]) || (rest[1] == '/' && rest.size() > 2 && is_letter(rest[2])))) {
        skip_tag();
      } else if (rest.size() > 1 && (rest[1] == '!' || rest[1] == '/' || rest[1] == '?')) {
        at_ = std::min(bytes_.find('>', at_), bytes_.size());
      }
    }
    return std::nullopt;
  }

 private:
  struct Attribute {
    std::string name, value;  // in lower case
  };

  void skip_comment() {
    const std::size_t end = bytes_.find("-->", at_ + 2);  // its dashes may be those of "<!--"
    at_ = end == std::string_view::npos ? bytes_.size() : end + 2;
  }

  void skip_tag() {
    while (at_ < bytes_.size() && !is_space(bytes_[at_]) && bytes_[at_] != '>') ++at_;
    while (attribute()) {
    }
  }

  std::optional<Encoding> meta() {
    std::set<std::string> seen;
    bool got_pragma = false;
    std::optional<bool> need_pragma;
    std::optional<Encoding> charset;
    bool charset_set = false;  // also to an encoding that does not exist
    while (const auto attribute = this->attribute()) {
      if (!seen.insert(attribute->name).second) continue;
      if (attribute->name == "http-equiv") {
        got_pragma = got_pragma || attribute->value == "content-type";
      } else if (attribute->name == "content") {
        const auto named = encoding_in_meta_content(attribute->value);
        if (!named || charset_set) continue;
        charset = named;
        charset_set = true;
        need_pragma = true;
      } else if (attribute->name == "charset") {
        charset = encoding_for_label(attribute->value);
        charset_set = true;
        need_pragma = false;
      }
    }
    // The attributes of a tag that does not end do not count: the scan ran out of bytes before.
    if (at_ >= bytes_.size() || !need_pragma || (*need_pragma && !got_pragma) || !charset) return std::nullopt;
    if (*charset == Encoding::x_user_defined) return Encoding::windows_1252;
    return not_utf16(charset);
  }

  // "Get an attribute"; nothing at the end of the tag, where `at_` is then, and at the end of the bytes.
  std::optional<Attribute> attribute() {
    while (at_ < bytes_.size() && (is_space(bytes_[at_]) || bytes_[at_] == '/')) ++at_;
    if (at_ >= bytes_.size() || bytes_[at_] == '>') return std::nullopt;
    Attribute attribute;
    for (; at_ < bytes_.size(); ++at_) {
      const char c = bytes_[at_];
      if (c == '=' && !attribute.name.empty()) break;
      if (is_space(c)) {
        while (at_ < bytes_.size() && is_space(bytes_[at_])) ++at_;
        if (at_ >= bytes_.size() || bytes_[at_] != '=') return attribute;
        break;
      }
      if (c == '/' || c == '>') return attribute;
      attribute.name.push_back(to_ascii_lower(c));
    }
    ++at_;  // behind '='
    while (at_ < bytes_.size() && is_space(bytes_[at_])) ++at_;
    if (at_ >= bytes_.size()) return std::nullopt;
    if (const char quote = bytes_[at_]; quote == '"' || quote == '\'') {
      const std::size_t end = bytes_.find(quote, at_ + 1);
      if (end == std::string_view::npos) {
        at_ = bytes_.size();
        return std::nullopt;
      }
      append_lower(attribute.value, bytes_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return attribute;
    }
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && !is_space(bytes_[at_]) && bytes_[at_] != '>') ++at_;
    append_lower(attribute.value, bytes_.substr(begin, at_ - begin));
    return attribute;
  }

  static void append_lower(std::string& out, std::string_view text) {
    for (const char c : text) out.push_back(to_ascii_lower(c));
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<ByteOrderMark> sniff_byte_order_mark(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return ByteOrderMark{Encoding::utf_8, 3};
  if (bytes.starts_with("\xFE\xFF")) return ByteOrderMark{Encoding::utf_16be, 2};
  if (bytes.starts_with("\xFF\xFE")) return ByteOrderMark{Encoding::utf_16le, 2};
  return std::nullopt;
}

std::optional<Encoding> prescan_html(std::string_view bytes) {
  bytes = bytes.substr(0, kPrescanBytes);
  if (bytes.starts_with(std::string_view("<\0?\0x\0", 6))) return Encoding::utf_16le;
  if (bytes.starts_with(std::string_view("\0<\0?\0x", 6))) return Encoding::utf_16be;
  if (const auto found = Prescan(bytes).run()) return found;
  return xml_declared_encoding(bytes);
}

std::optional<Encoding> xml_declared_encoding(std::string_view bytes) {
  if (!bytes.starts_with("<?xml")) return std::nullopt;
  const std::size_t end = bytes.find('>');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = bytes.substr(0, end);
  const std::size_t name = rest.find("encoding");
  if (name == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(name + 8);
  const auto skip_blanks = [&rest] {
    while (!rest.empty() && static_cast<unsigned char>(rest.front()) <= 0x20) rest.remove_prefix(1);
  };
  skip_blanks();
  if (!rest.starts_with('=')) return std::nullopt;
  rest.remove_prefix(1);
  skip_blanks();
  if (!rest.starts_with('"') && !rest.starts_with('\'')) return std::nullopt;
  const std::size_t close = rest.find(rest.front(), 1);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view label = rest.substr(1, close - 1);
  if (std::any_of(label.begin(), label.end(), [](char c) { return static_cast<unsigned char>(c) <= 0x20; }))
    return std::nullopt;
  return not_utf16(encoding_for_label(label));
}

std::optional<Encoding> encoding_in_meta_content(std::string_view content) {
  const auto skip_spaces = [&content] {
    while (!content.empty() && is_space(content.front())) content.remove_prefix(1);
  };
  constexpr std::string_view kName = "charset";
  while (true) {
    const auto found = std::search(content.begin(), content.end(), kName.begin(), kName.end(),
                                   [](char a, char b) { return to_ascii_lower(a) == b; });
    if (found == content.end()) return std::nullopt;
    content.remove_prefix(static_cast<std::size_t>(found - content.begin()) + kName.size());
    skip_spaces();
    if (content.starts_with('=')) break;
  }
  content.remove_prefix(1);
  skip_spaces();
  if (content.empty()) return std::nullopt;
  if (content.front() == '"' || content.front() == '\'') {
    const std::size_t close = content.find(content.front(), 1);
    if (close == std::string_view::npos) return std::nullopt;
    return encoding_for_label(content.substr(1, close - 1));
  }
  return encoding_for_label(content.substr(0, content.find_first_of("\t\n\f\r ;")));
}

}  // namespace outrider
