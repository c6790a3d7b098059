// A MIME type as browsers read it: https://mimesniff.spec.whatwg.org/#parsing-a-mime-type
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

struct MimeType {
  std::string type;     // lower case
  std::string subtype;  // lower case
  // Names are in lower case, values as they are (without quotes); the first of a name counts.
  std::vector<std::pair<std::string, std::string>> parameters;

  std::string essence() const { return type + '/' + subtype; }
  std::optional<std::string_view> parameter(std::string_view lower_case_name) const;
  bool is_xml() const;
};

// The value of a Content-Type field. Nothing: it is none.
std::optional<MimeType> parse_mime_type(std::string_view text);

}  // namespace outrider
