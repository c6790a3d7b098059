"""What happens is shown as it happens: by events, without asking, and also after the server was away."""

import json
import subprocess
import time

from support.program import Outrider
from support.runner import expect, expect_equal, wait_until

from .stage import BINARY, HOLD_STREAM, ask_api, check_page, go, is_live, load, load_pages, log_in, pause, read_the_garden, stage, suite, token_of


@suite.test
def nothing_is_asked_for_while_nothing_happens():
    views = ("now", "memory", "memory?as=trail", "tasks", "hosts", "plugins", "settings", "connect", "health", f"node?url={stage.origin.url}/home")
    windows = []
    try:
        for view in views:
            windows.append(stage.window())
            log_in(windows[-1])
            go(windows[-1], view)
        time.sleep(3)
        before = [window.requests() for window in windows]
        time.sleep(6)
        for view, window, asked in zip(views, windows, before):
            expect_equal(window.requests()[len(asked):], [], f"what {view} asks for")
    finally:
        for window in windows:
            window.__exit__()


@suite.test
def health_follows_by_events():
    with stage.window() as window:
        log_in(window)
        go(window, "health", ".log tr")
        figure = "[...document.querySelectorAll('.facts div')].find(e => e.textContent.startsWith('Exchanges'))?.textContent"
        window.click('summary:has-text("All figures")')
        window.wait("document.querySelectorAll('details .fields tr').length > 20", "all figures")
        before, asked = window.evaluate(figure), window.requests()
        load_pages()
        window.wait(f"{figure} !== {json.dumps(before)}", "other figures")
        ask_api("/config", "PATCH", {"timeouts.keep_alive": "61s"})
        window.wait("document.querySelector('.log').textContent.includes('61s')", "the line of the log")
        expect(window.evaluate("document.querySelector('details').open"), "all figures are closed")
        window.choose("#log-level", "error")
        window.wait("!document.querySelector('.log').textContent.includes('61s')", "errors only")
        ask_api("/config", "PATCH", {"timeouts.keep_alive": None})
        expect_equal(window.requests()[len(asked):], [], "what was asked for meanwhile")
        go(window, "connect", ".big")
        expect("with=" not in [url for url in window.requests() if "/events" in url][-1], "figures are told although nobody looks at them")


@suite.test
def settings_plugins_and_onboarding_follow_each_other():
    with stage.window() as here, stage.window() as there:
        for window in (here, there):
            log_in(window)
            go(window, "settings", ".setting")
        here.fill("#set-timeouts-keep_alive", "never")
        here.press("Enter")
        here.wait("[...document.querySelectorAll('.problem')].some(e => !e.hidden)", "the refusal")
        there.fill("#set-timeouts-drain", "11s")  # not sent: it is still being typed
        here.fill("#set-timeouts-keep_alive", "77s")
        here.press("Enter")
        here.wait("document.querySelector('[role=status].quiet').textContent.includes('is changed')", "the confirmation")
        there.wait("document.querySelector('#set-timeouts-keep_alive').value === '77s'", "the change in the other window")
        ask_api("/config", "PATCH", {"timeouts.drain": "12s", "timeouts.keep_alive": None})
        here.wait("document.querySelector('#set-timeouts-drain').value === '12s'", "the change by a program")
        there.wait("document.querySelector('#set-timeouts-keep_alive').value !== '77s'", "the one that was taken back")
        expect_equal(there.evaluate("document.querySelector('#set-timeouts-drain').value"), "11s", "what is being typed")
        ask_api("/config", "PATCH", {"timeouts.drain": None})

        go(here, "connect", "button")
        go(there, "connect", "button")
        for words in ("Allow", "Stop"):
            expect(there.text(".view-connect button").startswith(words), there.text(".view-connect button"))
            here.click(".view-connect button")
            there.wait(f"!document.querySelector('.view-connect button').textContent.startsWith('{words}')", "the change in the other window")

        if not ask_api("")["parts"]["plugins"]:
            return
        go(here, "plugins", ".card")
        go(there, "plugins", ".card")
        title = here.text(".card h2").rpartition(" ")[0]
        for _ in range(2):
            state = there.text(".card h2")
            here.click(".card .actions button")
            there.wait(f"document.querySelector('.card h2').textContent !== {json.dumps(state)}", f"the switch of {title} in the other window")


