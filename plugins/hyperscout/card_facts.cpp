#include "plugins/hyperscout/card_facts.hpp"

#include "base/url.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace outrider::hyperscout {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestDescription = 420;
constexpr std::size_t kLinkersShown = 2, kLinkersAsked = 12;
constexpr int kRedirectsFollowed = 5;
constexpr std::chrono::hours kAskDeadAgain{1};
constexpr std::chrono::minutes kAskUnreachableAgain{2};

std::int64_t milliseconds(WallTime at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

void put(json::object& facts, std::string_view key, std::string_view text) {
  if (!text.empty()) facts[key] = text;
}

bool is_dead_status(int status) {
  return status == 404 || status == 410;
}

// The same document by the book of the reader: only the scheme, or "www.", differs.
bool is_same_place(const Url& a, const Url& b) {
  const auto bare = [](std::string_view host) { return host.starts_with("www.") ? host.substr(4) : host; };
  return bare(a.hostname()) == bare(b.hostname()) && a.path_and_query() == b.path_and_query();
}

// What is said under the first headings; the title says those.
std::string_view below_headings(const PageContent& page) {
  std::string_view text = page.text;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const auto is_line = [line](const Heading& heading) { return heading.text == line; };
    if (std::none_of(page.headings.begin(), page.headings.end(), is_line)) break;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return text;
}

void put_state(json::object& facts, const Node& node, const Node& end) {
  if (end.error != NodeError::none && end.error != NodeError::http) {
    facts["state"] = end.error == NodeError::refused ? "failing" : "dead";
    facts["trouble"] = trouble_of(end.error);
    return;
  }
  if (end.status == 0) return;
  if (end.status >= 400) {
    facts["state"] = is_dead_status(end.status) ? "dead" : "failing";
    facts["status"] = end.status;
    return;
  }
  facts["state"] = "alive";
  const std::string& goal = node.redirects_to;
  if (goal.empty()) return;
  const Result<Url> from = Url::parse(node.url), to = Url::parse(end.redirects_to.empty() ? end.url : end.redirects_to);
  if (!from || !to || is_same_place(*from, *to)) return;
  facts["state"] = "moved";
  facts["moved_to"] = to->href();
}

void put_linkers(json::object& facts, const Memory& memory, const FactsQuestion& question) {
  const Result<LinkPage> page = memory.links_to(question.viewer, question.url, {kLinkersAsked, ""});
  if (!page) return;
  json::array linkers;
  std::string last;
  for (const KnownLink& link : page->links) {
    if (linkers.size() == kLinkersShown) break;
    if (link.source == last || link.source == question.url) continue;
    last = link.source;
    const Result<std::optional<Node>> source = memory.node(question.viewer, link.source);
    if (!source || !*source) continue;
    const std::string& title = (*source)->page.title;  // of pages that are all called the same one is enough
    if (title.empty() || (!linkers.empty() && linkers.back().at("title") == json::value(title))) continue;
    linkers.push_back(json::object{{"url", link.source}, {"title", title}});
  }
  if (!linkers.empty()) facts["linked_by"] = std::move(linkers);
}

void put_reader(json::object& facts, const Node& node) {
  if (node.visit_count == 0) return;
  facts["visits"] = node.visit_count;
  facts["visited"] = milliseconds(node.last_visit);
  if (node.last_changed > node.last_visit) facts["changed"] = true;
}

bool is_page(const Node& node) {
  return node.mime.empty() || node.mime == "text/html" || node.mime == "application/xhtml+xml";
}

// Nobody has been there; that it is known means that something leads there.
bool is_only_heard_of(const Node& node) {
  return node.fetched_by == FetchedBy::nobody || (node.status == 0 && node.error == NodeError::none);
}

// Where the redirects lead, as far as is known.
Node end_of(const Memory& memory, const Viewer& viewer, const Node& node, bool with_details) {
  Node end = node;
  for (int hops = 0; hops < kRedirectsFollowed && !end.redirects_to.empty(); ++hops) {
    const Result<Url> next = Url::parse(end.redirects_to);
    if (!next) break;
    Result<std::optional<Node>> target = memory.node(viewer, next->href_without_fragment(), with_details, with_details);
    if (!target || !*target || is_only_heard_of(**target)) break;
    end = std::move(**target);
  }
  return end;
}

bool is_worth_a_look(const Node& node, const Node& end, const FactsQuestion& question) {
  if (is_only_heard_of(node)) return true;
  const auto age = question.now - node.last_fetched;
  if (node.error != NodeError::none) return age > ask_again_after(node.error);
  if (!end.redirects_to.empty()) return age > kAskDeadAgain;
  if (node.status >= 400) return age > kAskDeadAgain;
  if (node.redirects_to.empty() && is_page(node) && node.page.title.empty() && !node.page.deep)
    return age > kAskDeadAgain;
  return age > question.refresh_after;
}

}  // namespace

