// The form for a new task: presets for what people mostly want, and every parameter of the robot.
import { ask } from "../api";
import { h } from "../dom";
import { problemText } from "../view";

// plugin: one that does more of the same, and is named if it is there.
interface Preset { name: string; words: string; spec: Record<string, any>; plugin?: string }
export const presets: Preset[] = [
  { name: "This site", words: "Every page of the site, the nearest first.", spec: { restriction: "internal", depth: -1 } },
  { name: "Two clicks around here", words: "The page, what it links to, and what those link to, on any site; at most 500 pages.", spec: { restriction: "all", depth: 2, max_documents: 500 } },
  { name: "Watch this page", words: "Loads it again every hour and notes whether it has changed.", spec: { depth: 0, repeat: 3600, check_memory: false } },
  { name: "Check links", words: "Loads every page of the site with its pictures, style sheets and scripts: which of them are dead? Links to other sites are not asked for.", spec: { restriction: "internal", depth: -1, check_memory: false, follow_embedded: true }, plugin: "linkcheck" },
];

type Kind = "number" | "flag" | "list" | "text" | "time" | string[];
interface Parameter { key: string; label: string; kind: Kind; usual: any; hint?: string; min?: number; max?: number; step?: string }
const groups: [string, Parameter[]][] = [
  ["How far", [
    { key: "depth", label: "Depth", kind: "number", usual: -1, min: -1, hint: "Clicks from the start; −1 = no limit" },
    { key: "restriction", label: "Where it may go", kind: ["internal", "all", "external", "subdirectories", "hosts"], usual: "internal" },
    { key: "hosts", label: "Hosts", kind: "list", usual: [], hint: "For “hosts”; .example.org means all below it, too" },
    { key: "sitemaps", label: "Begin with the sitemaps, too", kind: "flag", usual: false },
    { key: "max_documents", label: "Pages at most", kind: "number", usual: 0, min: 0, hint: "0 = no limit" },
    { key: "max_bytes", label: "Bytes at most", kind: "number", usual: 0, min: 0, hint: "0 = no limit" },
    { key: "expires", label: "Give up on", kind: "time", usual: 0, hint: "Nobody wants the results after this" },
  ]],
  ["In which order", [
    { key: "order", label: "Order", kind: ["breadth_first", "depth_first", "fair_breadth_first", "best_first", "random"], usual: "breadth_first" },
    { key: "score", label: "What is best", kind: ["anchor", "topic", "in_degree"], usual: "anchor", hint: "For “best first”" },
    { key: "topic", label: "Topic", kind: "list", usual: [], hint: "Words, or whole sample texts, one a line" },
    { key: "priority", label: "Priority", kind: "number", usual: 0, min: -10, max: 10, hint: "−10 to 10, compared with other tasks" },
    { key: "interactive", label: "Before all other tasks", kind: "flag", usual: false },
  ]],
  ["Which addresses", [
    { key: "include_hosts", label: "Only these hosts", kind: "list", usual: [] },
    { key: "exclude_hosts", label: "Not these hosts", kind: "list", usual: [] },
    { key: "include_paths", label: "Only paths that begin with", kind: "list", usual: [], hint: "/docs/" },
    { key: "exclude_paths", label: "Not paths that begin with", kind: "list", usual: [], hint: "/login" },
    { key: "include", label: "Only addresses that match", kind: "list", usual: [], hint: "Regular expressions" },
    { key: "exclude", label: "Not addresses that match", kind: "list", usual: [], hint: "Regular expressions" },
    { key: "include_extensions", label: "Only endings", kind: "list", usual: [], hint: "pdf" },
    { key: "exclude_extensions", label: "Not endings", kind: "list", usual: [], hint: "zip" },
    { key: "query", label: "Addresses with “?”", kind: ["follow", "skip"], usual: "follow" },
    { key: "max_url_length", label: "Longest address", kind: "number", usual: 2048, min: 1 },
  ]],
  ["Which links", [
    { key: "follow_embedded", label: "Pictures, style sheets, scripts", kind: "flag", usual: false },
    { key: "follow_pagination", label: "Next and previous pages", kind: "flag", usual: true },
    { key: "follow_canonical", label: "Canonical, alternate and feed links", kind: "flag", usual: false },
    { key: "follow_nofollow", label: "Links marked nofollow", kind: "flag", usual: false },
    { key: "obey_robots", label: "Obey robots.txt", kind: "flag", usual: true },
  ]],
  ["How to load", [
    { key: "head_only", label: "Only heads, no bodies", kind: "flag", usual: false },
    { key: "check_memory", label: "A fresh stored copy is good enough", kind: "flag", usual: true },
    { key: "refresh_older_than", label: "Use stored copies up to this age", kind: "number", usual: -1, min: -1, hint: "Seconds; −1 = as HTTP says" },
    { key: "first_bytes", label: "Only the first bytes", kind: "number", usual: 0, min: 0, hint: "0 = all" },
    { key: "max_page_size", label: "Largest page", kind: "number", usual: 16777216, min: 1, hint: "Bytes; the rest is cut off" },
    { key: "max_time_per_document", label: "Longest wait for a page", kind: "number", usual: 60, min: 1, hint: "Seconds" },
    { key: "max_attempts", label: "Attempts", kind: "number", usual: 3, min: 1, hint: "Of one address, where the error may pass" },
    { key: "mime_types", label: "Only types", kind: "list", usual: [], hint: "text/html, image/*" },
    { key: "prefetch", label: "Only what may be loaded unasked", kind: "flag", usual: false, hint: "Each load passes the guard for prefetching" },
    { key: "save_data", label: "The reader saves data", kind: "flag", usual: false, hint: "The guard then refuses everything" },
    { key: "start_texts", label: "Texts of the links to the start pages", kind: "list", usual: [], hint: "For the guard, in their order" },
    { key: "need_source", label: "Hand the bytes to plugins", kind: "flag", usual: false },
    { key: "keep", label: "Keep what comes", kind: "flag", usual: true, hint: "Otherwise nothing of it is remembered or stored" },
    { key: "apart", label: "Kept apart under this word", kind: "text", usual: "", hint: "No stored copies or connections but those of the same word" },
  ]],
  ["Pages that lead no further", [
    { key: "languages", label: "In other languages than", kind: "list", usual: [], hint: "de, en" },
    { key: "text_match", label: "That do not hold the text", kind: "text", usual: "" },
    { key: "min_topic", label: "Less near to the topic than", kind: "number", usual: 0, min: 0, max: 1, step: "0.01", hint: "0 to 1" },
    { key: "content_seen_test", label: "Whose text is known already", kind: "flag", usual: false },
    { key: "skip_near_duplicates", label: "That say nearly the same as another", kind: "flag", usual: false },
    { key: "skip_soft_404", label: "That say “not found”", kind: "flag", usual: false },
    { key: "skip_hubs", label: "Lists of links to other sites", kind: "flag", usual: false },
  ]],
  ["When", [
    { key: "windows", label: "Only at these times", kind: "list", usual: [], hint: "22:00-06:00 (UTC)" },
    { key: "repeat", label: "All of it again after", kind: "number", usual: 0, min: 0, hint: "Seconds; 0 = once" },
    { key: "revisit", label: "Look again at pages that have probably changed", kind: "flag", usual: false, hint: "Never finishes" },
    { key: "revisit_every", label: "… at this interval instead", kind: "number", usual: 0, min: 0, hint: "Seconds; 0 = by how often they change" },
  ]],
];
const parameters = groups.flatMap(([, list]) => list);

