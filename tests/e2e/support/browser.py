"""What Chromium and Firefox have in common when a test drives them: a process with a profile of its own, commands and
events as JSON over a WebSocket, and visits to pages with a record of every request."""

import base64
import json
import os
import re
import signal
import subprocess
import time
from collections import deque
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from . import websocket

COMMAND_SECONDS = 120  # a bound for a hang: machines that run tests are busy

FACTS = """JSON.stringify({
  title: document.title, elements: document.getElementsByTagName('*').length, links: document.links.length,
  images: Array.from(document.images, image => [image.src, image.naturalWidth, image.naturalHeight]),
  sheets: document.styleSheets.length, html: document.documentElement.outerHTML, encoding: document.characterSet})"""


@dataclass
class Visit:
    """A page as the browser saw it, and what it asked for on the way."""

    url: str
    facts: dict = field(default_factory=dict)
    requests: dict = field(default_factory=dict)  # id → (URL, status or None)
    failures: list = field(default_factory=list)  # (URL, reason)
    pending: set = field(default_factory=set)  # ids
    loaders: set = field(default_factory=set)  # what Chromium calls the page and the frames in it
    is_loaded: bool = False

    def resources(self):
        """Sorted (URL, status) of all that was loaded. Not the page's icon, which a window loads when it likes."""
        return sorted(self.requests.values(), key=str)


class Browser:
    """Base class; a subclass says how the program is started and how its protocol calls things."""

    name = ""  # shown in names of tests
    agent = ""  # part of its User-Agent

    def __init__(self, command, folder, environment):
        self.folder = folder
        self.log_file = folder / "browser.log"
        self.events = deque()
        self.last_id = 0
        self.channel = None
        # A session of its own: the processes it starts are ended with it.
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                list(map(str, command)),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            self.begin()
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def begin(self):
        raise NotImplementedError

    def quit(self):
        raise NotImplementedError

    def stop(self):
        if self.process.poll() is None:
            try:
                self.quit()
                self.process.wait(20)
            except Exception:
                pass  # then the hard way
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # the group that the session began with: ours alone
        except ProcessLookupError:
            pass
        self.process.wait()
        if self.channel:
            self.channel.close()

    # ---- protocol ----

    def attach(self, url):
        parts = urlsplit(url)
        self.channel, _ = websocket.connect((parts.hostname, parts.port), parts.path, parts.netloc, COMMAND_SECONDS)

    def command(self, method, **parameters):
        """Sends a command and returns its result; events that arrive meanwhile are kept."""
        self.last_id += 1
        number = self.last_id
        self.channel.send(websocket.TEXT, json.dumps(self.envelope(number, method, parameters)))
        while True:
            message = self._receive()
            if message.get("id") == number:
                if message.get("error"):
                    raise RuntimeError(f"{self.name}: {method}: {json.dumps(message)[:500]}")
                return message["result"]
            self.events.append(message)

    def envelope(self, number, method, parameters):
        return {"id": number, "method": method, "params": parameters}

    def next_event(self):
        return self.events.popleft() if self.events else self._receive()

    def _receive(self):
        opcode, payload = self.channel.receive()
        if opcode == websocket.CLOSE:
            raise ConnectionError(f"{self.name} closed its remote control, see {self.log_file}")
        return json.loads(payload)

    def wait_in_log(self, pattern):
        """The first group of a pattern in what the browser prints."""
        give_up = time.monotonic() + COMMAND_SECONDS
        while True:
            found = re.search(pattern, self.log_file.read_text(errors="replace"))
            if found:
                return found[1]
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError(f"{self.name} did not start: {self.log_file.read_text(errors='replace')[-2000:]}")
            time.sleep(0.05)

    # ---- pages ----

    def visit(self, url):
        """Opens a page and waits for all it loads."""
        visit = Visit(url)
        self.load(visit)
        # Pictures that style sheets name are asked for when the page is drawn, perhaps after its load event.
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        self.settle(visit)
        visit.facts = json.loads(self.evaluate(FACTS))
        return visit

    def open(self, url):
        """Opens a page without waiting for requests that its scripts keep open."""
        self.load(Visit(url))

    def load(self, visit):
        """Until the load event."""
        raise NotImplementedError

    def settle(self, visit):
        """Until no request is under way."""
        while self.events or visit.pending:
            self.note(visit, self.next_event())

    def note(self, visit, event):
        """Takes down what an event says about the requests of a visit."""
        raise NotImplementedError

    def evaluate(self, expression):
        raise NotImplementedError

    def complaints(self):
        """Errors in the console since the page was opened."""
        raise NotImplementedError

    def screenshot_data(self):
        raise NotImplementedError

    def wait_for(self, expression, what, seconds=60):
        give_up = time.monotonic() + seconds
        while not (value := self.evaluate(expression)):
            if time.monotonic() > give_up:
                raise AssertionError(f"in vain waited for {what}")
            time.sleep(0.05)
        return value

    def screenshot(self, file):
        file.write_bytes(base64.b64decode(self.screenshot_data()))
