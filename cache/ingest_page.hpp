// What an answer says, without anybody to ask: decode, find out its type and charset, scan it. Pure; on any thread.
#pragma once

#include "cache/graph_types.hpp"
#include "cache/ingest.hpp"
#include "cache/page_scan.hpp"

#include <string>

namespace outrider {

struct ScannedAnswer {
  Sighting sighting;
  std::vector<Url> urls;  // PageScan::urls
  std::string utf8;       // the page, decoded; "" if there is nothing that could be read more closely
  bool is_html = false;   // else plain text
  bool for_tree = false;  // gumbo may see it
};

// Takes body and headers out of `arrival`. What cannot be decoded (a bomb, an unknown coding, half a page) is read as
// far as it goes.
ScannedAnswer scan_answer(Arrival& arrival, ScanFor what = ScanFor::everything);

// The deep parse of the same page; adds to its sighting.
void read_deeply(ScannedAnswer& answer);

}  // namespace outrider
