// The robot's work: a table of tasks, kept up by events, and a form for new ones. The page of one task: task_page.ts.
import { ask, live, query } from "../api";
import { h, replace } from "../dom";
import { count, split } from "../format";
import { chip, empty, problemText, View } from "../view";
import { taskForm } from "./task_form";
import { taskPage } from "./task_page";
import { explained, isEmpty, tones } from "./task_words";

export const done = (s: any) => s.downloaded + s.cache_hits + s.failed;

// Nothing where nothing came: that is no success. Who was stopped by a limit is not at the end of what was to be done.
export function progress(t: any): HTMLElement | null {
  if (isEmpty(t)) return null;
  const total = Math.max(t.statistics.queued, 1), part = t.state === "finished" && !t.why ? 1 : done(t.statistics) / total;
  return h("span", { class: "progress" }, h("progress", { max: 1, value: part, "aria-label": "Progress" }), " ", h("span", { class: "quiet" }, `${Math.floor(100 * part)} %`));
}

export function actions(task: any, changed: () => void, said: HTMLElement): HTMLElement {
  const tell = (verb: string, words: string) => h("button", { class: "plain", onclick: async () => {
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
  const admin = overview.role === "admin", id = place.values.get("id");
  if (id) return taskPage(room, id, admin);
  const table = h("div", {}), more = h("button", { hidden: true }, "Earlier tasks");
  const said = h("p", { role: "status", class: "quiet" });
  const rows = new Map<number, { task: any; row: HTMLElement }>();
  const body = h("tbody", {});
  let late: any[] = [], heard: any[] | null = null;  // while the list is asked for: its answer may be older than these

  function row(t: any): HTMLElement {
    const start = t.spec.start[0] ?? "", s = t.statistics, others = t.spec.start.length - 1;
    return h("tr", {},
      h("td", { class: "task-name" }, h("a", { href: "#/tasks?id=" + t.id }, t.spec.name || split(start).host || `Task ${t.id}`), h("p", { class: "quiet where" }, start, others > 0 ? ` and ${others} more` : "")),
      h("td", { class: "task-state" }, chip(t.state, isEmpty(t) ? "warn" : tones[t.state]), explained(t) ? h("p", { class: "quiet" }, explained(t)) : null), h("td", { class: "number" }, t.spec.depth < 0 ? "∞" : t.spec.depth), h("td", {}, t.spec.order.replace(/_/g, " ")),
      h("td", { class: "number" }, count(s.pending)), h("td", { class: "number" }, count(s.pages)), h("td", { class: "number" + (s.failed ? " some" : "") }, count(s.failed)),
      h("td", {}, progress(t)), h("td", {}, admin ? actions(t, () => void refresh(t.id), said) : ""));
  }
  function put(t: any) {
    const known = rows.get(t.id), made = row(t);
    if (known && known.row.contains(document.activeElement) && known.task.state === t.state) {  // do not take the button from under a finger
      for (const i of [4, 5, 6, 7]) known.row.children[i].replaceWith(made.children[i].cloneNode(true));
      rows.set(t.id, { task: t, row: known.row });
      return;
    }
    if (known) known.row.replaceWith(made); else body.insertBefore(made, rows.get(Math.max(...[...rows.keys()].filter((other) => other < t.id)))?.row ?? null);  // the newest first
    rows.set(t.id, { task: t, row: made });
  }
  function draw() {
    if (!rows.size) return replace(table, empty("The robot has nothing to do", admin ? "Give it a page to start from, and choose what it should do." : "Nobody has given it a task."));
    if (!body.isConnected) replace(table, h("div", { class: "wide" }, h("table", { class: "plain" }, h("caption", { class: "hidden" }, "Tasks, the newest first"), h("thead", {}, h("tr", {},
      ...["Task", "State", "Depth", "Order", "Open", "Found", "Errors", "Progress"].map((t) => h("th", { scope: "col", class: ["Depth", "Open", "Found", "Errors"].includes(t) ? "number" : "" }, t)),
      h("th", { scope: "col" }, h("span", { class: "hidden" }, "What to do with it")))), body)));
  }
  async function refresh(one: number) {
    try { put(await ask("/tasks/" + one)); } catch { drop(one); }
    draw();
  }
  function drop(one: number) {
    rows.get(one)?.row.remove();
    rows.delete(one);
    draw();
  }
  async function load(cursor: string | null) {
    heard = heard ?? [];
    const answer = await ask("/tasks" + query({ limit: 50, cursor })).finally(() => { late = heard ?? []; heard = null; });
    if (!cursor) for (const one of [...rows.keys()]) if (!answer.tasks.some((t: any) => t.id === one)) drop(one);
    answer.tasks.forEach(put);
    late.forEach(news);
    more.hidden = !answer.next;
    more.onclick = () => void load(answer.next);
    draw();
  }
  function news(t: any) {
    if (heard) return void heard.push(t);
    if (t.state === "removed") return drop(t.id);
    const known = rows.get(t.id);
    if (!known) return void refresh(t.id);
    put({ ...known.task, state: t.state, why: t.why, statistics: t.statistics });
  }
  replace(room, h("h1", {}, "Tasks"), admin ? taskForm(place.values.get("url") ?? "", (made) => { void refresh(made); said.textContent = `Task ${made} is begun.`; }) : null, said, table, more);
  const offs = [live.on("task", news), live.on("again", () => void load(null).catch(() => {}))], leave = () => offs.forEach((off) => off());
  try { await load(null); } catch (problem) { leave(); throw problem; }
  return leave;
};
