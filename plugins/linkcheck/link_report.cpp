#include "plugins/linkcheck/link_report.hpp"

#include "base/escape.hpp"
#include "base/url.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <span>

namespace outrider {
namespace {

namespace json = boost::json;

constexpr int kMostSteps = 10;
constexpr std::array<std::string_view, 6> kVerdicts{"waiting", "ok", "moved", "dead", "closed", "unchecked"};
constexpr std::array<std::string_view, 5> kStates{"running", "finished", "stopped", "interrupted", "failed"};

template <class Kind, std::size_t n>
Kind named(const std::array<std::string_view, n>& names, std::string_view name, Kind otherwise) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? otherwise : static_cast<Kind>(found - names.begin());
}

bool is_https(std::string_view url) {
  return url.starts_with("https:");
}

// There is a site, and it would not let us look: for a person with a browser the link may well be fine.
bool is_closed(int status) {
  return status == 401 || status == 402 || status == 403 || status == 429 || status == 451 || status == 999;
}

std::string words_for(const LinkAnswer& answer) {
  if (answer.refused) return "not asked: " + answer.error_text;
  if (answer.error != NodeError::none && answer.error != NodeError::http)
    return answer.error_text.empty() ? std::string{to_string(answer.error)} : answer.error_text;
  return answer.status == 0 ? "no answer" : fmt::format("status {}", answer.status);
}

void judge_end(CheckedLink& link, const LinkAnswer& answer) {
  link.status = answer.status;
  if (answer.refused || !answer.not_because.empty()) {
    link.verdict = LinkVerdict::unchecked;
    link.note = answer.not_because.empty() ? words_for(answer) : answer.not_because;
  } else if (answer.status == 0 || (answer.error != NodeError::none && answer.error != NodeError::http)) {
    link.verdict = LinkVerdict::dead;
    link.note = words_for(answer);
    if (answer.error == NodeError::tls) link.insecure = true;
  } else if (is_closed(answer.status)) {
    link.verdict = LinkVerdict::closed;
    link.note = words_for(answer);
  } else if (answer.status >= 400 && answer.status != 416) {  // 416: it is there, but empty
    link.verdict = LinkVerdict::dead;
    link.note = words_for(answer);
  } else if (link.leads_to.empty()) {
    link.verdict = LinkVerdict::ok;
  } else {
    link.verdict = LinkVerdict::moved;
  }
}

std::int64_t millis(WallTime at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

WallTime from_millis(const json::value& value) {
  return WallTime{std::chrono::milliseconds{value.to_number<std::int64_t>()}};
}

// Pages may say anything; what leaves here is valid UTF-8 without tricks.
std::string clean(std::string_view text) {
  return one_line(utf8_prefix(text, 2048));
}

json::object link_json(const CheckedLink& link, std::size_t most_places) {
  json::array places;
  for (const LinkPlace& place : std::span{link.places}.first(std::min(link.places.size(), most_places)))
    places.push_back({{"page", clean(place.page)}, {"text", clean(place.text)}, {"kind", to_string(place.kind)}});
  return {{"url", clean(link.url)},
          {"verdict", to_string(link.verdict)},
          {"insecure", link.insecure},
          {"slow", link.slow},
          {"status", link.status},
          {"note", clean(link.note)},
          {"leads_to", clean(link.leads_to)},
          {"for_good", link.for_good},
          {"took_ms", link.took},
          {"count", link.count},
          {"places", std::move(places)}};
}

std::string text_of(const json::value& value) {
  return std::string{value.as_string()};
}

CheckedLink link_from(const json::value& from) {
  CheckedLink link;
  link.url = text_of(from.at("url"));
  link.verdict = named(kVerdicts, from.at("verdict").as_string(), LinkVerdict::unchecked);
  link.insecure = from.at("insecure").as_bool();
  link.slow = from.at("slow").as_bool();
  link.status = from.at("status").to_number<int>();
  link.note = text_of(from.at("note"));
  link.leads_to = text_of(from.at("leads_to"));
  link.for_good = from.at("for_good").as_bool();
  link.took = from.at("took_ms").to_number<std::uint32_t>();
  link.count = from.at("count").to_number<std::uint32_t>();
  for (const json::value& place : from.at("places").as_array())
    link.places.push_back({text_of(place.at("page")), text_of(place.at("text")),
                           parse_link_kind(place.at("kind").as_string()).value_or(LinkKind::anchor)});
  return link;
}

}  // namespace

std::string_view to_string(LinkVerdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(LinkReport::State state) {
  return kStates[static_cast<std::size_t>(state)];
}

bool wants_get(const LinkAnswer& answer) {
  if (!answer.by_head || answer.refused || !answer.not_because.empty() || !answer.redirects_to.empty()) return false;
  // A server that breaks off at HEAD, or says nothing to it, may answer a GET; one that is not there will not.
  return answer.status >= 400 || answer.error == NodeError::protocol || answer.error == NodeError::timeout;
}

void judge_link(CheckedLink& link, const std::map<std::string, LinkAnswer, std::less<>>& answers, Duration slow_after) {
  const bool on_https =
      std::any_of(link.places.begin(), link.places.end(), [](const LinkPlace& place) { return is_https(place.page); });
  link.insecure = on_https && !is_https(link.url);
  link.note.clear();  // of an earlier judgement, when less was known
  link.leads_to.clear();
  std::string at = link.url;
  Duration took{};
  bool for_good = true;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto found = answers.find(at);
    if (found == answers.end()) {
      if (step == 0) return;  // still waiting
      link.verdict = LinkVerdict::moved;
      link.note = "its new address was not looked at";
      return;
    }
    const LinkAnswer& answer = found->second;
    took += answer.took;
    link.took = static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
    link.slow = took > slow_after;
    if (answer.redirects_to.empty()) {
      judge_end(link, answer);
      return;
    }
    for_good = for_good && (answer.status == 301 || answer.status == 308);
    const Result<Url> next = Url::parse(answer.redirects_to);
    if (!next || !next->is_http()) {
      link.status = answer.status;
      link.verdict = LinkVerdict::dead;
      link.note = "it redirects to something that is no page";
      return;
    }
    std::string target{next->href_without_fragment()};
    if (is_https(at) && !is_https(target)) link.insecure = true;
    at = std::move(target);
    link.leads_to = at;
    link.for_good = for_good;
    link.status = answer.status;
  }
  link.verdict = LinkVerdict::dead;
  link.note = "it redirects for ever";
}

LinkReport::Counts LinkReport::counts() const {
  Counts counts;
  for (const CheckedLink& link : links) {
    ++counts.all;
    counts.done += link.verdict != LinkVerdict::waiting;
    counts.ok += link.verdict == LinkVerdict::ok;
    counts.dead += link.verdict == LinkVerdict::dead;
    counts.moved += link.verdict == LinkVerdict::moved;
    counts.closed += link.verdict == LinkVerdict::closed;
    counts.unchecked += link.verdict == LinkVerdict::unchecked;
    counts.insecure += link.insecure;
    counts.slow += link.slow;
  }
  return counts;
}

json::object summary_json(const LinkReport& report) {
  const LinkReport::Counts counts = report.counts();
  return {{"id", report.id},
          {"user", report.user},
          {"url", clean(report.url)},
          {"site", report.site},
          {"state", to_string(report.state)},
          {"why", clean(report.why)},
          {"stage", report.stage},
          {"began", millis(report.began)},
          {"ended", millis(report.ended)},
          {"pages", report.pages},
          {"left_out", report.left_out},
          {"remembered", report.remembered},
          {"counts",
           {{"links", counts.all},
            {"done", counts.done},
            {"ok", counts.ok},
            {"dead", counts.dead},
            {"moved", counts.moved},
            {"insecure", counts.insecure},
            {"slow", counts.slow},
            {"closed", counts.closed},
            {"unchecked", counts.unchecked}}}};
}

json::object to_json(const LinkReport& report, std::size_t most_places) {
  json::object out = summary_json(report);
  json::array links;
  for (const CheckedLink& link : report.links) links.push_back(link_json(link, most_places));
  out["links"] = std::move(links);
  return out;
}

Result<LinkReport> report_from_json(std::string_view text) {
  try {
    const json::value from = json::parse(text);
    LinkReport report;
    report.id = from.at("id").to_number<std::uint64_t>();
    report.user = text_of(from.at("user"));
    report.url = text_of(from.at("url"));
    report.site = from.at("site").as_bool();
    report.state = named(kStates, from.at("state").as_string(), LinkReport::State::failed);
    report.why = text_of(from.at("why"));
    report.began = from_millis(from.at("began"));
    report.ended = from_millis(from.at("ended"));
    report.pages = from.at("pages").to_number<std::uint32_t>();
    report.left_out = from.at("left_out").to_number<std::uint32_t>();
    if (const json::value* remembered = from.as_object().if_contains("remembered"))
      report.remembered = remembered->as_bool();
    for (const json::value& link : from.at("links").as_array()) report.links.push_back(link_from(link));
    return report;
  } catch (const std::exception& failure) {  // a file that somebody else wrote
    return Error{ErrorKind::bad_message, Side::self, fmt::format("not a report: {}", failure.what())};
  }
}

std::string csv_cell(std::string_view text) {
  std::string cell = clean(text);
  // What begins like this is run as a formula by spreadsheets (OWASP, CSV injection).
  if (!cell.empty() && std::string_view{"=+-@\t\r"}.find(cell.front()) != std::string_view::npos) cell.insert(0, "'");
  if (cell.find_first_of(",\"\r\n;") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

std::string to_csv(const LinkReport& report) {
  std::string csv = "url,verdict,status,insecure,slow,took_ms,leads_to,note,links,page,text\r\n";
  for (const CheckedLink& link : report.links) {
    const LinkPlace place = link.places.empty() ? LinkPlace{} : link.places.front();
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_cell(link.url), to_string(link.verdict), link.status,
                       link.insecure ? "yes" : "no", link.slow ? "yes" : "no", link.took, csv_cell(link.leads_to),
                       csv_cell(link.note), link.count, csv_cell(place.page), csv_cell(place.text));
  }
  return csv;
}

}  // namespace outrider
