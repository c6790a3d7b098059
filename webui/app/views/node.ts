// Everything that is known about one address.
import { ask, live, Problem, query } from "../api";
import { h, outside, replace } from "../dom";
import { bytes, clock, count, day, split, when } from "../format";
import { chip, empty, facts, Overview, problemText, View } from "../view";
import { pageLink } from "./memory";

export const node: View = async (room, place, overview) => {
  const url = place.values.get("url") ?? "";
  // What is read, loaded or forgotten meanwhile; not under the eyes of somebody who is busy here.
  const busy = () => room.contains(document.activeElement) || !!room.querySelector(".stored-text, .trail");
  let due = 0;
  const soon = (news: any) => { if (!due && (!news || news.url === url)) due = window.setTimeout(() => { due = 0; if (!busy()) void draw(room, url, overview).catch(() => {}); }, 500); };
  const offs = ["visit", "node_new", "node_changed", "node_gone", "again"].map((kind) => live.on(kind, soon));
  const leave = () => { offs.forEach((off) => off()); clearTimeout(due); };
  try { await draw(room, url, overview); } catch (problem) { leave(); throw problem; }
  return leave;
};

async function draw(room: HTMLElement, url: string, overview: Overview) {
  let n: any;
  try {
    n = await ask("/nodes" + query({ url }));
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
    return replace(room, h("h1", {}, split(url).host), empty("Nothing is known about this address", "It has not come through Outrider, or it was forgotten. ", outside(url, "Open it")));
  }
  const page = n.page;
  const linksIn = h("div", {}), linksOut = h("div", {}), visits = h("div", {}), copy = h("div", {});
  const text = h("div", {}, h("button", { onclick: async () => {
    const known = await ask("/nodes" + query({ url, text: "true" }));
    replace(text, h("p", { class: "quiet" }, `As Outrider read it on ${when(n.last_fetched)}. Words only, nothing of the page runs here.`), h("div", { class: "stored-text", tabindex: "0", role: "region", "aria-label": "Stored text" }, known.page.text ?? ""));
  } }, "Show the text as it was stored"));
  replace(room,
    h("p", { class: "crumb" }, h("a", { href: "#/memory" }, "Memory"), " / ", split(url).host),
    h("h1", {}, page.title || url),
    h("p", { class: "address" }, outside(url)),
    h("p", { class: "marks" }, n.status ? chip(String(n.status), n.status >= 400 ? "warn" : "good") : chip("never loaded", "soft"),
      n.error !== "none" ? chip(n.error_text || n.error, "bad") : null, n.storage === "personal" ? chip("only for you", "accent") : null,
      page.language ? chip(page.language, "soft") : null, n.mime ? chip(n.mime, "soft") : null),
    page.description ? h("p", { class: "lead" }, page.description) : null,
    h("div", { class: "cards" },
      h("section", { class: "card" }, h("h2", {}, "What is known"), facts([
        ["Author", page.author], ["Published", page.published ? when(page.published) : ""], ["Words", page.word_count ? count(page.word_count) : ""],
        ["Time to read", page.reading_seconds ? `${Math.max(1, Math.round(page.reading_seconds / 60))} min` : ""], ["Size", n.decoded_size ? bytes(n.decoded_size) : ""],
        ["Leads on to", n.redirects_to ? pageLink(n.redirects_to) : ""], ["First seen", when(n.first_seen)], ["Last loaded", when(n.last_fetched) + (n.fetched_by === "robot" ? " (robot)" : "")],
        ["Last changed", when(n.last_changed)], ["Loaded", n.fetches === 0 ? "" : n.fetches === 1 ? "once" : `${count(n.fetches)} times`],
        ["Your visits", n.visits ? `${count(n.visits)}, last ${when(n.last_visit)}` : "none"]])),
      overview.parts.cache ? h("section", { class: "card" }, h("h2", {}, "Stored copy"), copy) : null),
    n.observations.length ? h("section", {}, h("h2", {}, "Versions"), versions(n.observations)) : null,
    n.has_text ? h("section", {}, h("h2", {}, "Stored text"), text) : null,
    h("section", {}, h("h2", {}, `Linked from ${count(n.in_degree)} pages`), linksIn),
    h("section", {}, h("h2", {}, `Links to ${count(n.out_degree)} pages`), linksOut),
    h("section", {}, h("h2", {}, "Your visits"), visits),
    overview.role === "admin" && overview.parts.tasks ? h("p", { class: "actions" }, h("a", { class: "button", href: "#/tasks" + query({ url }) }, "Send the robot from here")) : null,
    overview.role === "admin" ? forget(url) : null);
  await Promise.all([links("in", linksIn), links("out", linksOut), visited(visits), stored(copy)]);

  async function links(direction: "in" | "out", into: HTMLElement) {
    const list = h("ul", { class: "links" }), more = h("button", { hidden: true }, "More");
    let any = false;
    async function load(cursor: string | null) {
      const answer = await ask("/links" + query({ url, direction, limit: 50, cursor }));
      for (const link of answer.links) {
        any = true;
        const other = direction === "in" ? link.source : link.target;
        const there = split(other), elsewhere = there.host !== split(url).host;  // what others call this page says little about them
        list.append(h("li", {}, pageLink(other, direction === "out" ? link.text || there.rest : there.rest), h("span", { class: "quiet" }, direction === "in" && link.text ? ` “${link.text}”` : "", elsewhere ? " " + there.host : "",
          link.kind !== "anchor" ? " · " + link.kind : "", link.reach === "external" ? " · leaves the site" : "")));
      }
      more.hidden = !answer.next;
      more.onclick = () => void load(answer.next);
    }
    await load(null);
    replace(into, any ? list : h("p", { class: "quiet" }, direction === "in" ? "No page that came by here links to it." : "It links nowhere, or was not loaded yet."), more);
  }
  async function visited(into: HTMLElement) {
    const list = (await ask("/visits" + query({ url, limit: 20 }))).visits;
    if (!list.length) return replace(into, h("p", { class: "quiet" }, "None."));
    replace(into, h("ul", { class: "visits" }, ...list.map((v: any) => {
      const trail = h("div", {});
      return h("li", {}, h("time", { datetime: v.at }, `${day(v.at)}, ${clock(v.at).slice(0, 5)}`),
        h("div", {}, h("button", { class: "plain", onclick: async () => {
          const steps = (await ask("/trail" + query({ visit: v.id }))).trail.reverse();
          replace(trail, h("ol", { class: "trail" }, ...steps.map((s: any) => h("li", {}, pageLink(s.url, s.title || s.url), s.link_text ? h("span", { class: "quiet" }, ` by “${s.link_text}”`) : null))));
        } }, "How you came here"), trail));
    })));
  }
  async function stored(into: HTMLElement) {
    if (!overview.parts.cache) return;
    const found = await ask("/cache/lookup" + query({ url })).catch(() => null);
    if (!found || !found.kept) return replace(into, h("p", { class: "quiet" }, "None that everybody may see."));
    replace(into, ...found.variants.map((v: any) => facts([["Received", when(v.received)], ["Size", bytes(v.bytes)], ["Type", v.content_type],
      ["State", v.fresh ? "fresh" : "to be confirmed before it is used"]])));
  }
}

