"""The description: every documented path is asked, every answer held against its schema; and strangers find it closed."""

from support.runner import expect, expect_equal

from .stage import BODIES, HARM, MAY_BE_MISSING, ask, check, listen, operations, place_of, second_start, seeds, stage, suite


def documented(path, method, operation):
    def test():
        place = place_of(path, method, operation)
        responses = operation["responses"]
        if next(iter(responses.values())).get("content", {}).get("text/event-stream"):
            listen(place, lambda event: event["event"] == "stats")
            return None
        body = BODIES.get(f"{method} {path}")
        if f"{method} {path}" == "POST /api/v1/session":
            body = {"token": stage.admin_token}
        answer = ask(place, method, body)
        content = responses.get(str(answer.status), responses["default"]).get("content", {})
        if not content:
            expect_equal(answer.body, b"", "body of an answer without content")
            return None
        expect(answer.type in content, f"{answer.status} {answer.type} is not in {list(content)}: {answer.body[:200]}")
        check(answer.json(), content[answer.type]["schema"], f"{method} {path}")
        if answer.status < 300:
            return None
        if not ask("/api/v1").json()["parts"].get(operation.get("x-part", ""), True):
            expect_equal(answer.status, 503, "status of a part that is not connected")
            return "503: this part is not connected"
        expect(answer.status == 404 and f"{method} {path}" in MAY_BE_MISSING, f"status {answer.status}: {answer.body[:200]}")
        return "404: nothing there"

    return test


def lasting_state():
    """All that a request of a stranger could have changed."""
    # Not those of watches, which come when it is time to look.
    tasks = [(t["id"], t["state"], t["spec"]) for t in ask("/api/v1/tasks").json()["tasks"] if t["spec"]["owner"] != "watch"]
    places = ("/config", "/onboarding", "/tls/pinned", "/visits", "/watches", f"/cache/lookup?url={seeds()['url']}")
    answers = [ask("/api/v1" + place) for place in places]
    for answer in answers:
        expect_equal(answer.status, 200, "status")
    plugins = ask("/api/v1/plugins")
    on = [(p["name"], p["on"]) for p in plugins.json()["plugins"]] if plugins.status == 200 else []
    watched = [(w["url"], w.get("every")) for w in answers[4].json()["watches"]]
    kept = len(answers[5].json()["variants"])
    expect(kept and watched and tasks and answers[3].json()["visits"], "nothing is there that could be lost")
    return [tasks, [answers[i].json() for i in range(4)], watched, kept, on]


def refused(path, method, operation):
    def test():
        place = place_of(path, method, operation)
        body = None if method == "GET" else HARM.get(f"{method} {path}", "{}")
        before = lasting_state()
        for token in (None, "wrong"):
            answer = ask(place, method, body, token=token)
            expect_equal((answer.status, answer.type), (403, "application/problem+json"), f"token {token}")
        if operation["x-role"] == "admin":
            expect_equal(ask(place, method, body, token="reader").status, 403, "with the token for readers")
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
                        {"Origin": f"http://127.0.0.1:{stage.outrider.port + 1}"}):  # fmt: skip
            expect_equal(ask(place, method, body, headers=headers).status, 403, f"with {headers}")
        for host in (stage.outrider.address, f"localhost:{stage.outrider.port}", f"[::ffff:127.0.0.1]:{stage.outrider.port}"):
            answer = ask(f"http://{host}{place}", method, body)
            expect_equal(answer.status, 403, f"through the proxy as {host}")
        expect_equal(lasting_state(), before, "what is there afterwards")

    return test


# Strangers first, while everything is there that they could damage; and what removes something last.
for each in operations():
    if each[2]["x-role"] != "nobody":
        suite.add(f"{each[1]} {each[0]} is closed to strangers", refused(*each))
for each in sorted(operations(), key=lambda each: ("GET", "PATCH", "POST", "DELETE").index(each[1])):
    suite.add(f"{each[1]} {each[0]} is as documented", documented(*each))


@suite.test
def answers_may_not_be_read_or_framed_by_pages():
    for path in ("/api/v1", "/monitor/", "/monitor/app.js", "/api/v1/nowhere"):
        answer = ask(path)
        expect(not answer.headers.get("Access-Control-Allow-Origin"), f"{path} has CORS")
        policy = answer.headers["Content-Security-Policy"]
        expect("frame-ancestors 'none'" in policy and "unsafe" not in policy, f"{path}: {policy}")
        expect_equal(answer.headers["X-Content-Type-Options"], "nosniff", path)
        expect_equal(answer.headers["Cache-Control"], "no-store", path)


@suite.test
def token_files_are_for_their_owner_only():
    for name in ("admin-token", "read-token", "settings.json"):
        file = stage.outrider.folder / "data" / name
        if file.exists():
            expect_equal(file.stat().st_mode & 0o777, 0o600, name)


@suite.test
def token_becomes_a_cookie_that_only_our_own_page_can_use():
    answer = ask("/api/v1/session", "POST", {"token": stage.admin_token}, token=None)
    cookie = answer.headers["Set-Cookie"]
    expect("SameSite=Strict" in cookie and "HttpOnly" in cookie, cookie)
    expect(stage.admin_token not in cookie, "the token is in the cookie")
    sent = {"Cookie": cookie.partition(";")[0]}
    expect_equal(ask("/api/v1", token=None, headers=sent).status, 200, "with the cookie")
    change = {"timeouts.drain": "9s"}
    expect_equal(ask("/api/v1/config", "PATCH", change, token=None, headers=sent).status, 403, "without Origin")
    ours = {**sent, "Origin": stage.outrider.url}
    expect_equal(ask("/api/v1/config", "PATCH", change, token=None, headers=ours).status, 403, "without the key")
    ours["X-Outrider-Session"] = answer.json()["key"]
    expect_equal(ask("/api/v1/config", "PATCH", change, token=None, headers=ours).status, 200, "with our Origin")
    expect_equal(ask("/api/v1/session", "POST", {"token": "wrong"}, token=None).status, 403, "with a wrong token")


@suite.test
def setting_changes_at_once_and_outlives_a_restart():
    def shown():
        return {s["key"]: s for s in ask("/api/v1/config").json()["settings"]}

    before = shown()["timeouts.keep_alive"]
    answer = ask("/api/v1/config", "PATCH", {"timeouts.keep_alive": "33s"})
    expect_equal(answer.status, 200, "status")
    expect_equal(shown()["timeouts.keep_alive"]["value"], "33s", "value")
    expect("monitor" in shown()["timeouts.keep_alive"]["source"], shown()["timeouts.keep_alive"]["source"])
    with second_start():
        expect_equal(shown()["timeouts.keep_alive"]["value"], "33s", "value after a restart")
        ask("/api/v1/config", "PATCH", {"timeouts.keep_alive": None})
        expect_equal(shown()["timeouts.keep_alive"]["value"], before["value"], "value after a reset")


@suite.test
def settings_that_cannot_change_are_refused_with_a_reason():
    for change, status in (
        ({"proxy.threads": 3}, 409),
        ({"access_log.with_query": False}, 409),  # fixed by the command line
        ({"timeouts.drain": "soon"}, 400),
        ({"timeouts.dran": "1s"}, 404),
        ({"timeouts.drain": "1s", "timeouts.total": []}, 400),
    ):
        answer = ask("/api/v1/config", "PATCH", change)
        expect_equal((answer.status, answer.type), (status, "application/problem+json"), str(change))
    expect(ask("/api/v1/config", "PATCH", "[").status == 400, "no JSON")
    expect_equal(ask("/api/v1/config", "PATCH", "x" * 300_000).status, 413, "a body that is too large")
