// A document of Outrider's own inside the page: in a closed shadow tree, of a size that does not depend on what it shows,
// spoken to through a channel that nobody else holds. It is shown only after it has answered, so that a page never gets
// a browser's error message where a card should be.

const HOME = location.protocol + "//outrider.internal/plugins/hyperscout/";

export interface Frame {
  host: HTMLElement;
  element: HTMLIFrameElement;
  say(message: object): void;
}

export function dress(element: HTMLElement, style: Record<string, string>) {
  for (const name in style) element.style.setProperty(name, style[name]!, "important"); // inline: no policy forbids it
}

export function openFrame(page: string, title: string, style: Record<string, string>, hear: (message: any) => void): Frame {
  const host = document.createElement("outrider-frame");
  dress(host, { all: "initial", position: "fixed", "z-index": "2147483647", visibility: "hidden", ...style });
  const element = document.createElement("iframe");
  element.title = title;
  element.referrerPolicy = "no-referrer";
  element.src = HOME + page;
  dress(element, { all: "initial", visibility: "inherit", "pointer-events": "inherit", display: "block", width: "100%", height: "100%", border: "0" });
  host.attachShadow({ mode: "closed" }).append(element);
  const { port1, port2 } = new MessageChannel();
  const waiting: object[] = [];
  let ready = false;
  port1.onmessage = (event) => {
    if (event.data.ready) {
      ready = true;
      for (const message of waiting.splice(0)) port1.postMessage(message);
    }
    hear(event.data);
  };
  element.addEventListener("load", () => element.contentWindow?.postMessage("outrider", new URL(HOME).origin, [port2]), { once: true });
  document.documentElement.append(host);
  return {
    host,
    element,
    say(message) {
      if (ready) port1.postMessage(message);
      else waiting.push(message);
    },
  };
}
