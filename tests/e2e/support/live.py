"""Routes of an origin whose answers never end by themselves: server-sent events, and a WebSocket that echoes."""

import queue
import select
import threading

from . import websocket


class EventChannel:
    """Server-sent events that a test sends one by one. `client_left` is set when the reader goes away."""

    def __init__(self, origin, path, is_chunked=True):
        """is_chunked: else the end of the connection is the end of the events."""
        self.is_chunked = is_chunked
        self.events = queue.Queue()
        self.client_left = threading.Event()
        origin.route(path, self._serve)

    def send(self, text):
        self.events.put(text)

    def end(self):
        self.events.put(None)

    def _serve(self, exchange):
        framing = ("Transfer-Encoding", "chunked") if self.is_chunked else ("Connection", "close")
        exchange.start(200, "text/event-stream", [("Cache-Control", "no-store"), framing])
        while True:
            try:
                text = self.events.get(timeout=0.05)
            except queue.Empty:
                if _peer_left(exchange.connection):
                    self.client_left.set()
                    exchange.close_connection = True
                    return
                continue
            if text is None:
                if self.is_chunked:
                    exchange.last_chunk()
                return
            event = f"data: {text}\n\n".encode()
            if self.is_chunked:
                exchange.chunk(event)
            else:
                exchange.wfile.write(event)


def _peer_left(connection):
    readable, _, _ = select.select([connection], [], [], 0)
    return bool(readable) and not connection.recv(1)


def echo_route(exchange):
    """A WebSocket that sends each message back, and closes when it is asked to."""
    key = exchange.asked.header("sec-websocket-key")
    if (exchange.asked.header("upgrade") or "").lower() != "websocket" or not key:
        exchange.answer(400, "this is a WebSocket")
        return
    exchange.close_connection = True
    exchange.send_response(101)
    for name, value in (
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Accept", websocket.accept_value(key)),
    ):
        exchange.send_header(name, value)
    exchange.end_headers()
    channel = websocket.WebSocket(exchange.rfile, exchange.connection.sendall, is_client=False)
    while True:
        opcode, payload = channel.receive()
        channel.send(opcode, payload)
        if opcode == websocket.CLOSE:
            return
