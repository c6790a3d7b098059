// The shared data about character encodings: files of encoding/, and the cases in html5lib's format.
#pragma once

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::test {

// nullopt where the shared data is absent.
inline std::optional<std::string> encoding_file(std::string_view name) {
  const char* root = std::getenv("OUTRIDER_TEST_DATA");
  std::ifstream in(std::string(root != nullptr ? root : OUTRIDER_TEST_DATA) + "/encoding/" + std::string(name),
                   std::ios::binary);
  if (!in) return std::nullopt;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct PrescanCase {
  std::string data;
  std::string encoding;
};

// "#data\n" page "\n#encoding\n" name "\n\n"
inline std::vector<PrescanCase> prescan_cases(std::string_view file) {
  std::vector<PrescanCase> cases;
  constexpr std::string_view kData = "#data\n", kEncoding = "\n#encoding\n";
  for (std::size_t at = file.find(kData); at != std::string_view::npos;) {
    at += kData.size();
    const std::size_t middle = file.find(kEncoding, at);
    if (middle == std::string_view::npos) break;
    const std::size_t name = middle + kEncoding.size();
    const std::size_t end = std::min(file.find('\n', name), file.size());
    cases.push_back({std::string(file.substr(at, middle - at)), std::string(file.substr(name, end - name))});
    at = file.find(kData, end);
  }
  return cases;
}

}  // namespace outrider::test
