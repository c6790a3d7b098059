"""Pages of a site that uses what browsers can do over HTTPS: many parts, WebSocket, events, large transfers, media with
ranges, a service worker. Each leaves its verdict in window.result."""

import io
import random
import wave

from . import live
from .origin import sha256

PARTS = 200
UPLOAD_BYTES = 20_000_000
DOWNLOAD_BYTES = 50_000_000
HTML = "text/html; charset=utf-8"

PARTS_PAGE = """<!doctype html><html lang="en"><title>Parts</title>
%s
<script>
addEventListener("load", () => {
  const drawn = [...document.images].filter(image => image.naturalWidth === 20).length;
  window.result = `${drawn} pictures, ${document.styleSheets.length} sheets, ${window.count} scripts`;
});
</script>"""

WEBSOCKET_PAGE = """<!doctype html><title>WebSocket</title><script>
const got = [];
const socket = new WebSocket("wss://" + location.host + "/echo");
socket.binaryType = "arraybuffer";
socket.onopen = () => { socket.send("grüße"); socket.send(new Uint8Array(300000).fill(7)); };
socket.onmessage = message => {
  got.push(typeof message.data === "string" ? message.data
           : message.data.byteLength + " bytes of " + [...new Set(new Uint8Array(message.data))]);
  if (got.length == 2) socket.close(1000, "done");
};
socket.onclose = close => { got.push("closed " + close.code); window.result = got.join("; "); };
</script>"""

# An event is sent only when the page has told the origin of the one before: held back, none would follow.
EVENTS_PAGE = """<!doctype html><title>Events</title><script>
const got = [];
const source = new EventSource("/events");
source.onmessage = message => {
  got.push(message.data);
  if (got.length == 5) { source.close(); window.result = got.join("; "); }
  else fetch("/acknowledge?" + got.length, {method: "POST"});
};
</script>"""

TRANSFER_PAGE = """<!doctype html><title>Transfer</title><script>
(async () => {
  const hex = async data => Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", data)),
                                       byte => byte.toString(16).padStart(2, "0")).join("");
  const data = new Uint8Array(%d).map((_, at) => at %% 251);
  const up = await (await fetch("/upload", {method: "POST", body: data})).text();
  const down = await (await fetch("/download")).arrayBuffer();
  window.result = `${up === await hex(data) ? "up" : "up wrong"}, ${down.byteLength} down ${await hex(down)}`;
})().catch(error => window.result = String(error));
</script>"""

# A sound, since every browser can play this one: it is loaded by ranges as a film is, and a jump needs a new one.
MEDIA_PAGE = """<!doctype html><title>Media</title><audio id="sound" preload="auto" muted></audio><script>
(async () => {
  const sound = document.getElementById("sound");
  const happens = name => new Promise((done, fail) => { sound.addEventListener(name, done, {once: true}); sound.onerror = fail; });
  const ready = happens("loadedmetadata");
  sound.src = "/sound.wav";
  await ready;
  const jumped = happens("seeked");
  sound.currentTime = sound.duration - 1;
  await jumped;
  const part = await fetch("/sound.wav", {headers: {Range: "bytes=1000-1999"}});
  window.result = `${Math.round(sound.duration)} s, at ${Math.round(sound.currentTime)}; ${part.status}, `
    + `${(await part.arrayBuffer()).byteLength} bytes`;
})().catch(error => window.result = String(error.message || error.type || error));
</script>"""

WORKER_PAGE = """<!doctype html><title>Worker</title><script>
(async () => {
  await navigator.serviceWorker.register("/worker.js");
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller)
    await new Promise(done => { navigator.serviceWorker.oncontrollerchange = done; });
  window.result = await (await fetch("/answered-by-the-worker")).text() + "; " + await (await fetch("/plain")).text();
})().catch(error => window.result = String(error));
</script>"""

WORKER = """self.addEventListener("install", event => event.waitUntil(self.skipWaiting()));
self.addEventListener("activate", event => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", event => {
  if (event.request.url.endsWith("/answered-by-the-worker")) event.respondWith(new Response("from the worker"));
});
"""

DOT = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><circle r="9" cx="10" cy="10"/></svg>'
DOWNLOAD = random.Random(3).randbytes(DOWNLOAD_BYTES)
DOWNLOAD_SHA256 = sha256(DOWNLOAD)


def sound():
    """A minute of silence, 2.6 MB: more than a browser loads in advance."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes(bytes(2 * 22050 * 60))
    return out.getvalue()


def add_to(server):
    """All the pages, on a server of support/origin."""
    third = PARTS // 4
    parts = [f'<img src="/dot{n}.svg" alt="">' for n in range(PARTS - 2 * third)]
    parts += [f'<link rel="stylesheet" href="/sheet{n}.css">' for n in range(third)]
    parts += [f'<script src="/script{n}.js"></script>' for n in range(third)]
    server.content("/parts", PARTS_PAGE % "\n".join(parts), HTML)
    for n in range(PARTS - 2 * third):
        server.content(f"/dot{n}.svg", DOT, "image/svg+xml")
    for n in range(third):
        server.content(f"/sheet{n}.css", f".x{n} {{ color: red }}", "text/css")
        server.content(f"/script{n}.js", "window.count = (window.count || 0) + 1;", "text/javascript")
    server.content("/websocket", WEBSOCKET_PAGE, HTML)
    server.route("/echo", live.echo_route)
    server.content("/event-source", EVENTS_PAGE, HTML)
    server.content("/transfer", TRANSFER_PAGE % UPLOAD_BYTES, HTML)
    server.route("/upload", lambda exchange: exchange.answer(200, sha256(exchange.asked.body)))
    server.content("/download", DOWNLOAD, "application/octet-stream")
    server.content("/media", MEDIA_PAGE, HTML)
    server.route("/sound.wav", _with_ranges(sound(), "audio/wav"))
    server.content("/service-worker", WORKER_PAGE, HTML)
    server.content("/worker.js", WORKER, "text/javascript")
    server.content("/plain", "from the origin")
    server.content("/favicon.ico", DOT, "image/svg+xml")


def _with_ranges(body, content_type):
    def serve(exchange):
        asked = exchange.asked.header("range")
        if not asked:
            exchange.answer(200, body, content_type, [("Accept-Ranges", "bytes")])
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        begin, end = int(first), min(int(last or len(body)), len(body) - 1)
        fields = [("Accept-Ranges", "bytes"), ("Content-Range", f"bytes {begin}-{end}/{len(body)}")]
        exchange.answer(206, body[begin : end + 1], content_type, fields)

    return serve
