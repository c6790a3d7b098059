// The links of one page as they are written: all of them in one value under the page, and one small key for each other
// page that it links to, under that page. Neighbour: graph_writer.
#pragma once

#include "cache/graph_db.hpp"
#include "cache/graph_records.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

struct LinkChanges {
  std::vector<const Link*> added;  // that were not there the last time
  std::uint32_t out_degree = 0;    // different pages, without itself
  bool tells_news = false;         // what is new or has other words is a link that a reader follows
};

// Links whose words say something of the page they lead to; not those to its style sheet.
bool speaks_of_target(const records::LinkRecord& link);
// Pages that such links lead to, if the links are new or their words are: page → the words alone are new.
std::map<std::string, bool> news_in(const records::LinkSetRecord& links, std::string_view source, std::size_t limit);

// The page's links, instead of those that were there. Writes nothing if nothing is different and what is written is
// less than a day old. `untold`: what was new in them the last time is still news.
LinkChanges replace_links(const GraphDb& db, rocksdb::WriteBatch& batch, std::string_view space,
                          std::string_view resource, std::string_view old_value, const std::vector<Link>& links,
                          WallTime now, bool untold);
// All of them away, in both directions. The resources that it linked to.
std::vector<std::string> remove_links(const GraphDb& db, rocksdb::WriteBatch& batch, std::string_view space,
                                      std::string_view resource, std::string_view old_value);

// Under the target, by the source.
std::string in_link_key(std::string_view space, std::string_view target, std::string_view source);

// The pages that link to one, as they are known in these spaces: each once, in the order of their keys, from behind
// `after` on, until `visit` says false. Of a page that is in several the link that was seen last.
using VisitSource = std::function<bool(std::string_view source, std::string_view in_link)>;
Result<void> each_source(const GraphDb& db, const std::vector<std::string>& spaces, std::string_view target,
                         std::string_view after, const VisitSource& visit);
// Somebody's words for it: not those of pages that it is only a part of.
bool has_words_of_links(const GraphDb& db, const std::vector<std::string>& spaces, std::string_view target);

}  // namespace outrider::graph
