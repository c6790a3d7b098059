// The reports, live. All text that came from pages is set as text, never as markup.
"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const make = (name, properties, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {}))
      if (key in element && key !== "list") element[key] = value; else element.setAttribute(key, value);
    element.append(...children.filter(child => child !== null && child !== ""));
    return element;
  };
  const chip = (text, kind) => make("span", { className: "chip " + (kind || text) }, text);
  const link = url => /^https?:/i.test(url) ? make("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, url) : make("span", {}, url);
  const time = millis => new Date(millis).toLocaleString();
  const FILTERS = {
    problems: ["Problems", l => l.verdict === "dead" || l.verdict === "moved" || l.insecure || l.slow],
    dead: ["Dead", l => l.verdict === "dead"], moved: ["Moved", l => l.verdict === "moved"],
    insecure: ["Insecure", l => l.insecure], slow: ["Slow", l => l.slow],
    rest: ["Closed or unchecked", l => l.verdict === "closed" || l.verdict === "unchecked"], waiting: ["Waiting", l => l.verdict === "waiting"], all: ["All", () => true],
  };
  const RANK = { dead: 0, moved: 1, closed: 2, unchecked: 3, waiting: 4, ok: 5 };
  const SHOWN = 1000;  // rows; the files have all
  let reports = [], chosen = Number(location.hash.slice(1)) || 0, filter = "problems", shown = "", loadedAt = 0, full = null;

  async function post(path, values) {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: new URLSearchParams(values) });
    if (!answer.ok) throw new Error((await answer.json()).detail);
    return answer.json();
  }
  async function attempt(work) {
    try { $("said").textContent = ""; return await work(); } catch (problem) { $("said").textContent = problem.message; }
  }

  const wrong = c => [["dead", c.dead], ["moved", c.moved], ["insecure", c.insecure], ["slow", c.slow]].filter(([, n]) => n).map(([word, n]) => n + " " + word).join(", ");
  const found = report => wrong(report.counts) || (report.state === "failed" ? "could not be read" : report.counts.links + " links");

  function drawList() {
    $("none").hidden = reports.length > 0;
    const focused = document.activeElement?.dataset?.report;
    $("reports").replaceChildren(...reports.map(report => {
      const button = make("button", { type: "button", onclick: () => choose(report.id, true) },
        make("span", {}, report.url), chip(report.state), make("span", { className: "quiet" }, report.site ? "site" : "page"),
        make("span", { className: "quiet" }, found(report)), make("span", { className: "quiet" }, time(report.began)));
      button.dataset.report = report.id;
      if (report.id === chosen) button.setAttribute("aria-current", "true");
      return make("li", {}, button);
    }));
    if (focused) document.querySelector(`[data-report="${Number(focused)}"]`)?.focus();
  }

  function drawHead(report) {
    $("report-title").textContent = report.url;
    const c = report.counts;
    const words = { running: report.stage, finished: "finished " + time(report.ended), stopped: "stopped", interrupted: "interrupted: " + report.why, failed: report.why }[report.state];
    $("state").replaceChildren(chip(report.state), words + (report.left_out ? `; ${report.left_out} links over the limit were left out` : ""));
    $("progress").hidden = report.state !== "running";
    if (c.links) { $("progress").max = c.links; $("progress").value = c.done; } else $("progress").removeAttribute("value");
    $("facts").replaceChildren(...[["Pages", report.pages], ["Links", c.links], ["Checked", c.done], ["Dead", c.dead], ["Moved", c.moved], ["Insecure", c.insecure], ["Slow", c.slow]]
      .map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
  }

  function drawTools(report) {
    const act = (path, words) => make("button", { type: "button", onclick: () => attempt(async () => take((await post(path, { id: report.id })).reports)) }, words);
    $("tools").replaceChildren(make("a", { className: "button", href: `reports/${report.id}.csv`, download: "" }, "CSV"), make("a", { className: "button", href: `reports/${report.id}.json` }, "JSON"),
      report.state === "running" ? act("stop", "Stop") : act("remove", "Remove this report"));
    // Nothing waits any more when a check has come to its end.
    const offered = Object.entries(FILTERS).filter(([key, [, fits]]) => key !== "waiting" || key === filter || full?.links.some(fits));
    $("filters").replaceChildren(...offered.map(([key, [name, fits]]) => {
      const button = make("button", { type: "button", onclick: () => { filter = key; drawTools(report); drawLinks(); $("filters").querySelector("[aria-pressed=true]").focus(); } },
        `${name} (${full ? full.links.filter(fits).length : 0})`);
      button.setAttribute("aria-pressed", String(filter === key));
      return button;
    }));
  }

  function row(l) {
    const first = l.places[0] || { page: "", text: "" };
    const said = [l.status ? String(l.status) : "", l.note && l.note !== "status " + l.status ? l.note : ""].filter(Boolean).join(" – ");
    return make("tr", {},
      make("td", {}, chip(l.verdict), l.insecure ? chip("insecure") : "", l.slow ? chip("slow") : "", said ? make("span", { className: "quiet" }, said) : ""),
      make("td", {}, link(l.url), l.leads_to ? make("span", { className: "quiet" }, l.for_good ? "for good to " : "now at ", link(l.leads_to)) : ""),
      make("td", {}, first.text || "", make("span", { className: "quiet" }, first.page && first.page !== full.url ? link(first.page) : "", l.count > 1 ? ` ${l.count} times` : "")),
      make("td", { className: "number" }, l.took_ms ? l.took_ms + " ms" : ""));
  }

  function noLinks() {
    if (full.state === "running") return "Nothing yet.";
    if (full.links.length) return filter === "waiting" ? "Nothing waits." : "Nothing of this kind: good.";
    if (full.state === "failed") return "The page could not be read, so its links are not known.";
    return full.pages ? "The page has no links." : "No page has been read, so no links are known.";
  }

  function drawLinks() {
    if (!full) return $("links").replaceChildren();
    const fitting = full.links.filter(FILTERS[filter][1]).sort((a, b) => RANK[a.verdict] - RANK[b.verdict]);
    if (!fitting.length) return $("links").replaceChildren(make("p", { className: "quiet" }, noLinks()));
    const head = make("tr", {}, ...["What", "Link", "Found as", "Answer after"].map((name, i) => make("th", { scope: "col", className: i === 3 ? "number" : "" }, name)));
    $("links").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...fitting.slice(0, SHOWN).map(row))),
      fitting.length > SHOWN ? make("p", { className: "quiet" }, `The first ${SHOWN} of ${fitting.length}; the files have all.`) : "");
  }

  async function choose(id, byHand) {
    chosen = id;
    history.replaceState(null, "", "#" + id);
    full = null; shown = "";
    await draw();
    if (byHand) $("report-title").focus();
  }

  async function draw() {
    drawList();
    const report = reports.find(r => r.id === chosen);
    $("report").hidden = !report;
    if (!report) return;
    drawHead(report);
    const state = JSON.stringify([report.id, report.state, report.counts]);
    // The list can be long: while it grows it is fetched now and then, and once more at the end.
    if (state !== shown && (report.state !== "running" || Date.now() - loadedAt > 2000 || full?.id !== report.id)) {
      shown = state; loadedAt = Date.now();
      full = await (await fetch(`reports/${report.id}.json`)).json();
      drawTools(report); drawLinks();
    }
  }

  function take(fresh) {
    reports = fresh;
    if (!chosen && reports.length) chosen = reports[0].id;
    if (!reports.some(r => r.id === chosen)) chosen = reports[0]?.id || 0;
    void draw();
  }

  $("start").onsubmit = event => {
    event.preventDefault();
    attempt(async () => {
      const report = await post("check", new FormData($("start")));
      reports.unshift(report);
      await choose(report.id, true);
    });
  };
  $("url").value = new URLSearchParams(location.search).get("url") || "";
  new EventSource("events").onmessage = event => take(JSON.parse(event.data).reports);
})();
