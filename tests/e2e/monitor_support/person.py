"""The way of a person: from the printed address to forgetting."""

import gzip
import json
import os
import re
import time
import urllib.request
from urllib.parse import quote

from support.program import Outrider
from support.runner import expect, expect_equal
from support.users import address_of_this_machine, make_users

from .stage import ROBOT_SETTINGS, check_page, go, is_live, log_in, picture, printed_monitor, stage, started_at_a_terminal, suite, token_of


@suite.test
def printed_address_opens_the_monitor():
    with started_at_a_terminal(stage.folder("printed")) as printed, stage.window() as window:
        address = printed_monitor(printed)
        window.open(address)
        is_live(window)
        expect("token" not in window.evaluate("location.href"), "the token stays in the address")
        expect_equal(window.evaluate("document.cookie"), "", "what a script sees of the cookie")
        window.open(address.partition("#")[0])  # the cookie is enough
        is_live(window, "the live stream without the token")


@suite.test
def without_a_token_it_asks_for_one():
    with stage.window() as window:
        window.open(stage.outrider.url + "/monitor/")
        window.wait("document.querySelector('#token')", "the question")
        for scheme in ("light", "dark"):
            window.size(1000, 700, scheme)
            check_page(window, f"login, {scheme}")
        picture(window, "login")
        window.fill("#token", "wrong")
        window.press("Enter")
        window.wait("document.querySelector('.problem')", "the refusal")
        window.fill("#token", stage.admin_token)
        window.press("Enter")
        is_live(window)


