"""What is shown, in light and dark, on a phone and on a wide screen."""

import json
import re
import time
from urllib.parse import quote

from support.runner import expect, expect_equal, wait_until

from .stage import GARDEN, ask_api, check_page, go, load_pages, log_in, picture, read_the_garden, stage, suite


@suite.test
def every_view_is_sound_in_light_and_dark_and_on_every_screen():
    read_the_garden()
    task = ask_api("/tasks", "POST", {"name": "This site", "start": [stage.garden.url + "/"]})["id"]
    ask_api("/tasks", "POST", {"name": "Two clicks around here", "start": [stage.garden.url + "/7"], "depth": 2, "restriction": "all"})
    wait_until(lambda: ask_api(f"/tasks/{task}")["state"] == "finished", "the end of the task", 120)
    wait_until(lambda: ask_api("/search?q=tulips")["hits"], "the search index", 60)
    page = quote(stage.garden.url + "/1", safe="")
    views = [
        ("empty", "now", ".empty"),
        ("tasks", "tasks", "tbody tr"),
        ("task", f"tasks?id={task}", ".addresses tbody tr"),
        ("memory", "memory", ".visits li"),
        ("search", "memory?q=tulips", ".hits li"),
        ("trail", "memory?as=trail", ".trail-picture a"),
        ("forget", "memory?as=forget", "form.card"),
        ("node", f"node?url={page}", ".versions li"),
        ("hosts", "hosts", ".hosts tbody tr"),
        ("plugins", "plugins", ".card"),
        ("settings", "settings", ".setting"),
        ("connect", "connect", ".step"),
        ("health", "health", ".log tr"),
    ]
    if not ask_api("")["parts"]["plugins"]:
        views = [view for view in views if view[0] != "plugins"]
    with stage.window() as window:
        log_in(window)
        for name, place, shown in views:
            for scheme in ("light", "dark"):
                window.size(1280, 800, scheme)
                window.evaluate(f"location.hash = '#/{place}'")
                window.wait(f"document.querySelector({json.dumps('.view ' + shown)})", f"the view {name}")
                if name == "task":
                    window.wait(f"(document.querySelector('canvas.graph').getAttribute('aria-label') ?? '').includes('{GARDEN} pages')", "the whole graph")
                window.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                check_page(window, f"{name}, {scheme}")
                picture(window, f"{name}-{scheme}")
            for width, height in ((390, 844), (1920, 1080)):
                window.size(width, height)
                check_page(window, f"{name}, {width} pixels wide")
        window.size(1280, 800)
        go(window, "tasks", ".all-parameters")
        window.click(".all-parameters summary")
        check_page(window, "all parameters")
        known = ask_api(f"/tasks/{task}")["spec"]
        missing = [key for key in known if key not in ("owner", "start", "judged") and not window.evaluate(f"!!document.getElementById('task-{key}')")]
        expect_equal(missing, [], "parameters that the form does not have")
        picture(window, "parameters-light")
        window.size(390, 844)
        check_page(window, "all parameters on a phone")
    return None if stage.axe_script else "without axe-core: npm has none"


@suite.test
def pages_appear_live_and_are_explained():
    with stage.window(width=1280, height=800) as window:
        log_in(window)
        expect("Nothing passes" in window.text(".list"), "no empty state")
        with stage.reader() as reader:
            reader.open(stage.origin.url + "/home")
        window.wait(f"[...document.querySelectorAll('.traffic .host')].some(e => e.textContent === '{stage.origin.host}')", "the page")
        load_pages()
        window.wait("document.querySelectorAll('.traffic tbody tr').length >= 9", "all of them")
        check_page(window, "Now")
        # The keyboard alone: to the filter, and into a row.
        window.press("/")
        window.call("keyboard.type", "style.css 200")
        window.wait("!document.querySelector('.list').textContent.includes('/missing')", "the filter")
        expect("style.css" in window.text(".list"), window.text(".list"))
        window.evaluate("document.querySelector('.traffic button.row').focus()")
        window.press("Enter")
        window.wait("document.querySelector('.detail .waterfall li')", "the detail")
        verdict = window.text(".detail .verdict")
        expect("from memory" in verdict and "fresh" in verdict, verdict)  # what happened, and why
        check_page(window, "Now with detail")
        window.fill("#filter", "")
        window.click('.tools button:text-is("Clear")')
        load_pages()
        load_pages()
        time.sleep(2.5)  # for a chart with something in it: decides nothing
        picture(window, "now-light")
        window.size(1280, 800, "dark")
        check_page(window, "Now, dark")
        picture(window, "now-dark")
        window.click(".detail button")
        window.size(390, 844)
        check_page(window, "Now on a phone")
        picture(window, "now-phone")