interface Editor { parameter: Parameter; element: HTMLElement; read: () => any; write: (value: any) => void }

function editor(p: Parameter): Editor {
  const id = "task-" + p.key;
  const hint = p.hint ? h("span", { class: "quiet", id: id + "-hint" }, p.hint) : null;
  const described = p.hint ? id + "-hint" : null;
  if (p.kind === "flag") {
    const box = h("input", { type: "checkbox", id });
    return { parameter: p, element: h("div", { class: "field flag" }, h("label", { for: id }, box, " ", p.label), hint), read: () => box.checked, write: (v) => { box.checked = v; } };
  }
  let input: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  let read: () => any, write: (value: any) => void;
  if (Array.isArray(p.kind)) {
    const list = h("select", { id, "aria-describedby": described }, ...p.kind.map((v) => h("option", { value: v }, v.replace(/_/g, " "))));
    input = list; read = () => list.value; write = (v) => { list.value = v; };
  } else if (p.kind === "list") {
    const area = h("textarea", { id, rows: 1, spellcheck: "false", "aria-describedby": described });
    input = area;
    read = () => area.value.split(p.key === "topic" || p.key === "include" || p.key === "exclude" ? /\n/ : /[\n,]/).map((line) => line.trim()).filter(Boolean);
    write = (v) => { area.value = v.join("\n"); };
  } else {
    const field = h("input", { id, type: p.kind === "time" ? "datetime-local" : p.kind, min: p.min, max: p.max, step: p.step, autocomplete: "off", "aria-describedby": described });
    input = field;
    read = () => p.kind === "number" ? (field.value === "" ? p.usual : Number(field.value)) : p.kind === "time" ? (field.value ? +new Date(field.value) : 0) : field.value;
    write = (v) => { field.value = p.kind === "time" ? (v ? new Date(v).toISOString().slice(0, 16) : "") : String(v); };
  }
  return { parameter: p, element: h("div", { class: "field" }, h("label", { for: id }, p.label), input, hint), read, write };
}

