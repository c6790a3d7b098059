"""What the scripts play on: the program, origins with the usual pages, a folder, an environment, and curl."""

import contextlib
import gzip
import json
import random
import subprocess

from . import live
from .certificates import Certificates
from .origin import Origin, sha256
from .program import Outrider
from .repositories import run
from .runner import clean_environment, expect_equal, fresh_folder
from .streams import Blocks, count_verified

PAGE = b"<!doctype html><title>Test</title><p>" + bytes(range(32, 127)) * 40
BLOB = random.Random(1).randbytes(10_000_000)


class Stage:
    def __init__(self, name):
        self.work = fresh_folder(name)
        self.environment = clean_environment(self.work / "home")
        self.certificates = Certificates(self.work / "certificates")
        self.endless_sent = 0  # bytes that the route /endless got rid of
        self.blob_file = self.work / "blob"
        self.blob_file.write_bytes(BLOB)

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.origin = stack.enter_context(Origin())
            self.secure_origin = stack.enter_context(Origin(self.certificates.server_context()))
            self.outrider = stack.enter_context(Outrider(self.work))
            for server in (self.origin, self.secure_origin):
                self._add_routes(server)
            self.proxied = {**self.environment, "http_proxy": self.outrider.url, "https_proxy": self.outrider.url}
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    # ---- curl ----

    def curl_command(self, *arguments):
        """curl through the proxy, without anybody's configuration."""
        return [
            "curl",
            "-q",
            "-sS",
            "--max-time",
            "280",
            "--noproxy",
            "",
            "-x",
            self.outrider.url,
            *map(str, arguments),
        ]

    def curl(self, *arguments, **options):
        """Runs curl to success; returns its standard output."""
        return run(self.curl_command(*arguments), self.environment, **options)

    def curl_that_may_fail(self, *arguments):
        return subprocess.run(
            self.curl_command(*arguments),
            env=self.environment,
            capture_output=True,
            timeout=300,
            stdin=subprocess.DEVNULL,
        )

    def curl_direct(self, *arguments):
        return run(["curl", "-q", "-sS", "--max-time", "280", "--noproxy", "*", *arguments], self.environment)

    # ---- the end ----

    def check_access_log(self):
        """The proof that all went through the proxy. Stops the program: the log is then written to its end."""
        expect_equal(self.outrider.stop(), 0, "exit code after SIGTERM")
        origin = self.origin
        logged = {(e["method"], e["url"]) for e in self.outrider.access_log()}
        hosts = (origin.url, f"http://localhost:{origin.port}")
        forwarded = [r for r in origin.requests if r.header("via")]
        missing = [
            (r.method, r.target) for r in forwarded if not any((r.method, h + r.target) in logged for h in hosts)
        ]
        expect_equal(missing, [], "requests that the origin saw and the log does not have")
        if len(forwarded) < len(origin.requests):
            expect_equal(("CONNECT", origin.host) in logged, True, "a tunnel for the requests without Via")
        return f"{len(origin.requests)} requests at the origin, {len(logged)} different ones in the log"

    # ---- pages ----

    def _add_routes(self, server):
        compressed = gzip.compress(PAGE, mtime=0)
        server.content("/page", PAGE, "text/html", [("X-Test", "kept")])
        server.content("/blob", BLOB, "application/octet-stream")
        server.content("/gzip", compressed, "text/html", [("Content-Encoding", "gzip")])
        server.route("/moved", lambda exchange: exchange.answer(302, headers=[("Location", "/page")]))
        server.route("/upload/", _upload)
        server.route("/chunks", _chunks)
        server.route("/until-close", _until_close)
        server.route("/numbered/", _numbered)
        server.route("/echo", live.echo_route)
        server.route("/big", _big)
        server.route("/big-upload", _big_upload, reads_body_itself=True)
        server.route("/endless", self._endless)

    def _endless(self, exchange):
        exchange.start(200, "application/octet-stream", [("Connection", "close")])
        block = bytes(65536)
        with contextlib.suppress(OSError):
            while True:
                exchange.connection.sendall(block)
                self.endless_sent += len(block)


def _upload(exchange):
    body = exchange.asked.body
    exchange.answer(200, json.dumps({"bytes": len(body), "sha256": sha256(body)}), "application/json")


def _chunks(exchange):
    if exchange.request_version == "HTTP/1.0":
        exchange.answer(500, "asked with HTTP/1.0")
        return
    exchange.start(200, "text/plain", [("Transfer-Encoding", "chunked"), ("Trailer", "X-Sum")])
    for piece in (b"one", b"two", b"three", PAGE):
        exchange.chunk(piece)
    exchange.last_chunk(b"X-Sum: 42\r\n")


def _until_close(exchange):
    exchange.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n" + PAGE)
    exchange.close_connection = True


def _numbered(exchange):
    exchange.answer(200, numbered_body(int(exchange.path.rpartition("/")[2])))


def numbered_body(number):
    return b"number %d\n" % number * number


def _big(exchange):
    size = int(exchange.path.partition("?")[2])
    exchange.start(200, "application/octet-stream", [("Content-Length", str(size))])
    for block in Blocks(size):
        exchange.connection.sendall(block)


def _big_upload(exchange):
    received = count_verified(exchange.body.readinto, int(exchange.path.partition("?")[2]))
    exchange.answer(200, f"{received} verified")
