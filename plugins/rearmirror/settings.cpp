#include "plugins/rearmirror/settings.hpp"

#include "plugins/rearmirror/search_page.hpp"

namespace outrider {
namespace {

Refusal check_template(const std::string& text) {
  if (text.empty() || is_search_template(text)) return std::nullopt;
  return "must be an http or https address with {url} or {title} behind its host";
}

}  // namespace

void RearMirrorSettings::describe(SectionSchema<RearMirrorSettings>& s) {
  using namespace std::chrono_literals;
  using S = RearMirrorSettings;
  s.key("hits", &S::hits, "Pages that are shown from the memory.", Change::live, in_range(1, 200));
  s.key("search", &S::search,
        "Whether a search engine is asked for further pages: \"off\"; \"ask\": when you press the button; \"always\": "
        "for every open page that you look at while the panel is open. It tells the search engine what you read, "
        "so it is off.",
        Change::live);
  s.key("search_url", &S::search_url,
        "The address of the results, with {url} (of the page), {host} or {title} where these belong, for example "
        "\"https://search.example/?q={url}\".",
        Change::live, Rule<std::string>("an address with {url} or {title}", check_template));
  s.key("search_own_hosts", &S::search_own_hosts,
        "Links on the results page that are not results: those to these hosts and what is below them. The host "
        "of search_url is one of them anyway.",
        Change::live);
  s.key("search_unwrap", &S::search_unwrap,
        "Results that lead through the engine itself (/go?url=https%3A…): the query parameters that hold the real "
        "address.",
        Change::live);
  s.key("search_skip_texts", &S::search_skip_texts, "Links with these texts, in any case, are no results.",
        Change::live);
  s.key("search_hits", &S::search_hits, "Results that the robot looks at.", Change::live, in_range(1, 50));
  s.key("thumbnails", &S::thumbnails, "Whether hits have pictures.", Change::live);
  s.key("renderer", &S::renderer,
        "The Chromium that draws them, by its path. Empty: chromium or google-chrome if there is one. \"none\": "
        "pictures are those that the pages name themselves.",
        Change::needs_restart);
  s.key("renderer_without_sandbox", &S::renderer_without_sandbox,
        "Whether that may run without its sandbox, which it must where Outrider runs as root. A page that breaks out "
        "of it then has all rights of Outrider.",
        Change::needs_restart);
  s.key("render_time", &S::render_time, "How long the drawing of one page may take.", Change::needs_restart,
        in_range(1s, 60s));
  s.key("keep_thumbnails", &S::keep_thumbnails, "Pictures that are kept; the oldest goes first.", Change::live,
        in_range(0, 5000));
  s.check([](const S& settings) -> Refusal {
    if (settings.search != SearchMode::off && settings.search_url.empty()) return "search needs a search_url";
    return std::nullopt;
  });
}

}  // namespace outrider
