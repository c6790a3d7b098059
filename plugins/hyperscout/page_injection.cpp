#include "plugins/hyperscout/page_injection.hpp"

#include "base/content_security_policy.hpp"

#include <algorithm>

namespace outrider::hyperscout {
namespace {

bool is_embedder_policy_strict(const HeaderMap& headers) {
  const std::string policy = headers.joined("Cross-Origin-Embedder-Policy");
  return !policy.empty() && !policy.starts_with("unsafe-none");
}

}  // namespace

// The frame has the scheme of the page: an HTTPS page may show no frame over HTTP, and whoever gets an HTTPS page with
// our script in it trusts our authority.
PageInjection::PageInjection(const Url& page, const Settings& settings, std::unique_ptr<LinkWatch> watch)
    : script_url_(page.origin() + "/.well-known/outrider/hyperscout/" + std::string{kScriptFile}),
      frame_origin_(std::string{page.scheme()} + "://outrider.internal"),
      watch_(std::move(watch)) {
  for (const auto& [value, name] : enum_names(OnlyWith{}))
    if (value == settings.only_with && value != OnlyWith::none)
      attributes_ += " data-key=\"" + std::string{name} + "\"";
  if (settings.mark_dead_links) attributes_ += " data-marks=\"on\"";
}

void PageInjection::admitted(bool possible, const std::string& nonce) {
  // Nonces are base64 (CSP3 section 2.3.1): nothing in them needs an escape.
  const bool plain = std::none_of(nonce.begin(), nonce.end(), [](char c) { return c == '"' || c == '&' || c == '<'; });
  possible_ = possible_ && possible && plain && (nonce.empty() || nonce_.empty() || nonce == nonce_);
  if (!nonce.empty()) nonce_ = nonce;
}

void PageInjection::on_head(HeaderMap& headers) {
  // Such a page may show only frames that agree to be isolated with it; the card is for all pages.
  if (is_embedder_policy_strict(headers)) {
    possible_ = false;
    return;
  }
  const CspVerdict verdict = admit_guests(headers, {script_url_, true, frame_origin_});
  admitted(verdict.possible, verdict.nonce);
}

PageInterest PageInjection::interest() const {
  const PageInterest::Tags policy{"meta", "http-equiv"};
  if (!watch_) return PageInterest::in_head({policy});
  PageInterest interest = PageInterest::in({policy, {"meta", "name"}, {"base", "href"}, {"a", ""}, {"area", "href"}});
  for (const char* const element : {"nav", "header", "footer", "aside"}) interest.tags.push_back({element, ""});
  interest.end_tags = interest.text = interest.until_done = true;
  return interest;
}

void PageInjection::on_start_tag(const HtmlTag& tag, TagEdit& edit) {
  if (tag.key == html_name_key("meta") && tag.find("http-equiv") != nullptr && !in_body_) admit_by_meta(tag, edit);
  if (watch_) watch_->start_tag(tag);
}

// Policies in <meta> hold from where they stand (CSP3 section 3.3), and only in the head. What stands between </head>
// and <body> belongs to it, too (HTML standard, section 13.2.6.4.6): it comes too late for our script, but not for the
// frame.
void PageInjection::admit_by_meta(const HtmlTag& tag, TagEdit& edit) {
  std::string scratch;
  if (!possible_ || !equal_ignoring_case(tag.value(*tag.find("http-equiv"), scratch), "content-security-policy"))
    return;
  const HtmlAttribute* const content = tag.find("content");
  if (content == nullptr) return;
  std::string policy{tag.value(*content, scratch)};
  const CspVerdict verdict = admit_guests(policy, {script_url_, true, frame_origin_});
  admitted(verdict.possible, verdict.nonce);
  if (possible_ && verdict.changed && !edit.set_attribute("content", policy)) possible_ = false;
}

std::string PageInjection::insert_at(PagePlace place) {
  if (place >= PagePlace::body_start) in_body_ = true;
  if (place != PagePlace::head_end || !possible_) return {};
  const std::string nonce = nonce_.empty() ? "" : " nonce=\"" + nonce_ + "\"";
  return "<script async src=\"" + script_url_ + "\"" + nonce + attributes_ + "></script>";
}

}  // namespace outrider::hyperscout