std::chrono::seconds ask_again_after(NodeError error) {
  const bool may_pass = error == NodeError::dns || error == NodeError::connect || error == NodeError::timeout;
  if (may_pass) return kAskUnreachableAgain;
  return kAskDeadAgain;
}

std::string_view trouble_of(NodeError error) {
  switch (error) {
    case NodeError::dns:
      return "no such server";
    case NodeError::connect:
      return "no connection";
    case NodeError::tls:
      return "not secure";
    case NodeError::timeout:
      return "no answer";
    case NodeError::refused:
      return "not allowed";
    default:
      return "broken answer";
  }
}

std::optional<std::string> dead_word(const Node& node) {
  if (node.error != NodeError::none && node.error != NodeError::http && node.error != NodeError::refused)
    return std::string{trouble_of(node.error)};
  if (is_dead_status(node.status)) return std::to_string(node.status);
  return std::nullopt;
}

std::string first_sentences(std::string_view text, std::size_t most) {
  std::string out{text.substr(0, text.find("\n\n"))};
  std::replace(out.begin(), out.end(), '\n', ' ');
  if (out.size() <= most) return out;
  std::size_t end = std::string::npos;
  for (const std::string_view stop : {". ", "! ", "? ", "。"}) {
    const std::size_t found = out.rfind(stop, most - 1);
    if (found != std::string::npos && found > most / 4 && (end == std::string::npos || found + stop.size() > end))
      end = found + stop.size();
  }
  const bool whole = end != std::string::npos && end <= most;
  if (!whole) {
    end = out.rfind(' ', most);
    if (end == std::string::npos || end < most / 2) end = most;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;  // no half characters
  }
  out.resize(end);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return whole ? out : out + "…";
}

json::object facts_of_document(const Node& node, const Node& end) {
  json::object facts;
  const PageContent& page = end.page;
  put(facts, "title", page.title);
  put(facts, "site", page.site_name);
  put(facts, "description",
      first_sentences(page.description.empty() ? below_headings(page) : page.description, kLongestDescription));
  put(facts, "language", page.language.code.empty() ? page.declared_language : page.language.code);
  if (end.status < 300) {  // of the page, not of a message that it is elsewhere or gone
    put(facts, "kind", end.mime);
    if (const std::uint64_t size = end.decoded_size != 0 ? end.decoded_size : end.wire_size; size != 0)
      facts["size"] = size;
  }
  if (page.reading_seconds != 0 && !end.partial) facts["reading"] = page.reading_seconds;
  put(facts, "author", page.author);
  if (const auto date = page.published ? page.published : page.modified) facts["published"] = milliseconds(*date);
  put_state(facts, node, end);
  if (end.last_fetched != WallTime{}) facts["fetched"] = milliseconds(end.last_fetched);
  return facts;
}

bool is_worth_a_look(const Memory& memory, const FactsQuestion& question) {
  const Result<std::optional<Node>> found = memory.node(question.viewer, question.url, false, false);
  if (!found || !*found) return found.has_value();
  return is_worth_a_look(**found, end_of(memory, question.viewer, **found, false), question);
}

KnownFacts facts_from_memory(const Memory& memory, const FactsQuestion& question) {
  KnownFacts known;
  const Result<std::optional<Node>> found = memory.node(question.viewer, question.url, true);
  if (!found || !*found) {
    known.worth_a_look = found.has_value();
    return known;
  }
  const Node& node = **found;
  Node end = end_of(memory, question.viewer, node, true);
  known.facts = facts_of_document(node, end);
  if (end.has_text && !end.page.text.empty()) known.facts["copy"] = true;
  put_reader(known.facts, node.visit_count != 0 ? node : end);
  if (end.in_degree != 0) known.facts["links_in"] = end.in_degree;
  if (end.out_degree != 0) known.facts["links_out"] = end.out_degree;
  put_linkers(known.facts, memory, question);
  known.worth_a_look = is_worth_a_look(node, end, question);
  known.page = std::move(end.page);
  return known;
}

}  // namespace outrider::hyperscout
