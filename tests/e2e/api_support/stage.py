"""The program and an origin, and ways to ask."""

import functools
import http.client
import json
import re
import warnings
from urllib.parse import quote

from support.origin import Origin
from support.program import Outrider
from support.runner import REPOSITORY, Skip, Suite, expect_equal, fresh_folder, wait_until

suite = Suite()
SETTINGS = ('destinations.robot_allow=["127.0.0.0/8"]', "robot.min_gap=10ms", "robot.address_gap=10ms")  # our own origin
DOCUMENT = json.loads((REPOSITORY / "webui" / "openapi.json").read_text())
EVENTS = DOCUMENT["paths"]["/api/v1/events"]["get"]["x-events"]
BODIES = {
    "POST /api/v1/cache/purge": {"site": "nothing.example"},
    "POST /api/v1/forget": {"site": "nothing.example"},
    "PATCH /api/v1/config": {"timeouts.drain": "7s"},
    "PATCH /api/v1/onboarding": {"opens_https": False},
    "PATCH /api/v1/plugins/{name}": {"on": True},
    "PATCH /api/v1/tasks/{id}": {"priority": 1},
    "POST /api/v1/tasks": {"start": ["http://example.com/"], "depth": 0},
    "POST /api/v1/watches": {"url": "http://example.com/", "every": 86400},
}
# What strangers send: each of these would be noticed in lasting_state().
HARM = {
    "POST /api/v1/cache/purge": {"all": True},
    "POST /api/v1/forget": {"all": True},
    "PATCH /api/v1/config": {"timeouts.drain": "59s"},
    "PATCH /api/v1/onboarding": {"opens_https": True},
    "PATCH /api/v1/plugins/{name}": {"on": False},
    "PATCH /api/v1/tasks/{id}": {"priority": 9},
    "POST /api/v1/tasks": {"start": ["http://evil.example/"], "depth": 0},
    "POST /api/v1/watches": {"url": "http://evil.example/", "every": 86400},
}
MAY_BE_MISSING = ("GET /api/v1/plugins/{name}/card",)  # not every plugin has one


class Stage:
    def __enter__(self):
        folder = fresh_folder("api")
        self.origin = Origin().__enter__()
        self.furnish()
        self.outrider = Outrider(folder, *SETTINGS)
        self.admin_token, self.read_token = ((folder / "data" / name).read_text().strip() for name in ("admin-token", "read-token"))
        return self

    def __exit__(self, *_):
        self.outrider.stop()
        self.origin.__exit__()

    def furnish(self):
        for page in ("/page", "/last", "/one", "/two", "/end"):
            self.origin.content(page, "hello", headers=[("Cache-Control", "max-age=60")])
        for page in ("/anns", "/bobs"):
            html = "<!doctype html><title>Mine</title><p>" + "Words of one person. " * 20
            self.origin.content(page, html, "text/html", [("Cache-Control", "private, max-age=60")])
        seed = "<!doctype html><title>Seed</title><p>A seedling of a page.<a href=/leaf>leaf</a>"
        self.origin.content("/seed", seed, "text/html", [("Cache-Control", "max-age=600")])
        self.origin.content("/unkept", seed, "text/html", [("Cache-Control", "no-store")])
        links = "<a href=/leaf>leaf</a><a href=/dead>dead</a><a href=http://elsewhere.example/>away</a>"
        self.origin.content("/start", f"<!doctype html><title>Start</title>{links}", "text/html")
        self.origin.content("/leaf", "<!doctype html><title>=Leaf()</title><p>green", "text/html")


stage = Stage()


class second_start:
    """The same installation, stopped and started again."""

    def __enter__(self):
        stage.outrider.stop()
        stage.outrider = Outrider(stage.outrider.folder, *SETTINGS)

    def __exit__(self, *_):
        pass


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.type = (headers.get("Content-Type") or "").partition(";")[0]

    def json(self):
        return json.loads(self.body)


