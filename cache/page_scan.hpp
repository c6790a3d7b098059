// Links and head data of a page in one linear pass (html_tokenizer): at once, bounded, whatever the page looks like.
// The deep parse (page_reader.hpp) comes later and adds what needs the tree: headings, the text that a reader came for.
#pragma once

#include "base/url.hpp"
#include "plugins/api/link.hpp"
#include "plugins/api/page_content.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace outrider {

struct PageScan {
  PageContent page;  // what the head says; text, language and fingerprints are empty
  std::vector<Link> links;
  std::vector<Url> urls;  // ScanFor::links: of the first links, in place of Link::target; Link: fields add others
  bool too_much_for_tree = false;  // nesting, attributes or size would make gumbo slow: leave it alone
};

enum class ScanFor : std::uint8_t {
  everything,
  links,  // without their texts, and what is said to robots: for whoever follows them
};

class PageScanner {
 public:
  // `page`: where it was found, what relative links are resolved against. `query_charset`: the encoding that the page
  // had before it became UTF-8, because browsers write the queries of its links in it (URL standard, section 4.1).
  explicit PageScanner(const Url& page, std::string_view query_charset = {}, ScanFor what = ScanFor::everything);
  ~PageScanner();
  void feed(std::string_view utf8);
  PageScan finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All of it at once.
PageScan scan_page(std::string_view utf8, const Url& page, std::string_view query_charset = {},
                   ScanFor what = ScanFor::everything);

}  // namespace outrider