const same = (a: any, b: any) => JSON.stringify(a) === JSON.stringify(b);

export function taskForm(url: string, created: (id: number) => void): HTMLElement {
  const editors = parameters.map(editor);
  const start = h("input", { id: "start", type: "text", inputmode: "url", required: true, placeholder: "https://example.org/", autocomplete: "off" });
  const name = h("input", { id: "task-name", type: "text", autocomplete: "off" });
  start.value = url;
  let chosen = presets[1];
  const words = h("p", { class: "quiet preset-words" });
  const changed = h("span", { class: "quiet" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  function count() {
    const n = editors.filter((e) => !same(e.read(), e.parameter.usual)).length;
    changed.textContent = n ? ` ${n} set` : "";
  }
  function take(preset: Preset) {
    chosen = preset;
    words.textContent = preset.words;
    if (preset.plugin) void ask("/plugins").then(({ plugins }) => {
      const found = plugins.find((p: any) => p.name === preset.plugin && p.on);
      if (found && chosen === preset) words.append(" ", h("a", { href: `/plugins/${found.name}/` }, found.title || found.name), " does that, too.");
    }, () => {});
    for (const e of editors) e.write(e.parameter.key in preset.spec ? preset.spec[e.parameter.key] : e.parameter.usual);
    count();
  }
  const radios = presets.map((preset) => {
    const radio = h("input", { type: "radio", name: "preset", id: "preset-" + preset.name.replace(/\W/g, ""), onchange: () => take(preset) });
    radio.checked = preset === chosen;
    return h("label", { class: "preset" }, radio, h("span", {}, preset.name));
  });
  take(chosen);
  const form = h("form", { class: "card task-form", oninput: count, onsubmit: async (event: Event) => {
    event.preventDefault();
    problem.hidden = true;
    const spec: Record<string, any> = { name: name.value.trim() || chosen.name, start: start.value.trim().split(/\s+/).map((s) => /^[a-z]+:\/\//i.test(s) ? s : "https://" + s) };
    for (const e of editors) if (!same(e.read(), e.parameter.usual)) spec[e.parameter.key] = e.read();
    try {
      created((await ask("/tasks", "POST", spec)).id);
      start.value = "";
    } catch (failed) {
      problem.textContent = problemText(failed);
      problem.hidden = false;
    }
  } },
    h("h2", {}, "New task"),
    h("div", { class: "search" }, h("label", { for: "start", class: "hidden" }, "Start page"), start, h("button", { class: "primary", type: "submit" }, "Start")),
    h("fieldset", { class: "presets" }, h("legend", { class: "hidden" }, "What to do"), ...radios), words,
    h("details", { class: "all-parameters" }, h("summary", {}, "All parameters", changed),
      h("div", { class: "field name" }, h("label", { for: "task-name" }, "Name"), name),
      ...groups.map(([title, list]) => h("fieldset", { class: "group" }, h("legend", {}, title),
        h("div", { class: "fields-grid" }, ...editors.filter((e) => list.includes(e.parameter)).map((e) => e.element))))),
    problem);
  return form;
}
