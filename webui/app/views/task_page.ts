// One task: how far it is, what it found, what it left aside and why, and the picture of its links.
import { ask, live, query } from "../api";
import { h, outside, replace, svg } from "../dom";
import { bytes, clock, count, split, when } from "../format";
import { Graph, Spot } from "../graph";
import { chip, facts, problemText } from "../view";
import { pageLink } from "./memory";
import { explained, inWords, isEmpty, rejections, tones } from "./task_words";
import { actions, progress } from "./tasks";

// Fetched and open addresses over time, from the beginning to now.
function timeline(points: any[], ended: boolean): HTMLElement | null {
  if (points.length < 2) return ended ? null : h("p", { class: "quiet" }, "The time line begins with the first pages.");
  const begin = +new Date(points[0].at), end = Math.max(+new Date(points[points.length - 1].at), begin + 1);
  const top = Math.max(1, ...points.map((p) => Math.max(p.fetched, p.pending)));
  const x = (p: any) => 100 * (+new Date(p.at) - begin) / (end - begin), y = (n: number) => 40 - 37 * n / top;
  const line = (key: string) => points.map((p) => `${x(p).toFixed(2)},${y(p[key]).toFixed(2)}`).join(" ");
  const last = points[points.length - 1];
  return h("figure", { class: "timeline" },
    svg("svg", { viewBox: "0 0 100 41", preserveAspectRatio: "none", role: "img", "aria-label": `From ${clock(points[0].at)} to ${clock(last.at)}: ${last.fetched} fetched, ${last.pending} open, ${last.failed} failed` },
      svg("polygon", { points: `0,41 ${line("fetched")} 100,41`, class: "area" }), svg("polyline", { points: line("fetched"), class: "line" }),
      svg("polyline", { points: line("pending"), class: "line second" }), svg("polyline", { points: line("failed"), class: "line third" })) as unknown as HTMLElement,
    h("figcaption", {}, h("span", {}, clock(points[0].at)), h("span", { class: "key first" }, `fetched ${count(last.fetched)}`), h("span", { class: "key second" }, `open ${count(last.pending)}`),
      h("span", { class: "key third" }, `failed ${count(last.failed)}`), h("span", {}, clock(last.at))));
}

// Why an address was not loaded; "" = it was, or may still be.
function obstacle(u: any): string {
  if (u.state === "rejected") return inWords(u.reason) + (u.detail ? `: ${u.detail}` : "");
  return u.state === "failed" ? u.detail || (u.status ? `status ${u.status}` : "no answer") : "";
}

const kMostAtOnce = 1000;  // the API gives no more
// Key, title, and what is said where there is none: while the task goes on, and at its end.
const lists: [string, string, string, string][] = [
  ["fetched", "Results", "Nothing has been loaded yet.", "Nothing could be loaded."], ["failed", "Failed", "Nothing has failed.", "Nothing has failed."],
  ["rejected", "Not followed", "Every link was followed so far.", "Every link was followed."], ["queued", "Waiting", "Nothing waits.", "Nothing waits."]];

