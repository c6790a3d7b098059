"""Slowloris: thousands who never finish a request head. They end, and nobody else notices them."""

import json
import resource
import statistics
import time

from .outrider import Outrider
from .peers import Client, FastOrigin, Helper, Origin, answering
from .verdict import Skip, check, check_between, check_equal, test, test_alone, wait_until

CROWD = 5000
WINDOWS = 9
SAMPLES = 250  # per window and program
ALLOWED_FACTOR = 2.0
SLACK = 3.0  # seconds that a busy machine may be late


def need_descriptors():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < CROWD + 500:
        raise Skip(f"only {hard} descriptors are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def one_visit(port, url):
    """Seconds that a well-behaved client needs for a new connection and two requests on it."""
    begin = time.perf_counter()
    with Client(port) as client:
        for _ in range(2):
            client.get(url)
            check_equal(len(client.response().body), 1000, "the answer to a well-behaved client")
    return time.perf_counter() - begin


def percentile(samples, share):
    return sorted(samples)[min(len(samples) - 1, int(len(samples) * share))]


def compare(calm, attacked, url, windows=WINDOWS):
    """p50 and p99 of each program as the median over the windows. Turn by turn, so that what else runs here hits both alike."""
    results = {calm: [], attacked: []}
    for _ in range(windows):
        window = {calm: [], attacked: []}
        for _ in range(SAMPLES):
            for proxy, samples in window.items():
                samples.append(one_visit(proxy.port, url))
        for proxy, samples in window.items():
            results[proxy].append((percentile(samples, 0.5), percentile(samples, 0.99)))
    return [tuple(statistics.median(column) for column in zip(*results[proxy])) for proxy in (calm, attacked)]


@test_alone
def slowloris_leaves_other_clients_alone(note):
    """5,000 drip a byte now and then, and come back when they are ended. A second program of the same kind without the
    attack is the measure."""
    need_descriptors()
    setting = "timeouts.request_head=5s"
    with FastOrigin() as origin, Outrider(setting) as calm, Outrider(setting) as attacked:
        url = f"{origin.url}/bytes/1000"
        with Helper("crowd.py", attacked.port, CROWD, "drip") as crowd:
            crowd.line()
            wait_until(lambda: attacked.client_connections() >= CROWD, 20, f"{CROWD} slow connections")
            for attempt in ("first", "second"):
                cpu = attacked.cpu_seconds()
                begin = time.monotonic()
                (calm_p50, calm_p99), (p50, p99) = compare(calm, attacked, url)
                busy = (attacked.cpu_seconds() - cpu) / (time.monotonic() - begin)
                count = json.loads(crowd.ask("count"))
                note(f"{attempt} run: p50 {calm_p50 * 1e3:.2f} -> {p50 * 1e3:.2f} ms, p99 {calm_p99 * 1e3:.2f} -> "
                     f"{p99 * 1e3:.2f} ms, CPU {busy:.0%} of a core, {count['ended']} slow ones ended so far")
                check(count["open"] >= CROWD * 0.9, f"the attack went on with {count['open']} connections")
                if p50 <= ALLOWED_FACTOR * calm_p50 and p99 <= ALLOWED_FACTOR * calm_p99:
                    return
        check(False, f"p50 and p99 of the others are {p50 / calm_p50:.1f} and {p99 / calm_p99:.1f} times those without")


@test_alone
def slow_heads_are_ended(note):
    """5,000 times half a head, then silence: all are ended by timeouts.request_head, with 408; memory is given back."""
    need_descriptors()
    limit = 2.0
    with Outrider(f"timeouts.request_head={limit:g}s") as proxy, Origin(answering()) as origin:
        proxy.get(origin.url)
        before = proxy.rss()
        with Helper("crowd.py", proxy.port, CROWD, "half") as crowd:
            crowd.line()
            note(f"{(proxy.rss() - before) / json.loads(crowd.ask('count'))['open'] / 1024:.1f} KB for each slow connection")
            begin = time.monotonic()
            wait_until(lambda: json.loads(crowd.ask("count"))["ended"] == CROWD, limit + 10, "all slow connections are ended")
            count = json.loads(crowd.ask("count"))
            note(f"the last ended {time.monotonic() - begin:.1f} s after the last was opened, answers {count['statuses']}")
            check_between(time.monotonic() - begin, 0, limit + SLACK, "the end of the last slow connection")
            check_equal(proxy.get(origin.url).status, 200, "a request after the attack")
            check_equal(proxy.client_connections(), 0, "connections after the attack")
            check_equal(count["statuses"], {"408": CROWD}, "answers to half a head")


@test
def late_head_is_answered_408(note):
    """RFC 9110 section 15.5.9: whoever began a request and did not finish it in time is told so."""
    with Outrider("timeouts.request_head=1s") as proxy, Client(proxy.port) as client:
        client.send("GET http://127.0.0.1:9/ HTTP/1.1\r\nHo")
        begin = time.monotonic()
        said = client.rest()
        took = time.monotonic() - begin
        note(f"ended after {took:.2f} s")
        check_between(took, 0.8, 1 + SLACK, "the end of an unfinished head")
        check(said.startswith(b"HTTP/1.1 408 "), f"the answer is {said[:60]!r}")
        check(b"\r\nconnection: close\r\n" in said.lower(), "408 says that the connection is closed")


@test
def late_second_head_is_answered_408(_note):
    """The same on a connection that has served a request before."""
    with Outrider("timeouts.request_head=1s") as proxy, Origin(answering()) as origin, Client(proxy.port) as client:
        client.get(origin.url)
        check_equal(client.response().status, 200, "the first answer")
        client.send("GET")
        begin = time.monotonic()
        said = client.rest()
        check_between(time.monotonic() - begin, 0.8, 1 + SLACK, "the end of an unfinished second head")
        check(said.startswith(b"HTTP/1.1 408 "), f"the answer is {said[:60]!r}")


@test
def bytes_do_not_prolong_the_head(note):
    """The time for a head is for the whole of it: a byte every 100 ms does not help; neither do empty lines before it."""
    with Outrider("timeouts.request_head=1s") as proxy:
        # Empty lines may be refused earlier.
        for what, piece, earliest in (("letters", b"G", 0.8), ("empty lines", b"\r\n", 0)):
            with Client(proxy.port) as client:
                begin = time.monotonic()
                client.socket.settimeout(0.1)
                ended = False
                while not ended and time.monotonic() < begin + 3 + SLACK:
                    client.send_what_is_taken(piece)
                    try:
                        ended = client.socket.recv(4096) == b""
                    except TimeoutError:
                        pass
                    except ConnectionResetError:
                        ended = True
                note(f"{what}: {time.monotonic() - begin:.2f} s")
                # Twice: once until the first byte, once for the head.
                check_between(time.monotonic() - begin, earliest, 2 + SLACK, f"a head of {what}")


@test
def silent_connection_is_closed_without_a_word(_note):
    """Nothing was asked, so nothing is answered: a browser opens connections ahead of need."""
    with Outrider("timeouts.request_head=1s") as proxy, Client(proxy.port) as client:
        begin = time.monotonic()
        check_equal(client.rest(), b"", "what a silent client hears")
        check_between(time.monotonic() - begin, 0.8, 1 + SLACK, "the end of a silent connection")


@test
def idle_kept_connection_is_closed_without_a_word(_note):
    """timeouts.keep_alive, not timeouts.request_head, rules between two requests."""
    with Outrider("timeouts.request_head=500ms", "timeouts.keep_alive=2s") as proxy, Origin(answering()) as origin:
        with Client(proxy.port) as client:
            client.get(origin.url)
            check_equal(client.response().status, 200, "the first answer")
            begin = time.monotonic()
            check_equal(client.rest(), b"", "what an idle client hears")
            check_between(time.monotonic() - begin, 1.8, 2 + SLACK, "the end of an idle connection")


@test_alone
def idle_connections_are_small(note):
    """5,000 kept connections after one request each: at most 6 KB of memory each, and a new client's p50 is at most 1.5
    times that of a program without them."""
    need_descriptors()
    allowed = 6 * 1024
    with FastOrigin() as origin, Outrider("memory.enabled=false") as calm, Outrider("memory.enabled=false") as proxy:
        url = f"{origin.url}/bytes/1000"
        with Helper("crowd.py", proxy.port, 200, "idle", url) as crowd:  # so that pools and tables are there
            crowd.line()
        wait_until(lambda: proxy.client_connections() == 0, 10, "the first crowd is gone")
        before = proxy.rss()
        with Helper("crowd.py", proxy.port, CROWD, "idle", url) as crowd:
            crowd.line()
            count = json.loads(crowd.ask("count"))
            check_equal((count["open"], count["answered"], count["statuses"]), (CROWD, CROWD, {}), "open, answered, failed")
            each = (proxy.rss() - before) / CROWD
            cpu = proxy.cpu_seconds()
            time.sleep(1)
            busy = proxy.cpu_seconds() - cpu
            note(f"{each / 1024:.2f} KB each, {before / 1e6:.1f} MB without, CPU while all are silent {busy:.0%}")
            check(each <= allowed, f"{each:.0f} bytes for each idle connection")
            for _ in range(2):
                (calm_p50, _), (p50, _) = compare(calm, proxy, url, windows=3)
                note(f"a new client's p50 {calm_p50 * 1e3:.2f} -> {p50 * 1e3:.2f} ms")
                if p50 <= 1.5 * calm_p50:
                    break
            else:
                check(False, f"a new client's p50 is {p50 / calm_p50:.1f} times that without idle connections")
        wait_until(lambda: proxy.client_connections() == 0, 10, "the crowd is forgotten")
