"""Too much at once: connections, descriptors, memory. New work is turned away with 503 and Retry-After; nobody dies."""

import contextlib
import resource
import time

from .outrider import Outrider
from .peers import Client, Origin, Truncated, answering, hang_up_to, read_head
from .slow_bodies import MB
from .slow_heads import SLACK
from .verdict import Skip, check, check_between, check_equal, test, test_alone, wait_until


def check_turned_away(client, what):
    """The connection is answered 503 with Retry-After and ended, whether or not the client has asked yet."""
    try:
        answer = client.response()
    except (Truncated, ConnectionResetError) as ended:
        check(False, f"{what}: no answer ({ended})")
    check_equal(answer.status, 503, what)
    check(int(answer.headers.get("retry-after", 0)) > 0, f"{what}: no Retry-After")
    check("proxy-status" in answer.headers, f"{what}: no Proxy-Status")
    check(client.at_end(), f"{what}: the connection goes on")


@test
def one_connection_too_many_is_answered_503(_note):
    """limits.connections; service resumes when another leaves."""
    with Outrider("limits.connections=10") as proxy, Origin(answering()) as origin, contextlib.ExitStack() as stack:
        kept = [stack.enter_context(Client(proxy.port)) for _ in range(10)]
        for client in kept:
            client.get(origin.url)
            check_equal(client.response().status, 200, "a connection within the limit")
        for what in ("silent", "asking"):
            with Client(proxy.port) as extra:
                if what == "asking":
                    extra.send_what_is_taken(f"GET {origin.url} HTTP/1.1\r\nHost: x\r\n\r\n")
                check_turned_away(extra, f"connection 11 ({what})")
        kept[0].get(origin.url)
        check_equal(kept[0].response().status, 200, "the others meanwhile")
        kept[1].close()
        wait_until(lambda: works(proxy, origin), 5, "service after one has left")


def works(proxy, origin):
    with contextlib.suppress(Truncated, ConnectionResetError, BrokenPipeError):
        return proxy.get(origin.url).status == 200
    return False


@test
def one_connection_too_many_of_a_client_is_answered_503(_note):
    """limits.connections_per_client: the greedy one alone is affected."""
    with Outrider("limits.connections_per_client=5") as proxy, Origin(answering()) as origin:
        with contextlib.ExitStack() as stack:
            for _ in range(5):
                client = stack.enter_context(Client(proxy.port, source="127.0.0.2"))
                client.get(origin.url)
                check_equal(client.response().status, 200, "a connection within the limit")
            with Client(proxy.port, source="127.0.0.2") as extra:
                check_turned_away(extra, "connection 6 of one client")
            with Client(proxy.port, source="127.0.0.3") as other:
                other.get(origin.url)
                check_equal(other.response().status, 200, "another client")

        def served_again():
            with Client(proxy.port, source="127.0.0.2") as client:
                client.send_what_is_taken(f"GET {origin.url} HTTP/1.1\r\nHost: x\r\n\r\n")
                with contextlib.suppress(Truncated, ConnectionResetError):
                    return client.response().status == 200
            return False

        wait_until(served_again, 5, "service for the greedy one after it has let go")


@test_alone
def turning_away_a_crowd_costs_little(note):
    """1,500 connections beyond the limit while the admitted are served."""
    with Outrider("limits.connections=5", "memory.enabled=false") as proxy, Origin(answering()) as origin, \
            contextlib.ExitStack() as stack:
        kept = [stack.enter_context(Client(proxy.port)) for _ in range(5)]
        kept[0].get(origin.url)
        kept[0].response()
        answered = 0
        for number in range(1500):
            if number == 500:  # what is needed once has been asked for
                before = proxy.rss()
            with Client(proxy.port) as extra:
                with contextlib.suppress(ConnectionResetError):
                    answered += extra.rest().startswith(b"HTTP/1.1 503 ")
            if number % 50 == 0:
                kept[0].get(origin.url)
                check_equal(kept[0].response().status, 200, "an admitted client")
        note(f"{answered} of 1500 were told 503")
        check_equal(answered, 1500, "told 503")
        check(proxy.rss() - before < MB, f"the program grew by {(proxy.rss() - before) / 1024:.0f} KB")


class Gate:
    """Behaviour: answers only once it is opened."""

    def __init__(self):
        self.is_open = False
        self.waiting = 0

    def __call__(self, connection):
        while True:
            read_head(connection)
            self.waiting += 1
            while not self.is_open:
                time.sleep(0.01)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")


