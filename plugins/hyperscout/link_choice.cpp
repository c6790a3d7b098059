#include "plugins/hyperscout/link_choice.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

namespace outrider::hyperscout {
namespace {

// Sorted.
constexpr std::array<std::string_view, 45> kNoText{
    "7z",  "aac", "apk",  "avi", "avif", "bin", "bmp", "bz2", "deb",  "dmg",  "doc",  "docx", "epub", "exe", "flac",
    "gif", "gz",  "ico",  "iso", "jar",  "jpg", "m4a", "mkv", "mov",  "mp3",  "mp4",  "msi",  "odt",  "ogg", "pdf",
    "png", "ppt", "pptx", "rar", "rpm",  "tar", "tgz", "wav", "webm", "webp", "woff", "xls",  "xlsx", "xz",  "zip"};
static_assert(std::is_sorted(kNoText.begin(), kNoText.end()));

std::string extension_of(std::string_view path) {
  path.remove_prefix(std::min(path.rfind('/'), path.size()));
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || path.size() - dot > 6) return {};
  std::string extension{path.substr(dot + 1)};
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return extension == "jpeg" ? "jpg" : extension;
}

double worth(const Link& link) {
  double score = link.has(LinkFlags::in_navigation) ? 0 : 100;
  if (link.text.size() >= 4) score += 20;
  if (link.text.size() >= 20) score += 20;  // a headline rather than "more"
  return score - std::min<double>(link.position, 500) / 5;
}

}  // namespace

Look look_for(const Url& url) {
  const std::string extension = extension_of(url.pathname());
  return std::binary_search(kNoText.begin(), kNoText.end(), std::string_view{extension}) ? Look::head : Look::beginning;
}

std::vector<Link> likely_links(const Url& page, std::vector<Link> links) {
  std::vector<Link> chosen;
  std::unordered_set<std::string> seen{std::string{page.href_without_fragment()}};
  for (Link& link : links) {
    if (link.kind != LinkKind::anchor && link.kind != LinkKind::area) continue;
    if (link.has(LinkFlags::nofollow) || link.has(LinkFlags::download) || link.text.empty()) continue;
    const Result<Url> url = Url::parse(link.target);
    if (!url || !url->is_http()) continue;
    link.target = url->href_without_fragment();
    if (seen.insert(link.target).second) chosen.push_back(std::move(link));
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const Link& a, const Link& b) { return worth(a) > worth(b); });
  return chosen;
}

}  // namespace outrider::hyperscout
