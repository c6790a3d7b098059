// The card: a document of Outrider's own origin, the same for every link and everybody. What it shows comes as lines of
// JSON over one request, each line the whole truth so far. It never tells the page anything that depends on them.
import { Channel, meet, post } from "./channel";
import { around, Facts, facts, Link, source, state, way, you } from "./words";

const card = document.getElementById("card")!;
const spoken = document.getElementById("spoken")!;
let link: Link | undefined;
let known: Facts = {};
let shown = false, switched = false;
let request: AbortController | undefined;
let channel: Channel;

// ---- can the reader see what he clicks?

// A page may lay something over a frame and make people click at what they do not see. Where the browser can tell that
// nothing covers the card, a click on a switch counts at once; elsewhere it opens a page where it can be done.
let visibleSince = 0;
try {
  const options = { threshold: [0.99], trackVisibility: true, delay: 100 };
  new IntersectionObserver((entries) => {
    const seen = (entries.at(-1) as any).isVisible === true;
    visibleSince = seen ? visibleSince || performance.now() : 0;
  }, options).observe(card);
} catch {
  // visibleSince stays 0
}
const seesTheCard = () => visibleSince > 0 && performance.now() - visibleSince > 500;

async function turn(site: string, on: boolean): Promise<boolean> {
  const answer = await post("switch", new URLSearchParams({ site, on: on ? "1" : "0" })).catch(() => undefined);
  return answer?.ok === true;
}

async function switchOff(event: Event, site: string) {
  if (!event.isTrusted) return;
  if (!seesTheCard() || !(await turn(site, false))) {
    open("./?" + new URLSearchParams({ site: channel.site }), "_blank", "noopener");
    return;
  }
  switched = true;
  request?.abort();
  const undo = element("button", { type: "button" }, "Undo");
  undo.addEventListener("click", async (again) => {
    if (!again.isTrusted || !(await turn(site, true))) return;
    switched = false;
    draw();
  });
  const words = site ? `No previews on ${site} any more.` : "No previews any more.";
  card.replaceChildren(
    element("h1", { class: "title" }, words),
    element("p", { class: "description" }, "Outrider's own page about previews switches them on again."),
    element("footer", {}, undo),
  );
  undo.focus();
}

// ---- drawing

type Child = Node | string | undefined | false;
function element(name: string, attributes: Record<string, string>, ...children: Child[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) if (child) made.append(child);
  return made;
}

function line(kind: string, text: string): Child {
  return text ? element("p", { class: kind }, text) : undefined;
}

function copyForm(): Child {
  if (!known.copy || known.state !== "dead") return undefined;
  return element("form", { method: "post", action: "copy", target: "_blank" },
    element("input", { type: "hidden", name: "url", value: link!.url }),
    element("button", { class: "strong" }, "Open my copy"));
}

function linkedBy(): Child {
  if (!known.linked_by?.length) return undefined;
  const list = element("p", { class: "around" }, "From ");
  known.linked_by.forEach((page, index) => {
    if (index) list.append(", ");
    list.append(element("a", { href: page.url, target: "_top", rel: "noreferrer", title: page.url }, page.title));
  });
  return list;
}

function switches(): HTMLElement {
  const here = element("button", { type: "button" }, "Not on this site");
  const everywhere = element("button", { type: "button" }, "Off");
  here.addEventListener("click", (event) => switchOff(event, channel.site));
  everywhere.addEventListener("click", (event) => switchOff(event, ""));
  return element("div", { class: "switches", role: "group", "aria-label": "Link previews" }, here, everywhere);
}

function breadcrumbs(url: URL): string {
  if (!url.host) return url.pathname;
  const path = decode(url.pathname).replace(/\/$/, "").split("/").join(" › ");
  return url.host + path;
}
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function draw() {
  if (!link || switched) return;
  const url = new URL(link.url);
  const place = breadcrumbs(url);
  const title = known.title || link.text || place;
  const name = known.site || url.hostname || (url.protocol === "mailto:" ? "Mail" : "Telephone");
  const mood = state(known);
  const icon = known.icon
    ? element("img", { class: "icon", src: known.icon, alt: "" })
    : element("span", { class: "icon letter", "aria-hidden": "true" }, name.replace(/^www\./, "").slice(0, 1).toUpperCase());
  const shownFacts = facts(known);
  card.replaceChildren(...[
    element("header", {}, icon, element("span", { class: "site" }, name),
      mood && element("span", { class: "state " + mood.tone }, mood.word)),
    element("div", { class: "middle" },
      element("div", { class: "words" },
        element("h1", { class: "title" }, element("a", { href: link.url, target: "_top", rel: "noreferrer" }, title)),
        line("place", place !== title ? place : ""),
        line("description", known.description ?? "")),
      known.picture ? element("img", { class: "picture", src: known.picture, alt: "" }) : undefined),
    shownFacts.length ? element("ul", { class: "facts" }, ...shownFacts.map((text) => element("li", {}, text))) : undefined,
    line("you", you(known)),
    line("around", [way(link, channel.site).join(", "), around(known)].filter(Boolean).join(" · ")),
    linkedBy(),
    element("footer", {},
      element("span", { class: "source" }, known.looking ? element("span", { class: "busy", "aria-hidden": "true" }) : undefined,
        known.looking ? "Looking …" : url.host ? source(known) : ""),
      copyForm() as Child, switches()),
  ].filter((child): child is HTMLElement => !!child));
  fitDescription();
  if (shown) speak(title, name);
}

// As many whole lines as there is room for: half a line is no line.
function fitDescription() {
  const text = card.querySelector<HTMLElement>(".description");
  if (!text) return;
  const lines = Math.floor((text.clientHeight + 1) / parseFloat(getComputedStyle(text).lineHeight));
  if (lines) text.style.setProperty("-webkit-line-clamp", String(lines));
  else text.remove();
}

function speak(title: string, name: string) {
  const said = [title, name, state(known)?.word, you(known), known.description, facts(known).join(", "), way(link!, channel.site).join(", ")];
  const text = said.filter(Boolean).join(". ");
  if (!known.looking && spoken.textContent !== text) spoken.textContent = text;
}

// ---- asking

async function ask(wanted: Link) {
  const mine = (request = new AbortController());
  try {
    const answer = await post("look", JSON.stringify({ url: wanted.url, text: wanted.text, page: channel.site }), mine.signal);
    if (!answer.ok || !answer.body) return;
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done || mine !== request) break;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop()!;
      for (const each of lines) if (each) known = JSON.parse(each);
      draw();
    }
  } catch {
    // nobody waits any more, or Outrider is gone: the card shows what it knows
  }
}

function hide() {
  request?.abort();
  request = link = undefined;
  known = {};
  shown = false;
  spoken.textContent = "";
  card.replaceChildren();
  if (switched) channel.say({ off: 1 });
}

meet((message, from) => {
  channel = from;
  if (message.look) {
    hide();
    link = message.look as Link;
    known = {};
    draw();
    if (link.url.startsWith("http")) void ask(link);
  }
  if (message.show) {
    shown = true;
    draw();
  }
  if (message.hide) hide();
  if (message.focus) card.querySelector("a")?.focus();
});

addEventListener("keydown", (event) => {
  if (event.key === "Escape") channel?.say({ close: 1 });
});
