"""The way of an attacker: pages of others, in the very browser in which the person is logged in."""

from urllib.parse import quote

from support.runner import expect, expect_equal, wait_until

from .stage import ask_api, is_live, log_in, stage, suite

# What a page of somebody else can try, in the very browser in which the person is logged in. WHERE: the address of the monitor.
ATTACK = """(async () => {
  const results = [];
  const attempt = async (what, options) => {
    try { const a = await fetch('WHERE/api/v1' + what, {credentials: 'include', ...options}); results.push([what, a.type, a.type === 'opaque' ? 0 : a.status]); }
    catch { results.push([what, 'refused', 0]); }
  };
  const blind = (what, body) => attempt(what, {method: 'POST', mode: 'no-cors', body: JSON.stringify(body)});
  await attempt('/config', {});
  await attempt('/config', {mode: 'no-cors'});
  await attempt('/config', {method: 'PATCH', body: '{"timeouts.drain": "59s"}'});
  await attempt('/onboarding', {method: 'PATCH', body: '{"opens_https": true}'});
  await attempt('/session', {method: 'DELETE'});
  await blind('/cache/purge', {all: true});
  await blind('/forget', {all: true});
  await blind('/tasks', {start: ['http://evil.example/'], depth: 0});
  await blind('/watches', {url: 'http://evil.example/'});
  const loaded = (name, attributes) => new Promise(done => {
    const element = Object.assign(document.createElement(name), attributes);
    element.onload = () => done('loaded');
    element.onerror = () => done('refused');
    document.body.append(element);
  });
  await loaded('iframe', {src: 'WHERE/monitor/'});
  await loaded('iframe', {src: 'CONTROL'});
  const script = await loaded('script', {src: 'WHERE/monitor/app.js'});
  const events = await new Promise(done => {
    const source = new EventSource('WHERE/api/v1/events', {withCredentials: true});
    source.onmessage = source.onopen = () => done('read');
    source.onerror = () => { source.close(); done('refused'); };
  });
  return {results, script, events, socket: await SOCKET};
})()"""
SOCKET = """new Promise(done => {
  const socket = new WebSocket('WHERE/api/v1/events'.replace(/^http/, 'ws'));
  socket.onopen = () => { socket.close(); done('opened'); };
  socket.onerror = () => done('refused');
})"""


def attack(window, where):
    control = f"http://localhost:{stage.garden.port}/2"  # a page that lets itself be framed: it shows that the look at the frames sees something
    found = window.evaluate(ATTACK.replace("SOCKET", SOCKET).replace("WHERE", where).replace("CONTROL", control))
    for what, kind, status in found["results"]:
        expect(kind in ("refused", "opaque"), f"{what}: {kind} {status}")
    expect_equal((found["script"], found["events"], found["socket"]), ("refused", "refused", "refused"), "script, events, WebSocket")
    expect_equal(sorted(window.frames()), ["chrome-error://chromewebdata/", control], "what the frames show")


def lasting_state():
    """What an attack could have changed; and it is there to be changed."""
    kept = ask_api("/cache/lookup?url=" + quote(stage.origin.url + "/style.css", safe=""))["variants"]
    visits = [visit["id"] for visit in ask_api("/visits?url=" + quote(stage.origin.url + "/home", safe=""))["visits"]]
    expect(kept and visits, f"nothing is there that could be lost: {kept} {visits}")
    tasks = [task["id"] for task in ask_api("/tasks")["tasks"]]
    watches = [watch["url"] for watch in ask_api("/watches")["watches"]]
    return [len(kept), visits, tasks, watches, ask_api("/config"), ask_api("/onboarding")]


def leave_something_to_lose():
    with stage.reader() as reader:
        reader.open(stage.origin.url + "/home")
    wait_until(lambda: ask_api("/visits?url=" + quote(stage.origin.url + "/home", safe=""))["visits"], "the visit", 60)


@suite.test
def foreign_page_can_neither_read_nor_change_anything():
    leave_something_to_lose()
    before = lasting_state()
    with stage.window() as window:
        log_in(window)
        expect_equal(window.evaluate(SOCKET.replace("WHERE", stage.outrider.url)), "opened", "WebSocket of our own page")
        window.open(stage.origin.url + "/home")  # another port of the same host: the same site, and still a stranger
        attack(window, stage.outrider.url)
        expect_equal(lasting_state(), before, "what is there afterwards")
        window.open(stage.outrider.url + "/monitor/")
        is_live(window, "the live stream: still logged in")


@suite.test
def foreign_page_that_came_through_the_proxy_can_neither():
    leave_something_to_lose()
    with stage.reader() as window:
        log_in(window, "http://outrider.internal")
        window.open(stage.garden.url + "/1")
        before = lasting_state()
        attack(window, "http://outrider.internal")
        by_alias = window.evaluate(f"fetch('{stage.outrider.url}/api/v1/config', {{credentials: 'include'}}).then(a => a.type, () => 'refused')")
        expect_equal(by_alias, "refused", "under the address of the proxy")
        expect_equal(lasting_state(), before, "what is there afterwards")
        window.open("http://outrider.internal/monitor/")
        is_live(window, "the live stream: still logged in")
