// What a card says about one address, as far as it is known: nodes, visits and links of the memory as one JSON object.
// What is not known is not in it. app/words.ts lists the keys.
#pragma once

#include "plugins/api/memory.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace outrider::hyperscout {

// The beginning of a text, not longer than `most` bytes: whole sentences if there are any, else whole words.
std::string first_sentences(std::string_view text, std::size_t most);

// About the document: title, description, type, state … `node` as it was found under the address itself, `end` where
// its redirects lead (or the same).
boost::json::object facts_of_document(const Node& node, const Node& end);

struct KnownFacts {
  boost::json::object facts;
  PageContent page;          // where the redirects lead
  bool worth_a_look = true;  // the robot could find out more
};
struct FactsQuestion {
  Viewer viewer;
  std::string url;  // without fragment
  WallTime now{};
  std::chrono::seconds refresh_after{0};
};
KnownFacts facts_from_memory(const Memory& memory, const FactsQuestion& question);
// Only whether the robot could find out more. A memory that does not answer is believed to know.
bool is_worth_a_look(const Memory& memory, const FactsQuestion& question);

// What to write at a link that leads nowhere: "404", "no such server". Nothing: it may well lead somewhere.
std::optional<std::string> dead_word(const Node& node);

// When a page that could not be had may be asked for again, at the earliest: not with every movement of the mouse, but
// a server that was away for a moment is soon back.
std::chrono::seconds ask_again_after(NodeError error);

// The words for a failure that is no HTTP status.
std::string_view trouble_of(NodeError error);

}  // namespace outrider::hyperscout