@suite.test
def days_are_those_of_the_person_who_looks():
    """In a zone where it is another day than in Greenwich at this moment."""
    read_the_garden()
    now = time.gmtime()
    zone, hours = ("Pacific/Kiritimati", 14) if now.tm_hour >= 10 else ("Pacific/Pago_Pago", -11)
    today = time.strftime("%Y-%m-%d", time.gmtime(time.time() + hours * 3600))
    with stage.window(zone=zone) as window:
        log_in(window)
        go(window, "memory", ".visits a.chip")
        expect(f"day={today}" in window.evaluate("document.querySelector('.visits a.chip').href"), f"the trail of {today}")
        window.click(".visits a.chip")
        window.wait("document.querySelector('.trail-picture a')", "the trail")
        expect_equal(window.text(".trail-days strong"), "Today", "the day")
        asked = [url for url in window.requests() if "until=" in url][-1]
        begin, end = (int(n) for n in re.search(r"from=(\d+)&until=(\d+)", asked).groups())
        expect_equal((end - begin, (begin + hours * 3600) % 86400), (86400, 0), "from midnight to midnight")


@suite.test
def a_task_that_loaded_nothing_says_why():
    task = ask_api("/tasks", "POST", {"start": [stage.origin.url + "/missing"], "depth": 0})["id"]
    limited = ask_api("/tasks", "POST", {"start": [stage.garden.url + "/"], "max_documents": 1})["id"]
    for one in (task, limited):
        wait_until(lambda one=one: ask_api(f"/tasks/{one}")["state"] == "finished", "the end of the task", 60)
    with stage.window() as window:
        log_in(window)
        go(window, "tasks", "tbody tr")
        row = "[...document.querySelectorAll('tbody tr')].find(e => e.querySelector('a').hash === '#/tasks?id=%s')"
        window.wait(f"{row % task}.textContent.includes('nothing could be loaded')", "what became of it")
        expect(not window.evaluate(f"!!{row % task}.querySelector('progress')"), "a bar, as if it had succeeded")
        expect("its limit is reached" in window.evaluate(f"{row % limited}.textContent"), "nothing is said of the limit")
        go(window, f"tasks?id={task}", ".state-line .chip")
        window.wait("document.querySelector('.state-line').textContent.includes('nothing could be loaded: status 404')", "the reason")
        window.wait("document.querySelector('.view-tasks').textContent.includes('Nothing could be loaded.')", "the empty list")


@suite.test
def details_of_a_host_are_as_wide_as_the_window():
    ask_api("/tasks", "POST", {"start": [stage.garden.url + "/"], "depth": 0})
    wait_until(lambda: ask_api("/hosts")["hosts"], "the host", 60)
    with stage.window(width=400, height=800) as window:
        log_in(window)
        go(window, "hosts", ".opener")
        window.click(".opener")
        window.wait("document.querySelector('.host-details:not([hidden]) .facts')", "the details")
        expect(window.evaluate("document.querySelector('.host-details:not([hidden]) .facts').clientWidth > 300"), "details in a narrow column")
        check_page(window, "an open host on a phone")


@suite.test
def the_picture_of_thousands_of_pages_is_drawn():
    """What the graph does with so many that no site of a test has: smoothly, for those who like to see things move."""
    with stage.window(width=1280, height=800) as window:
        log_in(window)
        task = ask_api("/tasks", "POST", {"start": [stage.garden.url + "/"], "depth": 0})["id"]
        go(window, f"tasks?id={task}", "canvas.graph")
        window.call("emulateMedia", {"reducedMotion": "no-preference"})
        # The API's answer is replaced by a graph of 4,000 pages; everything else is the real page.
        told = window.evaluate("""(async () => {
          const real = window.fetch, rest = ms => new Promise(done => setTimeout(done, ms));
          const nodes = Array.from({length: 4000}, (_, i) => ({number: i, url: 'http://many.example/' + i, depth: 1, state: i % 9 ? 'fetched' : 'failed'}));
          const edges = nodes.slice(1).map((n, i) => [Math.floor(i / 12), n.number]);
          window.fetch = (url, options) => String(url).includes('/graph') ? Promise.resolve(new Response(JSON.stringify(
            {nodes, edges, begins_anew: true, more: false, next: '9.9.9'}))) : real(url, options);
          location.hash = '#/tasks';
          await rest(300);
          history.back();
          const label = () => document.querySelector('canvas.graph')?.getAttribute('aria-label') ?? '';
          while (!label().includes('4000 pages')) await rest(50);
          const frames = [];
          for (let last = performance.now(); frames.length < 60;) {
            const at = await new Promise(requestAnimationFrame);
            frames.push(at - last);
            last = at;
          }
          frames.sort((a, b) => a - b);
          const canvas = document.querySelector('canvas.graph');
          let share = 0;
          for (let tries = 0; tries < 300 && share < 0.02; tries++) {
            await rest(100);
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let drawn = 0;
            for (let i = 3; i < pixels.length; i += 4) if (pixels[i]) drawn++;
            share = drawn / (pixels.length / 4);
          }
          return {label: label(), drawn: share, frame: frames[30]};
        })()""")
        expect("4000 pages and 3999 links" in told["label"], told["label"])
        expect(told["drawn"] >= 0.02, f"the canvas is empty: {told['drawn']}")
        window.call("emulateMedia", {"reducedMotion": "reduce"})
        window.evaluate("new Promise(done => setTimeout(done, 500))")
        picture(window, "graph-light")
        return f"a frame takes {told['frame']:.0f} ms (median, without a graphics card)"
