// The page at http://outrider.internal/ and at the proxy's own address: does this browser use Outrider, does it trust
// its certificates, may Outrider open HTTPS; and how to change each of these. Written for people who are no engineers.
// Served by proxy/own_site; the steps for each platform are in proxy/onboarding_guide.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

struct OnboardingPage {
  std::string_view address;  // "127.0.0.1:8282": what a person enters as the proxy
  std::string_view version;
  bool has_metrics = false;
  bool in_use = false;             // the page itself came through the proxy
  bool this_machine_only = false;  // it can be reached from this machine alone: phones cannot use it
  // The authority; without it there is nothing to trust, and nothing is opened.
  std::string_view authority_name = {};
  std::string_view fingerprint = {};
  std::string_view authority_warning = {};  // its end is near
  bool intercepts = false;                  // HTTPS is opened now
  bool may_choose = false;                  // this visitor can switch that
  bool fixed_by_configuration = false;      // nobody can: tls.intercept says off or all
};
std::string onboarding_page(const OnboardingPage& facts);

// Finds out what only the browser knows and writes it into the page. Served as /onboarding.js: no page of ours has code
// inside.
std::string_view onboarding_script();
// What this page needs beyond the style of all pages.
std::string_view onboarding_style();
// The Content-Security-Policy of this page: its script may ask the two addresses by which it finds out.
std::string_view onboarding_policy();

}  // namespace outrider
