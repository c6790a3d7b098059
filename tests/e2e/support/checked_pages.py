"""Pages that prove themselves, for tests of what a cache gives back: a page's head says which page, language and version
it is and what the checksum of its body is, the body says the same, and whoever receives both can tell whether they are
right and belong together."""

import functools
import hashlib
import random
import re
import threading

from load_support.peers import Origin, read_head

_NOISE = random.Random(4711).randbytes(10 << 20)
LANGUAGES = ("de", "en")


class Wrong(Exception):
    """An answer that is complete and not what the origin ever sent."""


def kind_of(name):
    """How the origin lets a page be kept; by its number, so that all kinds are equally frequent."""
    return ("fresh", "validated", "chunked", "varying", "short")[int(name[1:]) % 5]


@functools.lru_cache(maxsize=400)
def body_and_sum(name, language, version):
    """What is right. Most pages are small, some have megabytes."""
    pick = random.Random(f"{name} {language} {version}")
    sizes = ((0, 20_000), (20_000, 200_000), (200_000, 2_000_000), (2_000_000, 8_000_000))
    low, high = pick.choices(sizes, (70, 22, 7, 1))[0]
    start = pick.randrange(1 << 20)
    noise = _NOISE[start : start + pick.randrange(low, high)]
    body = f"{name} {language} {version} {hashlib.sha256(noise).hexdigest()}\n".encode() + noise
    return body, hashlib.sha256(body).hexdigest()


class CheckedPages:
    """The origin of such pages. GET /NAME answers the page, POST /NAME makes a new version of it."""

    def __init__(self):
        self.versions = {}
        self.lock = threading.Lock()
        self.requests = 0

    def origin(self):
        return Origin(self._serve)

    # ---- what is right ----

    def check(self, name, language, answer):
        """The version that a 200 or 206 holds. Raises Wrong."""
        said = answer.headers.get("x-page", "").split()
        if len(said) != 3 or said[:2] != [name, language]:
            raise Wrong(f"asked for {name} {language}, the head is of {said}")
        version = int(said[2])
        if version > self.versions.get(name, 1):
            raise Wrong(f"{name}: version {version} has never been")
        right, checksum = body_and_sum(name, language, version)
        if answer.headers.get("x-sum") != checksum:
            raise Wrong(f"{name} {version}: the head has the checksum of another body")
        if answer.status == 206:
            first, last, complete = map(int, re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", answer.headers["content-range"]).groups())
            if complete != len(right):
                raise Wrong(f"{name} {version}: a part of {complete} bytes, there are {len(right)}")
            right = right[first : last + 1]
        if answer.body != right:
            begins = answer.body[:100].split(b"\n")[0]
            raise Wrong(f"{name} {version}: {len(answer.body)} bytes for {len(right)}, they begin with {begins!r}")
        return version

    # ---- the origin ----

    def _serve(self, connection):
        rest = b""
        while True:
            head, rest = read_head(connection)
            method, target = head.split(" ", 2)[:2]
            fields = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in head.split("\r\n")[1:])}
            missing = int(fields.get("content-length", 0)) - len(rest)
            while missing > 0:
                missing -= len(connection.recv(missing))
            self.requests += 1
            connection.sendall(self._answer(method, target[1:], fields))

    def _answer(self, method, name, fields):
        with self.lock:
            version = self.versions.setdefault(name, 1)
            if method == "POST":
                self.versions[name] = version + 1
                return b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        kind = kind_of(name)
        language = fields.get("accept-language", LANGUAGES[0]) if kind == "varying" else LANGUAGES[0]
        body, checksum = body_and_sum(name, language, version)
        tag = f'"{name}-{language}-{version}"'
        lines = [f"X-Page: {name} {language} {version}", f"X-Sum: {checksum}", f"ETag: {tag}"]
        lines.append({"validated": "Cache-Control: max-age=0", "short": "Cache-Control: max-age=1"}.get(
            kind, "Cache-Control: max-age=3600"))
        if kind == "varying":
            lines.append("Vary: Accept-Language")
        if tag in fields.get("if-none-match", ""):
            return self._message("304 Not Modified", lines)
        if kind == "chunked":
            lines.append("Transfer-Encoding: chunked")
            pieces = [body[at : at + 50_000] for at in range(0, len(body), 50_000)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        else:
            lines.append(f"Content-Length: {len(body)}")
        return self._message("200 OK", lines) + (b"" if method == "HEAD" else body)

    @staticmethod
    def _message(status, lines):
        return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()
