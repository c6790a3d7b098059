// The robot's work: a table of tasks, a form for new ones, and the page of one task.
import { ask, live, query } from "../api";
import { h, outside, replace, svg } from "../dom";
import { bytes, clock, count, when } from "../format";
import { chip, empty, facts, problemText, View } from "../view";

const tones: Record<string, string> = { running: "good", waiting: "accent", paused: "warn", finished: "soft", stopped: "soft", expired: "soft", failed: "bad" };
const done = (s: any) => s.downloaded + s.cache_hits + s.failed;

interface Preset { name: string; words: string; spec: Record<string, any> }
const presets: Preset[] = [
  { name: "This site", words: "Every page of the site, breadth first.", spec: { restriction: "internal", order: "breadth_first", depth: -1 } },
  { name: "Two clicks around here", words: "The page, what it links to, and what those link to.", spec: { restriction: "all", depth: 2, max_documents: 500 } },
  { name: "Watch this page", words: "Loads it again every hour, and notes whether it changed.", spec: { depth: 0, repeat: 3600, check_memory: false } },
  { name: "Check links", words: "Asks only for heads: which links of the site are dead?", spec: { restriction: "internal", depth: -1, head_only: true, follow_embedded: true } },
];

function progress(s: any): HTMLElement {
  const total = Math.max(s.queued, 1);
  const bar = h("progress", { max: total, value: done(s), "aria-label": "Progress" });
  return h("span", { class: "progress" }, bar, " ", h("span", { class: "quiet" }, `${Math.round(100 * done(s) / total)} %`));
}

function actions(task: any, changed: () => void, said: HTMLElement): HTMLElement {
  const tell = (verb: string, words: string, className = "plain") => h("button", { class: className, onclick: async () => {
    try {
      await (verb === "" ? ask(`/tasks/${task.id}`, "DELETE") : ask(`/tasks/${task.id}/${verb}`, "POST"));
      said.textContent = "";
      changed();
    } catch (problem) { said.textContent = problemText(problem); }
  } }, words, h("span", { class: "hidden" }, ` task ${task.id}`));
  const active = task.state === "running" || task.state === "waiting";
  return h("span", { class: "actions" }, active ? tell("pause", "Pause") : null, task.state === "paused" ? tell("resume", "Resume") : null,
    active || task.state === "paused" ? tell("stop", "Stop") : tell("", "Delete"));
}

export const tasks: View = async (room, place, overview) => {
  const id = place.values.get("id");
  if (id) return one(room, id, overview.role === "admin");
  const table = h("div", {});
  const said = h("p", { role: "status", class: "quiet" });
  async function draw() {
    const list = (await ask("/tasks")).tasks;
    if (!list.length)
      return replace(table, empty("The robot has nothing to do", overview.role === "admin" ? "Give it a page to start from: choose a preset above." : "Nobody has given it a task."));
    replace(table, h("div", { class: "wide" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {},
      ...["Task", "State", "Depth", "Order", "Open", "Found", "Errors", "Progress", ""].map((t) => h("th", { scope: "col", class: ["Depth", "Open", "Found", "Errors"].includes(t) ? "number" : "" }, t)))),
      h("tbody", {}, ...list.map((t: any) => h("tr", {},
        h("td", {}, h("a", { href: "#/tasks?id=" + t.id }, t.spec.name || t.spec.start[0] || `Task ${t.id}`), t.spec.name ? h("p", { class: "quiet where" }, t.spec.start[0]) : null),
        h("td", {}, chip(t.state, tones[t.state])), h("td", { class: "number" }, t.spec.depth < 0 ? "∞" : t.spec.depth), h("td", {}, t.spec.order.replace(/_/g, " ")),
        h("td", { class: "number" }, count(t.statistics.pending)), h("td", { class: "number" }, count(t.statistics.pages)), h("td", { class: "number" }, count(t.statistics.failed)),
        h("td", {}, progress(t.statistics)), h("td", {}, overview.role === "admin" ? actions(t, draw, said) : "")))))));
  }
  replace(room, h("h1", {}, "Tasks"), overview.role === "admin" ? form(place.values.get("url") ?? "", draw) : null, said, table);
  await draw();
  return live.on("stats", every(2, draw));
};

