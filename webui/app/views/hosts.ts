// The hosts that the robot knows: what they allow, at which pace they are asked, and who is left alone for now.
import { ask, live, query } from "../api";
import { h, replace } from "../dom";
import { clock, count, millis, when } from "../format";
import { chip, empty, facts, problemText, View } from "../view";

const rules: Record<string, [string, string]> = {
  unknown: ["not asked yet", "soft"], rules: ["has rules", "accent"], everything: ["allows everything", "good"],
  nothing: ["could not be had", "warn"],  // RFC 9309 section 2.3.1.4: as long as that is so, nothing is asked for
};
const kColumns = 6;

function robotsAsked(x: any): string {
  if (!x.robots_fetched) return "";
  return `${when(x.robots_fetched)}, ${x.robots_status ? `status ${x.robots_status}` : "no answer"}`;
}

const nameOf = (x: any): string => x.host.replace(/^https?:\/\//, "");

export const hosts: View = async (room, place, overview) => {
  const admin = overview.role === "admin";
  const find = h("input", { type: "search", id: "find-host", placeholder: "part of a name", oninput: () => void load() });
  find.value = place.values.get("q") ?? "";
  const blocked = h("input", { type: "checkbox", id: "only-blocked", onchange: () => void load() });
  const open = new Set<string>();  // whose details are shown
  const list = h("div", {}), said = h("p", { role: "status", class: "quiet" }), more = h("button", { hidden: true }, "More");
  replace(room, h("h1", {}, "Hosts"), h("p", { class: "lead" }, "The robot asks every host only as often as is polite: as robots.txt says, as fast as the answers come, and not at all while it is in trouble."),
    h("div", { class: "tools" }, h("label", { for: "find-host" }, "Find"), find, h("label", { class: "check" }, blocked, " only those that are left alone")), said, list, more);

  async function tell(host: string, verb: string, words: string) {
    try {
      await ask(`/hosts/${encodeURIComponent(host)}/${verb}`, "POST");
      said.textContent = words;
      await load();
    } catch (problem) { said.textContent = problemText(problem); }
  }
  function details(x: any): HTMLElement {
    return h("td", { colspan: kColumns }, h("div", { class: "in-sight" },
      facts([["Address", x.address], ["robots.txt asked for", robotsAsked(x)], ["Again", x.robots_again ? when(x.robots_again) : ""],
        ["Crawl-delay", x.crawl_delay === null ? "" : millis(x.crawl_delay)], ["Answers in", x.latency ? millis(x.latency) : ""], ["Sitemaps", x.sitemaps.join(", ")],
        ["Last trouble", x.last_error ? `${x.last_error}${x.last_error_at ? " at " + clock(x.last_error_at) : ""}` : ""]]),
      admin ? h("p", { class: "actions" }, h("button", { onclick: () => void tell(x.host, "robots", `robots.txt of ${nameOf(x)} is asked for before the next page.`) }, "Ask for robots.txt again")) : null));
  }
  // Two of them: the second one, with the details, is as wide as the table.
  function rows(x: any): HTMLElement[] {
    const [words, tone] = rules[x.robots] ?? [x.robots, ""], name = nameOf(x), id = "host-" + x.host.replace(/[^\w.-]/g, "_");
    const below = h("tr", { id, class: "host-details", hidden: !open.has(x.host) }, details(x));
    const opener = h("button", { class: "opener", "aria-expanded": String(!below.hidden), "aria-controls": id, onclick: () => {
      below.hidden = !below.hidden;
      if (below.hidden) open.delete(x.host); else open.add(x.host);
      opener.setAttribute("aria-expanded", String(!below.hidden));
    } }, name, x.host.startsWith("https") ? null : h("span", { class: "quiet" }, " http"));
    return [h("tr", {}, h("td", { class: "url" }, opener), h("td", {}, chip(words, tone)),
      h("td", {}, x.blocked ? chip(x.not_before ? `left alone until ${clock(x.not_before)}` : "left alone", "warn") : h("span", {}, millis(x.gap), h("span", { class: "quiet" }, x.gap_reason ? ` · ${x.gap_reason}` : "")),
        x.blocked && admin ? h("button", { class: "plain", onclick: () => void tell(x.host, "unblock", `${name} may be asked again.`) }, "Ask now", h("span", { class: "hidden" }, " " + name)) : null),
      h("td", { class: "number" }, count(x.under_way)), h("td", { class: "number" }, count(x.fetched)), h("td", { class: "number" + (x.failed ? " some" : "") }, count(x.failed))), below];
  }
  let turn = 0;
  async function load(cursor: string | null = null) {
    const mine = ++turn;
    const answer = await ask("/hosts" + query({ contains: find.value.trim(), blocked: blocked.checked ? "true" : "", limit: 100, cursor }));
    if (mine !== turn) return;
    more.hidden = !answer.next;
    more.onclick = () => void load(answer.next);
    const found: HTMLElement[] = answer.hosts.flatMap(rows);
    const body = list.querySelector("tbody");
    if (cursor && body) return body.append(...found);
    if (!found.length)
      return replace(list, find.value || blocked.checked ? empty("No host fits", "Use fewer letters, or show all.") : empty("The robot knows no hosts yet", "It learns them when a task asks for their pages. ", h("a", { href: "#/tasks" }, "Begin a task"), "."));
    replace(list, h("div", { class: "wide" }, h("table", { class: "plain hosts" }, h("caption", { class: "hidden" }, "Hosts that the robot knows"), h("thead", {}, h("tr", {}, ...["Host", "robots.txt", "Pace"].map((t) => h("th", { scope: "col" }, t)),
      ...["Open", "Loaded", "Failed"].map((t) => h("th", { scope: "col", class: "number" }, t)))), h("tbody", {}, ...found))));
  }
  let due = 0;
  const soon = () => { if (!due) due = window.setTimeout(() => { due = 0; if (!list.contains(document.activeElement) && !open.size) void load().catch(() => {}); }, 1500); };
  const offs = [live.on("task", soon), live.on("again", soon)];
  const leave = () => { offs.forEach((off) => off()); clearTimeout(due); };
  try { await load(); } catch (problem) { leave(); throw problem; }
  return leave;
};
