#include "robot/prefetch_guard.hpp"

#include "base/url_percent.hpp"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace outrider {
namespace {

constexpr std::size_t kMostSafeShapes = 50'000;
constexpr std::size_t kMostSites = 10'000;

// Parameters whose values are keys to something.
constexpr auto kKeyNames = std::to_array<std::string_view>(
    {"token",  "otp",       "nonce",        "sig",          "signature", "auth",       "ticket",
     "csrf",   "csrftoken", "xsrf",         "authenticity", "secret",    "password",   "passwd",
     "pwd",    "session",   "sessionid",    "sid",          "phpsessid", "jsessionid", "hash",
     "apikey", "invite",    "access_token", "code",         "magic",     "onetime",    "jwt"});

std::int64_t day_of(WallTime now) {
  return std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
}

std::string site_of(const Url& url) {
  const std::string_view domain = url.registrable_domain();
  return std::string(domain.empty() ? url.hostname() : domain);
}

template <class Each>
void for_each_part(std::string_view text, std::string_view separators, Each each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

struct Parameter {
  std::string_view name, value;
};
std::vector<Parameter> parameters_of(const Url& url) {
  std::vector<Parameter> parameters;
  for_each_part(url.query().value_or(std::string_view{}), "&;", [&](std::string_view part) {
    const std::size_t equals = std::min(part.find('='), part.size());
    parameters.push_back({part.substr(0, equals), part.substr(std::min(equals + 1, part.size()))});
  });
  return parameters;
}

std::string decoded_lower(std::string_view text) {
  std::string out = percent_decode(text);
  std::transform(out.begin(), out.end(), out.begin(), to_ascii_lower);
  return out;
}

}  // namespace

bool looks_like_token(std::string_view text) {
  std::size_t digits = 0, uppers = 0, lowers = 0, changes = 0;
  char kind_before = 0;
  for (char c : text) {
    const bool is_digit = is_ascii_digit(c), is_alpha = is_ascii_alpha(c);
    if (!is_digit && !is_alpha && c != '_' && c != '-' && c != '.' && c != '~' && c != '=' && c != '%') return false;
    digits += is_digit;
    uppers += c >= 'A' && c <= 'Z';
    lowers += c >= 'a' && c <= 'z';
    const char kind = is_digit ? 'd' : !is_alpha ? '-' : c <= 'Z' ? 'u' : 'l';
    changes += kind_before != 0 && kind != kind_before;
    kind_before = kind;
  }
  if (text.size() >= 20 && digits > 0 && uppers > 0 && lowers > 0 && changes * 4 >= text.size()) return true;
  // Hexadecimal: digits and letters take turns all the time. Dates and numbers in slugs do not.
  return text.size() >= 24 && digits >= 6 && digits < text.size() && changes * 4 >= text.size() &&
         text.find_first_of("-_.") == std::string_view::npos;
}

PrefetchGuard::PrefetchGuard(const RobotSettings& settings)
    : settings_(settings), words_(settings.prefetch_words, settings.prefetch_harmless) {}

void PrefetchGuard::set_settings(const RobotSettings& settings) {
  settings_ = settings;
  words_ = ActionWords(settings.prefetch_words, settings.prefetch_harmless);
}

std::optional<std::string> PrefetchGuard::refuse_link(const PrefetchQuestion& question) const {
  if (question.method != "GET" && question.method != "HEAD") {
    return fmt::format("{} is not loaded ahead: only GET and HEAD are", question.method);
  }
  if (!question.url->is_http()) return "not a web page";
  if (question.url->has_credentials()) return "holds a user name or password";
  if (question.save_data) return "the browser asks to save data (Save-Data)";
  if (question.page_nofollow) return "the page says nofollow";
  if (question.link == nullptr) return std::nullopt;
  const Link& link = *question.link;
  if (link.has(LinkFlags::nofollow)) return "the link says nofollow";
  if (link.has(LinkFlags::download)) return "the link is a download";
  if (link.kind == LinkKind::form) return "it is a form";
  return std::nullopt;
}

std::optional<std::string> PrefetchGuard::refuse_action(const PrefetchQuestion& question) const {
  std::optional<std::string> found;
  const auto look = [&](std::string_view text) {
    if (found) return;
    if (const auto word = words_.find_in(text)) found = fmt::format("looks like an action: {}", *word);
  };
  for_each_part(question.url->pathname(), "/", [&](std::string_view segment) {
    look(segment);
    if (!found && looks_like_token(segment)) found = "the path looks like a one-time token";
  });
  for (const Parameter& parameter : parameters_of(*question.url)) {
    look(parameter.name);
    look(parameter.value);
    if (found) break;
    const std::string name = decoded_lower(parameter.name);
    if (std::find(kKeyNames.begin(), kKeyNames.end(), name) != kKeyNames.end()) {
      found = fmt::format("the parameter {} may be a one-time token", name);
    } else if (looks_like_token(parameter.value)) {
      found = "the query looks like a one-time token";
    }
  }
  if (question.link != nullptr) look(question.link->text);
  return found;
}

std::uint64_t PrefetchGuard::shape_of(const Url& url) const {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters_of(url)) names.push_back(parameter.name);
  std::sort(names.begin(), names.end());
  std::string shape = fmt::format("{} {}", url.origin(), url.pathname());
  for (std::string_view name : names) shape += fmt::format(" {}", name);
  return siphash128(key_, shape).low;
}