@suite.test
def offline_mode_is_seen_everywhere_and_ends_by_a_button():
    with stage.window() as window:
        log_in(window)
        try:
            go(window, "health", ".facts")
            ask_api("/config", "PATCH", {"cache.offline": True})
            window.wait("document.querySelector('.problem')?.textContent.includes('offline')", "the line on Health")
            for view, shown in (("memory", "h1"), ("settings", ".setting")):
                go(window, view, shown)
                expect("Offline" in window.text("#notice"), f"no banner on {view}")
            for scheme in ("light", "dark"):
                window.size(1280, 800, scheme)
                check_page(window, f"offline, {scheme}")
            window.size(390, 844)
            check_page(window, "offline on a phone")
            window.click("#notice button")
            window.wait("!document.querySelector('#notice').textContent", "the end of the banner")
            wait_until(lambda: not next(s["value"] for s in ask_api("/config")["settings"] if s["key"] == "cache.offline"), "the setting")
        finally:
            ask_api("/config", "PATCH", {"cache.offline": None})


@suite.test
def slash_goes_to_the_field_of_every_view_that_has_one():
    with stage.window() as window:
        log_in(window)
        for view, field in (("now", "filter"), ("memory", "q"), ("hosts", "find-host"), ("settings", "find")):
            go(window, view, "#" + field)
            window.press("/")
            expect_equal(window.evaluate("document.activeElement.id"), field, f"the focus on {view}")


@suite.test
def the_page_of_an_address_follows():
    url = stage.origin.url + "/home"
    with stage.window() as window:
        log_in(window)
        with stage.reader() as reader:
            reader.open(url)
        wait_until(lambda: ask_api(f"/visits?url={url}")["visits"], "the visit", 60)
        go(window, f"node?url={url}", ".facts")
        count = "document.querySelectorAll('.view-node .visits li').length"
        before = window.evaluate(count)
        with stage.reader() as reader:  # another one: its own cache would have the page
            reader.open(url)
        window.wait(f"{count} > {before}", "the next visit")


@suite.test
def pause_holds_the_list_still():
    with stage.window() as window:
        log_in(window)
        load_pages()
        window.wait("document.querySelectorAll('.traffic tbody tr').length >= 7", "the pages")
        window.click('.tools button:text-is("Pause")')
        before = window.evaluate("document.querySelectorAll('.traffic tbody tr').length")
        load("/paused")
        pause(window, 0.6)
        expect_equal(window.evaluate("document.querySelectorAll('.traffic tbody tr').length"), before, "rows while paused")
        window.click('.tools button:text-is("Go on")')
        window.wait("document.querySelector('.list').textContent.includes('/paused')", "what came meanwhile")


@suite.test
def views_that_are_left_before_they_are_ready_listen_no_more():
    """Every view that is begun asks the API late here; when the last one is ready, only its listener may be left."""
    with stage.window(scripts=[HOLD_STREAM]) as window:
        log_in(window)
        counted = window.evaluate("""(async () => {
          const real = window.fetch, pause = ms => new Promise(done => setTimeout(done, ms));
          let asked = 0;
          window.fetch = async (url, options) => { if (/tasks\\?limit=50/.test(url)) await pause(300); if (/tasks\\/9999$/.test(url)) asked++; return real(url, options); };
          for (let i = 0; i < 5; i++) { location.hash = '#/tasks'; await pause(40); location.hash = '#/health'; await pause(40); }
          location.hash = '#/tasks';
          await pause(1500);
          // News of a task that no list knows make each list that listens ask for it.
          window.stream.dispatchEvent(new MessageEvent('task', {data: JSON.stringify({id: 9999, state: 'running', statistics: {}})}));
          await pause(500);
          return asked;
        })()""")
        expect_equal(counted, 1, "views that listen")


