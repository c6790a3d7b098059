// Marks links whose pages are gone. The page must not learn which: the marks are drawn by a frame of Outrider's own that
// lies over the window, lets everything through, and is told the places of all links that can be seen.
import { Frame, dress, openFrame } from "./frame";
import { targetOf } from "./links";

const MOST = 300;

export function markDeadLinks() {
  let frame: Frame | undefined;
  let soon = 0;

  function draw() {
    const places = [];
    for (const link of document.querySelectorAll("a[href]")) {
      if (places.length >= MOST) break;
      const box = [...link.getClientRects()].pop();
      if (!box || box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) continue;
      const target = targetOf(link);
      if (target?.url.startsWith("http")) places.push({ url: target.url, x: box.right, y: box.top, h: box.height });
    }
    if (!places.length) return;
    if (!frame?.host.isConnected) frame = undefined;
    frame ??= openFrame("marks", "Marks of dead links", {
      inset: "0", width: "100vw", height: "100vh", "pointer-events": "none", "z-index": "2147483646", "color-scheme": "light",
    }, (message) => message.ready && dress(frame!.host, { visibility: "visible" }));
    frame.host.setAttribute("aria-hidden", "true");
    frame.say({ places });
  }
  function later(wait: number) {
    clearTimeout(soon);
    soon = setTimeout(draw, wait);
  }
  const moved = () => {
    frame?.say({ places: [] });
    later(200);
  };
  addEventListener("scroll", moved, { capture: true, passive: true });
  addEventListener("resize", moved);
  new MutationObserver(() => later(1000)).observe(document, { childList: true, subtree: true });
  later(document.readyState === "complete" ? 300 : 1000);
}
