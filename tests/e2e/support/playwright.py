"""Chromium as Playwright drives it (playwright-core of npm, Debian's chromium): real clicks, real keys."""

import base64
import itertools
import json
import shutil
import subprocess
import threading
import time
from pathlib import Path

from . import npm
from .runner import need_program

VERSION = "1.61.1"  # the last one that Debian 12's Node.js can run
SERVER = Path(__file__).with_name("playwright_server.js")


class Playwright:
    """One Chromium; its windows share nothing."""

    def __init__(self, environment, log):
        need_program("node", "chromium")
        command = ["node", SERVER, npm.package("playwright-core", VERSION), shutil.which("chromium")]
        with open(log, "wb") as said:
            self.process = subprocess.Popen(
                list(map(str, command)), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True
            )  # fmt: skip
        self.lock = threading.Lock()
        self.numbers = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, do, **question):
        with self.lock:
            number = next(self.numbers)
            self.process.stdin.write(json.dumps({"id": number, "do": do, **question}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("Playwright has ended")
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(f"{do} {question.get('path', '')}: {reply['error']}")
        return reply["value"]

    def window(self, proxy=None, login=None, zone=None, width=1000, height=700, scripts=()):
        """proxy: "host:port"; login: (name, password) there; zone: a time zone; scripts: run in every page before its own."""
        way = {"server": f"http://{proxy}", "bypass": "<-loopback>", **(dict(zip(("username", "password"), login)) if login else {})}
        options = {
            "viewport": {"width": width, "height": height},
            # A colour on its way to another one says nothing.
            "reducedMotion": "reduce",
            **({"proxy": way} if proxy else {}),
            **({"timezoneId": zone} if zone else {}),
        }
        window = Window(self, next(self.numbers), options)
        for script in scripts:
            window.call("addInitScript", {"content": script})
        return window


class Window:
    def __init__(self, playwright, number, options):
        self.playwright, self.number = playwright, number
        self.ask("open", options=options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ask("close")

    def ask(self, do, **question):
        return self.playwright.ask(do, number=self.number, **question)

    def call(self, path, *values):
        """A method of Playwright's page: "click", "keyboard.press"."""
        return self.ask("call", path=path.split("."), **{"with": list(values)})

    # ---- what a person does ----

    def open(self, url):
        self.ask("forget")
        self.call("goto", url)

    visit = open

    def click(self, selector):
        self.call("click", selector)

    def fill(self, selector, value):
        self.call("fill", selector, value)

    def choose(self, selector, value):
        self.call("selectOption", selector, value)

    def press(self, key):
        self.call("keyboard.press", key)

    def size(self, width, height, scheme="light"):
        self.call("setViewportSize", {"width": width, "height": height})
        self.call("emulateMedia", {"colorScheme": scheme, "reducedMotion": "reduce"})

    def download(self, selector):
        found = self.ask("download", selector=selector)
        return found["name"], found["text"]

    # ---- what is there ----

    def evaluate(self, expression):
        return self.call("evaluate", expression)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")

    def wait(self, condition, what, seconds=30):
        """Asks from here: a page with a strict policy does not let scripts of others wait inside."""
        give_up = time.monotonic() + seconds
        while not self.evaluate(f"!!({condition})"):
            if time.monotonic() > give_up:
                raise AssertionError(f"in vain waited for {what}")
            time.sleep(0.05)

    def complaints(self):
        return self.ask("noted", what="complaints")

    def requests(self):
        """Addresses that were asked for since the page was opened."""
        return self.ask("noted", what="requests")

    def asked(self):
        """What the page asked to be confirmed; it always is."""
        return self.ask("noted", what="asked")

    def frames(self):
        return self.ask("frames")

    def screenshot(self, file):
        file.write_bytes(base64.b64decode(self.call("screenshot")))
