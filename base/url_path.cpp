#include "base/url_path.hpp"

#include "base/url_percent.hpp"

namespace outrider {

bool is_windows_drive_letter(std::string_view text) {
  return text.size() == 2 && is_ascii_alpha(text[0]) && (text[1] == ':' || text[1] == '|');
}

bool is_normalized_windows_drive_letter(std::string_view text) {
  return is_windows_drive_letter(text) && text[1] == ':';
}

bool starts_with_windows_drive_letter(std::string_view text) {
  return is_windows_drive_letter(text.substr(0, 2)) &&
         (text.size() == 2 || std::string_view("/\\?#").find(text[2]) != std::string_view::npos);
}

int dots_of_segment(std::string_view segment) {
  if (segment.empty() || segment.size() > 6 || (segment[0] != '.' && segment[0] != '%')) return 0;
  int dots = 0;
  for (std::size_t i = 0; i < segment.size(); ++dots) {
    if (segment[i] == '.') {
      i += 1;
    } else if (segment.size() - i >= 3 && segment[i] == '%' && segment[i + 1] == '2' &&
               to_ascii_lower(segment[i + 2]) == 'e') {
      i += 3;
    } else {
      return 0;
    }
  }
  return dots <= 2 ? dots : 0;
}

void shorten_path(std::string& out, std::size_t path_begin, UrlScheme scheme) {
  const std::string_view path = std::string_view(out).substr(path_begin);
  if (path.empty()) return;
  if (scheme == UrlScheme::file && path.size() == 3 && is_normalized_windows_drive_letter(path.substr(1))) return;
  out.resize(path_begin + path.rfind('/'));
}

std::size_t append_path(std::string& out, std::size_t path_begin, std::string_view input, UrlScheme scheme,
                        PathEnd end) {
  const bool special = scheme != UrlScheme::other;
  std::size_t at = 0;
  for (;;) {
    const std::size_t start = at;
    bool slash = false, finished = false;
    for (; at < input.size(); ++at) {
      const char c = input[at];
      slash = c == '/' || (c == '\\' && special);
      finished = (c == '?' || c == '#') && end == PathEnd::at_query_or_hash;
      if (slash || finished) break;
    }
    const std::string_view segment = input.substr(start, at - start);
    const int dots = dots_of_segment(segment);
    if (dots == 2) shorten_path(out, path_begin, scheme);
    if (dots == 0) {
      out.push_back('/');
      if (scheme == UrlScheme::file && out.size() == path_begin + 1 && is_windows_drive_letter(segment)) {
        out.push_back(segment[0]);
        out.push_back(':');
      } else {
        append_percent_encoded(out, segment, EncodeSet::path);
      }
    } else if (!slash) {
      out.push_back('/');  // "/usr/.." is "/", not a path without a slash
    }
    if (!slash) return at;
    ++at;
  }
}

}  // namespace outrider
