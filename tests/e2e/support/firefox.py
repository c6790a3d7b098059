"""Firefox ESR, driven by WebDriver BiDi."""

import json

from .browser import Browser
from .chromium import trust
from .runner import need_program

PREFERENCES = {
    # Quiet: nothing but what the tests ask for.
    "app.update.auto": False,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage": "about:blank",
    "browser.startup.page": 0,
    "browser.newtabpage.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.region.update.enabled": False,
    "browser.region.network.url": "",
    "captivedetect.canonicalURL": "",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.healthreport.uploadEnabled": False,
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.server": "",
    "extensions.update.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "dom.push.connection.enabled": False,
    "services.settings.server": "data:,",
    "app.normandy.enabled": False,
    "network.dns.disablePrefetch": True,
    "network.prefetch-next": False,
    "network.http.speculative-parallel-limit": 0,
    "media.gmp-manager.url": "",
    "remote.prefs.recommended": True,
    "dom.security.https_first": False,
    "network.trr.mode": 5,
    "browser.chrome.site_icons": False,  # loaded at any time, even when the window shows the next page already
}


class Firefox(Browser):
    name = "Firefox"
    agent = "Firefox/"

    def __init__(self, folder, environment, proxy=None, authority=None, profile=None):
        """proxy: "host:port"; authority: a certificate to trust; profile: one that exists, instead of a fresh one."""
        need_program("firefox-esr")
        profile, home = profile or folder / "profile", folder / "home"
        profile.mkdir(parents=True, exist_ok=True)
        home.mkdir(parents=True)
        preferences = {**PREFERENCES, "network.proxy.type": 0}
        if proxy:
            host, _, port = proxy.rpartition(":")
            preferences.update(
                {
                    "network.proxy.type": 1,
                    "network.proxy.allow_hijacking_localhost": True,
                    "network.proxy.no_proxies_on": "",
                    "network.proxy.failover_direct": False,
                }
            )
            for kind in ("http", "ssl"):
                preferences.update({f"network.proxy.{kind}": host, f"network.proxy.{kind}_port": int(port)})
        if authority:
            trust(profile, authority)
        (profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items())
        )
        super().__init__(
            [
                "firefox-esr",
                "--headless",
                "--no-remote",
                "--profile",
                profile,
                "--width",
                "1000",
                "--height",
                "700",
                "--remote-debugging-port",
                "0",
                "about:blank",
            ],
            folder,
            {**environment, "HOME": str(home), "MOZ_DISABLE_CONTENT_SANDBOX": "1", "MOZ_CRASHREPORTER_DISABLE": "1"},
        )

    def begin(self):
        self.attach(self.wait_in_log(r"WebDriver BiDi listening on (ws://\S+)") + "/session")
        self.command("session.new", capabilities={})
        self.context = self.command("browsingContext.getTree")["contexts"][0]["context"]
        self.command(
            "session.subscribe",
            events=[
                "network.beforeRequestSent",
                "network.responseCompleted",
                "network.fetchError",
                "log.entryAdded",
            ],
        )
        # Each page loads all of its parts, so that all of them can be looked for.
        self.command("network.setCacheBehavior", cacheBehavior="bypass")

    def quit(self):
        self.command("browser.close")

    def load(self, visit):
        self.events.clear()
        try:
            self.command("browsingContext.navigate", context=self.context, url=visit.url, wait="complete")
        except RuntimeError as error:
            visit.failures.append((visit.url, str(error)))

    def note(self, visit, event):
        about = event.get("params", {})
        if (
            event.get("type") != "event"
            or not event["method"].startswith("network.")
            or about.get("context") != self.context
            or not about["request"]["url"].startswith("http")
        ):
            return
        number, url = about["request"]["request"], about["request"]["url"]
        match event["method"]:
            case "network.beforeRequestSent":
                visit.pending.add(number)
            case "network.responseCompleted":
                visit.pending.discard(number)
                if not about["response"]["fromCache"]:  # a picture that is shown twice
                    visit.requests[f"{number} {about['redirectCount']}"] = (url, about["response"]["status"])
            case "network.fetchError":
                visit.pending.discard(number)
                visit.requests[number] = (url, None)
                visit.failures.append((url, about["errorText"]))

    def evaluate(self, expression):
        answer = self.command(
            "script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True
        )
        if answer["type"] != "success":
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        self.evaluate("1")  # what was said before this has arrived
        return [
            event["params"]["text"]
            for event in self.events
            if event.get("method") == "log.entryAdded" and event["params"]["level"] == "error"
        ]

    def screenshot_data(self):
        return self.command("browsingContext.captureScreenshot", context=self.context)["data"]
