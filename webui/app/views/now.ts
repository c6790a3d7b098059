// What passes through the proxy at this moment.
import { ask, live } from "../api";
import { h, replace, svg } from "../dom";
import { failureInWords } from "../failure_words";
import { bytes, clock, count, millis, seconds, split } from "../format";
import { chip, empty, facts, labelled, View } from "../view";

interface Exchange {
  id: string; time: string; client?: string; user?: string; method: string; url: string; host?: string; protocol: string;
  status: number; bytes_in: number; bytes_out: number; response_type?: string; cache?: string; error?: string;
  reused?: boolean; ms: Record<string, number>;
  request_fields?: [string, string][]; response_fields?: [string, string][];
}

const kKept = 500;    // exchanges that can be filtered and looked at
const kShown = 200;   // rows in the table
const kPoints = 60;   // seconds in a chart

// They outlive a visit to another view.
let kept: Exchange[] = [];
let points: { requests: number; bytes: number; hits: number; all: number }[] = [];
let lastTotals: any = null;
let connections = 0;

// The robot's tasks that are at work, by what the events say of them.
interface Work { id: number; name: string; start: string; pages: number; open: number; at: number }
const works = new Map<number, Work>();
let robotPoints: number[] = [], robotPages = 0;
function note(t: any) {
  const before = works.get(t.id), pages = t.statistics ? t.statistics.downloaded + t.statistics.cache_hits : 0;
  if (before && t.statistics) robotPages += Math.max(0, pages - before.pages);
  if (t.state !== "running") return void works.delete(t.id);
  works.set(t.id, { id: t.id, name: t.name, start: t.start, pages, open: t.statistics.pending, at: Date.now() });
}
live.on("task", note);
live.on("stats", () => {
  robotPoints.push(robotPages);
  robotPages = 0;
  if (robotPoints.length > kPoints) robotPoints.shift();
});
export async function learnTasks() {
  const { tasks } = await ask("/tasks?limit=100");
  works.clear();
  for (const t of tasks) note({ ...t, name: t.spec.name, start: t.spec.start[0] });
}

live.on("exchange", (e: Exchange) => {
  kept.unshift(e);
  if (kept.length > kKept) kept.length = kKept;
});
live.on("stats", (totals) => {
  if (lastTotals && totals.exchanges >= lastTotals.exchanges) {
    points.push({
      requests: totals.exchanges - lastTotals.exchanges,
      bytes: totals.bytes_out - lastTotals.bytes_out,
      hits: totals.from_cache - lastTotals.from_cache,
      all: totals.from_cache + totals.from_origin - lastTotals.from_cache - lastTotals.from_origin,
    });
    if (points.length > kPoints) points.shift();
  }
  connections = totals.connections;
  lastTotals = totals;
});
live.on("hello", () => { lastTotals = null; });

const verdictWords: Record<string, [string, string, string]> = {
  hit: ["from memory", "good", "Answered from what Outrider keeps. The origin was not asked."],
  revalidated: ["confirmed", "good", "Outrider had it, asked the origin whether it is still right, and it was."],
  stale: ["old copy", "warn", "Answered with a copy that is past its lifetime, because that was allowed or the origin could not be reached."],
  collapsed: ["shared", "good", "Somebody else was loading the same thing at that moment; one fetch served both."],
  miss: ["fetched", "", "Fetched from the origin."],
  bypass: ["passed", "", "Passed through without the cache: the method, a tunnel, or a rule."],
};

function tone(status: number): string {
  return status === 0 || status >= 500 ? "bad" : status >= 400 ? "warn" : status >= 300 ? "soft" : "";
}

function sparkline(values: number[], label: string): SVGElement {
  const top = Math.max(1, ...values);
  const step = 100 / (kPoints - 1);
  const at = values.map((v, i) => `${((kPoints - values.length + i) * step).toFixed(2)},${(30 - 28 * v / top).toFixed(2)}`);
  const picture = svg("svg", { viewBox: "0 0 100 31", preserveAspectRatio: "none", role: "img", "aria-label": label, class: "spark" });
  if (at.length > 1) {
    const first = at[0].split(",")[0], last = at[at.length - 1].split(",")[0];
    picture.append(svg("polygon", { points: `${first},31 ${at.join(" ")} ${last},31`, class: "area" }),
      svg("polyline", { points: at.join(" "), class: "line" }));
  }
  return picture;
}

function tile(name: string, value: string, values: number[]): HTMLElement {
  return h("div", { class: "tile" }, h("p", { class: "name" }, name), h("p", { class: "value" }, value),
    sparkline(values, `${name}, the last minute`));
}

