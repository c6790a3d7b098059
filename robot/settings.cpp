#include "robot/settings.hpp"

#include "base/url_percent.hpp"

#include <algorithm>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using Schema = SectionSchema<RobotSettings>;

// RFC 9309 section 2.2.1: what robots.txt may name us by.
Refusal check_product(const std::string& text) {
  const auto fits = [](char c) { return is_ascii_alpha(c) || c == '_' || c == '-'; };
  if (!text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), fits)) return std::nullopt;
  return "must be one word of letters, \"-\" and \"_\" (RFC 9309 section 2.2.1)";
}

// It stands in a comment of User-Agent (RFC 9110 section 5.6.5), so it may not end that comment.
Refusal check_contact(const std::string& text) {
  const auto bad = [](char c) { return c < 0x20 || c > 0x7e || c == '(' || c == ')' || c == '\\'; };
  if (text.size() <= 200 && std::none_of(text.begin(), text.end(), bad)) return std::nullopt;
  return "must be an address in plain ASCII, without parentheses and backslashes, of at most 200 bytes";
}

Refusal check_words(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.empty() || word.size() > 64) return "a word must have 1 to 64 bytes";
  }
  return std::nullopt;
}

void describe_identity(Schema& s) {
  s.key("product", &RobotSettings::product,
        "The robot's name: in the User-Agent field, and the one that robots.txt files may address it by.",
        Change::needs_restart, Rule<std::string>(check_product));
  s.key("contact", &RobotSettings::contact,
        "Web or mail address for people who wonder about the robot; stands in User-Agent.", Change::needs_restart,
        Rule<std::string>(check_contact));
  s.key("from", &RobotSettings::from, "Mail address sent as From. Empty: the field is not sent.", Change::needs_restart,
        Rule<std::string>(check_contact));
}

void describe_politeness(Schema& s) {
  s.key("min_gap", &RobotSettings::min_gap, "Least time between two requests to the same host.", Change::live,
        in_range(0s, 1h));
  s.key("per_host", &RobotSettings::per_host, "Requests to one host at the same time.", Change::live, in_range(1, 64));
  s.key("address_gap", &RobotSettings::address_gap,
        "Least time between two requests to the same address, whatever the names of its hosts.", Change::live,
        in_range(0s, 1h));
  s.key("per_address", &RobotSettings::per_address, "Requests to one address at the same time.", Change::live,
        in_range(1, 256));
  s.key("latency_factor", &RobotSettings::latency_factor,
        "A host that is slow is asked less often: the gap is at least this many times its response time.", Change::live,
        in_range(0.0, 100.0));
  s.key("longest_gap", &RobotSettings::longest_gap, "... but the response time never makes it longer than this.",
        Change::live, in_range(0s, 1h));
  s.key("crawl_delay_cap", &RobotSettings::crawl_delay_cap,
        "Crawl-delay of robots.txt is obeyed up to this; a longer one counts as this.", Change::live,
        in_range(1s, 24h));
  s.key("backoff_first", &RobotSettings::backoff_first,
        "Pause of a whole host after 429, 503 or a failed connection; doubled each time.", Change::live,
        in_range(1s, 1h));
  s.key("backoff_longest", &RobotSettings::backoff_longest, "... up to this.", Change::live, in_range(1s, 24h));
  s.key("retry_after_cap", &RobotSettings::retry_after_cap, "Retry-After is obeyed up to this.", Change::live,
        in_range(1s, 24h * 7));
  s.key("robots_lifetime", &RobotSettings::robots_lifetime, "How long a robots.txt is used before it is fetched again.",
        Change::live, in_range(1min, 24h));
  s.key("robots_unreachable", &RobotSettings::robots_unreachable,
        "A robots.txt that could not be had for this long, with nothing but errors, no longer closes its site.",
        Change::live, in_range(24h, 24h * 365));
}

