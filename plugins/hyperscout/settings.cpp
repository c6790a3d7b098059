#include "plugins/hyperscout/settings.hpp"

namespace outrider::hyperscout {

void Settings::describe(SectionSchema<Settings>& s) {
  using namespace std::chrono_literals;
  s.key("only_with", &Settings::only_with, "A key that must be held for a preview to come; none = no key is needed.",
        Change::live);
  s.key("mark_dead_links", &Settings::mark_dead_links,
        "Mark links on pages that are known to lead nowhere. The page does not learn which.", Change::live);
  s.key(
      "fetch", &Settings::fetch,
      "May the robot look at the page when somebody dwells on a link? It goes without cookies and obeys what keeps it "
      "from loading ahead (robot.prefetch).",
      Change::live);
  s.key("quiet_links", &Settings::quiet_links,
        "How many links of a page that was opened the robot looks at in advance, the most likely ones first; 0 = none.",
        Change::live, in_range(0, 50));
  s.key("fetches_per_minute", &Settings::fetches_per_minute,
        "Cards on pages of one site for which the robot may be sent in a minute. As many pages again may be loaded in "
        "advance.",
        Change::live, in_range(1, 600));
  s.key("refresh_after", &Settings::refresh_after,
        "What is known about a page is shown at once; if it is older than this, what the robot finds takes its place. "
        "For "
        "the pages of one site the robot looks at an address once in this time.",
        Change::live, in_range(1min, 24h * 365));
}

}  // namespace outrider::hyperscout
