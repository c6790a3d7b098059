#include "plugins/rearmirror/thumbnail_shelf.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace outrider {
namespace {

namespace json = boost::json;

constexpr std::string_view kIndex = "pictures";
constexpr std::string_view kPrefix = "picture-";

// Names of files do not tell what was read.
std::string key_of(std::string_view url) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(url.data(), url.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string key{kPrefix};
  for (unsigned i = 0; i < 16; ++i) key += fmt::format("{:02x}", digest[i]);
  return key;
}

}  // namespace

std::string_view picture_type(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.size() > 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP") return "image/webp";
  if (bytes.size() > 22 && bytes.starts_with(std::string_view{"\0\0\1\0", 4})) return "image/x-icon";
  return {};
}

void ThumbnailShelf::load() {
  index_.clear();
  const Result<std::optional<std::string>> text = store_.get(kIndex);
  if (text && *text) {
    try {
      const json::value index = json::parse(**text);
      for (const auto& [url, at] : index.as_object())
        index_[std::string{url}] = WallTime{std::chrono::seconds{at.to_number<std::int64_t>()}};
    } catch (const std::exception&) {  // then all of them are made again
      index_.clear();
    }
  }
  const Result<std::vector<std::string>> keys = store_.keys();
  if (!keys) return;
  std::vector<std::string> wanted;
  for (const auto& [url, at] : index_) wanted.push_back(key_of(url));
  std::sort(wanted.begin(), wanted.end());
  for (const std::string& key : *keys)  // of a run that did not come to write its index
    if (key.starts_with(kPrefix) && !std::binary_search(wanted.begin(), wanted.end(), key)) (void)store_.remove(key);
}

void ThumbnailShelf::save() {
  json::object index;
  for (const auto& [url, at] : index_)
    index[url] = std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
  (void)store_.put(kIndex, json::serialize(index));
}

std::optional<WallTime> ThumbnailShelf::made(const std::string& url) const {
  const auto found = index_.find(url);
  return found == index_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<Thumbnail> ThumbnailShelf::get(const std::string& url) const {
  if (!has(url)) return std::nullopt;
  Result<std::optional<std::string>> bytes = store_.get(key_of(url));
  if (!bytes || !*bytes) return std::nullopt;
  const std::string_view type = picture_type(**bytes);
  if (type.empty()) return std::nullopt;
  return Thumbnail{std::string{type}, std::move(**bytes)};
}

bool ThumbnailShelf::put(const std::string& url, const std::string& bytes, WallTime now, std::size_t keep) {
  if (bytes.size() > kLargest || picture_type(bytes).empty()) return false;
  if (keep == 0 || !store_.put(key_of(url), bytes)) return false;
  index_[url] = now;
  while (index_.size() > keep) {
    const auto oldest = std::min_element(index_.begin(), index_.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    (void)store_.remove(key_of(oldest->first));
    index_.erase(oldest);
  }
  save();
  return true;
}

void ThumbnailShelf::remove(const std::string& url) {
  if (index_.erase(url) == 0) return;
  (void)store_.remove(key_of(url));
  save();
}

bool ThumbnailShelf::sweep(const std::function<bool(const std::string& url)>& is_wanted, std::size_t at_once) {
  std::vector<std::string> gone;
  auto at = index_.upper_bound(swept_);
  for (; at != index_.end() && at_once > 0; ++at, --at_once) {
    swept_ = at->first;
    if (!is_wanted(at->first)) gone.push_back(at->first);
  }
  const bool all = at == index_.end();
  if (all) swept_.clear();
  for (const std::string& url : gone) remove(url);
  return all;
}

}  // namespace outrider
