"""CONNECT: tunnels that fall silent, that end on one side, that nobody reads, and very many of them."""

import contextlib
import socket
import threading
import time

from .outrider import Outrider
from .peers import Client, Origin, hang_up_to
from .slow_bodies import KERNEL_HOLDS, MB, PIECE, read_steadily, steady
from .slow_heads import SLACK
from .verdict import check, check_between, check_equal, test, test_alone, wait_until


def echo(connection):
    while piece := connection.recv(65536):
        connection.sendall(piece)


@contextlib.contextmanager
def tunnel(proxy, origin, **options):
    with Client(proxy.port, **options) as client:
        check_equal(client.connect(origin.authority).status, 200, "CONNECT")
        yield client


@test
def silent_tunnel_is_closed(note):
    """timeouts.tunnel_idle, on both sides; whatever moves, either way, prolongs it."""

    def talk(connection):
        for _ in range(6):
            connection.sendall(b"x")
            time.sleep(0.5)
        hang_up_to(connection)

    with Outrider("timeouts.tunnel_idle=1s") as proxy, Origin(echo) as origin, Origin(talk) as talker:
        with tunnel(proxy, origin) as client:
            for _ in range(4):
                time.sleep(0.5)
                client.send(b"ping")
                check_equal(client.read_exactly(4), b"ping", "a tunnel that is used every 0.5 s")
            begin = time.monotonic()
            check(client.at_end(), "bytes from nowhere")
            note(f"after {time.monotonic() - begin:.2f} s")
            check_between(time.monotonic() - begin, 0.8, 1 + SLACK, "the end of a silent tunnel")
            wait_until(lambda: origin.open == 0, 3, "the origin's side is closed too")
        with tunnel(proxy, talker) as client:
            check_equal(client.rest(), b"x" * 6, "a tunnel in which only the origin talks, for 3 s")


@test
def half_closed_tunnel_goes_on_the_other_way(_note):
    """The end of one direction is passed on, and the other stays open: both ways round."""
    answer = b"z" * 300_000

    def answer_at_the_end(connection):
        received = 0
        while piece := connection.recv(65536):
            received += len(piece)
        time.sleep(0.3)
        connection.sendall(b"%d " % received + answer)

    got = []

    def end_first(connection):
        connection.sendall(b"bye")
        connection.shutdown(socket.SHUT_WR)
        data = b""
        while piece := connection.recv(65536):
            data += piece
        got.append(len(data))

    with Outrider() as proxy, Origin(answer_at_the_end) as late, Origin(end_first) as early:
        with tunnel(proxy, late) as client:
            client.send(b"q" * 200_000)
            client.socket.shutdown(socket.SHUT_WR)
            check_equal(client.rest(), b"200000 " + answer, "what the origin says after the client has ended")
        with tunnel(proxy, early) as client:
            check_equal(client.rest(), b"bye", "what the origin said")
            client.send(b"q" * 200_000)
            client.socket.shutdown(socket.SHUT_WR)
            wait_until(lambda: got == [200_000], 5, "what the client says after the origin has ended")


@test
def half_open_tunnels_do_not_stay(note):
    """One side has ended, the other is silent: 100 such tunnels are gone after timeouts.tunnel_idle."""
    with Outrider("timeouts.tunnel_idle=1s") as proxy, Origin(lambda connection: time.sleep(20)) as origin, \
            contextlib.ExitStack() as stack:
        before = proxy.descriptors()
        for _ in range(100):
            client = stack.enter_context(tunnel(proxy, origin))
            client.socket.shutdown(socket.SHUT_WR)
        check(proxy.descriptors() >= before + 200, "the tunnels are half open")
        begin = time.monotonic()
        wait_until(lambda: proxy.descriptors() <= before + 2, 1 + SLACK, "all descriptors are given back")
        note(f"after {time.monotonic() - begin:.1f} s")


@test
def client_that_vanishes_ends_its_tunnel(_note):
    """A reset by one side ends the other at once, not after timeouts.tunnel_idle."""
    with Outrider() as proxy, Origin(echo) as origin:
        before = proxy.descriptors()
        clients = [Client(proxy.port) for _ in range(20)]
        for client in clients:
            check_equal(client.connect(origin.authority).status, 200, "CONNECT")
        for client in clients:
            client.reset()
        wait_until(lambda: origin.open == 0, 3, "the origin's side is closed")
        wait_until(lambda: proxy.descriptors() <= before + 1, 3, "all descriptors are given back")


@test
def tunnel_that_nobody_reads_is_held_back(note):
    """Back-pressure through splice: the sender is stopped, memory does not grow, and the idle time-out ends it."""
    sent = [0]

    def flood(connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        while True:
            sent[0] += connection.send(PIECE)

    with Outrider("timeouts.tunnel_idle=3s") as proxy, Origin(flood) as origin:
        before = proxy.rss()
        with tunnel(proxy, origin, receive_buffer=4096):
            total = steady(lambda: sent[0])
            growth = proxy.rss() - before
            note(f"the origin got rid of {total / MB:.1f} MB, the program grew by {growth / 1024:.0f} KB")
            check(total < KERNEL_HOLDS, f"the origin sent {total / MB:.0f} MB that nobody reads")
            check(growth < 3 * MB, f"the program grew by {growth / MB:.1f} MB")
            wait_until(lambda: origin.open == 0, 3 + SLACK, "the blocked tunnel is closed")


@test
def steady_reader_of_a_tunnel_is_served(_note):
    """A tunnel in which bytes arrive all the time is not idle: 200 KB/s, timeouts.tunnel_idle=2s."""

    def flood(connection):
        while True:
            connection.sendall(PIECE)

    with Outrider("timeouts.tunnel_idle=2s") as proxy, Origin(flood) as origin:
        with tunnel(proxy, origin, receive_buffer=16384) as client:
            read_steadily(client, 200_000, 7)
            check(origin.open, "a tunnel in which bytes moved all the time was closed as idle")


@test_alone
def bulk_through_a_tunnel_is_whole(note):
    """64 MB each way at once, byte for byte."""
    size = 64 * MB
    block = bytes(range(256)) * 4096  # 1 MB
    with Outrider() as proxy, Origin(echo) as origin, tunnel(proxy, origin) as client:
        def send_all():
            for _ in range(size // len(block)):
                client.send(block)
            client.socket.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send_all)
        begin = time.monotonic()
        sender.start()
        for number in range(size // len(block)):
            check(client.read_exactly(len(block)) == block, f"megabyte {number + 1} is damaged")
        check(client.at_end(), "bytes after the end")
        sender.join()
        note(f"{size / MB / (time.monotonic() - begin):.0f} MB/s there and back, {proxy.rss() / MB:.0f} MB resident")


@test_alone
def many_idle_tunnels_are_small(note):
    """500 open tunnels."""
    count = 500
    with Outrider() as proxy, Origin(echo) as origin, contextlib.ExitStack() as stack:
        with tunnel(proxy, origin):
            before = proxy.rss()
        for _ in range(count):
            client = stack.enter_context(tunnel(proxy, origin))
            client.send(b"x")
            client.read_exactly(1)
        each = (proxy.rss() - before) / count
        note(f"{each / 1024:.1f} KB each")
        check(each <= 24 * 1024, f"{each / 1024:.0f} KB for each idle tunnel")
        wait_until(lambda: proxy.client_connections() == count, 3, "all tunnels are open")