@suite.test
def the_keyboard_keeps_its_place():
    with stage.window(scripts=[HOLD_STREAM]) as window:
        log_in(window)
        # Back from the detail to the row, also when more rows have come meanwhile.
        load_pages()
        window.wait("document.querySelectorAll('.traffic tbody tr').length >= 7", "the pages")
        window.evaluate("window.row = document.querySelectorAll('.traffic tbody tr')[3].dataset.id; document.querySelectorAll('.traffic button.row')[3].focus()")
        window.press("Enter")
        window.wait("document.activeElement.closest('.detail')", "the detail")
        load_pages()
        window.wait("document.querySelectorAll('.traffic tbody tr').length >= 14", "more pages")
        window.press("Escape")
        at_row = "document.activeElement.closest('tr')?.dataset.id === window.row"
        expect(window.evaluate(at_row), "the focus is not where it came from")
        load_pages()
        window.wait("document.querySelectorAll('.traffic tbody tr').length >= 21", "still more pages")
        expect(window.evaluate(at_row), "the focus is gone with the next pages")
        # To the content, and not to another view.
        go(window, "settings", ".setting")
        window.evaluate("document.querySelector('.skip').focus()")
        window.press("Enter")
        window.wait("document.activeElement === document.getElementById('main')", "the focus on the content")
        expect_equal(window.evaluate("location.hash"), "#/settings", "the place")
        # A task that goes on takes nothing from under a finger.
        task = ask_api("/tasks", "POST", {"start": [stage.garden.url + "/"], "depth": 0, "revisit": True, "revisit_every": 86400})["id"]
        go(window, f"tasks?id={task}", ".actions button")
        window.click('summary:text-is("Parameters")')
        window.evaluate("window.held = document.querySelector('.state-line button'); held.focus(); window.parameters = [...document.querySelectorAll('summary')].find(e => e.textContent === 'Parameters').parentElement")
        drawn = "performance.getEntriesByType('resource').filter(e => e.name.endsWith('/tasks/%s')).length" % task
        before = window.evaluate(drawn)
        window.evaluate("window.stream.dispatchEvent(new MessageEvent('task', {data: JSON.stringify({id: %s})}))" % task)
        window.wait(f"{drawn} > {before}", "the next drawing")
        pause(window, 0.3)
        expect(window.evaluate("document.activeElement === held && held.isConnected"), "the focus is taken from the button")
        expect(window.evaluate("parameters.isConnected && parameters.open"), "the parameters are closed")
        ask_api(f"/tasks/{task}/stop", "POST")
        window.wait("document.querySelector('.state-line').textContent.includes('stopped')", "the stop")
        expect(window.evaluate("document.activeElement.closest('.state-line') !== null"), "the focus is lost with the buttons")


@suite.test
def everything_is_reached_by_the_tabulator_alone():
    read_the_garden()
    with stage.window() as window:
        log_in(window)
        for view, shown in (("now", "h1"), ("tasks", ".task-form"), ("memory", ".visits li"), ("connect", ".big"), ("health", ".log tr")):
            go(window, view, shown)
            window.evaluate("document.activeElement.blur(); window.reached = new Set()")
            most = window.evaluate("document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex=\"0\"]').length") + 5
            for _ in range(most):
                window.press("Tab")
                window.evaluate("reached.add(document.activeElement)")
            left = window.evaluate("""[...document.querySelectorAll('nav a, #main a[href], #main button, #main input:not([type=radio]), #main select, #main summary')]
              .filter(e => e.checkVisibility() && !e.disabled && !reached.has(e)).map(e => e.outerHTML.slice(0, 100))""")
            expect_equal(left, [], f"what {view} does not let the keyboard reach")
            outline = window.evaluate("document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle !== 'none'")
            expect(outline, f"{view}: the focus is not seen")


