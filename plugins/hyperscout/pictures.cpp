#include "plugins/hyperscout/pictures.hpp"

#include "base/url.hpp"

namespace outrider::hyperscout {
namespace {

constexpr std::size_t kMostIcon = 32 * 1024, kMostPicture = 256 * 1024;

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += at + i > bytes.size() ? '=' : kDigits[group >> (18 - 6 * i) & 63];
  }
  return out;
}

// https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern. No SVG: that is a document.
std::string_view image_type(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x89PNG\r\n\x1A\n"sv)) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return "image/jpeg";
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return "image/gif";
  if (bytes.starts_with("RIFF"sv) && bytes.substr(8, 6) == "WEBPVP"sv) return "image/webp";
  if (bytes.starts_with("\0\0\1\0"sv)) return "image/x-icon";
  return {};
}

void put(boost::json::object& facts, std::string_view key, StoredCopies& copies, std::string_view url,
         std::size_t most) {
  const std::optional<StoredCopy> copy = copies.find(url, most);
  if (!copy) return;
  if (const std::optional<std::string> data = picture_data(copy->body)) facts[key] = *data;
}

}  // namespace

std::optional<std::string> picture_data(std::string_view bytes) {
  const std::string_view type = image_type(bytes);
  if (type.empty()) return std::nullopt;
  return "data:" + std::string{type} + ";base64," + base64(bytes);
}

void put_pictures(boost::json::object& facts, StoredCopies& copies, const PageContent& page,
                  std::string_view page_url) {
  std::string icon = page.favicon;
  if (icon.empty())  // where browsers look for it
    if (const Result<Url> url = Url::parse(page_url); url && url->is_http()) icon = url->origin() + "/favicon.ico";
  if (!icon.empty()) put(facts, "icon", copies, icon, kMostIcon);
  if (!page.image.empty()) put(facts, "picture", copies, page.image, kMostPicture);
}

}  // namespace outrider::hyperscout
