"""Where people log in to the proxy."""

import http.client
import json

from support.program import Outrider
from support.runner import expect_equal, wait_until
from support.users import address_of_this_machine, login_of, make_users, new_token, remove_user

from .stage import HARM, Answer, ask, check, fetch_through_proxy, operations, place_of, stage, suite


def ann_and_bob(name):
    """A folder, a file of users in it, and their tokens."""
    home = stage.outrider.folder / name
    home.mkdir()
    return home, home / "users", make_users(home / "users", "ann", "bob")


@suite.test
def users_see_what_is_theirs_and_nothing_else():
    home, file, tokens = ann_and_bob("users")
    first = stage.outrider
    with Outrider(home, f"access.users_file={file}") as stage.outrider:
        try:
            admin = (home / "data" / "admin-token").read_text().strip()
            for name, page in (("ann", "/anns"), ("bob", "/bobs")):
                page_of = {**login_of(name), "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-User": "?1", "Accept": "text/html"}
                expect_equal(fetch_through_proxy(f"{stage.origin.url}{page}", page_of), 200, f"{name}'s page")

            def visits(token):
                return [v["url"] for v in ask("/api/v1/visits", token=token).json()["visits"]]

            wait_until(lambda: visits(tokens["ann"]) and visits(tokens["bob"]), "the visits", 60)
            expect_equal(visits(tokens["ann"]), [f"{stage.origin.url}/anns"], "what ann sees")
            expect_equal(visits(tokens["bob"]), [f"{stage.origin.url}/bobs"], "what bob sees")
            expect_equal(visits(admin), [], "what the holder of the admin token sees of others")
            hers, his = f"/api/v1/nodes?url={stage.origin.url}/anns", f"/api/v1/nodes?url={stage.origin.url}/bobs"
            expect_equal((ask(hers, token=tokens["ann"]).status, ask(his, token=tokens["ann"]).status), (200, 404), "personal pages")
            overview = ask("/api/v1", token=tokens["ann"]).json()
            check(overview, {"$ref": "#/components/schemas/Overview"}, "overview")
            expect_equal((overview["role"], overview["user"]), ("user", "ann"), "who")
            expect_equal([part for part, there in overview["parts"].items() if there], ["memory"], "parts")
            for path, method, operation in operations():
                if operation["x-role"] in ("reader", "admin"):
                    place = place_of(path, method, operation, {"host": "a.example", "name": "none", "ended": "1", "goes on": "1", "url": "http://a.example/"})
                    body = None if method == "GET" else HARM.get(f"{method} {path}", "{}")
                    expect_equal(ask(place, method, body, token=tokens["ann"]).status, 403, f"{method} {path}")
            session = ask("/api/v1/session", "POST", {"token": tokens["ann"]}, token=None)
            cookie = {"Cookie": session.headers["Set-Cookie"].partition(";")[0]}
            expect_equal(ask("/api/v1", token=None, headers=cookie).json()["user"], "ann", "by cookie")
            his_session = {"Cookie": ask("/api/v1/session", "POST", {"token": tokens["bob"]}, token=None).headers["Set-Cookie"].partition(";")[0]}
            expect_equal(ask("/api/v1", token=None, headers=his_session).status, 200, "bob's cookie")
            new_token(file, "bob")
            expect_equal(ask("/api/v1", token=None, headers=his_session).status, 403, "bob's cookie of before his new token")
            connection = http.client.HTTPConnection(stage.outrider.host, stage.outrider.port, timeout=60)
            connection.request("GET", "/api/v1/events", headers=cookie)
            stream = connection.getresponse()
            expect_equal(stream.status, 200, "ann's stream")
            stream.readline()
            remove_user(file, "ann")
            while stream.readline():  # it ends: a time-out is a failure
                pass
            connection.close()
            expect_equal(ask("/api/v1", token=tokens["ann"]).status, 403, "ann's token when she is gone")
            expect_equal(ask("/api/v1", token=None, headers=cookie).status, 403, "ann's cookie when she is gone")
            expect_equal(ask("/api/v1", token=tokens["bob"]).status, 200, "bob's")
        finally:
            stage.outrider.stop()
    stage.outrider = first


@suite.test
def users_look_at_what_is_theirs_from_their_own_machines():
    address = address_of_this_machine()
    home, file, tokens = ann_and_bob("elsewhere")
    with Outrider(home, f"access.users_file={file}", listen="0.0.0.0:0") as shared:
        secrets = [(home / "data" / name).read_text().strip() for name in ("admin-token", "read-token")]

        def at(path, login=None, token=None, direct=False, method="GET", body=None, **fields):
            connection = http.client.HTTPConnection(address, shared.port, timeout=60)
            headers = {**(login_of(login) if login else {}), **({"Authorization": f"Bearer {token}"} if token else {}), **fields}
            connection.request(method, path if direct else f"http://outrider.internal{path}", body, headers)
            answer = connection.getresponse()
            result = Answer(answer.status, answer.headers, answer.read())
            connection.close()
            return result

        expect_equal(at("/api/v1", "ann", tokens["ann"]).json()["user"], "ann", "ann, by her token")
        expect_equal(at("/api/v1/visits", "ann", tokens["ann"]).status, 200, "what ann has read")
        expect_equal(at("/monitor/", "ann").status, 200, "the page")
        expect_equal(at("/api/v1/config", "ann", tokens["ann"]).status, 403, "what is not hers")
        expect_equal(at("/api/v1", "bob", tokens["ann"]).status, 403, "her token with his login")
        expect_equal(at("/api/v1", None, tokens["ann"]).status, 407, "without a login")
        expect_equal(at("/api/v1", None, tokens["ann"], direct=True, Host=f"{address}:{shared.port}").status, 403, "at the address itself")
        expect_equal(at("/monitor/", direct=True, Host=f"{address}:{shared.port}").status, 403, "the page at the address itself")
        for secret in secrets:
            for path, method, operation in operations():
                if operation["x-role"] != "nobody":
                    place = place_of(path, method, operation, {"host": "a.example", "name": "none", "ended": "1", "goes on": "1", "url": "http://a.example/", "q": "a", "visit": "1"})
                    expect_equal(at(place, "ann", secret, method=method, body=None if method == "GET" else "{}").status, 403, f"{method} {path} with a token of the house")
            entered = at("/api/v1/session", "ann", method="POST", body=json.dumps({"token": secret}))
            expect_equal((entered.status, entered.headers["Set-Cookie"]), (403, None), "a session for a token of the house")
        entered = at("/api/v1/session", "ann", method="POST", body=json.dumps({"token": tokens["ann"]}))
        expect_equal(entered.status, 200, "a session for ann")
        cookie = entered.headers["Set-Cookie"].partition(";")[0]
        expect_equal(at("/api/v1", "ann", Cookie=cookie).json()["user"], "ann", "by cookie")
        expect_equal(at("/api/v1", "bob", Cookie=cookie).status, 403, "her cookie with his login")
        foreign = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
        expect_equal(at("/api/v1/visits", "ann", Cookie=cookie, **foreign).status, 403, "a page of somebody else")
        remove_user(file, "ann")
        expect_equal(at("/api/v1", "bob", tokens["ann"]).status, 403, "ann's token when she is gone")
