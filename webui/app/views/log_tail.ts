// The newest lines of the log, the last one first: asked for once, then told as they are written.
import { ask, query } from "../api";
import { h, replace } from "../dom";
import { clock, count } from "../format";

interface Line { number: number; at: string; level: string; room: string; event: string; fields: string }
const kLevels = ["trace", "debug", "info", "warn", "error"], kKept = 500;

export function logTail(): { element: HTMLElement; load: (anew?: boolean) => Promise<void>; add: (line: Line) => void } {
  let lines: Line[] = [];  // the newest first
  const body = h("tbody", {}), lost = h("p", { class: "problem", hidden: true }), none = h("p", { class: "quiet" }, "Nothing of this level.");
  const level = h("select", { id: "log-level", onchange: draw }, ...kLevels.map((l) => h("option", { value: l, selected: l === "info" }, l)));
  const table = h("div", { class: "log", tabindex: "0", role: "region", "aria-label": "The newest lines of the log" }, h("table", {}, h("caption", { class: "hidden" }, "The newest lines of the log, the last one first"),
    h("thead", { class: "hidden" }, h("tr", {}, ...["Time", "Level", "Room", "Event"].map((t) => h("th", { scope: "col" }, t)))), body));
  const fits = (l: Line) => kLevels.indexOf(l.level) >= kLevels.indexOf(level.value);
  const row = (l: Line) => h("tr", { class: "level-" + l.level }, h("td", {}, clock(l.at)), h("td", {}, l.level), h("td", {}, l.room), h("td", {}, h("strong", {}, l.event), " ", l.fields));
  function showing() { none.hidden = !!body.firstChild; table.hidden = !body.firstChild; }
  function draw() { replace(body, ...lines.filter(fits).map(row)); showing(); }
  async function load(anew = false) {  // anew: of another run of the server, which counts anew
    if (anew) lines = [];
    const answer = await ask("/log" + query({ level: "trace", limit: kKept })), known = answer.lines.reverse();
    lines = [...lines.filter((l) => l.number > (known[0]?.number ?? 0)), ...known].slice(0, kKept);
    lost.hidden = !answer.lost;
    lost.textContent = `${count(answer.lost)} lines could not be written.`;
    draw();
  }
  function add(line: Line) {
    if (lines.length && line.number <= lines[0].number) return;  // the list has it already
    lines.unshift(line);
    if (fits(line)) body.prepend(row(line));
    if (lines.length > kKept && fits(lines.pop()!)) body.lastChild?.remove();
    showing();
  }
  return { element: h("section", {}, h("h2", {}, "Log"), h("div", { class: "tools" }, h("label", { for: "log-level" }, "From level"), level), lost, none, table), load, add };
}