@suite.test
def the_page_is_small_and_asks_nobody_else():
    sizes = {}
    for name in ("", "app.js", "app.css"):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{stage.outrider.url}/monitor/{name}", timeout=60) as answer:
            sizes[name or "index.html"] = len(gzip.compress(answer.read(), 9))
    expect(sum(sizes.values()) <= 150_000, f"gzipped: {sizes}")
    paints = []
    for _ in range(5):
        with stage.window() as window:
            log_in(window)
            strangers = [url for url in window.requests() if not url.startswith(stage.outrider.url)]
            expect_equal(strangers, [], "requests to others")
            window.wait("performance.getEntriesByName('first-contentful-paint').length > 0", "the first paint")
            paints.append(window.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    if os.getloadavg()[0] < os.cpu_count():  # a machine that is busy with others says nothing about us
        expect(min(paints) <= 200, f"first paint after {paints} ms")
    return f"{sum(sizes.values()) / 1000:.0f} kB gzipped; first paint {min(paints):.0f} ms"


def three_real_pages():
    """Of a documentation site of Debian; of the garden where that cannot be had."""
    if stage.real_sites:
        base = stage.real_sites.entries["securing"].rstrip("/")
        return [f"{base}/en-US/index.html", f"{base}/de-DE/index.html", f"{base}/fr-FR/index.html"]
    return [f"{stage.garden.url}/", f"{stage.garden.url}/2", f"{stage.garden.url}/4"]


def search_until_found(window, word, page):
    """Pages are in the index a moment after they were read."""
    found = f'.hits h2 a[href*="{quote(page, safe="")}"]'
    give_up = time.monotonic() + 60
    while not window.evaluate(f"!!document.querySelector({json.dumps(found)})"):
        expect(time.monotonic() < give_up, f"{word} is not found")
        window.click('#main nav a:has-text("By day")')
        window.wait("!document.querySelector('.hits')", "another look")
        window.fill("#q", word)
        window.press("Enter")
        window.wait("document.querySelector('.hits li, .view-memory .empty')", "the answer")
    return found


@suite.test
def a_person_connects_reads_searches_sends_the_robot_and_forgets():
    home = stage.folder("person")
    with started_at_a_terminal(home, *ROBOT_SETTINGS) as printed:
        proxy = re.search(r"proxy +(\S+)", printed)[1]
        with stage.window(width=1280, height=800) as desk, stage.window(proxy=proxy) as reader:
            desk.open(printed_monitor(printed))
            is_live(desk)
            desk.click('nav a:text-is("Connect a browser")')
            desk.wait("document.querySelector('.big')", "the address")
            expect_equal(desk.text(".big"), proxy, "the address to be entered in the browser")

            desk.click('nav a:text-is("Now")')
            pages = three_real_pages()
            for page in pages:
                reader.open(page)
                path = "/" + page.partition("://")[2].partition("/")[2]
                desk.wait(f"[...document.querySelectorAll('.traffic button.row')].some(e => e.textContent.endsWith({json.dumps(path)}))", f"{page} in the list")
            title = reader.evaluate("document.title").strip()
            word = sorted(re.findall(r"[A-Za-z]{5,}", title), key=len)[-1]

            desk.click('nav a:text-is("Memory")')
            desk.wait("document.querySelectorAll('.visits li').length >= 3", "the visits")
            desk.click(search_until_found(desk, word, pages[2]))
            desk.wait("document.querySelector('.view-node h1')", "the page of the node")
            expect_equal(desk.text(".view-node h1").strip(), title, "title")

            desk.click('a:has-text("Send the robot from here")')
            desk.wait("document.querySelector('#start')?.value", "the form")
            expect_equal(desk.evaluate("document.querySelector('#start').value"), pages[2], "start page")
            desk.click('label:has-text("Two clicks around here")')
            desk.click(".all-parameters summary")
            desk.fill("#task-max_documents", "30")
            desk.click('.task-form button:text-is("Start")')
            desk.click('tbody tr:has-text("Two clicks around here") a')
            desk.wait("document.querySelector('.state-line')?.textContent.includes('finished')", "the end of the task", 120)
            desk.wait("document.querySelectorAll('.addresses tbody tr').length >= 5", "the results")
            desk.wait("/Graph of \\d{2,} pages/.test(document.querySelector('canvas.graph').getAttribute('aria-label'))", "the graph")
            name, table = desk.download('a:text-is("CSV")')
            expect(name.endswith(".csv") and pages[2] in table and table.count("\r\n") > 5, f"{name}: {table[:300]}")

            desk.click('nav a:text-is("Tasks")')
            desk.fill("#start", pages[0])
            desk.click(f'label:has-text("{"This site" if stage.real_sites else "Watch this page"}")')
            desk.click('.task-form button:text-is("Start")')
            desk.click('tbody tr button:has-text("Stop")')
            desk.wait("[...document.querySelectorAll('tbody tr')].some(e => e.textContent.includes('stopped'))", "its stop")

            desk.click('nav a:text-is("Settings")')
            desk.fill("#set-timeouts-keep_alive", "66s")
            desk.press("Enter")
            desk.wait("document.querySelector('[role=status].quiet').textContent.includes('is changed')", "the confirmation")

            desk.click('nav a:text-is("Memory")')
            desk.click('#main nav a:text-is("Forget")')
            desk.fill("#forget-site", "127.0.0.1")
            desk.press("Enter")
            desk.wait("document.querySelector('.view-memory [role=status]')?.textContent.startsWith('Forgotten')", "the word that it is forgotten", 120)
            expect(desk.asked() and desk.asked()[-1].startswith("Forget everything of 127.0.0.1?"), f"asked: {desk.asked()}")
            go(desk, "memory", ".empty")
            expect("Nothing has been read" in desk.text(".view-memory"), desk.text(".view-memory")[:300])
            expect_equal(desk.complaints(), [], "complaints of the browser")


@suite.test
def a_colleague_sees_what_she_has_read_from_her_own_machine():
    address, home = address_of_this_machine(), stage.folder("shared")
    tokens = make_users(home / "users", "ann", "bob")
    settings = (f"access.users_file={home / 'users'}", "destinations.private=allow")
    with Outrider(home, *settings, listen="0.0.0.0:0") as shared:
        proxy = f"{address}:{shared.port}"
        with stage.window(proxy=proxy, login=("bob", "bob-password")) as bob:
            bob.open(stage.garden.url + "/2")
        with stage.window(proxy=proxy, login=("ann", "ann-password")) as ann:
            ann.open(stage.garden.url + "/1")
            for token in (token_of(home), tokens["bob"], tokens["ann"]):  # that of the house, his, hers
                ann.open("http://outrider.internal/monitor/")
                ann.wait("document.querySelector('#token')", "the question")
                ann.fill("#token", token)
                ann.press("Enter")
                if token != tokens["ann"]:
                    ann.wait("document.querySelector('.problem')", "the refusal")
            is_live(ann)
            ann.wait("document.querySelectorAll('.visits li').length === 1", "what she has read")
            expect_equal(ann.text(".visits li a"), "Roses, part 1", "what it was")
            expect_equal(ann.evaluate("[...document.querySelectorAll('nav[aria-label=Views] a')].map(e => e.textContent).join()"), "Memory", "the views that she has")
