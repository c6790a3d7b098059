#include "plugins/rearmirror/search_page.hpp"

#include "base/ascii.hpp"
#include "base/url.hpp"
#include "base/url_percent.hpp"
#include "plugins/api/document.hpp"

#include <algorithm>
#include <unordered_set>

namespace outrider {
namespace {

constexpr std::size_t kLongestPart = 1000;

void replace_all(std::string& text, std::string_view name, std::string_view value) {
  std::string encoded;
  append_percent_encoded(encoded, value.substr(0, kLongestPart), EncodeSet::component);
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + encoded.size()))
    text.replace(at, name.size(), encoded);
}

bool is_at_or_below(std::string_view host, std::string_view parent) {
  if (!host.ends_with(parent)) return false;
  return host.size() == parent.size() || host[host.size() - parent.size() - 1] == '.';
}

// The site, or where there is none (an address, a name of this network) the host with its port.
std::string site_of(const Url& url) {
  const std::string_view domain = url.registrable_domain();
  return std::string{domain.empty() ? url.host() : domain};
}

}  // namespace

bool is_search_template(std::string_view text) {
  const std::size_t first = std::min(text.find("{url}"), text.find("{title}"));
  if (first == std::string_view::npos) return false;
  const std::string made = search_address(text, "http://example.org/", "title");
  const std::string other = search_address(text, "http://example.net/other", "words");
  const Result<Url> a = Url::parse(made);
  const Result<Url> b = Url::parse(other);
  // Who is asked must not depend on the page.
  return a && b && a->is_http() && !a->has_credentials() && a->origin() == b->origin();
}

std::string search_address(std::string_view pattern, std::string_view page_url, std::string_view title) {
  Result<Url> page = Url::parse(page_url);
  if (!page || !page->is_http()) return {};
  page->set_username("");
  page->set_password("");
  std::string address{pattern};
  // One after the other, in this order: what is put in holds no braces any more.
  replace_all(address, "{url}", page->href_without_fragment());
  replace_all(address, "{host}", page->hostname());
  replace_all(address, "{title}", title);
  const Result<Url> made = Url::parse(address);
  return made && made->is_http() ? made->href() : std::string{};
}

SearchLinkClassifier::SearchLinkClassifier(const RearMirrorSettings& settings, std::string_view results_url,
                                           std::string_view page_url)
    : unwrap_(settings.search_unwrap) {
  if (const Result<Url> results = Url::parse(results_url)) own_hosts_.push_back(site_of(*results));
  for (const std::string& host : settings.search_own_hosts) {
    std::string plain = ascii_lower(host);
    while (plain.starts_with('.')) plain.erase(0, 1);
    if (!plain.empty()) own_hosts_.push_back(std::move(plain));
  }
  for (const std::string& text : settings.search_skip_texts) skip_texts_.push_back(ascii_lower(text));
  if (const Result<Url> page = Url::parse(page_url)) page_host_ = page->host();
}

bool SearchLinkClassifier::is_own(const Url& url) const {
  return std::any_of(own_hosts_.begin(), own_hosts_.end(), [&url](const std::string& own) {
    return url.host() == own || is_at_or_below(url.hostname(), own);
  });
}

std::string SearchLinkClassifier::unwrapped(const std::string& target) const {
  const Result<Url> wrapper = Url::parse(target);
  if (!wrapper) return {};
  for (const std::string& name : unwrap_) {
    const std::optional<std::string> value = form_value(wrapper->query().value_or(""), name);
    if (!value || !(value->starts_with("http://") || value->starts_with("https://"))) continue;
    if (const Result<Url> inner = Url::parse(*value); inner && inner->is_http() && !is_own(*inner))
      return inner->href();
  }
  return {};
}

SearchLink SearchLinkClassifier::judge(const Link& link) const {
  SearchLink judged;
  judged.text = link.text;
  if (link.kind != LinkKind::anchor && link.kind != LinkKind::area) return judged;
  Result<Url> target = Url::parse(link.target);
  if (!target || !target->is_http()) return judged;
  if (is_own(*target)) {
    const std::string inner = unwrapped(target->href());
    if (inner.empty()) return judged;
    target = Url::parse(inner);
    judged.wrapped = true;
  }
  const std::string text = ascii_lower(link.text);
  const bool skipped = std::find(skip_texts_.begin(), skip_texts_.end(), text) != skip_texts_.end();
  if (text.empty() || skipped || target->has_credentials()) {
    judged.kind = SearchLinkKind::special;
  } else if (target->host() == page_host_) {
    judged.kind = SearchLinkKind::self;
  } else {
    judged.kind = SearchLinkKind::result;
    judged.target = target->href_without_fragment();
  }
  return judged;
}

std::vector<SearchLink> search_results(const std::vector<Link>& links, const SearchLinkClassifier& classifier,
                                       std::size_t most) {
  std::vector<SearchLink> results;
  std::unordered_set<std::string> seen;
  for (const Link& link : links) {
    if (results.size() >= most) break;
    SearchLink judged = classifier.judge(link);
    if (judged.kind == SearchLinkKind::result && seen.insert(judged.target).second)
      results.push_back(std::move(judged));
  }
  return results;
}

}  // namespace outrider
