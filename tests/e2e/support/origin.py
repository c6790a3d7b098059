"""An HTTP/1.1 origin on a free port of 127.0.0.1 (or of another address of this machine). It answers by path and remembers what it was asked."""

import hashlib
import io
import re
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SILENCE_SECONDS = 120  # a bound for a hang


@dataclass
class Request:
    method: str
    target: str
    version: str
    headers: list  # (name in lower case, value) in their order
    body: bytes = b""
    connection: tuple = ()  # address of the peer: equal for requests on the same connection
    trailers: list = field(default_factory=list)

    def header(self, name):
        """All values of the field, joined; None if it is absent."""
        values = [v for n, v in self.headers if n == name.lower()]
        return ", ".join(values) if values else None


class Body(io.RawIOBase):
    """The body of a request as a stream, framed by Content-Length or chunks (RFC 9112, sections 6 and 7)."""

    def __init__(self, reader, headers):
        super().__init__()
        self.reader = reader
        self.is_chunked = headers.get("Transfer-Encoding", "").lower() == "chunked"
        self.left = 0 if self.is_chunked else int(headers.get("Content-Length", 0))
        self.ended = not self.is_chunked and self.left == 0
        self.trailers = []

    def readable(self):
        return True

    def readinto(self, view):
        if self.is_chunked and not self.left and not self.ended:
            self._next_chunk()
        if self.ended:
            return 0
        count = self.reader.readinto(memoryview(view)[: self.left])
        if not count:
            raise ConnectionError("the request ended inside its body")
        self.left -= count
        if not self.left:
            if self.is_chunked:
                self._line_end()
            else:
                self.ended = True
        return count

    def _next_chunk(self):
        self.left = int(self.reader.readline().split(b";")[0], 16)
        if self.left == 0:
            self.ended = True
            while line := self.reader.readline().strip():
                name, _, value = line.decode().partition(":")
                self.trailers.append((name.lower(), value.strip()))

    def _line_end(self):
        if self.reader.readline() != b"\r\n":
            raise ConnectionError("chunk without its end of line")


class Exchange(BaseHTTPRequestHandler):
    """One connection; what a route is given. Its attributes `asked` and `body` are those of the current request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    rbufsize = 256 * 1024
    timeout = SILENCE_SECONDS

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True  # clients that leave are part of the tests

    def answer(self, status, body=b"", content_type="text/plain", headers=()):
        """A complete answer; HEAD and a single range are honoured."""
        body = body.encode() if isinstance(body, str) else body
        extra = list(headers)
        if status == 200 and (wanted := re.fullmatch(r"bytes=(\d+)-(\d+)", self.asked.header("range") or "")):
            first, last = int(wanted[1]), min(int(wanted[2]), len(body) - 1)
            extra.append(("Content-Range", f"bytes {first}-{last}/{len(body)}"))
            status, body = 206, body[first : last + 1]
        self.start(status, content_type, [("Content-Length", str(len(body))), *extra])
        if self.command != "HEAD":
            self.wfile.write(body)

    def start(self, status, content_type, headers):
        """The head alone; the route writes the body itself."""
        self.send_response(status)
        if self.server.origin.closes:
            self.send_header("Connection", "close")
        self.send_header("Content-Type", content_type)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def last_chunk(self, trailers=b""):
        self.wfile.write(b"0\r\n" + trailers + b"\r\n")

    def _serve(self):
        self.body = Body(self.rfile, self.headers)
        self.asked = Request(
            self.command,
            self.path,
            self.request_version,
            [(n.lower(), v) for n, v in self.headers.items()],
            connection=self.client_address,
        )
        route, reads_body_itself = self.server.origin.route_of(self.path)
        if not reads_body_itself:
            self.asked.body = self.body.readall()
            self.asked.trailers = self.body.trailers
        self.server.origin.requests.append(self.asked)
        route(self)
        if reads_body_itself and not self.body.ended:
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _serve

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, *_):
        pass  # a client that leaves in the middle of a handshake


class _TlsServer(_Server):
    def finish_request(self, request, client_address):
        # In the thread of the connection, so that a slow handshake holds up nobody.
        request.settimeout(SILENCE_SECONDS)
        with self.tls.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)


class Origin:
    def __init__(self, tls=None, closes=False, address="127.0.0.1"):
        """closes: after each answer, so that a tunnel to it ends; address: 127.0.0.2 is another site than 127.0.0.1."""
        self.closes = closes
        self.routes = {}
        self.requests = []
        self.server = (_TlsServer if tls else _Server)((address, 0), Exchange)
        self.server.daemon_threads = True
        self.server.origin = self
        self.server.tls = tls
        self.port = self.server.server_address[1]
        self.host = f"{address}:{self.port}"
        self.url = f"{'https' if tls else 'http'}://{self.host}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def route(self, path, function, reads_body_itself=False):
        """A path that ends in "/" also answers everything below it. The longest path wins."""
        self.routes[path] = (function, reads_body_itself)

    def content(self, path, body, content_type="text/plain", headers=()):
        self.route(path, lambda exchange: exchange.answer(200, body, content_type, headers))

    def folder(self, path, folder):
        """Serves the files below a folder."""

        def serve(exchange):
            file = folder / exchange.path.partition("?")[0][len(path) :]
            if not file.is_file():
                exchange.answer(404, "no such file")
            else:
                html = file.suffix == ".html"
                exchange.answer(
                    200, file.read_bytes(), "text/html; charset=utf-8" if html else "application/octet-stream"
                )

        self.route(path, serve)

    def route_of(self, target):
        path = target.partition("?")[0]
        if path in self.routes:
            return self.routes[path]
        above = [p for p in self.routes if p.endswith("/") and path.startswith(p)]
        if above:
            return self.routes[max(above, key=len)]
        return (lambda exchange: exchange.answer(404, "no such page")), False

    def seen(self, path, method=None):
        """The requests for a path (without query), oldest first."""
        return [r for r in self.requests if r.target.partition("?")[0] == path and method in (None, r.method)]


def refused_port():
    """A bound socket that does not listen: connections to its port are refused while it is held."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held


def sha256(data):
    return hashlib.sha256(data).hexdigest()
