#include "base/content_security_policy.hpp"

#include "base/http_header_id.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace outrider {
namespace {

constexpr std::string_view kBlank = " \t\n\f\r";

struct Directive {
  std::string name;  // in lower case
  std::vector<std::string_view> sources;
  std::size_t end = 0;  // in the policy, behind the last source
};

// CSP3 section 2.2.1. Of two directives of a name the first one counts.
std::vector<Directive> parse(std::string_view policy) {
  std::vector<Directive> directives;
  for (std::size_t at = 0; at <= policy.size();) {
    const std::size_t stop = std::min(policy.find(';', at), policy.size());
    Directive directive;
    for (std::size_t from = at; from < stop;) {
      const std::size_t begin = policy.find_first_not_of(kBlank, from);
      if (begin == std::string_view::npos || begin >= stop) break;
      const std::size_t end = std::min(policy.find_first_of(kBlank, begin), stop);
      if (directive.name.empty()) {
        directive.name = policy.substr(begin, end - begin);
        for (char& c : directive.name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
      } else {
        directive.sources.push_back(policy.substr(begin, end - begin));
      }
      directive.end = from = end;
    }
    const auto same = [&](const Directive& d) { return d.name == directive.name; };
    if (!directive.name.empty() && std::none_of(directives.begin(), directives.end(), same))
      directives.push_back(std::move(directive));
    at = stop + 1;
  }
  return directives;
}

const Directive* first_of(const std::vector<Directive>& directives, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    for (const Directive& directive : directives)
      if (directive.name == name) return &directive;
  return nullptr;
}

bool lists(const Directive& directive, std::string_view keyword) {
  return std::any_of(directive.sources.begin(), directive.sources.end(),
                     [&](std::string_view source) { return equal_ignoring_case(source, keyword); });
}

// Is any URL of the scheme of `url` admitted, or this very one?
bool admits(const Directive& directive, std::string_view url) {
  const std::string scheme{url.substr(0, url.find(':') + 1)};
  return lists(directive, "*") || lists(directive, scheme) || lists(directive, url) ||
         (scheme == "https:" && lists(directive, "http:"));  // section 6.7.2.8: an upgrade is always fine
}

bool means_nothing(const Directive& directive) {
  return directive.sources.empty() || (directive.sources.size() == 1 && lists(directive, "'none'"));
}

std::string nonce_of(const Directive& directive) {
  for (const std::string_view source : directive.sources)
    if (source.size() > 8 && equal_ignoring_case(source.substr(0, 7), "'nonce-") && source.back() == '\'')
      return std::string{source.substr(7, source.size() - 8)};
  return {};
}

// Keywords, nonces and hashes mean something for scripts only.
bool is_place(std::string_view source) {
  return !source.starts_with('\'') || equal_ignoring_case(source, "'self'");
}

class Amendment {
 public:
  explicit Amendment(std::string_view policy) : policy_(policy) {}

  void extend(const Directive& directive, std::string_view source) {
    // 'none' beside something else means nothing, and browsers complain about it: the new source takes its place.
    const bool instead = means_nothing(directive) && !directive.sources.empty();
    const std::size_t begin = instead ? directive.end - directive.sources.front().size() : directive.end;
    cuts_.push_back({begin, directive.end, (instead ? "" : " ") + std::string{source}});
  }
  void narrow(std::string_view name, const Directive& fallback, std::string_view source, bool places_only) {
    added_ += "; ";
    added_ += name;
    for (const std::string_view each : fallback.sources)
      if (!equal_ignoring_case(each, "'none'") && (!places_only || is_place(each))) added_ += " " + std::string{each};
    added_ += " " + std::string{source};
  }
  bool empty() const { return cuts_.empty() && added_.empty(); }
  std::string applied() const {
    std::vector<Cut> cuts = cuts_;
    std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t from = 0;
    for (const Cut& cut : cuts) {
      out += policy_.substr(from, cut.begin - from);
      out += cut.text;
      from = cut.end;
    }
    out += policy_.substr(from);
    while (!added_.empty() && !out.empty() && (out.back() == ';' || kBlank.find(out.back()) != std::string_view::npos))
      out.pop_back();
    return out + added_;
  }

 private:
  struct Cut {
    std::size_t begin, end;
    std::string text;
  };
  std::string_view policy_;
  std::vector<Cut> cuts_;
  std::string added_;
};

void admit_script(const std::vector<Directive>& directives, const CspGuests& guests, Amendment& change,
                  CspVerdict& verdict) {
  const Directive* const rule = first_of(directives, {"script-src-elem", "script-src", "default-src"});
  if (rule == nullptr) return;
  if (lists(*rule, "'strict-dynamic'")) {  // section 6.7.1.1: URLs do not count any more
    const std::string nonce = nonce_of(*rule);
    if (nonce.empty() || (!verdict.nonce.empty() && verdict.nonce != nonce)) {
      verdict.possible = false;
      verdict.reason = "scripts are trusted by hashes or by differing nonces only";
    }
    verdict.nonce = nonce;
    return;
  }
  if (admits(*rule, guests.script_url) || (guests.script_is_same_origin && lists(*rule, "'self'"))) return;
  if (rule->name == "default-src") {
    change.narrow("script-src-elem", *rule, guests.script_url, false);
  } else {
    change.extend(*rule, guests.script_url);
  }
}

void admit_frame(const std::vector<Directive>& directives, const CspGuests& guests, Amendment& change) {
  const Directive* const rule = first_of(directives, {"frame-src", "child-src", "default-src"});
  if (rule == nullptr || admits(*rule, guests.frame_origin)) return;
  if (rule->name == "frame-src") {
    change.extend(*rule, guests.frame_origin);
  } else {
    change.narrow("frame-src", *rule, guests.frame_origin, true);
  }
}

CspVerdict admit_in_one(std::string& policy, const CspGuests& guests, const std::string& nonce) {
  CspVerdict verdict;
  verdict.nonce = nonce;
  const std::vector<Directive> directives = parse(policy);
  const auto cannot = [&verdict](std::string_view reason) {
    verdict.possible = false;
    verdict.reason = reason;
    return verdict;
  };
  if (const Directive* sandbox = first_of(directives, {"sandbox"})) {
    if (!lists(*sandbox, "allow-scripts")) return cannot("the page is in a sandbox without scripts");
    if (!lists(*sandbox, "allow-same-origin")) return cannot("the page is in a sandbox, of no origin");
  }
  // https://www.w3.org/TR/upgrade-insecure-requests/ section 3.2: what we offer over http would be asked for by https.
  const bool plain = guests.script_url.starts_with("http:") || guests.frame_origin.starts_with("http:");
  if (plain && first_of(directives, {"upgrade-insecure-requests"}) != nullptr)
    return cannot("the page asks for everything by https");
  Amendment change{policy};
  if (!guests.script_url.empty()) admit_script(directives, guests, change, verdict);
  if (!guests.frame_origin.empty()) admit_frame(directives, guests, change);
  if (!verdict.possible || change.empty()) return verdict;
  policy = change.applied();
  verdict.changed = true;
  return verdict;
}

}  // namespace

CspVerdict admit_guests(std::string& policies, const CspGuests& guests) {
  CspVerdict all;
  std::string out;
  std::string_view rest = policies;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    std::string one{rest.substr(0, comma)};
    const CspVerdict verdict = admit_in_one(one, guests, all.nonce);
    if (!verdict.possible) return verdict;
    all.nonce = verdict.nonce;
    all.changed |= verdict.changed;
    out += one;
    if (more) out += ',';
    rest.remove_prefix(more ? comma + 1 : rest.size());
  }
  if (all.changed) policies = std::move(out);
  return all;
}

CspVerdict admit_guests(HeaderMap& headers, const CspGuests& guests) {
  std::string policies = headers.joined(HeaderId::content_security_policy);
  CspVerdict verdict;
  if (!policies.empty()) verdict = admit_guests(policies, guests);
  if (!verdict.possible) return verdict;
  if (verdict.changed) headers.set(HeaderId::content_security_policy, policies);
  std::string reported = headers.joined(HeaderId::content_security_policy_report_only);
  if (!reported.empty() && admit_guests(reported, guests).changed)
    headers.set(HeaderId::content_security_policy_report_only, reported);
  return verdict;
}

}  // namespace outrider