function addresses(id: string): { element: HTMLElement; refresh: (whatever?: boolean) => void; end: (ended: boolean) => void } {
  let state = "fetched", showing = 0, ended = false;
  const body = h("tbody", {}), said = h("p", { class: "quiet", role: "status" }), more = h("button", { hidden: true }, "More"), lack = h("p", { class: "quiet", hidden: true });
  const tabs = lists.map(([key, words]) => h("button", { role: "tab", id: "tab-" + key, "aria-selected": String(key === state), "aria-controls": "addresses", onclick: () => choose(key) }, words));
  const table = h("div", { id: "addresses", role: "tabpanel", "aria-labelledby": "tab-fetched", class: "wide" }, h("table", { class: "plain addresses" }, h("caption", { class: "hidden" }, "Addresses of this task"), h("thead", {}, h("tr", {},
    ...["Address", "Found on", "What"].map((t) => h("th", { scope: "col" }, t)), h("th", { scope: "col", class: "number" }, "Depth"), h("th", { scope: "col", class: "number" }, "Size"))), body));
  const files = h("p", { class: "actions" });
  function choose(key: string) {
    state = key;
    tabs.forEach((tab, i) => tab.setAttribute("aria-selected", String(lists[i][0] === key)));
    table.setAttribute("aria-labelledby", "tab-" + key);
    replace(files, "Export ", ...["csv", "json"].map((format) => h("a", { href: `/api/v1/tasks/${id}/export` + query({ state, format }), download: `task-${id}.${format}` }, format.toUpperCase())));
    void load(true);
  }
  function row(u: any): HTMLElement {
    const what = obstacle(u) || (u.state === "fetched" ? u.title ?? "" : "");
    return h("tr", {}, h("td", { class: "url" }, u.state === "rejected" || u.state === "queued" ? outside(u.url) : pageLink(u.url), u.mime && u.mime !== "text/html" ? h("span", { class: "quiet" }, " " + u.mime) : null),
      h("td", { class: "url quiet" }, u.from ? split(u.from).rest : "start"), h("td", {}, what), h("td", { class: "number" }, u.depth), h("td", { class: "number" }, u.bytes ? bytes(u.bytes) : ""));
  }
  function explain() {
    const [, , going, atEnd] = lists.find(([key]) => key === state)!;
    said.textContent = showing ? "" : ended ? atEnd : going;
  }
  let turn = 0, loaded = false;
  async function load(anew: boolean, cursor: string | null = null) {
    const mine = ++turn, wanted = anew ? Math.max(showing, 50) : 50, found: HTMLElement[] = [];
    let next: string | null = cursor, tries = 0;
    try {
      do {  // an answer may be short although there is more
        const answer = await ask(`/tasks/${id}/urls` + query({ state, limit: Math.min(wanted - found.length, kMostAtOnce), cursor: next }));
        if (mine !== turn) return;
        found.push(...answer.urls.map(row));
        next = answer.next;
        lack.textContent = answer.incomplete ?? "";
      } while (next && found.length < wanted && ++tries < 40);
    } catch (problem) { said.textContent = problemText(problem); return; }
    if (anew) replace(body, ...found); else body.append(...found);
    showing = body.children.length;
    loaded = true;
    explain();
    (table.firstChild as HTMLElement).hidden = !showing;
    more.hidden = !next;
    more.onclick = () => void load(false, next);
    lack.hidden = !!next || !lack.textContent;  // as long as there is more, that is what is missing
  }
  const element = h("section", {}, h("h2", {}, "Addresses"), h("div", { class: "tabs" }, h("div", { role: "tablist", "aria-label": "Addresses of this task" }, ...tabs), files), said, table, more, lack);
  choose(state);
  return { element, refresh: (whatever = false) => { if (whatever || !table.contains(document.activeElement)) void load(true); },
    end: (now: boolean) => { ended = now; if (loaded) explain(); } };
}

// Of the first address that could not be loaded.
async function firstObstacle(t: any): Promise<string> {
  const [first] = (await ask(`/tasks/${t.id}/urls` + query({ state: t.statistics.failed ? "failed" : "rejected", limit: 1 }))).urls;
  return first ? obstacle(first) : "";
}

function picture(id: string): { element: HTMLElement; grow: () => void; anew: () => void; stop: () => void } {
  const graph = new Graph();
  const picked = h("p", { class: "quiet picked", role: "status" }, "Drag to move, turn the wheel to come nearer, click a page to see what it is.");
  let place = "", busy = false, stopped = false, walk = 0;
  graph.onPick = (spot: Spot) => replace(picked, chip(spot.state, spot.state === "failed" ? "bad" : spot.state === "fetched" ? "accent" : "soft"), " ", pageLink(spot.url), ` · ${spot.depth} ${spot.depth === 1 ? "click" : "clicks"} from the start`);
  async function grow() {
    if (busy || stopped || !element.open) return;
    busy = true;
    try {
      for (let i = 0, more = true; more && i < 30 && !stopped; i++) {
        const mine = walk, answer = await ask(`/tasks/${id}/graph` + query({ cursor: place, limit: 1000 }));
        if (mine !== walk) continue;  // of a server that is gone: its places mean nothing to the next one
        if (answer.begins_anew) graph.clear();
        const same = place === answer.next;
        place = answer.next;
        graph.add(answer.nodes, answer.edges);
        more = answer.more && !same && !graph.full;
      }
      if (graph.full) picked.textContent = `The picture shows the first ${count(graph.size)} pages.`;
    } catch { /* the list says what is wrong */ }
    busy = false;
  }
  const tool = (words: string, label: string, action: () => void) => h("button", { onclick: action, "aria-label": label }, words);
  const element = h("details", { class: "picture", open: true, ontoggle: () => void grow() }, h("summary", {}, h("h2", {}, "Links")),
    h("div", { class: "stage" }, graph.canvas, h("div", { class: "stage-tools" }, tool("+", "Come nearer", () => graph.zoom(1.4)), tool("−", "Step back", () => graph.zoom(1 / 1.4)), tool("▢", "Show the whole graph", () => graph.whole()))),
    h("div", { class: "legend quiet" }, h("span", { class: "key dot-fetched" }, "loaded"), h("span", { class: "key dot-queued" }, "waiting"), h("span", { class: "key dot-failed" }, "failed")), picked);
  return { element, grow: () => void grow(), anew: () => { walk++; place = ""; graph.clear(); void grow(); }, stop: () => { stopped = true; graph.stop(); } };
}

