// The frame's end of the channel to the script in the page. The browser says whose page it is; the page cannot.

export interface Channel {
  site: string; // host name of the page
  say(message: object): void;
}

export function meet(hear: (message: any, channel: Channel) => void) {
  let met = false;
  addEventListener("message", (event) => {
    const port = event.ports[0];
    // Of the page in front of the reader alone: a frame in it could recognise him by what was asked for its site elsewhere.
    if (met || event.source !== parent || parent === self || parent !== top || event.data !== "outrider" || !port) return;
    met = true;
    const channel = { site: new URL(event.origin).hostname, say: (message: object) => port.postMessage(message) };
    port.onmessage = (heard) => hear(heard.data, channel);
    channel.say({ ready: 1 });
  });
}

export const post = (path: string, body: BodyInit, signal?: AbortSignal) => fetch(path, { method: "POST", body, signal });
