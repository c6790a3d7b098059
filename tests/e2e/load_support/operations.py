"""Signals under load: SIGHUP changes the rules and hurts nobody, SIGTERM lets running requests finish; one program per
port and data directory."""

import contextlib
import os
import signal
import tempfile
import threading
import time

from .outrider import Outrider
from .peers import Client, FastOrigin, Origin, Truncated, answering, hang_up_to, read_head
from .slow_bodies import MB
from .slow_heads import SLACK
from .verdict import Failure, check, check_between, check_equal, test, test_alone, wait_until


class Load:
    """Four clients that ask without a pause, two on kept connections and two on new ones. Collects what goes wrong."""

    def __init__(self, proxy, url):
        self.proxy = proxy
        self.url = url
        self.done = 0
        self.problems = []
        self.torn = []  # answers that ended before they were whole
        self._stop = False
        self._threads = [threading.Thread(target=self._ask, args=(number % 2 == 0,), daemon=True) for number in range(4)]

    def _ask(self, keep):
        client = None
        while not self._stop:
            try:
                client = client or Client(self.proxy.port)
                client.get(self.url)
                answer = client.response()
                if answer.status != 200 or len(answer.body) != 1000:
                    self.problems.append(f"{answer.status} with {len(answer.body)} bytes")
                self.done += 1
            except (OSError, Truncated) as problem:
                self.problems.append(repr(problem))
                if isinstance(problem, Truncated) and (problem.got or "after" in str(problem)):
                    self.torn.append(repr(problem))
                client = None
            if client and not keep:
                client.close()
                client = None

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_ignored):
        self._stop = True
        for thread in self._threads:
            thread.join(25)


def write(path, text):
    """As an editor does: the new file takes the place of the old one."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + ".new", path)


@test_alone
def reload_under_load(note):
    """SIGHUP: no request fails, a changed rule holds, a broken file is refused and the old rules stay."""
    with tempfile.TemporaryDirectory() as folder, FastOrigin() as origin:
        config = os.path.join(folder, "outrider.toml")
        write(config, "[destinations]\nblock = []\n")
        blocked = f"http://127.0.0.8:{origin.port}/bytes/10"
        status = lambda: proxy.get(blocked).status
        with Outrider(config=config) as proxy, Load(proxy, f"{origin.url}/bytes/1000") as load:
            check_equal(status(), 200, "a destination before it is blocked")
            write(config, '[destinations]\nblock = ["127.0.0.8"]\n')
            proxy.reload()
            wait_until(lambda: status() == 403, 5, "the new rule holds")
            for broken in ("[destinations\nblock = oops", '[destinations]\nblok = ["x"]\n', "[limits]\nconnections = -5\n"):
                write(config, broken)
                proxy.reload()
                time.sleep(0.3)
                check(proxy.alive(), f"gone after reading {broken!r}")
                check_equal(status(), 403, f"the old rule after reading {broken!r}")
            os.remove(config)
            proxy.reload()
            time.sleep(0.3)
            check(proxy.alive(), "gone after a reload without its file")
            write(config, '[limits]\nrequest_body = "1KiB"\n')
            proxy.reload()
            wait_until(lambda: status() == 200, 5, "the rule is gone again")
            for _ in range(30):
                proxy.reload()
                time.sleep(0.02)
        note(f"{load.done} requests during 37 reloads")
        check(load.done > 100, f"only {load.done} requests were made")
        check(not load.problems, f"{len(load.problems)} of {load.done} failed: {load.problems[:3]}")


@test
def reload_applies_to_kept_connections_and_time_outs(_note):
    """The next request on an open connection follows the new rules; new time-outs hold without a restart."""
    with tempfile.TemporaryDirectory() as folder, Origin(answering()) as origin, Origin(hang_up_to) as silent:
        config = os.path.join(folder, "outrider.toml")
        write(config, "")
        with Outrider(config=config) as proxy, Client(proxy.port) as client:
            client.get(origin.url)
            check_equal(client.response().status, 200, "the first request")
            write(config, '[destinations]\nblock = ["127.0.0.1:%d"]\n[timeouts]\nresponse_head = "500ms"\n' % origin.port)
            proxy.reload()
            time.sleep(0.5)
            client.get(origin.url)
            check_equal(client.response().status, 403, "the next request on the same connection")
            begin = time.monotonic()
            check_equal(proxy.get(silent.url).status, 504, "an origin that never answers")
            check_between(time.monotonic() - begin, 0.4, 0.5 + SLACK, "the new time-out")


def refused(port):
    try:
        Client(port).close()
        return False
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:  # in the moment in which the listener goes
        return False


@test
def termination_lets_requests_finish(note):
    """SIGTERM with 50 requests under way, a download in the middle and idle connections: all is finished,
    nothing new begins."""
    begun = threading.Event()
    proceed = threading.Event()

    def half_then_wait(connection):
        read_head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (2 * MB) + b"a" * MB)
        begun.set()
        proceed.wait(20)
        connection.sendall(b"b" * MB)

    with FastOrigin() as origin, Origin(half_then_wait) as downloads, contextlib.ExitStack() as stack, \
            Outrider("timeouts.drain=15s") as proxy:
        idle = [stack.enter_context(Client(proxy.port)) for _ in range(20)]
        for client in idle:
            client.get(f"{origin.url}/bytes/10")
            client.response()
        download = stack.enter_context(Client(proxy.port))
        download.get(downloads.url)
        running = [stack.enter_context(Client(proxy.port)) for _ in range(50)]
        for client in running:
            client.get(f"{origin.url}/sleep/2000")
        check(begun.wait(5), "the download has not begun")
        time.sleep(0.3)
        proxy.signal(signal.SIGTERM)
        begin = time.monotonic()
        wait_until(lambda: refused(proxy.port), 2, "new connections are refused")
        for client in idle:
            check(client.at_end(), "an idle connection is told something at the end")
        note(f"new ones refused and idle ones closed after {time.monotonic() - begin:.2f} s")
        check(time.monotonic() - begin < 1.5, "idle connections are closed late")
        for client in running:
            answer = client.response()
            check_equal((answer.status, answer.body), (200, b"ok\n"), "a running request")
            check_equal(answer.headers.get("connection"), "close", "Connection of an answer at the end")
            check(client.at_end(), "the connection goes on")
        check(proxy.alive(), "gone before the download was finished")
        proceed.set()
        check_equal(download.response().body, b"a" * MB + b"b" * MB, "the download")
        code, took = proxy.exit_code(5)
        check_equal(code, 0, "exit code")
        note(f"ended {took:.2f} s after the last answer")
        check(not os.path.exists(proxy.ready_file), "the ready file is still there")


@test
def termination_is_bounded(note):
    """SIGTERM with peers that never end (silent origin, open tunnel, half a head): exit code 0 after timeouts.drain."""
    with Origin(hang_up_to) as origin, contextlib.ExitStack() as stack, Outrider("timeouts.drain=2s") as proxy:
        stack.enter_context(Client(proxy.port)).get(origin.url)
        check_equal(stack.enter_context(Client(proxy.port)).connect(origin.authority).status, 200, "CONNECT")
        stack.enter_context(Client(proxy.port)).send("GET http://x")
        wait_until(lambda: origin.open == 2, 5, "both at the origin")
        proxy.signal(signal.SIGTERM)
        code, took = proxy.exit_code(2 + SLACK + 5)
        note(f"exit code {code} after {took:.2f} s")
        check_equal(code, 0, "exit code")
        check_between(took, 1.5, 2 + SLACK, "the end")


@test
def termination_without_work_is_quick(note):
    """SIGTERM and SIGINT with idle connections only."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with Origin(answering()) as origin, contextlib.ExitStack() as stack, Outrider() as proxy:
            for _ in range(100):
                client = stack.enter_context(Client(proxy.port))
                client.get(origin.url)
                client.response()
            stack.enter_context(Client(proxy.port))  # has not said anything yet
            proxy.signal(number)
            code, took = proxy.exit_code(10)
            note(f"{signal.Signals(number).name}: {took:.2f} s")
            check_equal(code, 0, "exit code")
            check(took < 1 + SLACK, f"the end took {took:.1f} s")


