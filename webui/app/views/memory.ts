// What has been read: search, and the history by day.
import { ask, live, query } from "../api";
import { h, replace } from "../dom";
import { clock, count, day, split, when } from "../format";
import { chip, empty, problemText, View } from "../view";

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

export const memory: View = async (room, place) => {
  const asked = place.values.get("q") ?? "";
  const field = h("input", { type: "search", id: "q", name: "q", placeholder: "words, \"a phrase\", -not, site:example.org, lang:de, visited:week", autocomplete: "off" });
  field.value = asked;
  const results = h("div", {});
  replace(room, h("h1", {}, "Memory"),
    h("form", { role: "search", class: "search", onsubmit: (event: Event) => {
      event.preventDefault();
      location.hash = "#/memory" + query({ q: field.value.trim() });
    } }, h("label", { for: "q", class: "hidden" }, "Search what you have read"), field, h("button", { class: "primary", type: "submit" }, "Search")),
    results);
  if (asked) return void (await search(asked, results));
  await history(results);
  let due = 0;
  const off = live.on("visit", () => { clearTimeout(due); due = window.setTimeout(() => { if (results.isConnected) void history(results); }, 500); });
  return () => { off(); clearTimeout(due); };
};

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
        visit.came_from ? chip("trail", "soft") : ""));
    }
    more.hidden = !answer.next;
    more.onclick = () => void load(answer.next);
  }
  await load(null);
  replace(room, any ? list : empty("Nothing has been read yet", "Pages that you open in a connected browser are listed here, by day. ",
    h("a", { href: "#/connect" }, "Connect a browser"), "."), more);
}
