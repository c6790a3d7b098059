// Every key of the configuration: what it means, what it is, where that comes from, and a way to change it where it can
// be changed while Outrider runs.
import { ask, live } from "../api";
import { h, replace } from "../dom";
import { chip, problemText, View } from "../view";

interface Setting {
  key: string; value: any; default: any; source: string; description: string; type: string; change: "live" | "restart";
  environment: string; secret: boolean; allowed?: string; choices?: string[];
}

function shown(value: any): string {
  if (Array.isArray(value)) return value.length ? value.join(", ") : "(none)";
  if (value === "") return "(empty)";
  return String(value);
}

function same(a: any, b: any): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function editor(s: Setting, id: string): { element: HTMLElement; value: () => any } {
  if (s.type === "boolean") {
    const box = h("input", { type: "checkbox", id });
    box.checked = s.value === true;
    return { element: box, value: () => box.checked };
  }
  if (s.choices) {
    const list = h("select", { id }, ...s.choices.map((choice) => h("option", { value: choice }, choice)));
    list.value = String(s.value);
    return { element: list, value: () => list.value };
  }
  if (Array.isArray(s.value)) {
    const area = h("textarea", { id, rows: Math.min(6, Math.max(2, s.value.length)), spellcheck: "false" });
    area.value = s.value.join("\n");
    return { element: area, value: () => area.value.split("\n").map((line) => line.trim()).filter(Boolean) };
  }
  const field = h("input", { id, type: s.type === "integer" || s.type === "number" ? "number" : "text", spellcheck: "false", autocomplete: "off" });
  field.value = s.secret ? "" : String(s.value);
  const numeric = field.type === "number";
  return { element: field, value: () => (numeric ? Number(field.value) : field.value) };
}

export const settings: View = async (room, place, overview) => {
  let all: Setting[] = [], early = false;  // early: a change is told before the list is there
  const offs = [live.on("settings", ({ settings }) => { if (!all.length) early = true; else if (settings.length) news(settings); else void anew().catch(() => {}); }),
    live.on("again", () => void anew().catch(() => {}))], leave = () => offs.forEach((off) => off());
  try { all = (await ask("/config")).settings; } catch (problem) { leave(); throw problem; }
  const filter = h("input", { type: "search", id: "find", placeholder: "word of a key or description", oninput: draw });
  filter.value = place.values.get("q") ?? "";
  const changedOnly = h("input", { type: "checkbox", id: "changed", onchange: draw });
  const list = h("div", {});
  const said = h("p", { role: "status", class: "quiet" });
  replace(room, h("h1", {}, "Settings"),
    h("p", { class: "lead" }, overview.role === "admin"
      ? "What you change here counts at once and is kept. What needs a restart is written into the configuration file."
      : "Your token is for looking only."),
    h("div", { class: "tools" }, h("label", { for: "find" }, "Find"), filter,
      h("label", { class: "check" }, changedOnly, " only what differs from the default"), said),
    list);

  function draw() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = all.filter((s) => (!changedOnly.checked || !same(s.value, s.default)) &&
      words.every((word) => `${s.key} ${s.description}`.toLowerCase().includes(word)));
    const sections = new Map<string, Setting[]>();
    for (const s of wanted) {
      const section = s.key.slice(0, s.key.lastIndexOf("."));
      sections.set(section, [...(sections.get(section) ?? []), s]);
    }
    if (!wanted.length) return replace(list, h("p", { class: "empty" }, "No setting fits."));
    replace(list, ...[...sections].map(([section, keys]) =>
      h("section", { class: "settings" }, h("h2", {}, section), ...keys.map(one))));
  }

  function one(s: Setting): HTMLElement {
    const name = s.key.slice(s.key.lastIndexOf(".") + 1);
    const id = "set-" + s.key.replace(/\W/g, "-");
    const fixed = s.source.startsWith("--");
    const editable = s.change === "live" && overview.role === "admin" && !fixed;
    const about = h("div", { class: "about" },
      h(editable ? "label" : "h3", editable ? { for: id, class: "name" } : { class: "name" }, name),
      h("p", {}, s.description),
      h("p", { class: "quiet" }, `Default: ${shown(s.default)}`, s.allowed ? ` · allowed: ${s.allowed}` : "",
        s.source !== "default" ? ` · from ${s.source}` : ""));
    const marks = h("div", { class: "marks" },
      s.change === "restart" ? chip("needs restart", "soft") : null,
      fixed ? chip("fixed by the command line", "soft") : null,
      same(s.value, s.default) ? null : chip("changed", "accent"));
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    if (!editable)
      return h("div", { class: "setting", "data-key": s.key }, about, h("div", { class: "value" }, h("code", {}, shown(s.value)), marks));
    const { element, value } = editor(s, id);
    const save = h("button", { type: "submit", class: "primary", hidden: true }, "Save");
    const reset = s.source.includes("the monitor") ? h("button", { type: "button", class: "plain", onclick: () => send(null) }, "Reset") : null;
    element.addEventListener("input", () => {
      save.hidden = same(value(), s.value);
      problem.hidden = true;
      element.closest(".setting")?.classList.toggle("touched", !save.hidden);
    });
    async function send(next: any) {
      try {
        all = (await ask("/config", "PATCH", { [s.key]: next })).settings;
        said.textContent = `${s.key} is ${next === null ? "as it was" : "changed"}.`;
        draw();
        document.getElementById(id)?.focus();
      } catch (failed) {
        problem.textContent = problemText(failed);
        problem.hidden = false;
      }
    }
    return h("div", { class: "setting", "data-key": s.key }, about,
      h("form", { class: "value", onsubmit: (event: Event) => { event.preventDefault(); void send(value()); } },
        element, h("div", { class: "actions" }, save, reset, marks), problem));
  }
  // Changed elsewhere: another page, a program, the configuration file. What somebody types here at the moment stays.
  function news(changed: Setting[]) {
    for (const s of changed) {
      const i = all.findIndex((known) => known.key === s.key);
      if (i < 0 || same(all[i], s)) continue;
      all[i] = s;
      const shown = list.querySelector(`[data-key="${CSS.escape(s.key)}"]`);
      if (shown && !shown.contains(document.activeElement) && !shown.classList.contains("touched")) shown.replaceWith(one(s));
    }
  }
  async function anew() {
    news((await ask("/config")).settings);
  }
  draw();
  if (early) void anew().catch(() => {});
  return leave;
};
