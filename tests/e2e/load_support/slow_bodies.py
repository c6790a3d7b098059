"""Slow readers and slow writers, and peers that never take what they asked for: time-outs and back-pressure."""

import contextlib
import socket
import threading
import time

from .outrider import Outrider
from .peers import Client, Origin, Truncated, answering, hang_up_to, read_head
from .slow_heads import SLACK
from .verdict import check, check_between, check_equal, test, test_alone, wait_until

MB = 1024 * 1024
# What the kernel may hold of one direction: the send buffers of origin and proxy, the receive buffers of proxy and client
# (up to 4, 4, 32 and 32 MB with the usual limits; tests make those they control small).
KERNEL_HOLDS = 48 * MB
PIECE = b"x" * (256 * 1024)


class Flood:
    """Behaviour: an endless body, as fast as it is taken. Counts what went out."""

    def __init__(self):
        self.sent = 0
        self._lock = threading.Lock()

    def __call__(self, connection):
        read_head(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n")
        while True:
            count = connection.send(PIECE)
            with self._lock:
                self.sent += count


def steady(value, pause=0.7, limit=10):
    """The value once it has stopped growing."""
    last = value()
    give_up = time.monotonic() + limit
    while time.monotonic() < give_up:
        time.sleep(pause)
        if (now := value()) == last:
            return now
        last = now
    return last


@test
def reader_that_never_reads_stops_the_origin(note):
    """An endless fast body and a client that takes none of it: the origin must be stopped, not buffered."""
    flood = Flood()
    with Outrider() as proxy, Origin(flood) as origin, Client(proxy.port, receive_buffer=4096) as client:
        before = proxy.rss()
        client.get(origin.url)
        sent = steady(lambda: flood.sent)
        growth = proxy.rss() - before
        note(f"the origin got rid of {sent / MB:.1f} MB, the program grew by {growth / 1024:.0f} KB")
        check(sent < KERNEL_HOLDS, f"the origin sent {sent / MB:.0f} MB that nobody reads")
        check(growth < 2 * MB, f"the program grew by {growth / MB:.1f} MB")
        check_equal(proxy.get(f"http://127.0.0.1:{proxy.port}/healthz").status, 200, "another client")


@test_alone
def many_readers_that_never_read_cost_little(note):
    """200 of them."""
    flood = Flood()
    count = 200
    with Outrider() as proxy, Origin(flood) as origin, contextlib.ExitStack() as stack:
        before = proxy.rss()
        for _ in range(count):
            stack.enter_context(Client(proxy.port, receive_buffer=4096)).get(origin.url)
        wait_until(lambda: origin.accepted == count, 10, "all requests at the origin")
        sent = steady(lambda: flood.sent)
        growth = proxy.rss() - before
        note(f"{growth / count / 1024:.0f} KB for each, {sent / count / MB:.1f} MB of each in the kernel")
        # A buffer of 128 KB for the body, one of 16 KB for the request, and what belongs to them.
        check(growth < count * 256 * 1024, f"the program grew by {growth / count / 1024:.0f} KB for each")


@test
def slow_reader_is_ended(note):
    """A byte a second of a big body: after timeouts.body_idle the transfer is over, at the origin too. Others go on."""
    flood = Flood()
    with Outrider("timeouts.body_idle=1s") as proxy, Origin(flood) as origin, Origin(answering()) as other:
        with Client(proxy.port, receive_buffer=4096) as slow:
            slow.get(origin.url)
            begin = time.monotonic()
            served = 0
            while origin.open or not origin.accepted:
                check(time.monotonic() < begin + 10, "the slow reader is still served after 10 s")
                slow.socket.recv(1)
                check_equal(proxy.get(other.url).status, 200, "another client")
                served += 1
                time.sleep(0.2)
            note(f"ended after {time.monotonic() - begin:.1f} s; meanwhile {served} requests of others")
            check(time.monotonic() - begin > 0.9, "the slow reader was ended before its time")
            check(flood.sent < KERNEL_HOLDS, f"the origin sent {flood.sent / MB:.0f} MB")


@test
def steady_slow_body_goes_on(_note):
    """timeouts.body_idle is between two pieces: one each half of it may take as long as it likes (server-sent events)."""

    def drip(connection):
        read_head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
        for _ in range(8):
            connection.sendall(b"x")
            time.sleep(0.5)

    with Outrider("timeouts.body_idle=1s") as proxy, Origin(drip) as origin:
        check_equal(proxy.get(origin.url).body, b"x" * 8, "a body of 4 s with pauses of 0.5 s")


def read_steadily(client, rate, seconds):
    """Takes bytes at that rate as long as there are any."""
    begin = time.monotonic()
    taken = 0
    with contextlib.suppress(ConnectionResetError):
        while time.monotonic() < begin + seconds:
            piece = client.socket.recv(rate // 10)
            if not piece:
                break
            taken += len(piece)
            time.sleep(max(0, begin + taken / rate - time.monotonic()))


@test
def steady_reader_is_served(_note):
    """A client that takes 200 KB/s without a pause is slow, not idle, however large the buffers of the kernel are."""
    with Outrider("timeouts.body_idle=2s") as proxy, Origin(Flood()) as origin:
        with Client(proxy.port, receive_buffer=16384) as client:
            client.get(origin.url)
            read_steadily(client, 200_000, 7)
            check(origin.open, "a client that reads all the time was cut off by timeouts.body_idle=2s")


@test
def pieces_of_a_body_are_passed_on_at_once(note):
    """What the origin has sent reaches the client although the rest is still to come; together with the head or after it."""

    def pieces(head, piece, apart):
        def behaviour(connection):
            read_head(connection)
            for part in (head, piece) if apart else (head + piece,):
                connection.sendall(part)
                time.sleep(0.2)
            hang_up_to(connection)

        return behaviour

    late = []
    for framing, piece in ((b"Content-Length: 10", b"hello"), (b"Transfer-Encoding: chunked", b"5\r\nhello\r\n"),
                           (b"Transfer-Encoding: chunked", b"5\r\nhello"), (b"Connection: close", b"hello")):
        for apart in (True, False):
            head = b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n\r\n"
            with Outrider() as proxy, Origin(pieces(head, piece, apart)) as origin, Client(proxy.port) as client:
                client.get(origin.url)
                client.socket.settimeout(2)
                got = b""
                with contextlib.suppress(TimeoutError):
                    while b"hello" not in got:
                        got += client.socket.recv(4096)
                if b"hello" not in got:
                    late.append(f"{framing.decode()}, {piece!r} {'after' if apart else 'with'} the head")
    check(not late, f"not passed on within 2 s: {'; '.join(late)}")
    note("8 ways")


@test
def stalled_origin_body_is_ended(_note):
    """The origin falls silent within a body: the client sees an unfinished message, not an endless one or a finished one."""

    def stall(framing, begun):
        def behaviour(connection):
            read_head(connection)
            connection.sendall(b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n\r\n" + begun)
            hang_up_to(connection)

        return behaviour

    for framing, begun in ((b"Content-Length: 10", b"12345"), (b"Transfer-Encoding: chunked", b"5\r\n12345\r\n")):
        with Outrider("timeouts.body_idle=1s") as proxy, Origin(stall(framing, begun)) as origin:
            begin = time.monotonic()
            try:
                response = proxy.get(origin.url)
                check(response.status == 504, f"a finished message {response.body!r} ({framing.decode()})")
            except (Truncated, ConnectionResetError):
                pass
            check_between(time.monotonic() - begin, 0.8, 1 + SLACK, "the end of a stalled body")
            wait_until(lambda: origin.open == 0, 3, "the stalled origin connection is closed")


@test
def slow_writer_is_answered_408(note):
    """A body that stops coming: 408 after timeouts.body_idle, and the origin is let go."""
    with Outrider("timeouts.body_idle=1s") as proxy, Origin(hang_up_to) as origin, Client(proxy.port) as client:
        client.send(f"POST {origin.url}/ HTTP/1.1\r\nHost: {origin.authority}\r\nContent-Length: 100\r\n\r\n12345")
        begin = time.monotonic()
        said = client.rest()
        note(f"ended after {time.monotonic() - begin:.2f} s")
        check_between(time.monotonic() - begin, 0.8, 1 + SLACK, "the end of a stalled upload")
        wait_until(lambda: origin.open == 0, 3, "the origin connection is closed")
        check(said.startswith(b"HTTP/1.1 408 "), f"the answer is {said[:60]!r}")


@test_alone
def many_slow_writers_are_ended(note):
    """500 stalled uploads at once while others are served."""
    count = 500
    with Outrider("timeouts.body_idle=2s", "limits.connections_per_origin=1000") as proxy, \
            Origin(hang_up_to) as origin, Origin(answering()) as other, contextlib.ExitStack() as stack:
        before = proxy.rss()
        for _ in range(count):
            client = stack.enter_context(Client(proxy.port))
            client.send(f"POST {origin.url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n1")
        begin = time.monotonic()
        note(f"{(proxy.rss() - before) / count / 1024:.0f} KB for each")
        served = 0
        while proxy.client_connections() > 0:
            check(time.monotonic() < begin + 2 + SLACK, f"{proxy.client_connections()} are left")
            check_equal(proxy.get(other.url).status, 200, "another client")
            served += 1
        note(f"all ended after {time.monotonic() - begin:.1f} s; meanwhile {served} requests of others")
        wait_until(lambda: origin.open == 0, 3, "all origin connections are closed")


@test
def upload_to_an_origin_that_never_reads_is_held_back(note):
    """The proxy must not read what it cannot pass on; when nothing moves for timeouts.body_idle it is over."""

    def deaf(connection):
        time.sleep(8)

    with Outrider("timeouts.body_idle=3s") as proxy, Origin(deaf) as origin, Client(proxy.port) as client:
        before = proxy.rss()
        begin = time.monotonic()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        client.send(f"PUT {origin.url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1099511627776\r\n\r\n")
        client.socket.settimeout(1)
        taken = 0
        with contextlib.suppress(TimeoutError):
            while taken < 4 * KERNEL_HOLDS:
                taken += client.socket.send(PIECE)
        growth = proxy.rss() - before
        note(f"{taken / MB:.1f} MB were taken, the program grew by {growth / 1024:.0f} KB")
        check(taken < KERNEL_HOLDS, f"the proxy took {taken / MB:.0f} MB that nobody reads")
        check(growth < 2 * MB, f"the program grew by {growth / MB:.1f} MB")
        client.socket.settimeout(15)
        said = client.rest()
        check_between(time.monotonic() - begin, 2.8, 4 + SLACK, "the end of an upload that is not taken")
        note(f"the client is told {said[9:12].decode() or 'nothing'}")
        check(said.startswith(b"HTTP/1.1 504 "), f"the answer is {said[:60]!r}")


@test
def pipelining_without_reading_is_held_back(note):
    """A client that sends requests for ever and reads no answer: after timeouts.body_idle it is out."""
    with Outrider("timeouts.body_idle=1s") as proxy, Origin(answering(b"y" * 20000)) as origin:
        with Client(proxy.port) as ordinary:  # the code and the tables that the first answer needs are not its fault
            ordinary.get(origin.url, "Connection: close\r\n")
            ordinary.rest()
        time.sleep(0.5)
        with Client(proxy.port, receive_buffer=4096) as client:
            request = f"GET {origin.url}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 100
            before = proxy.rss()
            begin = time.monotonic()
            client.socket.settimeout(10)
            sent = 0
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                while sent < 200 * MB:
                    sent += client.socket.send(request)
            note(f"ended after {time.monotonic() - begin:.1f} s and {sent / MB:.1f} MB of requests")
            check(sent < KERNEL_HOLDS, f"{sent / MB:.0f} MB of requests were taken")
            check(proxy.rss() - before < 4 * MB, f"the program grew by {(proxy.rss() - before) / MB:.1f} MB")


@test
def total_time_of_a_request_is_bounded(note):
    """timeouts.total, against peers that always move a little: answer, upload and answer that never begins."""

    def drip_answer(connection):
        read_head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(60):
            connection.sendall(b"x")
            time.sleep(0.1)

    def drip_upload(client):
        client.send("POST {0}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n".format(target.url))
        client.socket.settimeout(0.1)
        give_up = time.monotonic() + 2 + SLACK
        while time.monotonic() < give_up and client.send_what_is_taken(b"x"):
            try:
                if not client.socket.recv(4096):
                    return
            except TimeoutError:
                pass
            except ConnectionResetError:
                return

    def just_ask(client):
        client.get(target.url, "Connection: close\r\n")
        client.rest()

    for what, behaviour, ask in (("a dripping answer", drip_answer, just_ask), ("no answer", hang_up_to, just_ask),
                                 ("a dripping upload", hang_up_to, drip_upload)):
        with Outrider("timeouts.total=1s") as proxy, Origin(behaviour) as target, Client(proxy.port) as client:
            begin = time.monotonic()
            ask(client)
            took = time.monotonic() - begin
            note(f"{what}: {took:.1f} s")
            check_between(took, 0.8, 1 + SLACK, f"timeouts.total=1s with {what}")
