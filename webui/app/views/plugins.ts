// What changes pages or watches them: on, off, and where.
import { ask, live } from "../api";
import { h, replace } from "../dom";
import { chip, empty, facts, problemText, View } from "../view";

export const plugins: View = async (room, _place, overview) => {
  const list = h("div", { class: "cards" });
  const said = h("p", { role: "status", class: "quiet" });
  replace(room, h("h1", {}, "Plugins"), h("p", { class: "lead" }, "Small programs that see the pages that pass, and may add to them. Switched off, a page arrives as its site sent it."), said, list);
  const cards = new Map<string, () => void>();  // by plugin: asks for what it shows of itself
  let due = 0;
  async function tell(name: string, change: object) {
    try {
      draw((await ask("/plugins/" + encodeURIComponent(name), "PATCH", change)).plugins);
      said.textContent = "";
    } catch (problem) { said.textContent = problemText(problem); }
  }
  function one(p: any): HTMLElement {
    const title = p.title || p.name || String(p.origin).replace(/.*\//, ""); // what was refused has only its file
    const may = overview.role === "admin" && p.name;
    const act = (word: string, change: object, look = "") =>
      h("button", { class: look, onclick: () => tell(p.name, change) }, word, h("span", { class: "hidden" }, " " + title));
    const field = h("input", { id: "site-" + p.name, type: "text", placeholder: "example.org", required: true, autocomplete: "off" });
    const sites = Object.entries<boolean>(p.sites ?? {});
    const open = h("p", { class: "actions" });
    const shown = h("div");
    cards.set(p.name, () => void (p.card && ask("/plugins/" + encodeURIComponent(p.name) + "/card").then(card => {
      if (String(card.link).startsWith("/plugins/")) replace(open, h("a", { href: card.link }, "Open ", title));
      if (Array.isArray(card.lines)) replace(shown, facts(card.lines.map((line: any): [string, string] => [String(line.label), String(line.value)])));
    }, () => {})));
    cards.get(p.name)!();
    return h("section", { class: "card" },
      h("h2", {}, title, " ", p.state !== "running" ? chip(p.state || "set aside", "bad") : chip(p.on ? "on" : "off", p.on ? "good" : "soft")),
      h("p", {}, p.description), p.problem ? h("p", { class: "problem" }, p.problem) : null,
      shown, open, facts([["Version", p.version], ["From", p.origin], ["Failures", p.failures ? String(p.failures) : ""]]),
      sites.length ? h("ul", { class: "visits" }, ...sites.map(([site, on]) => h("li", {}, chip(on ? "on" : "off", on ? "good" : "soft"), site,
        overview.role === "admin" ? h("button", { class: "plain", onclick: () => tell(p.name, { site, on: null }) }, "As everywhere") : ""))) : null,
      may ? h("p", { class: "actions" }, p.on && p.state === "set aside" ? act("Try again", { on: true }, "primary") : "",
        p.on ? act("Switch off", { on: false }) : act("Switch on", { on: true }, "primary")) : null,
      may ? h("form", { class: "actions", onsubmit: (event: Event) => { event.preventDefault(); void tell(p.name, { site: field.value.trim(), on: !p.on }); } },
        h("label", { for: "site-" + p.name, class: "quiet" }, p.on ? "Off at" : "On at"), field, h("button", { type: "submit" }, "Add")) : null);
  }
  function draw(all: any[]) {
    replace(list, ...(all.length ? all.map(one) : [empty("No plugins", "Put one into the folder of plugins, and start Outrider again: docs/plugins.md says how to write one.")]));
  }
  const anew = async () => draw((await ask("/plugins")).plugins);
  await anew();
  // Not under the fingers of somebody who types a site; he asks with what he sends.
  const published = ({ plugin }: any) => { due = due || window.setTimeout(() => { due = 0; cards.get(plugin)?.(); }, 1000); };
  const offs = [live.on("plugin", published), () => clearTimeout(due), live.on("plugins", ({ plugins }) => { if (!list.contains(document.activeElement)) draw(plugins); }), live.on("again", () => void anew().catch(() => {}))];
  return () => offs.forEach((off) => off());
};
