"""Chromium, driven by the DevTools protocol."""

import shutil
import subprocess

from .browser import Browser
from .runner import need_program, wait_until

FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update
  --disable-sync --disable-default-apps --disable-extensions --disable-quic --disable-dev-shm-usage --no-first-run
  --no-default-browser-check --window-size=1000,700 --remote-debugging-port=0""".split()


# What the browser asks for on its own behalf is none of the proxy's business here.
OWN_BUSINESS = "*.google.com;*.googleapis.com;*.gvt1.com"


class Chromium(Browser):
    name = "Chromium"
    agent = "Chrome/"

    def __init__(self, folder, environment, proxy=None, authority=None, home=None, pac=None):
        """proxy: "host:port"; authority: a certificate to trust; home: a home directory with a database of certificates,
        instead of a fresh one; pac: the address of a script for automatic configuration, instead of a proxy."""
        need_program("chromium")
        profile = folder / "profile"
        profile.mkdir(parents=True)
        home = home or folder / "home"
        (home / ".pki" / "nssdb").mkdir(parents=True, exist_ok=True)
        if authority:
            trust(home / ".pki" / "nssdb", authority)
        self.port_file = profile / "DevToolsActivePort"
        self.session = None
        # Without <-loopback> pages of this machine would bypass the proxy.
        way = [f"--proxy-server=http://{proxy}", f"--proxy-bypass-list=<-loopback>;{OWN_BUSINESS}"] if proxy else ["--no-proxy-server"]
        if pac:
            way = [f"--proxy-pac-url={pac}"]
        super().__init__(
            ["chromium", *FLAGS, *way, f"--user-data-dir={profile}", "about:blank"],
            folder,
            {**environment, "HOME": str(home)},
        )

    def begin(self):
        def port_and_path():
            if self.process.poll() is not None:
                raise RuntimeError(f"Chromium did not start: {self.log_file.read_text(errors='replace')[-2000:]}")
            lines = self.port_file.read_text().split() if self.port_file.exists() else []
            return lines if len(lines) == 2 else None

        port, path = wait_until(port_and_path, "Chromium's remote control", 120)
        self.attach(f"ws://127.0.0.1:{port}{path}")
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.command(f"{domain}.enable")
        # Each page loads all of its parts, so that all of them can be looked for.
        self.command("Network.setCacheDisabled", cacheDisabled=True)

    def quit(self):
        self.session = None
        self.command("Browser.close")

    def envelope(self, number, method, parameters):
        message = super().envelope(number, method, parameters)
        return {**message, "sessionId": self.session} if self.session else message

    def load(self, visit):
        self.events.clear()
        answer = self.command("Page.navigate", url=visit.url)
        if answer.get("errorText"):
            visit.failures.append((visit.url, answer["errorText"]))
            return
        visit.loaders.add(answer["loaderId"])
        while not visit.is_loaded:
            self.note(visit, self.next_event())

    def note(self, visit, event):
        about = event.get("params", {})
        number = about.get("requestId")
        match event.get("method"):
            case "Page.loadEventFired":
                visit.is_loaded = True
            case "Network.requestWillBeSent" if _belongs(about, visit.loaders):
                if before := about.get("redirectResponse"):
                    visit.requests[f"{number} {len(visit.requests)}"] = (before["url"], before["status"])
                visit.requests[number] = (about["request"]["url"], None)
                visit.pending.add(number)
            case "Network.responseReceived" if number in visit.requests:
                visit.requests[number] = (about["response"]["url"], about["response"]["status"])
            case "Network.loadingFinished":
                visit.pending.discard(number)
            case "Network.loadingFailed" if number in visit.requests:
                visit.pending.discard(number)
                visit.failures.append((visit.requests[number][0], about["errorText"]))

    def evaluate(self, expression):
        try:
            answer = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        except RuntimeError as error:
            if "Inspected target navigated" in str(error):  # the expression led to another page, as a click does
                return None
            raise
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        self.evaluate("1")  # what was said before this has arrived
        texts = []
        for event in self.events:
            about = event.get("params", {})
            if event.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
                texts.append(about["entry"]["text"])
            if event.get("method") == "Runtime.exceptionThrown":
                texts.append(about["exceptionDetails"]["text"])
        return texts

    def screenshot_data(self):
        return self.command("Page.captureScreenshot", format="png")["data"]


def _belongs(about, loaders):
    """Whether a request is made for a page. Its icon is not: the window asks for it, perhaps at the next page."""
    if about["requestId"] == about["loaderId"]:
        loaders.add(about["loaderId"])
    return about["loaderId"] in loaders and about.get("type") != "Other" and about["request"]["url"].startswith("http")


def trust(database, authority):
    """Makes a certificate an authority in a certificate database of Mozilla's library, which both browsers use."""
    if not shutil.which("certutil"):
        raise RuntimeError("no certutil (package libnss3-tools)")
    for arguments in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "test", "-i", str(authority)]):
        subprocess.run(["certutil", "-d", f"sql:{database}", *arguments], check=True, capture_output=True, timeout=60)
