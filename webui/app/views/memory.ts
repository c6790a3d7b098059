// What has been read: search, and the history by day.
import { ask, live, query } from "../api";
import { h, replace } from "../dom";
import { clock, count, day, localDay, split, when } from "../format";
import { empty, labelled, problemText, View } from "../view";
import { trails } from "./trails";

export function pageLink(url: string, text?: string): HTMLElement {
  return h("a", { href: "#/node?url=" + encodeURIComponent(url) }, text || url);
}

// The ranges are bytes of UTF-8, not characters.
function marked(snippet: string, highlights: [number, number][]): HTMLElement {
  const bytes = new TextEncoder().encode(snippet), decoder = new TextDecoder();
  const out = h("p", { class: "snippet" });
  let at = 0;
  for (const [from, to] of highlights) {
    if (from < at || to > bytes.length) continue;
    out.append(decoder.decode(bytes.slice(at, from)), h("mark", {}, decoder.decode(bytes.slice(from, to))));
    at = to;
  }
  out.append(decoder.decode(bytes.slice(at)));
  return out;
}

// The filters that have a field of their own; the rest of the query is for the words.
const ages: [string, string][] = [["", "any time"], ["visited:today", "read today"], ["visited:week", "read this week"], ["visited:month", "read this month"], ["visited:year", "read this year"], ["visited:no", "not read yet"]];
const kinds: [string, string][] = [["", "any kind"], ["type:html", "pages"], ["type:pdf", "PDF"], ["type:text", "plain text"], ["type:image", "pictures"]];

export const memory: View = async (room, place, overview) => {
  const asked = place.values.get("q") ?? "", as = place.values.get("as") ?? "days";
  const results = h("div", {});
  const tab = (key: string, words: string) => h("a", { href: "#/memory" + query({ as: key === "days" ? "" : key }), "aria-current": !asked && as === key ? "true" : null }, words);
  replace(room, h("h1", {}, "Memory"), searchForm(asked),
    h("nav", { class: "tabs", "aria-label": "Ways to look at what you have read" }, tab("days", "By day"), tab("trail", "As a trail"), overview.role === "admin" ? tab("forget", "Forget") : null),
    results);
  if (asked) return void (await search(asked, results));
  if (as === "forget" && overview.role === "admin") return void forgetForm(results);
  const draw = as === "trail" ? () => trails(results, place.values.get("day") ?? "") : () => history(results);
  let due = 0;
  const soon = () => { clearTimeout(due); due = window.setTimeout(() => { if (results.isConnected && !results.contains(document.activeElement)) void draw(); }, 500); };
  const offs = [live.on("visit", soon), live.on("again", soon)], leave = () => { offs.forEach((off) => off()); clearTimeout(due); };
  try { await draw(); } catch (problem) { leave(); throw problem; }
  return leave;
};

function searchForm(asked: string): HTMLElement {
  let rest = asked;
  const take = (pattern: RegExp) => { const found = pattern.exec(rest); if (found) rest = rest.replace(found[0], " "); return found ? found[0].trim() : ""; };
  const site = take(/(^|\s)site:\S+/).slice(5), language = take(/(^|\s)lang:\S+/).slice(5);
  const age = take(/(^|\s)visited:(today|week|month|year|no)(?=\s|$)/), kind = take(/(^|\s)type:(html|pdf|text|image)(?=\s|$)/);
  const field = h("input", { type: "search", id: "q", name: "q", placeholder: "words, \"a phrase\", -not, either OR other", autocomplete: "off" });
  field.value = rest.replace(/\s+/g, " ").trim();
  const at = h("input", { id: "q-site", type: "text", placeholder: "example.org", size: 16, autocomplete: "off" }), of = h("input", { id: "q-lang", type: "text", placeholder: "de", size: 3, maxlength: 8, autocomplete: "off" });
  at.value = site; of.value = language;
  const pick = (id: string, list: [string, string][], chosen: string) => { const s = h("select", { id, onchange: go }, ...list.map(([value, words]) => h("option", { value }, words))); s.value = chosen; return s; };
  const when = pick("q-age", ages, age), what = pick("q-kind", kinds, kind);
  function go() {
    const words = [field.value.trim(), at.value.trim() ? "site:" + at.value.trim() : "", of.value.trim() ? "lang:" + of.value.trim() : "", when.value, what.value].filter(Boolean).join(" ");
    location.hash = "#/memory" + query({ q: words });
  }
  return h("form", { role: "search", onsubmit: (event: Event) => { event.preventDefault(); go(); } },
    h("div", { class: "search" }, h("label", { for: "q", class: "hidden" }, "Search what you have read"), field, h("button", { class: "primary", type: "submit" }, "Search")),
    h("div", { class: "tools filters" }, labelled("Site", at), labelled("Language", of), labelled("Visited", when), labelled("Kind", what)));
}

