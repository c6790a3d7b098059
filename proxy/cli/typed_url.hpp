// Addresses as people type them.
#pragma once

#include <string>

namespace outrider::cli {

// "example.com/a" and "localhost:8080/" lack what a URL begins with.
inline std::string with_scheme(const std::string& text) {
  return text.find("://") == std::string::npos ? "http://" + text : text;
}

}  // namespace outrider::cli