std::optional<std::string> PrefetchGuard::refuse_query(const PrefetchQuestion& question) const {
  const Url& url = *question.url;
  if (url.search().empty()) return std::nullopt;
  if (question.apart) return "has a query string";
  if (safe_shapes_.contains(shape_of(url))) return std::nullopt;
  return "has a query string that nobody has loaded yet";
}

std::optional<std::string> PrefetchGuard::refuse_budget(const Url& url, WallTime now) const {
  if (settings_.prefetch_per_day == 0) return "loading ahead is switched off";
  if (day_of(now) != day_) return std::nullopt;
  const std::string site = site_of(url);
  const auto found = spent_.find(site);
  if (found == spent_.end()) {
    if (spent_.size() >= kMostSites) return "the budget of today is spent: too many sites";
    return std::nullopt;
  }
  if (found->second.loads >= settings_.prefetch_per_day) {
    return fmt::format("the budget of today for {} is spent: {} loads", site, found->second.loads);
  }
  if (found->second.bytes >= settings_.prefetch_bytes_per_day.bytes) {
    return fmt::format("the budget of today for {} is spent: {} bytes", site, found->second.bytes);
  }
  return std::nullopt;
}

PrefetchVerdict PrefetchGuard::check(const PrefetchQuestion& question, WallTime now) const {
  auto refusal = refuse_link(question);
  if (!refusal) refusal = refuse_action(question);
  if (!refusal) refusal = refuse_query(question);
  if (!refusal) refusal = refuse_budget(*question.url, now);
  return refusal ? PrefetchVerdict{false, std::move(*refusal)} : PrefetchVerdict{true, {}};
}

PrefetchGuard::Spent& PrefetchGuard::spent_today(const Url& url, WallTime now) {
  if (day_of(now) != day_) {
    spent_.clear();
    day_ = day_of(now);
  }
  return spent_[site_of(url)];
}

void PrefetchGuard::count_load(const Url& url, WallTime now) {
  ++spent_today(url, now).loads;
}

void PrefetchGuard::take_back_load(const Url& url, WallTime now) {
  std::int64_t& loads = spent_today(url, now).loads;
  loads = std::max<std::int64_t>(loads - 1, 0);
}

void PrefetchGuard::count_bytes(const Url& url, std::uint64_t bytes, WallTime now) {
  spent_today(url, now).bytes += bytes;
}

void PrefetchGuard::saw_safe_query(const Url& url) {
  if (url.search().empty() || !safe_shapes_.insert(shape_of(url)).second) return;
  safe_order_.push_back(shape_of(url));
  if (safe_order_.size() <= kMostSafeShapes) return;
  safe_shapes_.erase(safe_order_.front());
  safe_order_.pop_front();
}

void PrefetchGuard::forget(const std::function<bool(std::string_view site)>& is_meant) {
  std::erase_if(spent_, [&](const auto& each) { return is_meant(each.first); });
}

std::string PrefetchGuard::save_budget() const {
  boost::json::object sites;
  for (const auto& [site, spent] : spent_) {
    sites[site] =
        boost::json::array{spent.loads, static_cast<std::int64_t>(std::min<std::uint64_t>(spent.bytes, INT64_MAX))};
  }
  return boost::json::serialize(boost::json::object{{"v", 1}, {"day", day_}, {"sites", std::move(sites)}});
}

void PrefetchGuard::load_budget(std::string_view bytes, WallTime now) {
  boost::system::error_code code;
  const boost::json::value value = boost::json::parse(bytes, code);
  const boost::json::object* record = code ? nullptr : value.if_object();
  if (record == nullptr || !record->contains("v") || record->at("v") != boost::json::value(1)) return;
  const boost::json::value* day = record->if_contains("day");
  const boost::json::value* sites = record->if_contains("sites");
  if (day == nullptr || *day != boost::json::value(day_of(now)) || sites == nullptr || !sites->is_object()) return;
  spent_.clear();
  day_ = day_of(now);
  for (const auto& site : sites->get_object()) {
    const boost::json::array* spent = site.value().if_array();
    if (spent == nullptr || spent->size() != 2 || !spent->at(0).is_int64() || !spent->at(1).is_int64()) continue;
    if (spent_.size() >= kMostSites) return;
    spent_[std::string(site.key())] = {std::max<std::int64_t>(spent->at(0).get_int64(), 0),
                                       static_cast<std::uint64_t>(std::max<std::int64_t>(spent->at(1).get_int64(), 0))};
  }
}

}  // namespace outrider
