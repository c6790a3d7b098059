"""What all of them play on, and what they do to a window of the monitor."""

import json
import os
import pty
import re
import subprocess
import time
import urllib.request
from contextlib import ExitStack, contextmanager

from support import axe
from support.origin import Origin
from support.playwright import Playwright
from support.program import Outrider
from support.real_sites import RealSites
from support.runner import REPOSITORY, Skip, Suite, clean_environment, expect, expect_equal, fresh_folder, need_program

suite = Suite()
ROBOT_SETTINGS = ('destinations.robot_allow=["127.0.0.0/8"]', "robot.min_gap=10ms", "robot.address_gap=10ms", "robot.per_host=4")
GARDEN = 60  # pages
BINARY = os.environ.get("OUTRIDER_BINARY") or str(REPOSITORY / "build" / "release" / "outrider")
FLOWERS = "Tulips Roses Lilies Poppies Asters Irises Daisies Violets Peonies Crocuses".split()

# Lets a test speak in the place of the server.
HOLD_STREAM = "const Real = EventSource; window.EventSource = class extends Real { constructor(...all) { super(...all); window.stream = this; } }"


class Stage:
    def __enter__(self):
        self.work = fresh_folder("monitor")
        environment = clean_environment(self.work / "home")
        need_program("curl")
        with ExitStack() as stack:
            self.playwright = stack.enter_context(Playwright(environment, self.work / "playwright.log"))
            self.axe_script = axe.script()
            try:
                self.real_sites = stack.enter_context(RealSites(REPOSITORY / "build" / "e2e" / "real-sites", ["securing"]))
            except (Skip, RuntimeError, subprocess.SubprocessError):
                self.real_sites = None
            self.origin = stack.enter_context(Origin())
            self.garden = stack.enter_context(Origin())
            self.furnish()
            self.outrider = stack.enter_context(Outrider(self.folder("outrider"), *ROBOT_SETTINGS))
            self.admin_token = token_of(self.work / "outrider")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def folder(self, name):
        folder = self.work / name
        folder.mkdir()
        return folder

    def furnish(self):
        """Pages of all kinds, and a site of linked pages with something to read on them."""
        html = "<!doctype html><html lang=en><title>A page & its <script></title><link rel=stylesheet href=style.css><p>Hello"
        self.origin.content("/home", html, "text/html; charset=utf-8", [("Cache-Control", "max-age=600")])
        self.origin.content("/style.css", "p{color:teal}", "text/css", [("Cache-Control", "max-age=86400")])
        self.origin.content("/private", "{}", "application/json", [("Cache-Control", "no-store"), ("Set-Cookie", "a=1")])
        self.origin.content("/unkept", "<!doctype html><title>Unkept</title><a href=/home>home</a>", "text/html", [("Cache-Control", "no-store")])
        self.origin.content("/big", b"x" * 300_000, "image/png", [("Cache-Control", "max-age=86400")])
        for i in range(GARDEN):
            flower = FLOWERS[i % len(FLOWERS)]
            links = "".join(f'<li><a href="/{j}">{FLOWERS[j % len(FLOWERS)]}, part {j // len(FLOWERS) + 1}</a>' for j in (3 * i + 1, 3 * i + 2, 3 * i + 3, 5 * i + 3) if j < GARDEN)
            html = f"""<!doctype html><html lang=en><title>{flower}, part {i // len(FLOWERS) + 1}</title>
              <meta name=description content="How {flower.lower()} are planted, watered and cut."><h1>{flower}</h1>
              <p>{flower} want a sunny place and a light soil. Plant the tulips and their neighbours in autumn; part {i} says when to water them.
              <ul>{links}</ul><a href="https://elsewhere.example/">Another garden</a>"""
            self.garden.content("/" if i == 0 else f"/{i}", html, "text/html; charset=utf-8", [("Cache-Control", "max-age=600")])
        self.garden.content("/robots.txt", "User-agent: *\nAllow: /\nCrawl-delay: 0.1\n", "text/plain")  # so slow that it can be watched

    def window(self, **options):
        return self.playwright.window(**options)

    def reader(self):
        """A browser that uses the proxy."""
        return self.window(proxy=self.outrider.address)


stage = Stage()


def token_of(folder):
    return (folder / "data" / "admin-token").read_text().strip()


def ask_api(path, method="GET", body=None):
    request = urllib.request.Request(
        f"{stage.outrider.url}/api/v1{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {stage.admin_token}"},
        method=method,
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


@contextmanager
def started_at_a_terminal(folder, *settings):
    """What `outrider serve` prints for a person."""
    leader, follower = pty.openpty()
    command = [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", str(folder / "data"), "--config", "/dev/null"]
    for setting in settings:
        command += ["--set", setting]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.DEVNULL)
    try:
        printed = ""
        while "Ctrl-C" not in printed:
            printed += os.read(leader, 4096).decode()
        yield printed
    finally:
        process.terminate()
        process.wait(60)
        os.close(leader)
        os.close(follower)


def printed_monitor(printed):
    found = re.search(r"monitor +(http\S+/monitor/#token=\S+)", printed)
    expect(found, printed)
    return found[1]


# ---- a window of the monitor -------------------------------------------------------------------------------------------


def log_in(window, address=None):
    window.open(f"{address or stage.outrider.url}/monitor/#token={stage.admin_token}")
    is_live(window)


def is_live(window, what="the live stream"):
    window.wait("document.querySelector('#link .dot.open')", what)


def go(window, view, shown="h1"):
    window.evaluate(f"location.hash = '#/{view}'")
    window.wait(f"document.querySelector('.view-{view.partition('?')[0]} {shown}')", f"the view {view}")


def picture(window, name):
    window.screenshot(stage.work / f"{name}.png")
    if os.environ.get("OUTRIDER_KEEP_PICTURES"):
        window.screenshot(REPOSITORY / "docs" / "images" / f"monitor-{name}.png")


def check_page(window, what):
    """Nothing is beyond the edge of the window, axe-core finds nothing, and the browser has nothing to complain about."""
    wide = window.evaluate("document.documentElement.scrollWidth - innerWidth")
    expect(wide <= 1, f"{what}: {wide} pixels wider than the window")
    if stage.axe_script:
        broken = axe.violations(window, stage.axe_script)
        expect(not broken, f"{what}: axe-core says {broken}")
    expect_equal(window.complaints(), [], f"{what}: complaints of the browser")


def load(page, proxy=None):
    subprocess.run(["curl", "-s", "-o", "/dev/null", "-x", proxy or stage.outrider.address, f"{stage.origin.url}{page}"], check=False, timeout=60)


def load_pages():
    for page in ("/home", "/style.css", "/home", "/style.css", "/missing", "/private", "/big"):
        load(page)


def read_the_garden():
    """A few pages, one by the link of another, in a browser that uses the proxy."""
    with stage.reader() as reader:
        reader.open(stage.garden.url + "/")
        for link in ("/1", "/4", "/13"):
            reader.click(f'a[href="{link}"]')
            reader.wait(f"location.pathname === '{link}' && document.readyState === 'complete'", link)
        reader.open(stage.garden.url + "/2")
        reader.click('a[href="/8"]')
        reader.wait("location.pathname === '/8' && document.readyState === 'complete'", "/8")


def pause(window, seconds):
    """Time for something that is not to happen; decides nothing else."""
    time.sleep(seconds)
    window.evaluate("1")
