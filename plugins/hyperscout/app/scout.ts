// The script that HyperScout puts into pages: notices that somebody dwells on a link, and puts a card of Outrider's own
// beside it. The same for everybody; leaves no names in the page; is told nothing about anybody's memory, so that it has
// nothing that the page could take from it.
import { dress, Frame, openFrame } from "./frame";
import { linkOf, Target, targetOf } from "./links";
import { markDeadLinks } from "./marking";

const LOOK_AFTER = 150, SHOW_AFTER = 400, CLOSE_AFTER = 300; // milliseconds
const WIDTH = 400, HEIGHT = 328, GAP = 8;
type Key = "altKey" | "ctrlKey" | "shiftKey" | "metaKey";

function scout(key: Key | "", marking: boolean) {
  let frame: Frame | undefined;
  let ready = false, off = false, shown = false;
  let link: Element | null = null; // that the timers, or the card, are about
  let target: Target | null = null;
  let begun = false; // the card knows of it
  let at: { x: number; y: number } | null = null;
  let looking = 0, showing = 0, closing = 0;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  function hear(message: any) {
    if (message.ready) {
      ready = true;
      if (shown) reveal();
    }
    if (message.close) {
      const back = link as HTMLElement | null;
      close();
      back?.focus?.();
    }
    if (message.off) {
      off = true;
      close();
    }
  }

  function theFrame(): Frame {
    if (frame && !frame.host.isConnected) {  // a page may replace all of itself; a frame that is put back begins anew
      frame = undefined;
      ready = false;
    }
    frame ??= openFrame("card", "Link preview", {
      width: `min(${WIDTH}px, 100vw - ${2 * GAP}px)`, height: `min(${HEIGHT}px, 100vh - ${2 * GAP}px)`,
      "border-radius": "12px", overflow: "hidden", left: "0", top: "0", opacity: "0",
      "box-shadow": "0 0 0 1px rgb(120 128 132 / .35), 0 2px 6px rgb(0 0 0 / .12), 0 14px 36px rgb(0 0 0 / .22)",
    }, hear);
    return frame;
  }

  function place(host: HTMLElement) {
    const rects = [...link!.getClientRects()];
    const near = at && rects.find((r) => at!.x >= r.left && at!.x <= r.right && at!.y >= r.top - 1 && at!.y <= r.bottom + 1);
    const box = near || rects[0] || link!.getBoundingClientRect();
    const wide = document.documentElement.clientWidth || innerWidth, high = innerHeight;
    const width = Math.min(WIDTH, wide - 2 * GAP), height = Math.min(HEIGHT, high - 2 * GAP);
    const below = high - box.bottom, above = box.top;
    let top = below >= height + GAP || below >= above ? box.bottom + GAP / 2 : box.top - height - GAP / 2;
    let left = at ? at.x - 32 : box.left;
    left = Math.max(GAP, Math.min(left, wide - width - GAP));
    top = Math.max(GAP, Math.min(top, high - height - GAP));
    dress(host, { transform: `translate(${Math.round(left)}px, ${Math.round(top)}px)` });
  }

  function reveal() {
    const { host } = theFrame();
    place(host);
    dress(host, { visibility: "visible", opacity: "1", transition: calm.matches ? "none" : "opacity .12s ease-out" });
  }

  function stopTimers() {
    clearTimeout(looking);
    clearTimeout(showing);
    clearTimeout(closing);
    looking = showing = closing = 0;
  }

  function look() {
    if (begun || !link?.isConnected) return;
    begun = true;
    theFrame().say({ look: target });
  }

  function show() {
    if (!link?.isConnected) return close();
    look();
    shown = true;
    theFrame().say({ show: 1 });
    if (ready) reveal();
  }

  function close() {
    stopTimers();
    if (begun) frame?.say({ hide: 1 });
    if (frame) dress(frame.host, { visibility: "hidden", opacity: "0", transition: "none" });
    begun = shown = false;
    link = null;
  }

  function closeSoon() {
    if (!link || closing) return;
    clearTimeout(looking);
    clearTimeout(showing);
    closing = setTimeout(close, CLOSE_AFTER);
  }

  function dwell(next: Element, point: { x: number; y: number } | null) {
    if (next === link) {
      if (!closing) return;
      clearTimeout(closing);
      closing = 0;
      if (shown) return;
    }
    const found = off ? null : targetOf(next);
    if (!found) return closeSoon();
    if (next !== link) close();
    [link, target, at] = [next, found, point];
    looking = setTimeout(look, LOOK_AFTER);
    showing = setTimeout(show, SHOW_AFTER);
  }

  const inCard = (event: Event) => !!frame && event.composedPath().includes(frame.host);
  const on = (type: string, handle: (event: any) => void) =>
    addEventListener(type, (event) => event.isTrusted && handle(event), { capture: true, passive: type !== "contextmenu" });

  // The mouse. What it rests on is remembered for the key that may come later.
  let resting: Element | null = null;
  on("pointerover", (event: PointerEvent) => {
    if (event.pointerType !== "mouse") return;
    if (inCard(event)) {
      clearTimeout(closing);
      closing = 0;
      return;
    }
    resting = linkOf(event);
    at = at && resting === link ? at : { x: event.clientX, y: event.clientY };
    if (resting && (!key || event[key] || resting === link)) dwell(resting, { x: event.clientX, y: event.clientY });
    else closeSoon();
  });
  on("pointerout", (event: PointerEvent) => {
    if (!event.relatedTarget) closeSoon();
  });

  on("focusin", (event: FocusEvent) => {
    const next = linkOf(event);
    if (next && !key && (event.composedPath()[0] as Element).matches(":focus-visible")) dwell(next, null);
  });
  on("focusout", (event: FocusEvent) => {
    if (frame && event.relatedTarget !== frame.host && document.activeElement !== frame.host) closeSoon();
  });
  on("keydown", (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
    else if (shown && event.altKey && event.key === "ArrowDown") {
      frame!.element.focus();
      frame!.say({ focus: 1 });
    } else if (key && event[key] && resting?.isConnected) dwell(resting, at);
  });

  // A long press. The menu of the system stays away only where a card came.
  let press = 0, pressed = false;
  on("touchstart", (event: TouchEvent) => {
    const next = linkOf(event), finger = event.touches[0];
    clearTimeout(press);
    pressed = false;
    if (!inCard(event)) close();
    if (!next || off || !finger || event.touches.length > 1 || !targetOf(next)) return;
    const point = { x: finger.clientX, y: finger.clientY };
    press = setTimeout(() => {
      pressed = true;
      [link, target, at] = [next, targetOf(next), point];
      if (target) show();
    }, SHOW_AFTER);
  });
  for (const type of ["touchend", "touchcancel", "touchmove"]) on(type, () => clearTimeout(press));
  on("contextmenu", (event: Event) => {
    if (pressed && shown) event.preventDefault();
  });

  on("pointerdown", (event: PointerEvent) => {
    if (event.pointerType === "mouse" && !inCard(event)) close();
  });
  on("scroll", (event: Event) => {
    if (shown && (event.target as Node).contains(link)) close();
  });
  on("pagehide", close);
  on("popstate", close);

  if (marking) markDeadLinks();
}

// In frames there are no cards: over plain HTTP it cannot be told before whether a page goes into one.
const own = document.currentScript;
if (top === self && own instanceof HTMLElement) {
  const { key = "", marks } = own.dataset;
  own.remove();
  scout((key && key + "Key") as Key | "", marks === "on");
}
