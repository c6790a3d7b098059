#include "proxy/page_charset.hpp"

#include "base/http_header_id.hpp"
#include "base/http_lists.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

// https://encoding.spec.whatwg.org/#names-and-labels: UTF-16, ISO-2022-JP, and what is read as "replacement". Browsers
// know no UTF-7 and no UTF-32, but a page that says so is better left alone.
constexpr std::array<std::string_view, 23> kOthers{
    "utf-16",          "utf-16le",   "utf-16be",    "unicode",     "unicodefeff",       "unicodefffe", "ucs-2",
    "iso-10646-ucs-2", "csunicode",  "iso-2022-jp", "csiso2022jp", "iso-2022-kr",       "csiso2022kr", "iso-2022-cn",
    "iso-2022-cn-ext", "hz-gb-2312", "replacement", "utf-7",       "unicode-1-1-utf-7", "csutf7",      "utf-32",
    "utf-32le",        "utf-32be"};
constexpr std::array<std::string_view, 6> kUtf8{"utf-8",         "utf8",          "unicode-1-1-utf-8",
                                                "unicode11utf8", "unicode20utf8", "x-unicode20utf8"};

std::string_view trimmed(std::string_view label) {
  constexpr std::string_view kBlank = " \t\n\f\r\"'";
  const std::size_t begin = label.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return label.substr(begin, label.find_last_not_of(kBlank) - begin + 1);
}

template <class Labels>
bool is_one_of(const Labels& labels, std::string_view label) {
  return std::any_of(labels.begin(), labels.end(),
                     [&](std::string_view known) { return equal_ignoring_case(known, label); });
}

}  // namespace

bool is_ascii_compatible(std::string_view label) {
  return !is_one_of(kOthers, trimmed(label));
}

bool is_utf8_label(std::string_view label) {
  return is_one_of(kUtf8, trimmed(label));
}

std::string charset_of_meta(const HtmlTag& meta) {
  std::string scratch;
  if (const HtmlAttribute* charset = meta.find("charset")) return std::string{meta.value(*charset, scratch)};
  const HtmlAttribute* equiv = meta.find("http-equiv");
  const HtmlAttribute* content = meta.find("content");
  if (equiv == nullptr || content == nullptr) return {};
  if (!equal_ignoring_case(meta.value(*equiv, scratch), "content-type")) return {};
  const std::string type{meta.value(*content, scratch)};
  return std::string{find_parameter(type, "charset").value_or("")};
}

}  // namespace outrider
