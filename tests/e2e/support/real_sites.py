"""Real documentation sites from Debian packages, served on this machine by serve-real-sites of the test data."""

import fcntl
import hashlib
import os
import random
import socket
import subprocess
import urllib.error
import urllib.request
from contextlib import ExitStack
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin

from .runner import REPOSITORY, Skip

# How many pages of each site: 50 in all. Many languages, encodings, scripts, images, pages of up to half a megabyte.
PAGES = {
    "handbook": 10,
    "install-guide": 10,
    "apache": 8,
    "debian-reference": 5,
    "securing": 5,
    "postgresql": 6,
    "python": 6,
}
LARGEST_PAGE = 600_000
PAGES_READ_FOR_LINKS = 12
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class RealSites:
    def __init__(self, state, sites):
        """state: folder that keeps the unpacked packages for the next run."""
        data = Path(os.environ.get("OUTRIDER_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
        self.script = data / "serve-real-sites"
        if not self.script.exists():
            raise Skip("no shared data")
        self.state = state
        state.mkdir(parents=True, exist_ok=True)
        self.lock = open(state / "lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)  # one script at a time: they share the state, and the last one stops the sites
        self.entries = self._start(list(sites))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([self.script, "stop", "-s", self.state], capture_output=True, timeout=120)
        self.lock.close()

    def _start(self, sites):
        said = ""
        for _ in range(3):  # somebody may take a port between the look and the start
            done = subprocess.run(
                [self.script, "start", "-p", str(_free_ports(len(sites))), "-s", self.state, *sites],
                capture_output=True,
                text=True,
                timeout=800,
            )
            if done.returncode == 0:
                rows = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 2]
                return {site: url for _, site, url in rows}
            said = (done.stdout + done.stderr)[-500:]
            if "cannot download" in said:
                raise Skip(f"the packages of the sites cannot be downloaded: {said}")
        raise RuntimeError(f"serve-real-sites: {said}")

    def pages(self, wanted):
        """URLs of pages, {site: number}: the same ones in every run with the same packages."""
        return [url for site, count in wanted.items() for url in _choose(self.entries[site], count)]


def _free_ports(count):
    """The first of some consecutive free ports, below those that the system gives out itself."""
    for _ in range(200):
        first = random.randrange(10_000, 22_000)
        try:
            with ExitStack() as held:
                for port in range(first, first + count):
                    held.enter_context(socket.create_server(("127.0.0.1", port)))
            return first
        except OSError:
            continue
    raise RuntimeError("no free ports")


def _choose(entry, count):
    """Some pages of a site that its first pages link to, mixed by a hash of their path."""
    site = urljoin(entry, "/")
    found, unread = {entry: None}, [entry]  # a dictionary keeps the order
    for _ in range(PAGES_READ_FOR_LINKS):
        if not unread:
            break
        page = unread.pop(0)
        for link in _links(page):
            if link.startswith(site) and link not in found and (link.endswith("/") or ".html" in link):
                found[link] = None
                unread.append(link)
    chosen = []
    for url in sorted(found, key=lambda url: hashlib.sha256(url[len(site) :].encode()).digest()):
        if len(chosen) < count and _is_page(url):
            chosen.append(url)
    if len(chosen) < count:
        raise RuntimeError(f"only {len(chosen)} pages at {entry}")
    return chosen


def _links(page):
    try:
        with DIRECT.open(page, timeout=60) as response:
            if response.headers.get_content_type() != "text/html":
                return []
            collector = _Links()
            collector.feed(response.read().decode(errors="replace"))
            return [urldefrag(urljoin(response.url, link)).url for link in collector.links]
    except urllib.error.HTTPError:
        return []  # real sites have broken links


def _is_page(url):
    try:
        with DIRECT.open(urllib.request.Request(url, method="HEAD"), timeout=60) as response:
            return (
                response.headers.get_content_type() == "text/html"
                and int(response.headers["Content-Length"] or 0) < LARGEST_PAGE
            )
    except OSError:
        return False


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attributes):
        if tag == "a" and (href := dict(attributes).get("href")):
            self.links.append(href)