@suite.test
def page_outlives_a_restart_of_the_server():
    folder = stage.folder("restarted")
    first = Outrider(folder)
    try:
        with stage.window() as window, stage.window() as health:
            for view in (window, health):
                view.open(f"{first.url}/monitor/#token={token_of(folder)}")
                is_live(view)
            go(health, "health", ".log tr")
            first.stop()
            window.wait("document.querySelector('#link .dot.waiting')", "the notice that it is gone")
            command = [BINARY, "serve", "--listen", first.address, "--data", str(folder / "data"), "--config", "/dev/null"]
            second = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                is_live(window, "the live stream of the new one")
                load("/again", first.address)
                window.wait("document.querySelector('.list').textContent.includes('/again')", "an exchange of the new one")
                expect_equal(window.text(".view-now h1"), "Now", "the view that was open")
                figure = "[...document.querySelectorAll('.facts div')].find(e => e.textContent.startsWith('Exchanges'))?.textContent"
                before = health.evaluate(figure)
                load("/more", first.address)
                health.wait(f"{figure} !== {json.dumps(before)}", "figures of the new one")
            finally:
                second.terminate()
                second.wait(60)
    finally:
        first.stop()


@suite.test
def lists_are_right_again_after_the_stream_was_away():
    """What tasks do meanwhile is not repeated by the stream: the views have to ask."""
    with stage.window(scripts=[HOLD_STREAM]) as window:
        log_in(window)
        for view in ("tasks", "tasks?id={}"):
            task = ask_api("/tasks", "POST", {"name": "Away", "start": [stage.garden.url + "/"], "depth": 0, "revisit": True, "revisit_every": 86400})["id"]
            window.evaluate(f"location.hash = '#/{view.format(task)}'")
            row = f"document.querySelector('.view-tasks a[href=\"#/tasks?id={task}\"]')?.closest('tr')" if view == "tasks" else "document.querySelector('.state-line')"
            window.wait(f"/running|waiting/.test({row}?.textContent ?? '')", "the task")
            # Deaf to the server from here on; its greeting after that is what a new connection begins with.
            window.evaluate("window.stream.close()")
            ask_api(f"/tasks/{task}/stop", "POST")
            missed = ask_api("/tasks", "POST", {"name": "Missed", "start": [stage.garden.url + "/1"], "depth": 0})["id"]
            window.evaluate("window.stream.dispatchEvent(new MessageEvent('hello', {data: JSON.stringify({server: 'another'})}))")
            window.wait(f"{row}.textContent.includes('stopped')", f"the stop in {view}")
            if view == "tasks":
                first = f"document.querySelector('tbody tr a').getAttribute('href') === '#/tasks?id={missed}'"
                window.wait(first, "the task that was begun meanwhile, as the first")
            window.open(stage.outrider.url + "/monitor/")
            is_live(window)


@suite.test
def a_list_that_lacks_something_says_so():
    task = ask_api("/tasks", "POST", {"start": [stage.origin.url + "/unkept"]})["id"]
    wait_until(lambda: ask_api(f"/tasks/{task}")["state"] == "finished", "the end of the task", 60)
    with stage.window() as window:
        log_in(window)
        go(window, f"tasks?id={task}")
        window.wait("[...document.querySelectorAll('.view-tasks p')].some(e => e.checkVisibility() && e.textContent.startsWith('Missing: 1 of 2'))", "what is missing")
        check_page(window, "a task with a gap")


@suite.test
def it_works_at_outrider_internal_through_the_proxy():
    with stage.reader() as window:
        log_in(window, "http://outrider.internal")
        go(window, "settings", ".setting")
