// Offline mode changes what all views mean, so each of them says it: a line above the view, and the way back.
import { ask, live } from "./api";
import { h, replace } from "./dom";
import { Overview, problemText } from "./view";

const kKey = "cache.offline";
interface Setting { key: string; value: unknown; source: string }

const notice = document.getElementById("notice")!;
const listeners = new Set<() => void>();
let here: Setting | undefined;
let admin = false;

export const isOffline = () => here?.value === true;

// Called at every change, until what it returns is called.
export function onOffline(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

function take(settings: Setting[]) {
  const fresh = settings.find((setting) => setting.key === kKey);
  if (!fresh) return;
  const before = isOffline();
  here = fresh;
  draw();
  if (before !== isOffline()) for (const listener of [...listeners]) listener();
}

async function goOnline(event: Event) {
  const button = event.currentTarget as HTMLButtonElement;
  button.disabled = true;
  try {
    take((await ask("/config", "PATCH", { [kKey]: false })).settings);
    document.getElementById("main")?.focus();  // the button is gone
  } catch (problem) {
    button.disabled = false;
    notice.append(h("p", { class: "problem" }, problemText(problem)));
  }
}

function draw() {
  if (!isOffline()) return replace(notice);
  const fixed = here!.source.startsWith("--");
  replace(notice, h("div", { class: "notice" }, h("p", {}, h("strong", {}, "Offline:"), " only what is kept is shown."),
    admin && !fixed ? h("button", { onclick: goOnline }, "Go online") : null,
    fixed ? h("p", { class: "quiet" }, "The command line decides this.") : null));
}

async function learn() {
  take((await ask<{ settings: Setting[] }>("/config")).settings);
}

let listens = false;
export async function watchOffline(overview: Overview) {
  if (overview.role === "user" || !overview.parts.settings) return;
  admin = overview.role === "admin";
  if (!listens) {
    listens = true;
    live.on("settings", ({ settings }) => settings.length ? take(settings) : void learn().catch(() => {}));
    live.on("again", () => void learn().catch(() => {}));
  }
  await learn().catch(() => {});  // who may not know it is not told
}
