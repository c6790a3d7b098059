// Is everything well? What is stored, what waits, what failed.
import { ask, live, query } from "../api";
import { h, replace } from "../dom";
import { bytes, clock, count, when } from "../format";
import { empty, facts, View } from "../view";

function value(metrics: any, name: string, labels: Record<string, string> = {}): number {
  let sum = 0;
  for (const sample of metrics[name]?.samples ?? [])
    if (Object.entries(labels).every(([key, wanted]) => sample.labels?.[key] === wanted)) sum += sample.value ?? 0;
  return sum;
}

export const health: View = async (room, _place, overview) => {
  const parts = h("div", { class: "cards" });
  const pinned = h("div", {});
  const all = h("div", {});
  const log = h("div", {}), level = h("select", { id: "log-level", onchange: () => void drawLog() }, ...["trace", "debug", "info", "warn", "error"].map((l) => h("option", { value: l, selected: l === "info" }, l)));
  const verdict = h("div", {});
  const logs = overview.role === "admin" ? h("section", {}, h("h2", {}, "Log"), h("div", { class: "tools" }, h("label", { for: "log-level" }, "From level"), level), log) : null;
  replace(room, h("h1", {}, "Health"), verdict, parts, logs, pinned, all);

  async function drawLog() {
    if (!logs) return;
    const answer = await ask("/log" + query({ level: level.value, limit: 200 }));
    const lines = answer.lines.slice().reverse();
    replace(log, answer.lost ? h("p", { class: "problem" }, `${count(answer.lost)} lines could not be written.`) : null, lines.length === 0 ? h("p", { class: "quiet" }, "Nothing of this level.")
      : h("div", { class: "log", tabindex: "0", role: "region", "aria-label": "The newest lines of the log" }, h("table", {}, h("caption", { class: "hidden" }, "The newest lines of the log, the last one first"),
        h("thead", { class: "hidden" }, h("tr", {}, ...["Time", "Level", "Room", "Event"].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...lines.map((l: any) => h("tr", { class: "level-" + l.level }, h("td", {}, clock(l.at)), h("td", {}, l.level), h("td", {}, l.room), h("td", {}, h("strong", {}, l.event), " ", l.fields)))))));
  }

  async function draw() {
    const [metrics, cache, memory] = await Promise.all([
      ask("/metrics"), overview.parts.cache ? ask("/cache").catch(() => null) : null,
      overview.parts.memory ? ask("/memory").catch(() => null) : null]);
    const failed = value(metrics, "outrider_exchanges_total", { status: "5xx" });
    const none = value(metrics, "outrider_exchanges_total", { status: "none" });
    const wrong: string[] = [];
    if (cache && !cache.disk.on) wrong.push(`The cache does not use the disk: ${cache.disk.off_because ?? "it is switched off"}.`);
    if (memory && memory.ingest_queued > 1000) wrong.push(`${count(memory.ingest_queued)} pages wait to be read.`);
    replace(verdict, wrong.length ? h("ul", { class: "problem" }, ...wrong.map((w) => h("li", {}, w))) : h("p", { class: "all-well" }, h("span", { class: "dot open" }), "All is well: everything that should run does, and nothing waits for long."));
    replace(parts,
      h("section", { class: "card" }, h("h2", {}, "Proxy"), facts([
        ["Version", overview.version], ["Exchanges", count(value(metrics, "outrider_exchanges_total"))],
        ["Failed (5xx)", count(failed)], ["Without an answer", count(none)],
        ["Open connections", count(value(metrics, "outrider_client_connections"))],
        ["Sent to browsers", bytes(value(metrics, "outrider_response_body_bytes_total"))]])),
      cache ? h("section", { class: "card" }, h("h2", {}, "Cache"), facts([
        ["In memory", `${count(cache.memory.entries)} · ${bytes(cache.memory.bytes)}`],
        ["On disk", cache.disk.on ? `about ${count(cache.disk.entries_estimate)} · ${bytes(cache.disk.bytes)}` : `off: ${cache.disk.off_because ?? ""}`],
        ["Waiting to be written", bytes(cache.disk.queued_bytes)],
        ["Not fetched again", bytes(value(metrics, "outrider_cache_served_bytes_total"))]])) : null,
      memory ? h("section", { class: "card" }, h("h2", {}, "Memory"), facts([
        ["Pages", count(memory.pages)], ["Addresses", count(memory.nodes)], ["Links", count(memory.links)], ["Visits", count(memory.visits)],
        ["On disk", bytes(memory.disk_bytes)], ["Search index", bytes(memory.search_bytes)],
        ["Waiting to be read", count(memory.ingest_queued)], ["Waiting for the index", count(memory.index_queued)]])) : null);
    replace(all, h("details", {}, h("summary", {}, "All figures"),
      h("p", { class: "quiet" }, "The same for Prometheus: ", h("a", { href: "/metrics" }, "/metrics")),
      h("table", { class: "fields" }, h("tbody", {}, ...Object.entries<any>(metrics).flatMap(([name, family]) =>
        family.samples.map((sample: any) => h("tr", {},
          h("th", { scope: "row", title: family.help }, name, " ", h("span", { class: "quiet" }, Object.values(sample.labels ?? {}).join(", "))),
          h("td", { class: "number" }, sample.value !== undefined ? count(sample.value) : `${count(sample.count)}, sum ${Number(sample.sum ?? 0).toFixed(2)}`))))))));
  }

  async function drawPinned() {
    if (!overview.parts.onboarding) return;
    const list = (await ask("/tls/pinned")).pinned;
    replace(pinned, h("section", {}, h("h2", {}, "Programs that refuse our certificate"),
      list.length === 0 ? empty("None", "Hosts of programs that accept only their own certificate would be listed here; they pass unseen.")
        : h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...["Host", "Client", "Reason", "Until", ""].map((t) => h("th", { scope: "col" }, t)))),
          h("tbody", {}, ...list.map((entry: any) => h("tr", {}, h("td", {}, entry.host), h("td", {}, entry.client), h("td", {}, entry.reason),
            h("td", {}, when(entry.until)), h("td", {}, overview.role === "admin" ? h("button", { class: "plain", onclick: async () => {
              await ask("/tls/pinned/" + encodeURIComponent(entry.host), "DELETE");
              await drawPinned();
            } }, "Try again") : "")))))));
  }
  await draw();
  await drawPinned();
  await drawLog();
  let ticks = 0;
  return live.on("stats", () => { if (++ticks % 5 === 0 && !all.querySelector("details[open]")) void draw().catch(() => {}); if (ticks % 5 === 0 && !log.contains(document.activeElement)) void drawLog().catch(() => {}); });
};