// Every look at the page as a mark: filled where it had changed since the look before.
function versions(seen: { at: string; changed: boolean }[]): HTMLElement {
  const changes = seen.filter((o) => o.changed).length;
  return h("div", {}, h("p", { class: "quiet" }, seen.length === 1 ? "Looked at once." : `The last ${seen.length} looks: ${changes === 0 ? "it has not changed" : changes === 1 ? "it changed once" : `it changed ${changes} times`}.`),
    h("ol", { class: "versions" }, ...seen.map((o) => h("li", { class: o.changed ? "changed" : "" }, h("span", { class: "mark", title: when(o.at) }), h("span", { class: "hidden" }, `${when(o.at)}: ${o.changed ? "changed" : "the same"}`)))),
    h("p", { class: "quiet ends" }, h("span", {}, when(seen[0].at)), seen.length > 1 ? h("span", {}, when(seen[seen.length - 1].at)) : null));
}

function forget(url: string): HTMLElement {
  const site = split(url).host.replace(/:\d+$/, "");
  const said = h("p", { role: "status" });
  const button = (words: string, what: object) => h("button", { class: "danger", onclick: async () => {
    if (!confirm(`${words}?\n\nThe stored copies, what is known, links and visits are removed from the disk. This cannot be undone.`)) return;
    said.textContent = "Forgetting …";
    try {
      await ask("/forget", "POST", what);
      said.textContent = "Forgotten.";
    } catch (problem) { said.textContent = problemText(problem); }
  } }, words);
  return h("section", { class: "forget" }, h("h2", {}, "Forget"), h("p", { class: "actions" }, button("Forget this page", { url }), button(`Forget everything of ${site}`, { site })), said);
}