function forgetForm(room: HTMLElement) {
  const site = h("input", { id: "forget-site", type: "text", placeholder: "example.org", required: true, autocomplete: "off" });
  const last = h("select", { id: "forget-last" }, ...[["1h", "the last hour"], ["24h", "the last day"], ["7d", "the last week"]].map(([value, words]) => h("option", { value }, words)));
  const said = h("p", { role: "status" });
  async function forget(what: object, words: string) {
    if (!confirm(`${words}?\n\nStored copies, what is known, links, visits and search entries are removed from the disk. This cannot be undone.`)) return;
    said.textContent = "Forgetting …";
    try { await ask("/forget", "POST", what); said.textContent = "Forgotten. No file holds it any more."; } catch (problem) { said.textContent = problemText(problem); }
  }
  const form = (title: string, words: string, input: HTMLElement, label: string, send: () => void) => h("form", { class: "card", onsubmit: (event: Event) => { event.preventDefault(); send(); } },
    h("h2", {}, title), h("p", { class: "quiet" }, words), h("p", { class: "actions" }, h("label", { for: input.id, class: "hidden" }, label), input, h("button", { class: "danger", type: "submit" }, "Forget")));
  replace(room, said, h("div", { class: "cards" },
    form("A site", "A host and everything below it.", site, "Site", () => void forget({ site: site.value.trim() }, `Forget everything of ${site.value.trim()}`)),
    form("A time", "Everything that was seen in it.", last, "Time", () => void forget({ last: last.value }, `Forget ${last.selectedOptions[0].textContent}`)),
    h("form", { class: "card", onsubmit: (event: Event) => { event.preventDefault(); void forget({ all: true }, "Forget everything"); } }, h("h2", {}, "Everything"), h("p", { class: "quiet" }, "As if Outrider had never been there."), h("p", { class: "actions" }, h("button", { class: "danger", type: "submit" }, "Forget everything")))));
}

async function search(asked: string, room: HTMLElement) {
  const list = h("ol", { class: "hits" });
  const more = h("button", { hidden: true }, "More");
  const said = h("p", { class: "quiet", role: "status" });
  replace(room, said, list, more);
  async function load(cursor: string | null) {
    let answer: any;
    try {
      answer = await ask("/search" + query({ q: asked, cursor }));
    } catch (problem) {
      return replace(room, h("p", { class: "problem", role: "alert" }, problemText(problem)));
    }
    said.textContent = `About ${count(answer.estimated_total)} pages, ${(answer.took_us / 1000).toFixed(1)} ms`;
    if (answer.suggestion) said.append(" · Did you mean ", h("a", { href: "#/memory" + query({ q: answer.suggestion }) }, answer.suggestion), "?");
    if (!cursor && !answer.hits.length)
      return replace(room, empty("Nothing found", "Only pages that came through Outrider are searched. Try fewer or other words, or a filter alone: site:example.org"));
    for (const hit of answer.hits) {
      const { host, rest } = split(hit.url);
      list.append(h("li", {}, h("h2", {}, pageLink(hit.url, hit.title || hit.url)),
        h("p", { class: "where" }, host, h("span", { class: "quiet" }, rest)),
        marked(hit.snippet, hit.highlights),
        h("p", { class: "quiet" }, hit.visits ? `read ${hit.visits === 1 ? "once" : hit.visits + " times"}, last ${when(hit.last_visit)}` : "not read yet",
          hit.language ? ` · ${hit.language}` : "", hit.folded ? ` · ${hit.folded} more like this` : "")));
    }
    more.hidden = !answer.next;
    more.onclick = () => void load(answer.next);
  }
  await load(null);
}

async function history(room: HTMLElement) {
  const list = h("div", { class: "history" });
  const more = h("button", { hidden: true }, "Earlier");
  let lastDay = "", entries: HTMLElement | null = null, any = false;
  async function load(cursor: string | null) {
    const answer = await ask("/visits" + query({ limit: 50, cursor }));
    for (const visit of answer.visits) {
      any = true;
      const title = day(visit.at);
      if (title !== lastDay || !entries) {
        lastDay = title;
        entries = h("ul", { class: "visits" });
        list.append(h("h2", {}, title), entries);
      }
      entries.append(h("li", {}, h("time", { datetime: visit.at }, clock(visit.at).slice(0, 5)),
        h("div", {}, pageLink(visit.url, visit.title || visit.url), h("p", { class: "where quiet" }, split(visit.url).host,
          visit.link_text ? h("span", {}, " · by the link “", visit.link_text, "”") : null)),
        visit.came_from ? h("a", { class: "chip soft", href: "#/memory" + query({ as: "trail", day: localDay(new Date(visit.at)) }) }, "trail", h("span", { class: "hidden" }, " of this visit")) : ""));
    }
    more.hidden = !answer.next;
    more.onclick = () => void load(answer.next);
  }
  await load(null);
  replace(room, any ? list : empty("Nothing has been read yet", "Pages that you open in a connected browser are listed here, by day. ",
    h("a", { href: "#/connect" }, "Connect a browser"), "."), more);
}
