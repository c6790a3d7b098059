"""What the tests of link previews play on: the program with HyperScout on, origins with a page that the memory knows, and a
Chromium that goes through all of it."""

import contextlib
import http.client
import json
import os
import struct
import urllib.error
import urllib.request
import zlib

from .certificates import Certificates
from .origin import Origin
from .program import Outrider
from .runner import REPOSITORY, clean_environment, expect_equal, fresh_folder, need_program, wait_until
from .scout_browser import ScoutBrowser
from .scout_pages import HTML, KNOWN, page

SCRIPT = "/.well-known/outrider/hyperscout/scout.js"
NAVIGATION = {"Upgrade-Insecure-Requests": "1", "Accept": "text/html"}


class ScoutStage:
    def __init__(self, name, *settings):
        self.work = fresh_folder(name)
        self.environment = clean_environment(self.work / "home")
        self.certificates = Certificates(self.work / "certificates")
        self.settings = settings
        self._chromium = None

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.origin = stack.enter_context(Origin())
            self.secure = stack.enter_context(Origin(self.certificates.server_context()))
            self.outrider = stack.enter_context(
                Outrider(
                    self.work,
                    "plugins.off=[]",
                    "tls.intercept=all",
                    'tls.intercept_ports=["*"]',
                    f"tls.origin_ca_file={self.certificates.authority}",
                    *self.settings,
                )
            )
            self.known_url = f"{self.origin.url}/known"
            kept = [("Cache-Control", "max-age=600")]
            self.origin.content("/known", KNOWN, HTML, kept)
            self.origin.content("/river.png", png(240, 160, (40, 110, 150)), "image/png", kept)
            self.origin.content("/icon.png", png(32, 32, (11, 110, 110)), "image/png", kept)
            self.origin.content("/favicon.ico", png(16, 16, (120, 60, 20)), "image/png", kept)
            self.origin.content("/two", page("two"), HTML)
            self.secure.content("/favicon.ico", png(16, 16, (120, 60, 20)), "image/png")
            stack.callback(self._stop_browser)
            self.remember(self.known_url)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _stop_browser(self):
        if self._chromium:
            self._chromium.stop()

    @property
    def authority(self):
        return self.outrider.folder / "data" / "ca" / "certificate.pem"

    def chromium(self):
        if not self._chromium:
            need_program("chromium", "certutil")
            self._chromium = ScoutBrowser(self.work / "chromium", self.environment, self.outrider.address, self.authority)
        return self._chromium

    def show(self, path, html, headers=()):
        self.origin.content(path, html, HTML, headers)
        self.chromium().open(self.origin.url + path)
        return self.chromium()

    def through_proxy(self, url, headers=None, method="GET", body=None):
        """(status, headers, body) of a request through the proxy, without a browser."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": self.outrider.url}))
        request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
        try:
            with opener.open(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def facts(self, url):
        """What the first line of a card's answer says."""
        request = urllib.request.Request(
            f"{self.outrider.url}/plugins/hyperscout/look",
            data=json.dumps({"url": url}).encode(),
            headers={"Origin": self.outrider.url, "Content-Type": "application/json"},
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.loads(answer.readline())

    def remember(self, url):
        """Reads a page through the proxy, and waits until the memory has it."""
        self.through_proxy(url, NAVIGATION)
        return wait_until(lambda: (found := self.facts(url)).get("fetched") and found, f"{url} in the memory")

    def bury(self, path):
        """A page that was there and is gone."""
        self.origin.content(path, KNOWN.replace("The long river", "Mortal page"), HTML)
        self.remember(self.origin.url + path)
        self.origin.route(path, lambda exchange: exchange.answer(404, "gone", "text/html"))
        self.through_proxy(self.origin.url + path, {**NAVIGATION, "Cache-Control": "no-cache"})
        wait_until(lambda: self.facts(self.origin.url + path).get("state") == "dead", "the death in the memory")
        return self.origin.url + path

    def move(self, path, place):
        """A page that has gone elsewhere."""
        url = self.origin.url + path
        self.origin.route(path, lambda exchange: exchange.answer(301, headers=[("Location", place)]))
        connection = http.client.HTTPConnection(self.outrider.host, self.outrider.port, timeout=60)
        connection.request("GET", url, headers=NAVIGATION)
        connection.getresponse().read()
        connection.close()
        wait_until(lambda: self.facts(url).get("state") == "moved", "the redirect in the memory")
        return url

    def keep_picture(self, browser, name):
        browser.picture(self.work / f"{name}.png")
        if os.environ.get("OUTRIDER_KEEP_PICTURES"):
            browser.picture(REPOSITORY / "docs" / "images" / f"hyperscout-{name}.png")


def no_complaints(browser, what="the console"):
    expect_equal(browser.complaints(), [], what)


def png(width, height, color):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(
        b"\0" + b"".join(bytes(min(255, c + y * 60 // height) for c in color) for _ in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