@test
def requests_wait_their_turn_for_a_busy_origin(note):
    """limits.connections_per_origin: the next waits; not longer than timeouts.connect (503); another origin is not affected."""
    gate = Gate()
    with Outrider("limits.connections_per_origin=4", "timeouts.connect=2s") as proxy, Origin(gate) as origin, \
            Origin(answering()) as other, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(Client(proxy.port)) for _ in range(5)]
        for number, client in enumerate(clients):  # of one address they would wait for one answer
            client.get(f"{origin.url}/{number}")
            time.sleep(0.05)
        begin = time.monotonic()
        check_equal(proxy.get(other.url).status, 200, "another origin")
        answer = clients[4].response()
        note(f"503 after {time.monotonic() - begin:.1f} s")
        check_equal((answer.status, "retry-after" in answer.headers), (503, True), "status and Retry-After of the fifth")
        check_between(time.monotonic() - begin, 1.5, 2 + SLACK, "the wait of the fifth")
        check_equal(origin.accepted, 4, "connections at the origin")
        waiting = [stack.enter_context(Client(proxy.port)) for _ in range(20)]
        for number, client in enumerate(waiting):
            client.get(f"{origin.url}/waiting/{number}")
        time.sleep(0.3)
        gate.is_open = True
        for client in clients[:4] + waiting:
            check_equal(client.response().status, 200, "those who waited")
        check(origin.accepted <= 4, f"{origin.accepted} connections at the origin")


@test
def connections_to_all_origins_together_are_bounded(note):
    """limits.origin_connections: "busy and kept". Twelve origins that do not answer, six connections."""
    with Outrider("limits.origin_connections=6", "timeouts.connect=2s", "timeouts.response_head=5s") as proxy, \
            contextlib.ExitStack() as stack:
        origins = [stack.enter_context(Origin(hang_up_to)) for _ in range(12)]
        for origin in origins:
            stack.enter_context(Client(proxy.port)).get(origin.url)
        time.sleep(1)
        busy = sum(origin.open for origin in origins)
        note(f"{busy} connections to origins")
        check(busy <= 6, f"{busy} connections to origins, 6 are allowed")


@test
def kept_connections_make_room(_note):
    """The same limit against idle connections: they are given up for new ones."""
    with Outrider("limits.origin_connections=6") as proxy, contextlib.ExitStack() as stack:
        origins = [stack.enter_context(Origin(answering())) for _ in range(20)]
        for origin in origins:
            check_equal(proxy.get(origin.url).status, 200, "a request")
        wait_until(lambda: sum(origin.open for origin in origins) <= 6, 3, "at most 6 connections are kept")


@test
def clients_that_leave_free_their_origins(note):
    """A client that is gone (RST) waits for nothing: its origin connection is given up long before timeouts.response_head."""
    with Outrider("limits.connections_per_origin=8", "timeouts.connect=2s") as proxy, Origin(hang_up_to) as origin:
        clients = [Client(proxy.port) for _ in range(8)]
        for number, client in enumerate(clients):
            client.get(f"{origin.url}/{number}")
        wait_until(lambda: origin.open == 8, 5, "all requests at the origin")
        for client in clients:
            client.reset()
        begin = time.monotonic()
        freed = wait_until(lambda: origin.open == 0, 5)
        note(f"{origin.open} of 8 still held after {time.monotonic() - begin:.1f} s")
        check(freed, "connections to the origin are held for clients that are gone")


@test_alone
def clients_that_vanish_leave_nothing_behind(note):
    """2,000 connections reset at every stage: before a word, in the head, waiting, in the body, in a tunnel."""

    def slowly(connection):
        while True:
            read_head(connection)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 400_000)
            time.sleep(0.05)
            connection.sendall(b"x" * 600_000)

    with Outrider("timeouts.response_head=1s", "timeouts.body_idle=1s") as proxy, Origin(slowly) as origin:
        proxy.get(origin.url)
        sockets = proxy.sockets()
        before = None
        for number in range(2000):
            client = Client(proxy.port)
            stage = number % 5
            if stage == 1:
                client.send("GET http://127.0.0.1")
            elif stage in (2, 3):
                client.get(origin.url)
                if stage == 3:
                    client.head()
            elif stage == 4:
                client.connect(origin.authority)
            client.reset()
            if number == 500:
                before = proxy.rss()
        wait_until(lambda: proxy.client_connections() == 0, 10, "all are forgotten")
        growth = proxy.rss() - before
        wait_until(lambda: origin.open <= 64, 5)
        check_equal(proxy.get(origin.url).status, 200, "a request afterwards")
        kept = proxy.sockets() - sockets
        note(f"{growth / 1024:.0f} KB more after 1,500 of them, {kept} sockets kept, {origin.open} at the origin")
        check(growth < 8 * MB, f"the program grew by {growth / MB:.1f} MB")
        check(kept <= origin.open + 2, "sockets are lost")


