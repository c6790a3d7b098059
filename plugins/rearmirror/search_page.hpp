// How a search engine's page of results is asked for and read. Its links are judged in two steps, as everywhere in the
// robot: a classifier says what a link is, a filter which kinds are wanted.
#pragma once

#include "base/url.hpp"
#include "plugins/api/link.hpp"
#include "plugins/rearmirror/settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

bool is_search_template(std::string_view text);
// The address of the results for a page; "" = the template does not make one.
std::string search_address(std::string_view pattern, std::string_view page_url, std::string_view title);

enum class SearchLinkKind : std::uint8_t {
  own,      // of the engine: settings, help, next page
  special,  // "cached", "similar", no text at all
  self,     // the page itself, or its site: of course it knows itself
  result,
};

struct SearchLink {
  SearchLinkKind kind = SearchLinkKind::own;
  std::string target;  // of a result: the real address, without fragment
  std::string text;
  bool wrapped = false;  // leads there through the engine
};

class SearchLinkClassifier {
 public:
  // `results_url` is the address of the page of results, `page_url` the page that was asked about.
  SearchLinkClassifier(const RearMirrorSettings& settings, std::string_view results_url, std::string_view page_url);
  SearchLink judge(const Link& link) const;

 private:
  bool is_own(const Url& url) const;
  std::string unwrapped(const std::string& target) const;  // "" = nothing in it

  std::vector<std::string> own_hosts_;  // with everything below them
  std::vector<std::string> unwrap_, skip_texts_;
  std::string page_host_;
};

// The results in their order, each page once.
std::vector<SearchLink> search_results(const std::vector<Link>& links, const SearchLinkClassifier& classifier,
                                       std::size_t most);

}  // namespace outrider