@test_alone
def termination_under_load(note):
    """SIGTERM in the middle of a stream of requests: those that were begun on new connections are answered or refused."""
    with FastOrigin() as origin, Outrider("timeouts.drain=5s") as proxy:
        with Load(proxy, f"{origin.url}/bytes/1000") as load:
            time.sleep(1)
            done = load.done
            proxy.signal(signal.SIGTERM)
            code, took = proxy.exit_code(5 + SLACK)
        note(f"{done} requests before, exit code {code} after {took:.2f} s")
        check_equal(code, 0, "exit code")
        # A kept connection may be closed in the moment in which the client asks again; whoever is answered at all is
        # answered fully.
        check(not load.torn, f"torn answers: {load.torn[:3]}")


def check_does_not_start(second, what):
    second.launch()
    try:
        code, _ = second.exit_code(4)
        said = second.log_text()
    except Failure:
        check(False, f"{what}: the second program runs beside the first")
    finally:
        second.abandon()
        second.clean_up()
    check_equal(code, 1, f"{what}: exit code")
    check_equal(said.count("\n"), 1, f"{what}: lines of {said!r}")
    check(said.startswith("outrider: "), f"{what}: says {said!r}")


@test
def second_program_with_the_same_data_does_not_start(_note):
    """One line that says why, exit code 1, and the first goes on."""
    with Outrider() as first, Origin(answering()) as origin:
        check_does_not_start(Outrider(data=first.data), "the same data")
        check_equal(first.get(origin.url).status, 200, "the first program")


@test
def second_program_on_the_same_port_does_not_start(_note):
    """The same."""
    with Outrider() as first, Origin(answering()) as origin:
        check_does_not_start(Outrider(listen=f"127.0.0.1:{first.port}"), "the same port")
        check_equal(first.get(origin.url).status, 200, "the first program")


@test
def second_program_on_a_port_of_several_threads_does_not_start(_note):
    """Threads share a port (SO_REUSEPORT); a second program of the same user must not slip in with them."""
    with Outrider("proxy.threads=2") as first, Origin(answering()) as origin:
        check_does_not_start(Outrider("proxy.threads=2", listen=f"127.0.0.1:{first.port}"), "the same port, 2 threads")
        check_equal(first.get(origin.url).status, 200, "the first program")
