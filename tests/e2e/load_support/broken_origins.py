"""Origins that do not accept, do not answer, break off."""

import socket
import threading
import time

from .outrider import Outrider
from .peers import Client, Origin, Truncated, answering, hang_up_to, read_head
from .slow_heads import SLACK
from .verdict import check, check_between, check_equal, test


def check_told(proxy, url, status, earliest, latest, what):
    begin = time.monotonic()
    answer = proxy.get(url)
    check_equal(answer.status, status, what)
    check("proxy-status" in answer.headers, f"{what}: no Proxy-Status")
    check_between(time.monotonic() - begin, earliest, latest, what)
    return time.monotonic() - begin


@test
def origin_that_never_answers_is_504(note):
    """After timeouts.response_head, whether it says nothing or drips a head without an end."""

    def drip_head(connection):
        read_head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            connection.sendall(b"x")
            time.sleep(0.1)

    with Outrider("timeouts.response_head=1s") as proxy, Origin(hang_up_to) as silent, Origin(drip_head) as dripping:
        took = check_told(proxy, silent.url, 504, 0.8, 1 + SLACK, "an origin that says nothing")
        check_told(proxy, dripping.url, 504, 0.8, 1 + SLACK, "an origin that drips its head")
        note(f"after {took:.2f} s")


class Full:
    """A listening socket whose queue is full: the kernel ignores further attempts to connect."""

    def __enter__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.authority = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.fillers = []
        for _ in range(8):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(self.listener.getsockname())
            self.fillers.append(filler)
        time.sleep(0.2)
        return self

    def __exit__(self, *_ignored):
        for each in [*self.fillers, self.listener]:
            each.close()


@test
def origin_that_does_not_accept_is_504(note):
    """After timeouts.connect, by default within 5 s; GET and CONNECT alike."""
    with Outrider() as patient, Outrider("timeouts.connect=1s") as proxy, Full() as full:
        default = []
        thread = threading.Thread(target=lambda: default.append(
            check_told(patient, f"http://{full.authority}/", 504, 4.5, 5 + SLACK, "a full origin")))
        thread.start()
        check_told(proxy, f"http://{full.authority}/", 504, 0.8, 1 + SLACK, "a full origin, timeouts.connect=1s")
        with Client(proxy.port) as client:
            begin = time.monotonic()
            check_equal(client.connect(full.authority).status, 504, "CONNECT to a full origin")
            check_between(time.monotonic() - begin, 0.8, 1 + SLACK, "CONNECT to a full origin")
        thread.join()
        check(default, "the default time-out for connecting did not hold")
        note(f"by default after {default[0]:.2f} s")


@test
def origin_that_refuses_is_502(_note):
    with Outrider() as proxy, socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # bound but not listening: nobody else gets the port
        check_told(proxy, "http://127.0.0.1:%d/" % bound.getsockname()[1], 502, 0, SLACK, "an origin that refuses")


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    connection.close()


def breaks_off(said):
    def behaviour(connection):
        read_head(connection)
        connection.sendall(said)
        time.sleep(0.3)
        reset(connection)

    return behaviour


@test
def origin_that_breaks_off_is_not_a_finished_answer(_note):
    """RFC 9112 section 8: an incomplete answer must arrive as incomplete; before its head it is 502."""
    head = b"HTTP/1.1 200 OK\r\n"
    with Outrider() as proxy:
        for what, said in (("with Content-Length", head + b"Content-Length: 100000\r\n\r\n" + b"x" * 50000),
                           ("chunked", head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nhe"),
                           ("without a length", head + b"\r\n" + b"x" * 50000)):
            with Origin(breaks_off(said)) as origin:
                try:
                    answer = proxy.get(origin.url)
                    check(answer.status >= 500, f"an answer {what} that was reset arrived as {len(answer.body)} good bytes")
                except (Truncated, ConnectionResetError):
                    pass
        for what, said in (("at once", b""), ("within its head", head + b"X: y")):
            with Origin(breaks_off(said)) as origin:
                check_told(proxy, origin.url, 502, 0, 1 + SLACK, f"an origin that breaks off {what}")
        with Origin(answering()) as origin:
            check_equal(proxy.get(origin.url).status, 200, "a request afterwards")


@test
def kept_connections_that_die_are_replaced(_note):
    """An origin that closes after each answer without saying so: the next GET is sent again on a new connection."""

    def once(connection):
        read_head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")

    with Outrider() as proxy, Origin(once) as origin, Client(proxy.port) as client:
        for number in range(300):
            client.get(origin.url)
            check_equal(client.response().status, 200, f"request {number + 1}")
