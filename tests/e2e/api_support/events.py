"""The stream of events, as Server-Sent Events and by WebSocket."""

import functools
import http.client
import json
import socket
import threading
from urllib.parse import quote

from support.runner import expect, expect_equal
from support.websocket import CLOSE, PING, TEXT, WebSocket, accept_value

from .stage import ask, check, fetch_through_proxy, listen, second_start, seeds, stage, suite


def exchange_for(path):
    return lambda event: event["event"] == "exchange" and event["data"]["url"].endswith(path)


@suite.test
def exchanges_arrive_as_they_happen_and_say_no_secrets():
    def browse():
        fetch_through_proxy(f"{stage.origin.url}/page?canary=question", {"Cookie": "canary=cookie", "X-Mine": "canary-field"})

    events = listen("/api/v1/events?kinds=hello,exchange", exchange_for("/page"), during=browse)
    check(events[-1]["data"], {"$ref": "#/components/schemas/Exchange"}, "exchange")
    expect("canary" not in json.dumps(events), "a secret is in the events")
    names = [name for name, _ in events[-1]["data"]["request_fields"]]
    expect("X-Mine" in names, f"{names}")


@suite.test
def filters_are_obeyed():
    def browse():
        fetch_through_proxy(f"{stage.origin.url}/page?1")
        fetch_through_proxy(f"http://localhost:{stage.origin.port}/page?2")
        fetch_through_proxy(f"{stage.origin.url}/last")

    events = listen("/api/v1/events?kinds=hello,exchange&host=127.0.0.1", exchange_for("/last"), during=browse)
    hosts = {event["data"]["host"] for event in events if event["event"] == "exchange"}
    expect_equal(hosts, {stage.origin.host}, "hosts")
    expect_equal(ask("/api/v1/events?kinds=nonsense").status, 400, "unknown kind")
    expect_equal(ask("/api/v1/events?after=nonsense").status, 400, "unknown position")


@suite.test
def changed_settings_plugins_and_onboarding_are_told():
    def of_kind(kind):
        return lambda event: event["event"] == kind

    change = {"timeouts.keep_alive": "44s"}
    events = listen("/api/v1/events?kinds=hello,settings", of_kind("settings"), "reader", lambda: ask("/api/v1/config", "PATCH", change))
    expect_equal([(s["key"], s["value"]) for s in events[-1]["data"]["settings"]], [("timeouts.keep_alive", "44s")], "settings")
    take_back = {"timeouts.keep_alive": None}
    events = listen("/api/v1/events?kinds=hello,settings", of_kind("settings"), during=lambda: ask("/api/v1/config", "PATCH", take_back))
    expect_equal(events[-1]["data"]["settings"][0]["source"], "default", "source")
    for on in (True, False):
        switch = functools.partial(ask, "/api/v1/onboarding", "PATCH", {"opens_https": on})
        told = listen("/api/v1/events?kinds=hello,onboarding", of_kind("onboarding"), "reader", switch)[-1]["data"]
        expect_equal(told, ask("/api/v1/onboarding").json(), "onboarding")
    if ask("/api/v1").json()["parts"]["plugins"]:
        place = f"/api/v1/plugins/{quote(seeds()['name'])}"
        for on in (False, True):
            switch = functools.partial(ask, place, "PATCH", {"on": on})
            told = listen("/api/v1/events?kinds=hello,plugins", of_kind("plugins"), "reader", switch)[-1]["data"]
            expect_equal([p["on"] for p in told["plugins"] if p["name"] == seeds()["name"]], [on], "plugins")


@suite.test
def figures_and_log_come_to_those_who_name_them():
    seen = []

    def both(event):
        seen.append(event["event"])
        return {"health", "log"} <= set(seen)

    def make_news():
        ask("/api/v1/config", "PATCH", {"timeouts.keep_alive": "43s"})
        ask("/api/v1/config", "PATCH", {"timeouts.keep_alive": None})

    events = {e["event"]: e["data"] for e in listen("/api/v1/events?kinds=hello,health,log", both, during=make_news)}
    for part, place in (("cache", "/cache"), ("memory", "/memory"), ("metrics", "/metrics")):
        expect_equal(sorted(events["health"][part]), sorted(ask("/api/v1" + place).json()), part)
    later = [e["data"] for e in listen("/api/v1/events?kinds=hello,health", lambda e, n=iter(range(9)): next(n) >= 2)][1:]
    expect(len(json.dumps(later[1])) < len(json.dumps(later[0])) / 2, "the second one says all of it again")
    for token, kinds in (("reader", "with=health,log"), ("admin", "")):
        events = listen(f"/api/v1/events?{kinds}", lambda e, n=iter(range(99)): next(n) >= 4, token, make_news)
        expect(not any(e["event"] == "log" for e in events), f"the log is told to {token} with {kinds}")


