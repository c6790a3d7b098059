// Is everything well? What is stored, what waits, what failed: told by events as long as somebody looks here.
import { ask, live } from "../api";
import { h, replace } from "../dom";
import { bytes, count, when } from "../format";
import { isOffline, onOffline } from "../offline";
import { empty, facts, View } from "../view";
import { logTail } from "./log_tail";

interface Figures { metrics?: any; cache?: any; memory?: any; robot?: any; pinned?: any[] }

function value(metrics: any, name: string, labels: Record<string, string> = {}): number {
  let sum = 0;
  for (const sample of metrics[name]?.samples ?? [])
    if (Object.entries(labels).every(([key, wanted]) => sample.labels?.[key] === wanted)) sum += sample.value ?? 0;
  return sum;
}

// RFC 7396.
function merged(target: any, patch: any): any {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const out: any = target && typeof target === "object" && !Array.isArray(target) ? { ...target } : {};
  for (const [name, part] of Object.entries(patch)) if (part === null) delete out[name]; else out[name] = merged(out[name], part);
  return out;
}

export const health: View = async (room, _place, overview) => {
  const admin = overview.role === "admin", parts = h("div", { class: "cards" }), pinned = h("div", {}), verdict = h("div", {});
  const rows = h("tbody", {}), all = h("details", { ontoggle: () => drawAll() }, h("summary", {}, "All figures"),
    h("p", { class: "quiet" }, "The same for Prometheus: ", h("a", { href: "/metrics" }, "/metrics")), h("table", { class: "fields" }, rows));
  const log = admin ? logTail() : null;
  let figures: Figures = {}, greetings = 0;
  replace(room, h("h1", {}, "Health"), verdict, parts, log?.element, pinned, all);

  function draw() {
    const { metrics = {}, cache, memory, robot } = figures;
    const failed = value(metrics, "outrider_exchanges_total", { status: "5xx" });
    const none = value(metrics, "outrider_exchanges_total", { status: "none" });
    const wrong: string[] = [];
    if (isOffline()) wrong.push("Outrider is offline (cache.offline): only what is kept is shown, and no origin is asked.");
    if (cache && !cache.disk.on) wrong.push(`The cache does not use the disk: ${cache.disk.off_because ?? "it is switched off"}.`);
    if (memory && memory.ingest_queued > 100_000) wrong.push(`${count(memory.ingest_queued)} pages wait to be read.`);
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
        ["Waiting to be read", count(memory.ingest_queued)], ["Waiting for the index", count(memory.index_queued)],
        ["Could not be kept", count(value(metrics, "outrider_memory_failures_total") + value(metrics, "outrider_ingest_failed_total"))]])) : null,
      robot ? h("section", { class: "card" }, h("h2", {}, "Robot"), facts([
        ["Tasks", count(robot.tasks)], ["At work", count(robot.at_work)], ["Open addresses", count(robot.open)], ["Under way", count(robot.under_way)], ["Failed", count(robot.failed)]])) : null);
    drawAll();
    if (!pinned.contains(document.activeElement)) drawPinned();
  }
  function drawAll() {
    if (!all.open) return replace(rows);
    replace(rows, ...Object.entries<any>(figures.metrics ?? {}).flatMap(([name, family]) => family.samples.map((sample: any) => h("tr", {},
      h("th", { scope: "row", title: family.help }, name, " ", h("span", { class: "quiet" }, Object.values(sample.labels ?? {}).join(", "))),
      h("td", { class: "number" }, sample.value !== undefined ? count(sample.value) : `${count(sample.count)}, sum ${Number(sample.sum ?? 0).toFixed(2)}`)))));
  }
  function drawPinned() {
    if (!figures.pinned) return;
    replace(pinned, h("section", {}, h("h2", {}, "Programs that refuse our certificate"),
      figures.pinned.length === 0 ? empty("None", "Hosts of programs that accept only their own certificate would be listed here; they pass unseen.")
        : h("div", { class: "wide" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...["Host", "Client", "Reason", "Until"].map((t) => h("th", { scope: "col" }, t)), h("th", { scope: "col" }, h("span", { class: "hidden" }, "What to do with it")))),
          h("tbody", {}, ...figures.pinned.map((entry) => h("tr", {}, h("td", {}, entry.host), h("td", {}, entry.client), h("td", {}, entry.reason),
            h("td", {}, when(entry.until)), h("td", {}, admin ? h("button", { class: "plain", onclick: async () => {
              await ask("/tls/pinned/" + encodeURIComponent(entry.host), "DELETE");
              figures.pinned = (await ask("/tls/pinned")).pinned;
              drawPinned();
            } }, "Try again", h("span", { class: "hidden" }, " " + entry.host)) : ""))))))));
  }
  const lacks = () => null;  // switched off, or it cannot be asked at the moment
  const [metrics, cache, memory, refusing] = await Promise.all([
    ask("/metrics"), overview.parts.cache ? ask("/cache").catch(lacks) : null, overview.parts.memory ? ask("/memory").catch(lacks) : null,
    overview.parts.onboarding ? ask("/tls/pinned") : null, log?.load()]);
  figures = { metrics, cache, memory, pinned: refusing?.pinned };
  draw();
  // What follows a greeting is complete. The first one is the answer to our wish, any other one that of a server that was away.
  const offs = [live.on("hello", () => { figures = {}; if (greetings++) void log?.load(true).catch(() => {}); }),
    live.on("health", (patch) => { figures = merged(figures, patch); draw(); }), live.on("log", (line) => log?.add(line)), onOffline(draw), () => live.want("")];
  live.want("health,log");
  return () => offs.forEach((off) => off());
};