function tiles(room: HTMLElement, robot: boolean) {
  const last = points[points.length - 1];
  const hits = points.reduce((sum, p) => sum + p.hits, 0), all = points.reduce((sum, p) => sum + p.all, 0);
  replace(room,
    tile("Requests a second", last ? count(last.requests) : "0", points.map((p) => p.requests)),
    tile("To your browsers", last ? bytes(last.bytes) + "/s" : "0 B/s", points.map((p) => p.bytes)),
    tile("From memory", all ? Math.round(100 * hits / all) + " %" : "–", points.map((p) => p.all ? p.hits / p.all : 0)),
    tile("Open connections", count(connections), []),
    robot ? tile("Robot, pages a second", count(robotPoints[robotPoints.length - 1] ?? 0), robotPoints) : null);
}

// Words of Outrider itself about this answer (RFC 9211), if they are there.
function reason(e: Exchange): string {
  for (const [name, value] of e.response_fields ?? []) {
    if (name.toLowerCase() !== "cache-status") continue;
    const said = /Outrider[^,]*?;\s*detail="((?:[^"\\]|\\.)*)"/.exec(value);
    if (said) return said[1].replace(/\\(.)/g, "$1");
    const left = /Outrider;\s*hit[^,]*?ttl=(-?\d+)/.exec(value);
    if (left) return Number(left[1]) > 0 ? `answered from what Outrider keeps; it stays fresh for another ${seconds(Number(left[1]))}` : "answered with a copy that is past its lifetime";
  }
  return "";
}

function waterfall(e: Exchange): HTMLElement {
  const names: [string, string][] = [["queue", "Waiting for a connection"], ["dns", "Looking up the name"], ["connect", "Connecting"],
    ["tls", "Encrypting"], ["first_byte", "Waiting for the answer"]];
  const total = Math.max(e.ms.total ?? 0, 0.001);
  const rows: [string, number, number][] = [];
  let at = 0;
  for (const [key, words] of names) {
    if (e.ms[key] === undefined) continue;
    rows.push([words, at, e.ms[key]]);
    at += e.ms[key];
  }
  rows.push([rows.length ? "Receiving" : "Answering", at, Math.max(total - at, 0)]);
  const scale = Math.max(total, at);
  return h("ul", { class: "waterfall" }, ...rows.map(([words, from, length]) => {
    const bar = h("span", { class: "bar" });
    bar.style.marginLeft = `${100 * from / scale}%`;
    bar.style.width = `${Math.max(100 * length / scale, 0.5)}%`;
    return h("li", {}, h("span", { class: "what" }, words), h("span", { class: "track" }, bar), h("span", { class: "number" }, millis(length)));
  }));
}

function fieldTable(title: string, fields: [string, string][] | undefined): HTMLElement | null {
  if (!fields || !fields.length) return null;
  return h("section", {}, h("h3", {}, title),
    h("table", { class: "fields" }, h("tbody", {}, ...fields.map(([name, value]) =>
      h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: value === "(not shown)" ? "quiet" : "" }, value))))));
}

function detail(e: Exchange, close: () => void): HTMLElement {
  const [words, colour, sentence] = verdictWords[e.cache ?? ""] ?? ["", "", "The cache had nothing to do with it."];
  const why = reason(e);
  return h("aside", { class: "detail", "aria-label": "One exchange" },
    h("div", { class: "bar-top" }, h("h2", { tabindex: "-1" }, `${e.method} ${e.status || "no answer"}`),
      h("button", { onclick: close, class: "plain" }, "Close")),
    h("p", { class: "address" }, e.url),
    h("p", { class: "verdict" }, words ? chip(words, colour) : null, " ", sentence, why ? ` ${why[0].toUpperCase()}${why.slice(1)}.` : ""),
    e.error ? h("p", { class: "problem" }, `It failed: ${failureInWords(e.error)}.`) : null,
    waterfall(e),
    facts([["Time", clock(e.time)], ["Client", e.client ?? ""], ["User", e.user ?? ""], ["Protocol", e.protocol],
      ["Type", e.response_type ?? ""], ["Sent to the client", bytes(e.bytes_out)], ["Received from it", e.bytes_in ? bytes(e.bytes_in) : ""],
      ["Connection to the origin", e.reused ? "used again" : e.ms.connect !== undefined ? "new" : ""], ["Exchange", e.id]]),
    fieldTable("Request", e.request_fields), fieldTable("Response", e.response_fields));
}

function robotWork(): HTMLElement | null {
  if (!works.size) return null;
  return h("section", { class: "robot-work" }, h("h2", {}, "The robot at work"), h("ul", {}, ...[...works.values()].slice(0, 5).map((w) =>
    h("li", {}, h("a", { href: "#/tasks?id=" + w.id }, w.name || `Task ${w.id}`), " ", h("span", { class: "quiet" }, `${w.start} · ${count(w.pages)} loaded, ${count(w.open)} open`)))));
}

