#include "proxy/negotiation.hpp"

#include "base/http_header_id.hpp"
#include "base/http_lists.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr int kUnnamed = -1;

// In thousandths, because a weight has at most three decimals (RFC 9110 section 12.4.2). A malformed one counts as 0:
// what a client cannot express it does not get.
int parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 0;
  if (text.size() > 1 && text[1] != '.') return 0;
  int value = (text[0] - '0') * 1000;
  int unit = 100;
  for (const char digit : text.substr(std::min<std::size_t>(text.size(), 2))) {
    if (digit < '0' || digit > '9') return 0;
    value += (digit - '0') * unit;
    unit /= 10;
  }
  return value > 1000 ? 0 : value;
}

std::string_view media_range(std::string_view element) {
  const std::string_view range = element.substr(0, element.find(';'));
  return range.substr(0, range.find_last_not_of(" \t") + 1);
}

}  // namespace

AnswerForm preferred_form(std::string_view accept) {
  int html = kUnnamed, json = kUnnamed, text = kUnnamed, any_text = kUnnamed, anything = kUnnamed;
  ListReader list{accept};
  while (const auto element = list.next()) {
    const auto weight_text = find_parameter(*element, "q");
    const int weight = weight_text ? parse_weight(*weight_text) : 1000;
    const std::string_view range = media_range(*element);
    const auto note = [weight](int& best) { best = std::max(best, weight); };
    if (equal_ignoring_case(range, "text/html")) note(html);
    if (equal_ignoring_case(range, "application/json")) note(json);
    if (equal_ignoring_case(range, "application/problem+json")) note(json);
    if (equal_ignoring_case(range, "text/plain")) note(text);
    if (equal_ignoring_case(range, "text/*")) note(any_text);
    if (equal_ignoring_case(range, "*/*")) note(anything);
  }
  // The most specific range that matches text/plain decides about it.
  const int plain = std::max(0, text != kUnnamed ? text : any_text != kUnnamed ? any_text : anything);
  if (html > 0 && html >= json && html >= plain) return AnswerForm::html;
  if (json > 0 && json >= plain) return AnswerForm::json;
  return AnswerForm::text;
}

}  // namespace outrider