export async function taskPage(room: HTMLElement, id: string, admin: boolean) {
  const said = h("p", { role: "status", class: "quiet" }), cards = h("div", {}), title = h("h1", {}, "Task " + id);
  const asked = h("input", { id: "why", type: "text", inputmode: "url", placeholder: "https://example.org/page", required: true });
  const fate = h("p", { role: "status" });
  // Drawn every second while somebody reads: buttons stay unless there are others now, and so does what has the focus or is open.
  const marks = h("span", { class: "marks state-line" }), buttons = h("span", {}), course = h("div", {});
  const spec = h("pre", {}), head = h("div", {}, h("p", { class: "marks state-line" }, marks, buttons), course);
  let state = "";
  async function draw() {
    const t = await ask("/tasks/" + id), s = t.statistics;
    const rejected = rejections(s), why = explained(t, isEmpty(t) ? await firstObstacle(t).catch(() => "") : "");
    title.textContent = t.spec.name ? `${t.spec.name}: ${t.spec.start[0]}` : t.spec.start[0];
    replace(marks, chip(t.state, isEmpty(t) ? "warn" : tones[t.state]), why ? h("span", { class: "quiet" }, why) : null, progress(t));
    list.end(t.state === "finished");
    replace(course, timeline(t.timeline ?? [], !!t.ended));
    spec.textContent = JSON.stringify(t.spec, null, 2);
    if (admin && state !== t.state) {
      const focused = buttons.contains(document.activeElement);
      replace(buttons, actions(t, () => void draw().catch(() => { location.hash = "#/tasks"; }), said));
      if (focused) buttons.querySelector("button")?.focus();
    }
    state = t.state;
    if (cards.contains(document.activeElement)) return;
    replace(cards, h("div", { class: "cards" },
      h("section", { class: "card" }, h("h2", {}, "Numbers"), facts([["Looked at", count(s.checked)], ["To be fetched", count(s.queued)], ["Loaded", count(s.downloaded)],
        ["From memory", count(s.cache_hits)], ["Failed", count(s.failed)], ["Open", count(s.pending)], ["Pages found", count(s.pages)], ["Bytes", bytes(s.bytes)],
        ["Began", t.started ? when(t.started) : ""], ["Ended", t.ended ? when(t.ended) : ""]])),
      h("section", { class: "card" }, h("h2", {}, "Not followed, and why"), rejected.length ? facts(rejected.map(([why, n]) => [inWords(why), count(n)])) : h("p", { class: "quiet" }, "Nothing so far.")),
      h("section", { class: "card" }, h("h2", {}, "Hosts"), (t.hosts ?? []).length ? facts(t.hosts.slice(0, 12).map((x: any) => [x.host, `${count(x.fetched)} loaded, ${count(x.waiting)} waiting${x.failed ? `, ${count(x.failed)} failed` : ""}`])) : h("p", { class: "quiet" }, "None at work."))),
      (t.open_urls ?? []).length ? h("section", {}, h("h2", {}, "Loading now"), h("ul", { class: "links" }, ...t.open_urls.slice(0, 20).map((u: string) => h("li", {}, outside(u))))) : null);
  }
  const list = addresses(id), graph = picture(id);
  replace(room, h("p", { class: "crumb" }, h("a", { href: "#/tasks" }, "Tasks"), " / ", id), title, said, head, graph.element, list.element, cards, h("details", {}, h("summary", {}, "Parameters"), spec),
    h("form", { class: "why", onsubmit: async (event: Event) => {
      event.preventDefault();
      try {
        const f = await ask(`/tasks/${id}/why-not` + query({ url: asked.value.trim() }));
        fate.textContent = f.state === "unknown" ? "The task has not come across it." : f.state === "rejected" ? `Not followed: ${inWords(f.reason)}${f.detail ? ` (${f.detail})` : ""}.`
          : f.state === "failed" ? `It failed: ${f.detail || inWords(f.reason)}.` : f.state === "queued" ? "It waits for its turn." : "It was loaded.";
      } catch (problem) { fate.textContent = problemText(problem); }
    } }, h("h2", {}, "Why not this one?"), h("p", { class: "quiet" }, "What became of an address in this task, and the rule that decided it."),
    h("div", { class: "search" }, h("label", { for: "why", class: "hidden" }, "Address"), asked, h("button", { type: "submit" }, "Ask")), fate));
  let due = 0;
  const offs = [live.on("task", (t) => {
    if (String(t.id) !== id || due) return;
    due = window.setTimeout(() => { due = 0; void draw().catch(() => {}); list.refresh(); graph.grow(); }, 400);
  }), live.on("again", () => { void draw().catch(() => {}); list.refresh(true); graph.anew(); })];
  const leave = () => { offs.forEach((off) => off()); clearTimeout(due); graph.stop(); };
  try { await draw(); } catch (problem) { leave(); throw problem; }
  graph.grow();
  return leave;
}
