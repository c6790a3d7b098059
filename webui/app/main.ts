// The frame around the views: who is here, which views there are, where we are. Views come and go with the part of the
// address behind '#'.
import { ask, live, Problem, sessionKey } from "./api";
import { h, replace } from "./dom";
import { watchOffline } from "./offline";
import { connect } from "./views/connect";
import { health } from "./views/health";
import { hosts } from "./views/hosts";
import { memory } from "./views/memory";
import { node } from "./views/node";
import { now } from "./views/now";
import { plugins } from "./views/plugins";
import { settings } from "./views/settings";
import { tasks } from "./views/tasks";
import { View, Place, Overview, problemText } from "./view";

interface Entry { path: string; title: string; view: View; part?: string; hidden?: boolean }
const entries: Entry[] = [
  { path: "now", title: "Now", view: now, part: "traffic" },
  { path: "memory", title: "Memory", view: memory, part: "memory" },
  { path: "node", title: "Page", view: node, part: "memory", hidden: true },
  { path: "tasks", title: "Tasks", view: tasks, part: "tasks" },
  { path: "hosts", title: "Hosts", view: hosts, part: "hosts" },
  { path: "plugins", title: "Plugins", view: plugins, part: "plugins" },
  { path: "settings", title: "Settings", view: settings, part: "settings" },
  { path: "connect", title: "Connect a browser", view: connect, part: "onboarding" },
  { path: "health", title: "Health", view: health },
];

const main = document.getElementById("main")!;
const nav = document.getElementById("nav")!;
const link = document.getElementById("link")!;
let overview: Overview;
let leave: (() => void) | void;
let current: Entry | undefined;
let turn = 0;  // of show(): a view that is ready when the person is elsewhere already is left at once

function leaveView(): number {
  if (leave) leave();
  leave = undefined;
  return ++turn;
}

function place(): Place {
  const text = location.hash.replace(/^#\/?/, "");
  const question = text.indexOf("?");
  return {
    path: question < 0 ? text : text.slice(0, question),
    values: new URLSearchParams(question < 0 ? "" : text.slice(question + 1)),
  };
}

function available(entry: Entry): boolean {
  if (overview.role === "user") return entry.part === "memory";  // theirs, nothing else
  return !entry.part || overview.parts[entry.part];
}

function drawNav(current: string) {
  const marked = current === "node" ? "memory" : current;
  replace(nav, ...entries.filter((e) => !e.hidden && available(e)).map((e) =>
    h("li", {}, h("a", { href: "#/" + e.path, "aria-current": e.path === marked ? "page" : null }, e.title))));
}

async function show(focus: boolean) {
  const here = place();
  const entry = entries.find((e) => e.path === here.path && available(e)) ?? entries.find(available)!;
  const mine = leaveView();
  current = entry;
  drawNav(entry.path);
  document.title = `${entry.title} – Outrider`;
  const room = h("div", { class: "view view-" + entry.path });
  replace(main, room);
  if (focus) main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  try {
    const left = await entry.view(room, here, overview);
    if (mine === turn) leave = left; else if (left) left();
  } catch (problem) {
    if (mine !== turn) return;
    if (problem instanceof Problem && problem.kind === "token-needed") return askForToken();
    replace(room, h("h1", {}, entry.title), h("p", { class: "problem", role: "alert" }, problemText(problem)));
  }
}

function showLink() {
  replace(link, h("span", { class: "dot " + live.state }),
    live.state === "open" ? "Live" : live.state === "waiting" ? "Outrider does not answer. Trying again …" : "");
}

function askForToken(wrong = "") {
  live.stop();
  leaveView();
  replace(nav);
  replace(link);
  document.title = "Outrider";
  const field = h("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const form = h("form", { class: "login", onsubmit: (event: Event) => { event.preventDefault(); void logIn(field.value.trim()); } },
    h("h1", {}, "Who is there?"),
    h("p", {}, "This page shows what you read, so it asks for a token. Outrider printed an address with it when it started; the token is also in the file ",
      h("code", {}, "admin-token"), " of its data directory, and ", h("code", {}, "read-token"), " is one for looking only. Where people log in to the proxy, everybody's own token shows what they have read."),
    h("label", { for: "token" }, "Token"), field,
    wrong ? h("p", { class: "problem", role: "alert" }, wrong) : null,
    h("button", { class: "primary", type: "submit" }, "Open the monitor"));
  replace(main, form);
  field.focus();
}

async function logIn(token: string) {
  try {
    sessionKey.set((await ask<{ key: string }>("/session", "POST", { token })).key);
    await begin();
  } catch (problem) {
    askForToken(problemText(problem));
  }
}

async function begin() {
  if (!sessionKey.get()) return askForToken();
  try {
    overview = await ask<Overview>("");
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 403) return askForToken();
    replace(main, h("h1", {}, "Outrider does not answer"), h("p", {}, "It may be starting. This page tries again by itself."));
    setTimeout(begin, 1500);
    return;
  }
  live.onState = showLink;
  live.onRefused = () => askForToken();
  live.start();
  showLink();
  void watchOffline(overview);
  await show(false);
}

// A server that has been started anew may have other parts than before.
live.on("hello", async (hello) => {
  if (!overview || hello.server === overview.server) return;
  overview = await ask<Overview>("");
  if (current && available(current)) drawNav(current.path); else void show(false);
});

// What is behind '#' is the view: the link to the content moves the focus and nothing else.
document.querySelector(".skip")!.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

// "/" goes to the field that narrows what the view shows.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).matches("input, select, textarea")) return;
  const field = main.querySelector<HTMLInputElement>("input[type=search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
});

window.addEventListener("hashchange", () => {
  const token = /^#token=(\S+)$/.exec(location.hash);
  if (token) return takeToken(token[1]);
  if (overview) void show(true);
});

// The token is taken out of the address at once: it is not for the history or for eyes.
function takeToken(token: string) {
  history.replaceState(null, "", location.pathname + "#/now");
  void logIn(token);
}

const given = /^#token=(\S+)$/.exec(location.hash);
if (given) takeToken(given[1]); else void begin();