function every(seconds: number, draw: () => Promise<any>): () => void {
  let tick = 0;
  return () => { if (++tick % seconds === 0 && !document.activeElement?.closest("table")) void draw().catch(() => {}); };
}

function form(url: string, created: () => void): HTMLElement {
  let chosen = presets[1];
  const start = h("input", { id: "start", type: "text", inputmode: "url", required: true, placeholder: "https://example.org/", autocomplete: "off" });
  start.value = url;
  const words = h("p", { class: "quiet" }, chosen.words);
  const field = (name: string, label: string, input: HTMLElement) => h("div", { class: "field" }, h("label", { for: name }, label), input);
  const number = (name: string, value: string | number, min = -1) => { const i = h("input", { id: name, type: "number", min }); i.value = String(value); return i; };
  const pick = (name: string, values: string[]) => h("select", { id: name }, ...values.map((v) => h("option", { value: v }, v.replace(/_/g, " "))));
  const depth = number("depth", ""), most = number("most", "", 0), priority = number("priority", 0, -10);
  const restriction = pick("restriction", ["internal", "all", "external", "subdirectories", "hosts"]);
  const order = pick("order", ["breadth_first", "depth_first", "fair_breadth_first", "best_first", "random"]);
  const extra = h("textarea", { id: "extra", rows: 4, spellcheck: "false", placeholder: '{"exclude_paths": ["/login"], "languages": ["de"]}' });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  function take(preset: Preset) {
    chosen = preset;
    words.textContent = preset.words;
    depth.value = String(preset.spec.depth ?? -1);
    most.value = String(preset.spec.max_documents ?? 0);
    restriction.value = preset.spec.restriction ?? "internal";
    order.value = preset.spec.order ?? "breadth_first";
  }
  const radios = presets.map((preset) => {
    const radio = h("input", { type: "radio", name: "preset", id: "preset-" + preset.name.replace(/\W/g, ""), onchange: () => take(preset) });
    radio.checked = preset === chosen;
    return h("label", { class: "preset" }, radio, " ", preset.name);
  });
  take(chosen);
  return h("form", { class: "card task-form", onsubmit: async (event: Event) => {
    event.preventDefault();
    problem.hidden = true;
    try {
      const more = extra.value.trim() ? JSON.parse(extra.value) : {};
      await ask("/tasks", "POST", { ...chosen.spec, name: chosen.name, start: start.value.trim().split(/\s+/), depth: Number(depth.value), max_documents: Number(most.value),
        priority: Number(priority.value), restriction: restriction.value, order: order.value, ...more });
      start.value = "";
      created();
    } catch (failed) {
      problem.textContent = problemText(failed);
      problem.hidden = false;
    }
  } },
    h("h2", {}, "New task"),
    h("div", { class: "search" }, h("label", { for: "start", class: "hidden" }, "Start page"), start, h("button", { class: "primary", type: "submit" }, "Start")),
    h("fieldset", {}, h("legend", { class: "hidden" }, "What to do"), ...radios), words,
    h("details", {}, h("summary", {}, "All parameters"), h("div", { class: "fields-grid" },
      field("depth", "Depth (−1 = no limit)", depth), field("most", "Pages at most (0 = no limit)", most), field("priority", "Priority (−10 to 10)", priority),
      field("restriction", "Where it may go", restriction), field("order", "Order", order)),
      field("extra", "Everything else, as in the API (JSON)", extra)), problem);
}

