#include "robot/url_rules.hpp"

#include "base/ascii.hpp"
#include "base/escape.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace outrider {
namespace {

enum class Subject : std::uint8_t { host, path, regex, extension, query, mime };
constexpr auto kSubjects = std::to_array<std::pair<std::string_view, Subject>>({{"host", Subject::host},
                                                                                {"path", Subject::path},
                                                                                {"regex", Subject::regex},
                                                                                {"extension", Subject::extension},
                                                                                {"query", Subject::query},
                                                                                {"mime", Subject::mime}});
constexpr std::int64_t kRegexMemory = 4 << 20;  // bytes, program and automaton

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

// `pattern` in lower case: ".example.com", "www.example.com", either with ":8080".
bool host_fits(std::string_view pattern, const Url& url) {
  const std::string_view host = pattern.find(':') == std::string_view::npos ? url.hostname() : url.host();
  if (!pattern.starts_with('.')) return host == pattern;
  return host == pattern.substr(1) || host.ends_with(pattern);
}

bool extension_fits(std::string_view extension, std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  return dot != std::string_view::npos && ascii_lower(file.substr(dot + 1)) == extension;
}

bool mime_fits(std::string_view pattern, std::string_view mime) {
  if (pattern == "*/*") return true;
  if (pattern.ends_with("/*")) return mime.starts_with(pattern.substr(0, pattern.size() - 1));
  return mime == pattern;
}

Error fault(std::string_view line, std::string_view what) {
  return {ErrorKind::invalid_argument, Side::self,
          fmt::format("the rule {} {}", outrider::quoted(utf8_prefix(line, 200)), what)};
}

}  // namespace

struct UrlRules::Rule {
  bool accepts = false;
  Subject subject = Subject::host;
  std::string value;
  std::unique_ptr<const re2::RE2> regex;
  std::string text;  // as it is shown

  static Result<Rule> parse(std::string_view line);
  bool fits(const Url& url) const {
    switch (subject) {
      case Subject::host:
        return host_fits(value, url);
      case Subject::path:
        return url.pathname().starts_with(value);
      case Subject::regex: {
        const std::string_view text_of_url = url.href_without_fragment();
        return re2::RE2::PartialMatch(re2::StringPiece(text_of_url.data(), text_of_url.size()), *regex);
      }
      case Subject::extension:
        return extension_fits(value, url.pathname());
      case Subject::query:
        return !url.search().empty();
      case Subject::mime:
        return false;
    }
    return false;
  }
};

Result<UrlRules::Rule> UrlRules::Rule::parse(std::string_view line) {
  if (line.size() > kLongestRule) return fault(line, "is too long");
  std::string_view rest = line;
  Rule rule;
  const std::string verb = ascii_lower(take_word(rest));
  if (verb != "accept" && verb != "reject") return fault(line, "does not begin with accept or reject");
  rule.accepts = verb == "accept";
  const std::string subject = ascii_lower(take_word(rest));
  const auto found =
      std::find_if(kSubjects.begin(), kSubjects.end(), [&](const auto& s) { return s.first == subject; });
  if (found == kSubjects.end()) return fault(line, "does not say host, path, regex, extension, query or mime");
  rule.subject = found->second;
  if (rest.empty() != (rule.subject == Subject::query)) return fault(line, "has a value too many or too few");
  rule.value = rule.subject == Subject::path || rule.subject == Subject::regex ? std::string(rest) : ascii_lower(rest);
  if (rule.subject == Subject::extension && rule.value.starts_with('.')) rule.value.erase(0, 1);
  if (rule.subject == Subject::regex) {
    re2::RE2::Options options;
    options.set_max_mem(kRegexMemory);
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // a URL is ASCII
    auto regex = std::make_unique<const re2::RE2>(re2::StringPiece(rest.data(), rest.size()), options);
    if (!regex->ok()) return fault(line, fmt::format("is no regular expression: {}", regex->error()));
    rule.regex = std::move(regex);
  }
  rule.text = fmt::format("{} {}{}{}", verb, subject, rest.empty() ? "" : " ", rest);
  return rule;
}

UrlRules::UrlRules() = default;
UrlRules::~UrlRules() = default;
UrlRules::UrlRules(UrlRules&&) noexcept = default;
UrlRules& UrlRules::operator=(UrlRules&&) noexcept = default;

Result<UrlRules> UrlRules::parse(const std::vector<std::string>& lines) {
  UrlRules rules;
  for (const std::string& each : lines) {
    const std::string_view line = trim(each);
    if (line.empty() || line.starts_with('#')) continue;
    if (rules.rules_.size() == kMostRules) return fault(line, "is one too many");
    Result<Rule> rule = Rule::parse(line);
    if (!rule) return rule.error();
    rules.rules_.push_back(std::move(*rule));
  }
  std::stable_partition(rules.rules_.begin(), rules.rules_.end(), [](const Rule& rule) { return !rule.accepts; });
  return rules;
}

bool UrlRules::has_accept() const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [](const Rule& rule) { return rule.accepts && rule.subject != Subject::mime; });
}

UrlDecision UrlRules::check(const Url& url) const {
  for (const Rule& rule : rules_) {
    if (!rule.fits(url)) continue;
    if (rule.accepts) return {Decision::accept, rule.text};
    return {Decision::reject, "filtered by " + rule.text};
  }
  return {};
}

UrlDecision UrlRules::check_mime(std::string_view mime) const {
  const std::string type = ascii_lower(trim(mime.substr(0, mime.find(';'))));
  bool others_are_wanted = false;
  for (const Rule& rule : rules_) {
    if (rule.subject != Subject::mime) continue;
    if (!mime_fits(rule.value, type)) {
      others_are_wanted = others_are_wanted || rule.accepts;
      continue;
    }
    if (rule.accepts) return {Decision::accept, rule.text};
    return {Decision::reject, "filtered by " + rule.text};
  }
  if (others_are_wanted)
    return {Decision::reject, fmt::format("filtered by accept mime: {} is not listed", one_line(type))};
  return {};
}

}  // namespace outrider