void describe_caution(Schema& s) {
  s.key("prefetch_words", &RobotSettings::prefetch_words,
        "Further words that make a link look like an action (like the built-in logout, delete, cart, abmelden …): such "
        "links are never loaded ahead.",
        Change::live, Rule<std::vector<std::string>>(check_words));
  s.key("prefetch_harmless", &RobotSettings::prefetch_harmless, "Built-in words of that kind that are fine after all.",
        Change::live, Rule<std::vector<std::string>>(check_words));
  s.key("prefetch_per_day", &RobotSettings::prefetch_per_day,
        "Loads ahead of the reader, per site and day; 0 = none at all.", Change::live, in_range(0, 1'000'000));
  s.key("prefetch_bytes_per_day", &RobotSettings::prefetch_bytes_per_day, "... and their bytes.", Change::live);
  s.key("read_ahead", &RobotSettings::read_ahead,
        "Load the likeliest links of every page that you open, before you click. Off, because the sites hear of pages "
        "that nobody may read.",
        Change::live);
  s.key("read_ahead_links", &RobotSettings::read_ahead_links, "... so many of a page.", Change::live, in_range(1, 20));
  s.key("max_path_depth", &RobotSettings::max_path_depth, "Deeper paths are taken for a trap.", Change::live,
        in_range(2, 1000));
  s.key("max_repeated_segments", &RobotSettings::max_repeated_segments,
        "So many times may a segment, or a sequence of them, be repeated in a path.", Change::live, in_range(1, 100));
  s.key("max_url", &RobotSettings::max_url, "Longer URLs are taken for a trap.", Change::live,
        in_range(ByteSize{64}, ByteSize{16 << 10}));
  s.key("urls_per_pattern", &RobotSettings::urls_per_pattern,
        "URLs that differ only in numbers and the like are one pattern; so many of it are fetched in one task.",
        Change::live, in_range(1, 100'000'000));
  s.key("duplicates_per_pattern", &RobotSettings::duplicates_per_pattern,
        "So many pages of a pattern may look like another one of it before the rest is left alone.", Change::live,
        in_range(1, 1'000'000));
  s.key("revisit_soonest", &RobotSettings::revisit_soonest, "A page is looked at again after this at the earliest.",
        Change::live, in_range(1min, 24h * 365));
  s.key("revisit_latest", &RobotSettings::revisit_latest, "... and after this at the latest.", Change::live,
        in_range(1h, 24h * 3650));
}

// A task that was begun under other rules goes on under the new ones: pages whose name changed by that are fetched once
// more.
void describe_same_page(Schema& s) {
  const Rule<std::vector<std::string>> names(check_words);
  s.key("ignore_tracking", &RobotSettings::ignore_tracking,
        "URLs that differ only in parameters that tell a site where the reader came from are one page.",
        Change::needs_restart);
  s.key("tracking_parameters", &RobotSettings::tracking_parameters,
        "... these; a name that ends in * stands for all that begin so.", Change::needs_restart, names);
  s.key("ignore_session_ids", &RobotSettings::ignore_session_ids, "URLs that differ only in a session id are one page.",
        Change::needs_restart);
  s.key("session_parameters", &RobotSettings::session_parameters, "... which has one of these names.",
        Change::needs_restart, names);
  s.key("ignore_directory_index", &RobotSettings::ignore_directory_index, "/a/index.html and /a/ are one page.",
        Change::needs_restart);
  s.key("directory_index_names", &RobotSettings::directory_index_names, "... for these names.", Change::needs_restart,
        names);
  s.key("ignore_trailing_slash", &RobotSettings::ignore_trailing_slash, "/a/ and /a are one page.",
        Change::needs_restart);
  s.key("ignore_query_order", &RobotSettings::ignore_query_order, "?a=1&b=2 and ?b=2&a=1 are one page.",
        Change::needs_restart);
}

}  // namespace

CanonicalOptions RobotSettings::same_page() const {
  CanonicalOptions options;
  options.drop_tracking = ignore_tracking;
  options.tracking_parameters = tracking_parameters;
  options.drop_session_ids = ignore_session_ids;
  options.session_parameters = session_parameters;
  options.drop_directory_index = ignore_directory_index;
  options.directory_index_names = directory_index_names;
  options.drop_trailing_slash = ignore_trailing_slash;
  options.sort_query = ignore_query_order;
  return options;
}

void RobotSettings::describe(Schema& s) {
  describe_identity(s);
  describe_politeness(s);
  describe_caution(s);
  describe_same_page(s);
  s.check([](const RobotSettings& robot) -> Refusal {
    if (robot.backoff_first > robot.backoff_longest) return "backoff_first is longer than backoff_longest";
    if (robot.revisit_soonest > robot.revisit_latest) return "revisit_soonest is longer than revisit_latest";
    return std::nullopt;
  });
}

std::string robot_user_agent(const RobotSettings& settings, std::string_view version) {
  std::string text = fmt::format("{}/{}", settings.product, version);
  if (!settings.contact.empty()) text += fmt::format(" (+{})", settings.contact);
  return text;
}

}  // namespace outrider