// Fetched and open over time, from the beginning to now.
function timeline(points: any[]): SVGElement | null {
  if (points.length < 2) return null;
  const begin = +new Date(points[0].at), end = Math.max(+new Date(points[points.length - 1].at), begin + 1);
  const top = Math.max(1, ...points.map((p) => Math.max(p.fetched, p.pending)));
  const line = (key: string) => points.map((p) => `${(100 * (+new Date(p.at) - begin) / (end - begin)).toFixed(2)},${(30 - 28 * p[key] / top).toFixed(2)}`).join(" ");
  return svg("svg", { viewBox: "0 0 100 31", preserveAspectRatio: "none", role: "img", "aria-label": "Fetched and open addresses over time", class: "timeline" },
    svg("polyline", { points: line("fetched"), class: "line" }), svg("polyline", { points: line("pending"), class: "line second" }));
}

async function one(room: HTMLElement, id: string, admin: boolean) {
  const said = h("p", { role: "status", class: "quiet" });
  const body = h("div", {});
  const ask_url = h("input", { id: "why", type: "text", inputmode: "url", placeholder: "https://example.org/page" });
  const fate = h("p", { role: "status" });
  async function draw() {
    const t = await ask("/tasks/" + id), s = t.statistics;
    const rejected = Object.entries<number>(s.rejected ?? {}).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
    replace(body,
      h("p", { class: "marks" }, chip(t.state, tones[t.state]), t.why ? h("span", { class: "quiet" }, t.why) : null),
      admin ? actions(t, () => void draw().catch(() => { location.hash = "#/tasks"; }), said) : null, progress(s), timeline(t.timeline ?? []), (t.timeline ?? []).length > 1 ? h("p", { class: "quiet" }, "Over time: fetched (line) and still open (dashes).") : null,
      h("div", { class: "cards" },
        h("section", { class: "card" }, h("h2", {}, "Numbers"), facts([["Looked at", count(s.checked)], ["To be fetched", count(s.queued)], ["Loaded", count(s.downloaded)],
          ["From memory", count(s.cache_hits)], ["Failed", count(s.failed)], ["Open", count(s.pending)], ["Pages found", count(s.pages)], ["Bytes", bytes(s.bytes)],
          ["Began", t.started ? when(t.started) : ""], ["Ended", t.ended ? when(t.ended) : ""]])),
        h("section", { class: "card" }, h("h2", {}, "Not followed"), rejected.length ? facts(rejected.map(([why, n]) => [why.replace(/_/g, " "), count(n)])) : h("p", { class: "quiet" }, "Nothing so far.")),
        h("section", { class: "card" }, h("h2", {}, "Hosts"), (t.hosts ?? []).length ? facts(t.hosts.slice(0, 20).map((x: any) => [x.host, `${count(x.fetched)} loaded, ${count(x.waiting)} waiting${x.failed ? `, ${count(x.failed)} failed` : ""}`])) : h("p", { class: "quiet" }, "None in memory."))),
      (t.open_urls ?? []).length ? h("section", {}, h("h2", {}, "Loading now"), h("ul", { class: "links" }, ...t.open_urls.slice(0, 50).map((u: string) => h("li", {}, outside(u))))) : null,
      h("details", {}, h("summary", {}, "Parameters"), h("pre", {}, JSON.stringify(t.spec, null, 2))));
    title.textContent = t.spec.name ? `${t.spec.name}: ${t.spec.start[0]}` : t.spec.start[0];
  }
  const title = h("h1", {}, "Task " + id);
  replace(room, h("p", { class: "crumb" }, h("a", { href: "#/tasks" }, "Tasks"), " / ", id), title, said, body,
    h("form", { class: "why", onsubmit: async (event: Event) => {
      event.preventDefault();
      try {
        const f = await ask(`/tasks/${id}/why-not` + query({ url: ask_url.value.trim() }));
        fate.textContent = f.state === "unknown" ? "The task has not come across it." : `${f.state}${f.reason !== "none" ? `: ${f.reason.replace(/_/g, " ")}` : ""}${f.detail ? ` (${f.detail})` : ""}`;
      } catch (problem) { fate.textContent = problemText(problem); }
    } }, h("h2", {}, "What became of an address?"), h("div", { class: "search" }, h("label", { for: "why", class: "hidden" }, "Address"), ask_url, h("button", { type: "submit" }, "Ask")), fate));
  await draw();
  return live.on("stats", every(2, draw));
}
