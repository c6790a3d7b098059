#include "robot/known_links.hpp"

#include <algorithm>
#include <cstring>

namespace outrider {
namespace {

constexpr char kFormat = 1;
constexpr std::uint8_t kNofollow = 1, kRemembered = 2;
constexpr std::size_t kHead = 1 + 1 + 8;  // format, flags, version; then the number of links

// Of each link: kind and, in its highest bit, whether there are flags; flags; how far its position is from the one
// before; the number of its site, 0 for what is none; then, of a new site, its name, and what the path does not share
// with the last one of the site. Of what cannot be fetched its id. Numbers are as short as they can be.
constexpr std::uint8_t kHasFlags = 0x80;
constexpr std::size_t kMostSites = 64;  // a page with more is read again

void put_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}
  bool failed() const { return failed_; }
  std::size_t left() const { return rest_.size(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(take(1).empty() ? 0 : last_);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  std::string_view text() { return take(number()); }
  std::string_view take(std::uint64_t length) {
    if (failed_ || length > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (!taken.empty()) last_ = taken.back();
    return taken;
  }

 private:
  std::string_view rest_;
  char last_ = 0;
  bool failed_ = false;
};

// "http://host:8080" and what follows.
std::pair<std::string_view, std::string_view> split(const Url& url) {
  const std::string_view href = url.href();
  const auto site = static_cast<std::size_t>(url.pathname().data() - href.data());
  return {href.substr(0, site), href.substr(site)};
}

std::size_t shared_of(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t shared = 0;
  while (shared < most && a[shared] == b[shared]) ++shared;
  return shared;
}

struct Site {
  std::string_view name, last;
};

}  // namespace

std::string encode_links(const KnownLinks& head, std::span<const FoundLink> links) {
  std::string out;
  out.reserve(kHead + 32 * links.size());
  out += kFormat;
  out += static_cast<char>((head.nofollow ? kNofollow : 0) | (head.remembered ? kRemembered : 0));
  out.append(reinterpret_cast<const char*>(&head.version), sizeof head.version);
  put_number(out, links.size());
  std::vector<Site> sites;
  std::uint32_t position = 0;
  for (const FoundLink& link : links) {
    if (out.size() > kMostKnownLinkBytes) return {};
    out += static_cast<char>(static_cast<std::uint8_t>(link.kind) | (link.flags != 0 ? kHasFlags : 0));
    if (link.flags != 0) put_number(out, link.flags);
    put_number(out, link.position - position);  // around zero, if need be
    position = link.position;
    if (link.url.href().empty()) {
      put_number(out, 0);
      out.append(reinterpret_cast<const char*>(&link.id), sizeof link.id);
      continue;
    }
    const auto [name, path] = split(link.url);
    auto site = std::find_if(sites.begin(), sites.end(), [name = name](const Site& each) { return each.name == name; });
    put_number(out, static_cast<std::uint64_t>(site - sites.begin()) + 1);
    if (site == sites.end()) {
      if (sites.size() == kMostSites) return {};
      put_text(out, name);
      site = sites.insert(sites.end(), Site{name, {}});
    }
    const std::size_t shared = shared_of(site->last, path);
    put_number(out, shared);
    put_text(out, path.substr(shared));
    site->last = path;
  }
  return out;
}

std::uint64_t version_of_links(std::string_view record) {
  std::uint64_t version = 0;
  if (record.size() >= kHead && record.front() == kFormat) std::memcpy(&version, record.data() + 2, sizeof version);
  return version;
}

std::optional<KnownLinks> decode_links(const UrlNaming& naming, std::string_view record) {
  KnownLinks known;
  known.version = version_of_links(record);
  if (known.version == 0) return std::nullopt;
  known.nofollow = (static_cast<std::uint8_t>(record[1]) & kNofollow) != 0;
  known.remembered = (static_cast<std::uint8_t>(record[1]) & kRemembered) != 0;
  Reader in{record.substr(kHead)};
  const std::uint64_t count = in.number();
  if (in.failed() || count > in.left()) return std::nullopt;
  known.links.reserve(count);
  std::vector<std::string> sites;  // each with the last URL there
  std::vector<std::size_t> names;  // length of its name
  std::uint32_t position = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    FoundLink link;
    const std::string_view kind = in.take(1);
    if (kind.empty()) return std::nullopt;
    const auto bits = static_cast<std::uint8_t>(kind.front());
    if ((bits & kHasFlags) != 0) link.flags = static_cast<std::uint16_t>(in.number());
    position += static_cast<std::uint32_t>(in.number());
    const std::uint64_t site = in.number();
    link.kind = static_cast<LinkKind>(bits & ~kHasFlags);
    link.position = position;
    if (site == 0) {
      const std::string_view id = in.take(sizeof link.id);
      if (in.failed()) return std::nullopt;
      std::memcpy(&link.id, id.data(), sizeof link.id);
      known.links.push_back(std::move(link));
      continue;
    }
    if (site > sites.size() + 1 || site > kMostSites) return std::nullopt;
    if (site == sites.size() + 1) {
      sites.emplace_back(in.text());
      names.push_back(sites.back().size());
    }
    std::string& url = sites[site - 1];
    const std::uint64_t shared = in.number();
    const std::string_view rest = in.text();
    if (in.failed() || shared > url.size() - names[site - 1]) return std::nullopt;
    url.resize(names[site - 1] + shared);
    url += rest;
    Result<Url> parsed = Url::parse(url);
    if (!parsed || !parsed->is_http()) return std::nullopt;
    link.url = std::move(*parsed);
    link.id = url_id(naming, link.url);
    known.links.push_back(std::move(link));
  }
  return known;
}

}  // namespace outrider
