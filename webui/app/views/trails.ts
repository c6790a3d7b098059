// The pages of one day as a picture: which led to which.
import { ask, query } from "../api";
import { h, replace, svg } from "../dom";
import { clock, day, localDay, midnight, split } from "../format";
import { empty } from "../view";

interface Visit { id: string; at: string; url: string; title: string; came_from: string | null; link_text: string }
interface Step { visit: Visit; column: number; row: number; parent: Step | null; children: Step[] }

const kWide = 250, kHigh = 58, kBoxWide = 214, kBoxHigh = 42, kMost = 300;

// A visit stands to the right of the one it came from; its first follower in the same row, the others below.
function laid(visits: Visit[]): Step[] {
  const steps = new Map<string, Step>(), roots: Step[] = [];
  for (const visit of visits.slice().reverse()) {  // oldest first
    const parent = visit.came_from ? steps.get(visit.came_from) ?? null : null;
    const step: Step = { visit, column: parent ? parent.column + 1 : 0, row: 0, parent, children: [] };
    steps.set(visit.id, step);
    (parent ? parent.children : roots).push(step);
  }
  let rows = 0;
  function place(step: Step) {
    step.row = rows;
    step.children.forEach((child, i) => { if (i) rows++; place(child); });
  }
  for (const root of roots) { place(root); rows++; }
  return [...steps.values()];
}

function box(step: Step): SVGElement {
  const v = step.visit, title = v.title || split(v.url).rest;
  const link = svg("a", { href: "#/node?url=" + encodeURIComponent(v.url), class: "step-box", transform: `translate(${step.column * kWide + 2},${step.row * kHigh + 2})` },
    svg("title", {}, `${title}\n${v.url}\n${clock(v.at)}${v.link_text ? `\nby the link “${v.link_text}”` : ""}`),
    svg("rect", { width: kBoxWide, height: kBoxHigh, rx: 8 }),
    // Words as HTML: only there what is too long ends in an ellipsis.
    svg("foreignObject", { width: kBoxWide, height: kBoxHigh }, h("p", { class: "title" }, title), h("p", { class: "where" }, `${clock(v.at).slice(0, 5)} ${split(v.url).host}`)));
  return link;
}

function line(step: Step): SVGElement | null {
  if (!step.parent) return null;
  const x0 = step.parent.column * kWide + kBoxWide + 2, y0 = step.parent.row * kHigh + kBoxHigh / 2 + 2, x1 = step.column * kWide + 2, y1 = step.row * kHigh + kBoxHigh / 2 + 2;
  const middle = (x0 + x1) / 2;
  return svg("path", { d: `M${x0},${y0} C${middle},${y0} ${middle},${y1} ${x1},${y1}`, class: "step-line" });
}

export async function trails(room: HTMLElement, wanted: string) {
  const today = localDay(new Date()), date = /^\d{4}-\d\d-\d\d$/.test(wanted) ? wanted : today;
  const begin = midnight(date), end = midnight(date, 1), before = localDay(midnight(date, -1)), next = localDay(end);
  const visits: Visit[] = (await ask("/visits" + query({ from: +begin / 1000, until: +end / 1000, limit: kMost }))).visits;
  const go = (words: string, to: string) => h("a", { href: "#/memory" + query({ as: "trail", day: to }) }, words);
  const title = h("p", { class: "actions trail-days" }, go("← Day before", before), h("strong", {}, day(begin.toISOString())), next <= today ? go("Day after →", next) : null);
  if (!visits.length) return replace(room, title, empty("Nothing was read on this day", "Pages that you open in a connected browser appear here, joined by the links that led from one to the next."));
  const steps = laid(visits);
  const wide = Math.max(...steps.map((s) => s.column)) * kWide + kBoxWide + 4, high = Math.max(...steps.map((s) => s.row)) * kHigh + kBoxHigh + 4;
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "group", "aria-label": `${steps.length} visits, each to the right of the page it came from` });
  for (const step of steps) { const l = line(step); if (l) picture.append(l); }
  for (const step of steps) picture.append(box(step));
  replace(room, title, h("div", { class: "trail-picture", tabindex: "0", role: "region", "aria-label": "Trail picture" }, picture as unknown as Node),
    h("p", { class: "quiet" }, visits.length === kMost ? `The last ${kMost} visits of the day.` : "Every page stands to the right of the one whose link led there."));
}
