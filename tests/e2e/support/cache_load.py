"""Mixed load on the cache, every answer checked: hits, stores of many sizes, validations, invalidations, parts, clients
that leave."""

import collections
import contextlib
import random
import threading
import time

from load_support.peers import Client, Truncated

from .checked_pages import LANGUAGES, Wrong, kind_of


class Reader:
    """One client that checks what it gets. Counts in `counts`, collects what is wrong in `wrong`."""

    def __init__(self, pages, url, counts, wrong):
        self.pages, self.url, self.counts, self.wrong = pages, url, counts, wrong
        self.client = None

    def connect(self, port):
        self.client = Client(port, timeout=60)

    def close(self):
        if self.client:
            self.client.close()

    def ask(self, method, name, fields="", language=LANGUAGES[0]):
        """The answer, checked. Raises OSError or Truncated if it was cut off."""
        language = language if kind_of(name) == "varying" else LANGUAGES[0]
        host = self.url.split("/")[2]
        body = "x" if method == "POST" else ""
        length = "Content-Length: 1\r\n" if body else ""
        self.client.send(f"{method} {self.url}/{name} HTTP/1.1\r\nHost: {host}\r\nAccept-Language: {language}\r\n"
                         f"{fields}{length}\r\n{body}")
        answer = self.client.response(method)
        self.counts["answers"] += 1
        status = answer.headers.get("cache-status", "")
        self.counts["from the store"] += "; hit" in status
        self.counts["validated"] += "fwd-status=304" in status
        if method == "GET" and answer.status in (200, 206):
            try:
                answer.version = self.pages.check(name, language, answer)
                self.counts["bodies checked"] += 1
                self.counts["bytes checked"] += len(answer.body)
            except Wrong as problem:
                self.wrong.append(f"{problem} ({status})")
        elif answer.status not in (200, 304, 504, 416):
            self.wrong.append(f"{method} {name}: {answer.status}")
        return answer


class Load:
    """Some readers at once, until stop(). The program may die under them."""

    def __init__(self, pages, url, port, names, seed, readers=6):
        self.counts, self.wrong = collections.Counter(), []
        self.stopping = threading.Event()
        self.port, self.names = port, names
        self.readers = [Reader(pages, url, collections.Counter(), self.wrong) for _ in range(readers)]
        self.threads = [threading.Thread(target=self._run, args=(reader, random.Random(seed * 100 + number)), daemon=True)
                        for number, reader in enumerate(self.readers)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
        for reader in self.readers:
            reader.close()
            self.counts += reader.counts
        return self

    def _run(self, reader, pick):
        while not self.stopping.is_set():
            try:
                reader.connect(self.port)
            except OSError:
                return  # it was killed
            with contextlib.suppress(OSError, Truncated):  # an answer may be cut off anywhere; no answer may be wrong
                while not self.stopping.is_set():
                    self._one(reader, pick)
            reader.close()

    def _one(self, reader, pick):
        # Some pages are asked for again and again, most of them seldom.
        name = self.names[int(len(self.names) * pick.random() ** 2)]
        language = pick.choice(LANGUAGES)
        what = pick.random()
        if what < 0.72:
            reader.ask("GET", name, language=language)
        elif what < 0.80:
            first = pick.randrange(3000)
            reader.ask("GET", name, f"Range: bytes={first}-{first + pick.randrange(100_000)}\r\n", language)
        elif what < 0.84:
            reader.ask("HEAD", name, language=language)
        elif what < 0.90:
            reader.ask("POST", name)
        elif what < 0.96:
            reader.ask("GET", name, "Cache-Control: no-cache\r\n", language)
        else:
            reader.client.get(f"{reader.url}/{name}", "")
            reader.client.read_line()
            reader.client.reset()
            reader.connect(self.port)


class Editor:
    """Reads and changes pages of its own, one after the other, so that it is known which version others must see."""

    def __init__(self, pages, url, port, names):
        self.done = {}  # name → (version, when that was acknowledged)
        self.reader = Reader(pages, url, collections.Counter(), [])
        self.names, self.port = names, port
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        with contextlib.suppress(OSError, Truncated):
            self.reader.connect(self.port)
            while not self.stopping.is_set():
                for name in self.names:
                    self.reader.ask("GET", name)
                    self.reader.ask("POST", name)
                    self.done[name] = (self.reader.pages.versions[name], time.monotonic())

    def stop(self):
        self.stopping.set()
        self.thread.join(60)
        self.reader.close()
        return self
