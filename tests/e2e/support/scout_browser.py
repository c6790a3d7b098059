"""A Chromium that moves its mouse over links and looks into the frames that come up."""

import base64
import json
import time

from .chromium import Chromium
from .runner import wait_until

HOST = "document.querySelector('outrider-frame')"


class ScoutBrowser(Chromium):
    def begin(self):
        super().begin()
        self.frames = {}  # session → target
        self.heard = []  # events that were looked through
        self.command("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        self.size(1000, 700)

    def command_in(self, session, method, **parameters):
        """A command to one frame."""
        page, self.session = self.session, session
        try:
            return self.command(method, **parameters)
        finally:
            self.session = page

    def evaluate_in(self, session, expression):
        answer = self.command_in(
            session, "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def size(self, width, height, scheme="light", *features):
        self.media = [{"name": "prefers-color-scheme", "value": scheme}, *features]
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self.command("Emulation.setEmulatedMedia", features=self.media)

    def open(self, url):
        self.frames.clear()
        self.mouse(1, 1)
        super().open(url)
        time.sleep(0.2)  # the script is loaded beside the page

    def mouse(self, x, y, kind="mouseMoved", **more):
        self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(x, y, kind, button="left", clickCount=1)

    def place(self, expression):
        """The middle of an element, in the window."""
        box = json.loads(
            self.evaluate(
                f"(() => {{ const e = {expression}; e.scrollIntoView({{block: 'center'}}); const r = [...e.getClientRects()][0];"
                " return JSON.stringify([r.left + r.width / 2, r.top + r.height / 2]); })()"
            )
        )
        return box

    def hover(self, expression):
        x, y = self.place(expression)
        self.mouse(x, y)
        return x, y

    def note_frames(self):
        """Who has come and gone. A frame is asked to tell what goes wrong in it, also before this."""
        self.evaluate("1")
        for event in list(self.events):
            about = event.get("params", {})
            if event.get("method") == "Target.attachedToTarget" and event not in self.heard:
                self.heard.append(event)
                self.frames[about["sessionId"]] = about["targetInfo"]["targetId"]
                for domain in ("Runtime", "Log"):
                    try:
                        self.command_in(about["sessionId"], f"{domain}.enable")
                    except RuntimeError:
                        break  # it has gone
            if event.get("method") == "Target.detachedFromTarget":
                self.frames.pop(about["sessionId"], None)

    def complaints(self):
        self.note_frames()
        for session in list(self.frames):
            try:
                self.evaluate_in(session, "1")  # what was said before this has arrived
            except RuntimeError:
                continue
        return super().complaints()

    def session_of(self, name):
        """The frame with this document, as soon as there is one; "" = there is none."""
        self.note_frames()
        for session in reversed(list(self.frames)):
            try:
                if self.evaluate_in(session, "location.pathname").endswith("/" + name):
                    return session
            except RuntimeError:
                continue  # it has gone, or is about to become something
        return ""

    def is_shown(self):
        return self.evaluate(f"{HOST}?.style.visibility === 'visible'")

    def card(self, says="", seconds=15):
        """The text of the card, once it is shown and says that."""

        def text():
            if not self.is_shown():
                return None
            session = self.session_of("card")
            shown = session and self.evaluate_in(session, "document.getElementById('card').innerText")
            return shown if shown and says in shown else None

        try:
            return wait_until(text, f"a card that says {says!r}", seconds)
        except AssertionError as error:
            session = self.session_of("card")
            shown = self.evaluate_in(session, "document.getElementById('card').innerText") if session else "no frame"
            raise AssertionError(f"{error}; shown: {self.is_shown()}; it says {shown!r}") from None

    def in_card(self, selector):
        """The middle of something in the card, in the window."""
        left, top = json.loads(
            self.evaluate(f"(() => {{ const r = {HOST}.getBoundingClientRect(); return JSON.stringify([r.left, r.top]); }})()")
        )
        x, y = json.loads(
            self.evaluate_in(
                self.session_of("card"),
                f"(() => {{ const r = {selector}.getBoundingClientRect();"
                " return JSON.stringify([r.left + r.width / 2, r.top + r.height / 2]); })()",
            )
        )
        return left + x, top + y

    def closed(self):
        wait_until(lambda: not self.is_shown(), "the card to close", 10)

    def still_closed(self, seconds=1.0):
        """Long after a card would have come."""
        time.sleep(seconds)
        return not self.is_shown()

    def picture(self, file):
        session = self.session_of("card")
        if session:
            self.command_in(session, "Emulation.setEmulatedMedia", features=self.media)
        time.sleep(0.3)  # a fade
        file.write_bytes(base64.b64decode(self.screenshot_data()))