@test
def out_of_descriptors(note):
    """128 descriptors and 300 connections: alive, not spinning, and serving again when they are gone."""
    with Outrider(descriptors=128) as proxy, Origin(answering()) as origin, Origin(answering()) as new_origin:
        check_equal(proxy.get(origin.url).status, 200, "a request before")
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Client(proxy.port)) for _ in range(300)]
            wait_until(lambda: proxy.descriptors() >= 127, 10)
            used = proxy.descriptors()
            cpu = proxy.cpu_seconds()
            time.sleep(1)
            busy = proxy.cpu_seconds() - cpu
            clients[0].get(f"http://127.0.0.1:{proxy.port}/healthz")
            check_equal(clients[0].response().status, 200, "a page of our own while out of descriptors")
            clients[0].get(new_origin.url)
            told = clients[0].response()
            note(f"{used} descriptors in use, CPU {busy:.0%}; a request that needs another is told {told.status}")
            check(proxy.alive(), "the program is gone")
            check(busy < 0.5, f"the program spins: {busy:.0%} CPU")
            # 200 where a descriptor is kept in reserve or an idle connection gives way.
            check(told.status in (200, 503), f"a request while out of descriptors is told {told.status}")
        begin = time.monotonic()
        wait_until(lambda: works(proxy, origin), 10, "service after the crowd has left")
        note(f"serving again after {time.monotonic() - begin:.2f} s")
        wait_until(lambda: proxy.client_connections() == 0, 10, "all are forgotten")


@test
def out_of_descriptors_in_tunnels(_note):
    """The same with tunnels: those that cannot be opened are refused, the open ones go on."""

    def echo(connection):
        while piece := connection.recv(65536):
            connection.sendall(piece)

    with Outrider(descriptors=96) as proxy, Origin(echo) as origin, contextlib.ExitStack() as stack:
        opened, refused = [], 0
        for _ in range(45):
            client = stack.enter_context(Client(proxy.port, timeout=0.5))
            try:
                if client.connect(origin.authority).status == 200:
                    opened.append(client)
                else:
                    refused += 1
            except (Truncated, ConnectionResetError, TimeoutError):
                refused += 1
        check(len(opened) > 10 and refused > 0, f"{len(opened)} opened, {refused} refused")
        for client in opened:
            client.socket.settimeout(10)
            client.send(b"still here")
            check_equal(client.read_exactly(10), b"still here", "an open tunnel")


@test_alone
def out_of_memory(note):
    """An address space that is used up by 8,000 half heads: requests may fail, the program must not."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < 9000:
        raise Skip(f"only {hard} descriptors are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with Outrider("timeouts.request_head=30s") as proxy, Origin(answering()) as origin:
        check_equal(proxy.get(origin.url).status, 200, "a request before")
        allowed = proxy.virtual_size() + 4 * MB
        unlimited = resource.prlimit(proxy.pid, resource.RLIMIT_AS)
        resource.prlimit(proxy.pid, resource.RLIMIT_AS, (allowed, unlimited[1]))
        with contextlib.ExitStack() as stack:
            for _ in range(8000):
                if not proxy.alive():
                    break
                with contextlib.suppress(OSError):
                    client = stack.enter_context(Client(proxy.port, timeout=1))
                    client.send_what_is_taken(b"GET http://127.0.0.1:9/ HTTP/1.1\r\nX-Pad: " + b"x" * 3000)
            time.sleep(0.5)
            check(proxy.alive(), "the program died when memory was used up")
            note(f"{proxy.rss() / MB:.0f} MB resident, {(allowed - proxy.virtual_size()) / MB:.1f} MB of address space left")
        resource.prlimit(proxy.pid, resource.RLIMIT_AS, unlimited)
        wait_until(lambda: works(proxy, origin), 10, "service after the crowd has left")