def ask(path, method="GET", body=None, token="admin", headers=(), through_proxy=False):
    """token: "admin", "reader", any other text, or None."""
    known = {"admin": stage.admin_token, "reader": stage.read_token}
    fields = {"Authorization": f"Bearer {known.get(token, token)}"} if token else {}
    fields.update(headers)
    connection = http.client.HTTPConnection(stage.outrider.host, stage.outrider.port, timeout=60)
    text = None if body is None else body if isinstance(body, str) else json.dumps(body)
    connection.request(method, path, text, fields)
    answer = connection.getresponse()
    result = Answer(answer.status, answer.headers, answer.read())
    connection.close()
    return result


def listen(path, wanted, token="admin", during=lambda: None, headers=()):
    """Reads events until wanted(event) gives something true, and returns all: dictionaries of event, id, data."""
    connection = http.client.HTTPConnection(stage.outrider.host, stage.outrider.port, timeout=60)
    known = {"admin": stage.admin_token, "reader": stage.read_token}
    connection.request("GET", path, headers={"Authorization": f"Bearer {known[token]}", **dict(headers)})
    answer = connection.getresponse()
    expect_equal((answer.status, answer.headers["Content-Type"]), (200, "text/event-stream"), "stream")
    events, event = [], {}
    begun = False
    while True:
        line = answer.readline().decode().rstrip("\n")
        if line:
            name, _, value = line.partition(": ")
            event[name] = value
            continue
        if "data" in event:
            event["data"] = json.loads(event["data"])
            check(event["data"], EVENTS[event["event"]], f"event {event['event']}")
            events.append(event)
            if not begun:
                begun = True
                during()
            if wanted(event):
                connection.close()
                return events
        event = {}


def fetch_through_proxy(url, headers=()):
    connection = http.client.HTTPConnection(stage.outrider.host, stage.outrider.port, timeout=60)
    connection.request("GET", url, headers=dict(headers))
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def check(value, schema, what):
    try:
        import jsonschema
    except ImportError:
        raise Skip("no python3-jsonschema")
    warnings.simplefilter("ignore", DeprecationWarning)  # of newer versions, about what Debian 12's can do alone
    resolver = jsonschema.RefResolver("", DOCUMENT)
    problems = list(jsonschema.Draft202012Validator(schema, resolver=resolver).iter_errors(value))
    if problems:
        raise AssertionError(f"{what}: {problems[0].message} at {list(problems[0].absolute_path)}")


def operations():
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def finished_task(**spec):
    task = ask("/api/v1/tasks", "POST", {"start": [f"{stage.origin.url}/start"], **spec}).json()["id"]
    listen("/api/v1/events?kinds=hello,task", lambda _: ask(f"/api/v1/tasks/{task}").json()["state"] == "finished")
    return task


@functools.cache
def seeds():
    """Something behind every place: a page that was read, a task that has ended and one that goes on, a watched page."""
    page = f"{stage.origin.url}/seed"
    reads = {"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-User": "?1", "Accept": "text/html"}
    expect_equal(fetch_through_proxy(page, reads), 200, "the page")
    ended = finished_task()
    lasting = {"start": [f"{stage.origin.url}/leaf"], "depth": 0, "revisit": True, "revisit_every": 86400}
    goes_on = ask("/api/v1/tasks", "POST", lasting).json()["id"]
    expect_equal(ask("/api/v1/watches", "POST", {"url": page, "every": 86400}).status, 201, "the watch")
    visits = wait_until(lambda: ask("/api/v1/visits").json()["visits"], "the visit", 60)
    plugins = ask("/api/v1/plugins")
    return {
        "url": page,
        "q": "seedling",
        "visit": visits[0]["id"],
        "host": ask("/api/v1/hosts").json()["hosts"][0]["host"],
        "name": next(p["name"] for p in plugins.json()["plugins"] if p["on"]) if plugins.status == 200 else "none",
        "ended": str(ended),
        "goes on": str(goes_on),
    }


def place_of(path, method, operation, values=None):
    """The path with what it needs: ids of things that exist."""
    known = dict(values or seeds())
    known["id"] = known["ended" if method == "GET" else "goes on"]
    query = [f"{p['name']}={quote(known[p['name']], safe='')}" for p in operation.get("parameters", []) if p["in"] == "query" and p["required"]]
    return re.sub(r"\{(\w+)\}", lambda m: quote(known[m[1]], safe=""), path) + ("?" + "&".join(query) if query else "")