@suite.test
def who_comes_back_misses_nothing_while_somebody_else_listens():
    holds = threading.Event()

    def hold():
        listen("/api/v1/events?kinds=hello,exchange", exchange_for("/end"), during=holds.set)

    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    holds.wait(60)
    first = listen("/api/v1/events", exchange_for("/one"), during=lambda: fetch_through_proxy(f"{stage.origin.url}/one"))
    fetch_through_proxy(f"{stage.origin.url}/two")
    again = listen("/api/v1/events", exchange_for("/two"), headers={"Last-Event-ID": first[-1]["id"]})
    expect_equal(sum(exchange_for("/two")(e) for e in again), 1, "times that the missed one came")
    expect(not any(exchange_for("/one")(e) for e in again), "one came twice")
    fetch_through_proxy(f"{stage.origin.url}/end")
    holder.join(60)


# ---- the same by WebSocket ---------------------------------------------------------------------------------------------


def websocket(path="/api/v1/events", **headers):
    """The status of the handshake, and a socket if it is 101."""
    fields = {
        "Host": stage.outrider.address,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Authorization": f"Bearer {stage.admin_token}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection = socket.create_connection((stage.outrider.host, stage.outrider.port), timeout=60)
    text = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    connection.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
    reader = connection.makefile("rb")
    status = int(reader.readline().split()[1])
    answer = {}
    while line := reader.readline().strip():
        name, _, value = line.decode().partition(": ")
        answer[name.lower()] = value
    if status != 101:
        connection.close()
        return status, None
    expect_equal(answer["sec-websocket-accept"], accept_value(fields["Sec-WebSocket-Key"]), "accept")
    return status, WebSocket(reader, connection.sendall, is_client=True, close=connection.close)


def message(stream):
    kind, payload = stream.receive()
    expect_equal(kind, TEXT, "kind of message")
    return json.loads(payload)


@suite.test
def websocket_carries_the_same_events():
    _, stream = websocket("/api/v1/events?kinds=hello,exchange")
    first = message(stream)
    expect_equal((first["event"], first["data"]["role"]), ("hello", "admin"), "first message")
    fetch_through_proxy(f"{stage.origin.url}/one")
    got = message(stream)
    check(got["data"], {"$ref": "#/components/schemas/Exchange"}, "exchange")
    expect(got["data"]["url"].endswith("/one") and got["id"].count(".") == 2, got)
    stream.send(TEXT, "what nobody reads")
    stream.send(PING, "there?")
    fetch_through_proxy(f"{stage.origin.url}/two")
    expect(message(stream)["data"]["url"].endswith("/two"), "the next one")
    expect_equal(stream.pongs, [b"there?"], "pongs")
    stream.send(CLOSE, b"\x03\xe8")
    expect_equal(stream.receive(), (CLOSE, b"\x03\xe8"), "close")
    expect_equal(stream.reader.read(), b"", "after the close")
    stream.close()


@suite.test
def websocket_has_the_same_gate():
    expect_equal(websocket(Authorization=None)[0], 403, "without a token")
    for origin_of_page in ("http://evil.example", "null", f"http://127.0.0.1:{stage.outrider.port + 1}", f"https://{stage.outrider.address}"):
        expect_equal(websocket(Origin=origin_of_page)[0], 403, f"from a page of {origin_of_page}")
    expect_equal(websocket(Host="evil.example")[0], 403, "under another name")
    status, stream = websocket(Origin=stage.outrider.url)
    expect_equal(status, 101, "from our own page")
    stream.close()
    expect_equal(websocket("/api/v1/events?kinds=nonsense")[0], 400, "unknown kind")


@suite.test
def websocket_that_breaks_the_rules_is_closed():
    for frame, code in ((b"\x81\x05hello", 1002), (b"\xc1\x80mask", 1002), (b"\x81\xff" + b"\xff" * 8 + b"mask", 1009)):
        _, stream = websocket("/api/v1/events?kinds=hello")
        message(stream)
        stream.write(frame)
        expect_equal(stream.receive(), (CLOSE, code.to_bytes(2, "big")), repr(frame))
        stream.close()


@suite.test
def stream_ends_when_the_program_is_told_to():
    connection = http.client.HTTPConnection(stage.outrider.host, stage.outrider.port, timeout=60)
    connection.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {stage.admin_token}"})
    answer = connection.getresponse()
    answer.readline()
    with second_start():
        while answer.readline():
            pass
    connection.close()