export const now: View = (room, _place, overview) => {
  const robot = overview.parts.tasks;
  let paused: Exchange[] | null = null;
  let chosen: string | null = null;
  const text = h("input", { type: "search", id: "filter", placeholder: "host, path, status, type …", oninput: draw });
  const verdict = h("select", { id: "verdict", onchange: draw }, h("option", { value: "" }, "everything"),
    ...Object.entries(verdictWords).map(([key, [words]]) => h("option", { value: key }, words)));
  const pause = h("button", { "aria-pressed": "false", onclick: () => {
    paused = paused ? null : kept.slice();
    pause.setAttribute("aria-pressed", String(!!paused));
    pause.textContent = paused ? "Go on" : "Pause";
    draw();
  } }, "Pause");
  const clear = h("button", { class: "plain", onclick: () => { kept = []; if (paused) paused = []; draw(); } }, "Clear");
  const charts = h("div", { class: "tiles" });
  const list = h("div", { class: "list" });
  const side = h("div", { class: "side" });
  const said = h("p", { class: "quiet", role: "status" });
  replace(room, h("h1", {}, "Now"), charts,
    h("div", { class: "tools" }, labelled("Filter", text), labelled("Show", verdict), pause, clear, said),
    h("div", { class: "split" }, list, side));

  function fits(e: Exchange): boolean {
    if (verdict.value && e.cache !== verdict.value) return false;
    const wanted = text.value.trim().toLowerCase();
    if (!wanted) return true;
    const all = `${e.method} ${e.url} ${e.status} ${e.response_type ?? ""} ${e.client ?? ""} ${e.error ?? ""}`.toLowerCase();
    return wanted.split(/\s+/).every((word) => all.includes(word));
  }
  function choose(e: Exchange | null, focus: boolean) {
    chosen = e ? e.id : null;
    replace(side, e ? detail(e, close) : null);
    room.classList.toggle("has-detail", !!e);
    draw();
    if (focus) side.querySelector("h2")?.focus();
  }
  const buttonOf = (id: string) => list.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(id)}"] button`);
  function close() {
    const id = chosen;
    choose(null, false);
    ((id && buttonOf(id)) || text).focus();  // where it was opened, if that is still there
  }
  function row(e: Exchange): HTMLElement {
    const { host, rest } = split(e.url);
    const [words, colour] = verdictWords[e.cache ?? ""] ?? ["", ""];
    return h("tr", { class: e.id === chosen ? "chosen" : "", "data-id": e.id },
      h("td", { class: "time" }, clock(e.time)),
      h("td", {}, h("span", { class: "status " + tone(e.status) }, e.status || "—")),
      h("td", { class: "what" }, h("button", { class: "row", onclick: () => choose(e, true) },
        h("span", { class: "method" }, e.method), " ", h("span", { class: "host" }, host), h("span", { class: "rest" }, rest))),
      h("td", { class: "type" }, (e.response_type ?? "").replace(/^(text|application)\//, "")),
      h("td", { class: "number" }, bytes(e.bytes_out)),
      h("td", { class: "number" }, millis(e.ms.total ?? 0)),
      h("td", {}, words ? chip(words, colour) : ""));
  }
  function draw() {
    const source = paused ?? kept;
    const fitting = source.filter(fits);
    said.textContent = paused ? "Paused: new exchanges are kept, and shown when you go on." : "";
    if (!source.length)
      return replace(list, empty("Nothing passes at the moment", "Load a page in a browser that uses Outrider, and it appears here. Not connected yet? ",
        h("a", { href: "#/connect" }, "Connect a browser"), "."));
    if (!fitting.length) return replace(list, empty("Nothing fits the filter", "Use fewer words, or show everything."));
    const focused = list.contains(document.activeElement) ? document.activeElement!.closest("tr")?.dataset.id : null;
    replace(list, h("table", { class: "traffic" },
      h("caption", { class: "hidden" }, "Exchanges, the newest first"),
      h("thead", {}, h("tr", {}, ...["Time", "Status", "Address", "Type", "Size", "Took", "Cache"].map((name) =>
        h("th", { scope: "col", class: name === "Size" || name === "Took" ? "number" : name === "Type" ? "type" : "" }, name)))),
      h("tbody", {}, ...fitting.slice(0, kShown).map(row))));
    if (focused) buttonOf(focused)?.focus({ preventScroll: true });
  }
  let due = false;
  function soon() {
    if (due || paused) return;
    due = true;
    setTimeout(() => { due = false; if (room.isConnected) draw(); }, 150);
  }
  function keys(event: KeyboardEvent) {
    if (event.key === "Escape" && chosen) close();
  }
  document.addEventListener("keydown", keys);
  const work = h("div", {});
  charts.after(work);
  function figures() { tiles(charts, robot); if (!work.contains(document.activeElement)) replace(work, robotWork()); }
  const learn = () => { if (robot) void learnTasks().then(figures).catch(() => {}); };
  const offs = [live.on("exchange", soon), live.on("stats", figures), live.on("again", learn)];
  figures();
  learn();
  draw();
  return () => { offs.forEach((off) => off()); document.removeEventListener("keydown", keys); };
};
