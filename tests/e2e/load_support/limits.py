"""What a message may measure: 431, 414, 413, and that nothing of it reaches the origin."""

import contextlib
import threading
import time

from .outrider import Outrider
from .peers import Client, Origin, Truncated, answering, read_head
from .slow_bodies import MB
from .verdict import check, check_equal, test

FILLER = "x" * 4000


def refuse(proxy, request, status, what):
    """Sends the request; the answer must have this status, explain itself, and be the last on the connection."""
    with Client(proxy.port, timeout=5) as client:
        client.send_what_is_taken(request)
        try:
            answer = client.response()
        except (Truncated, ConnectionResetError) as ended:
            check(False, f"{what}: the connection ended without an answer ({ended})")
        except TimeoutError:
            check(False, f"{what}: no answer within 5 s")
        check_equal(answer.status, status, what)
        check_equal(answer.headers.get("connection"), "close", f"{what}: Connection")
        check("proxy-status" in answer.headers or len(answer.body) > 20, f"{what}: the answer does not explain itself")
        check(client.at_end(), f"{what}: the connection goes on")


def request(origin, fields="", target="/", method="GET"):
    return f"{method} {origin.url}{target} HTTP/1.1\r\nHost: {origin.authority}\r\n{fields}\r\n"


def fields_of(total):
    """Many header fields, that many bytes in all."""
    line = f"X-Filler: {FILLER}\r\n"
    text = line * (total // len(line))
    return text + "X: " + "y" * (total - len(text) - 5) + "\r\n"


class Recorder:
    """Behaviour: counts the requests that arrive, reads them to their end, and answers."""

    def __init__(self):
        self.requests = 0
        self.body_bytes = 0
        self._lock = threading.Lock()

    def __call__(self, connection):
        while True:
            head, rest = read_head(connection)
            with self._lock:
                self.requests += 1
            length = 0
            for line in head.lower().split("\r\n"):
                if line.startswith("content-length:"):
                    length = int(line.split(":")[1])
            chunked = "transfer-encoding: chunked" in head.lower()
            while len(rest) < length or (chunked and not (b"0\r\n" in rest[-MB:] and rest.endswith(b"\r\n\r\n"))):
                piece = connection.recv(65536)
                if not piece:
                    return
                rest += piece
            with self._lock:
                self.body_bytes += len(rest)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")


@test
def too_big_heads_are_refused(note):
    """Default limits: 64 KiB of header fields, 256 of them, 16 KiB of address. The origin hears nothing."""
    recorder = Recorder()
    with Outrider() as proxy, Origin(recorder) as origin:
        refuse(proxy, request(origin, fields_of(70_000)), 431, "70,000 bytes of header fields")
        refuse(proxy, request(origin, f"X-Big: {'z' * 66_000}\r\n"), 431, "one field of 66,000 bytes")
        refuse(proxy, request(origin, f"{'n' * 66_000}: v\r\n"), 431, "a field name of 66,000 bytes")
        refuse(proxy, request(origin, "A: b\r\n" * 300), 431, "300 header fields")
        refuse(proxy, request(origin, target="/" + "p" * 17_000), 414, "an address of 17,000 bytes")
        refuse(proxy, request(origin, target="/?" + "q" * 2 * MB), 414, "an address of 2 MB")
        refuse(proxy, request(origin, fields_of(5 * MB)), 431, "5 MB of header fields")
        refuse(proxy, "M" * 70_000 + request(origin), 501, "a method of 70,000 bytes")  # RFC 9112 section 3
        check_equal(recorder.requests, 0, "requests that the origin saw")
        refuse(proxy, f"CONNECT {'h' * 17_000}:443 HTTP/1.1\r\nHost: h\r\n\r\n", 414, "CONNECT to a name of 17,000 bytes")
        check_equal(proxy.get(origin.url).status, 200, "an ordinary request afterwards")
    note("9 ways")


@test
def big_heads_within_the_limits_pass(_note):
    recorder = Recorder()
    with Outrider() as proxy, Origin(recorder) as origin:
        for what, wanted in (("60,000 bytes of header fields", request(origin, fields_of(60_000))),
                             ("200 header fields", request(origin, "A: b\r\n" * 200)),
                             ("an address of 16,000 bytes", request(origin, target="/" + "p" * 16_000))):
            with Client(proxy.port) as client:
                client.send(wanted)
                check_equal(client.response().status, 200, what)
        check_equal(recorder.requests, 3, "requests that the origin saw")


@test
def endless_head_is_cut_off(note):
    """A head without an end, as fast as it is taken: refused at the limit, and reading stops soon after."""
    with Outrider() as proxy, Origin(answering()) as origin:
        for what, start, piece in (("fields", request(origin)[:-2], f"X: {FILLER}\r\n" * 16),
                                   ("one value", request(origin)[:-2] + "X: ", FILLER * 16),
                                   ("an address", f"GET {origin.url}/", FILLER * 16)):
            before = proxy.rss()
            with Client(proxy.port) as client:
                taken = client.send_what_is_taken(start)
                sent = 0
                begin = time.monotonic()
                while taken and sent < 100 * MB:
                    taken = client.send_what_is_taken(piece)
                    sent += len(piece)
                note(f"{what}: {sent / MB:.1f} MB in {time.monotonic() - begin:.1f} s")
                check(not taken, f"{what}: {sent / MB:.0f} MB were taken")
            check(proxy.rss() - before < 4 * MB, f"{what}: the program grew by {(proxy.rss() - before) / MB:.1f} MB")


@test
def bodies_that_declare_to_be_too_big_are_refused(_note):
    """limits.request_body against Content-Length: known from the head alone, so nothing reaches the origin."""
    recorder = Recorder()
    with Outrider("limits.request_body=100KiB") as proxy, Origin(recorder) as origin:
        for length in (100 * 1024 + 1, 10 * MB, 2**63 - 1):
            refuse(proxy, request(origin, f"Content-Length: {length}\r\n", method="PUT") + "x" * 1000, 413,
                   f"a declared body of {length} bytes")
        check_equal(recorder.requests, 0, "requests that the origin saw")


@test
def bodies_that_grow_too_big_are_refused(_note):
    """limits.request_body against what really comes; a body of exactly that size passes."""
    with Outrider("limits.request_body=100KiB") as proxy, Origin(Recorder()) as origin:
        size = 100 * 1024
        whole = request(origin, f"Content-Length: {MB}\r\n", method="PUT") + "x" * MB
        refuse(proxy, whole, 413, "a body of 1 MB that is sent without asking")
        chunked = request(origin, "Transfer-Encoding: chunked\r\n", method="PUT")
        refuse(proxy, chunked + f"8000\r\n{'x' * 0x8000}\r\n" * 4, 413, "a chunked body of 128 KiB")
        with Client(proxy.port) as client:
            client.send(request(origin, f"Content-Length: {size}\r\n", method="PUT") + "x" * size)
            check_equal(client.response().status, 200, "a body of exactly the limit")
            client.get(origin.url)
            check_equal(client.response().status, 200, "the next request on that connection")


@test
def expect_continue_saves_a_too_big_body(_note):
    """RFC 9110 section 10.1.1: whoever asks first is told 413 instead of 100."""
    recorder = Recorder()
    with Outrider("limits.request_body=100KiB") as proxy, Origin(recorder) as origin, Client(proxy.port) as client:
        client.send(request(origin, f"Content-Length: {MB}\r\nExpect: 100-continue\r\n", method="PUT"))
        client.socket.settimeout(5)
        try:
            check_equal(client.response().status, 413, "the first answer")
        except TimeoutError:
            check(False, "no answer within 5 s")
        check_equal(recorder.requests, 0, "requests that the origin saw")


@test
def chunked_framing_is_bounded(_note):
    """Chunk extensions and trailers are overhead that a peer controls too."""
    with Outrider() as proxy, Origin(Recorder()) as origin:
        chunked = request(origin, "Transfer-Encoding: chunked\r\n", method="PUT")
        for what, body in (("a chunk extension of 2 MB", "1;" + "e" * 2 * MB + "\r\nx\r\n0\r\n\r\n"),
                           ("a trailer of 2 MB", "1\r\nx\r\n0\r\nT: " + "t" * 2 * MB + "\r\n\r\n"),
                           ("10,000 trailers", "1\r\nx\r\n0\r\n" + "T: t\r\n" * 10_000 + "\r\n")):
            with Client(proxy.port) as client:
                before = proxy.rss()
                client.send_what_is_taken(chunked + body)
                with contextlib.suppress(Truncated, ConnectionResetError):
                    status = client.response().status
                    check(status in (400, 413, 431), f"{what}: answered {status}")
                check(proxy.rss() - before < 4 * MB, f"{what}: the program grew by {(proxy.rss() - before) / MB:.1f} MB")
                check(client.at_end(), f"{what}: the connection goes on")
        before = proxy.rss()
        with Client(proxy.port) as client:
            client.send_what_is_taken(chunked + "1;e=12345678\r\nx\r\n" * 100_000 + "0\r\n\r\n")
            with contextlib.suppress(Truncated, ConnectionResetError):
                status = client.response().status
                check(status in (200, 400, 413), f"100,000 chunks with an extension each: answered {status}")
        check(proxy.rss() - before < 4 * MB, f"100,000 chunks: the program grew by {(proxy.rss() - before) / MB:.1f} MB")


@test
def too_big_answers_are_refused(_note):
    """The same for origins: 502 for a head beyond the limits, and for informational answers without end."""

    def floods(start, piece):
        def behaviour(connection):
            read_head(connection)
            connection.sendall(start)
            while True:
                connection.sendall(piece)

        return behaviour

    with Outrider("timeouts.response_head=1s") as proxy:
        for what, start, piece in (
                ("endless header fields", b"HTTP/1.1 200 OK\r\n", f"X: {FILLER}\r\n".encode()),
                ("an endless reason", b"HTTP/1.1 200 ", FILLER.encode()),
                ("endless empty lines", b"", b"\r\n" * 2000),
                ("endless 103 answers", b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100)):
            before = proxy.rss()
            with Origin(floods(start, piece)) as origin, Client(proxy.port) as client:
                begin = time.monotonic()
                client.get(origin.url)
                answer = client.head()
                while answer.status == 103:
                    answer = client.head()
                check(answer.status in (502, 504), f"{what}: answered {answer.status}")
                check(time.monotonic() - begin < 8, f"{what}: took {time.monotonic() - begin:.1f} s")
            check(proxy.rss() - before < 4 * MB, f"{what}: the program grew by {(proxy.rss() - before) / MB:.1f} MB")


@test
def garbage_is_refused(_note):
    """1 MB of it, alone or behind a good request: 400 (501 for what may be a method) and the end."""
    noise = bytes((i * 7919 + i // 251) % 256 for i in range(MB))
    with Outrider() as proxy, Origin(answering()) as origin:
        for what, status, garbage in (("bytes", 400, noise), ("letters", 501, b"A" * MB), ("zeros", 400, bytes(MB)),
                                      ("lines", 400, b"hello there\r\n" * (MB // 13)),
                                      ("TLS", 400, b"\x16\x03\x01\x02\x00\x01" + noise)):
            refuse(proxy, garbage, status, f"1 MB of {what}")
            with Client(proxy.port) as client:
                client.send_what_is_taken(request(origin).encode() + garbage)
                check_equal(client.response().status, 200, f"a request before 1 MB of {what}")
                try:
                    check_equal(client.response().status, status, f"1 MB of {what} behind a request")
                except (Truncated, ConnectionResetError) as ended:
                    check(False, f"1 MB of {what} behind a request: no answer ({ended})")
                check(client.at_end(), f"1 MB of {what}: the connection goes on")
        check_equal(proxy.get(origin.url).status, 200, "a request afterwards")


@test
def answer_survives_what_is_sent_after_it_was_earned(note):
    """RFC 9112 section 9.6: closing with unread bytes must not destroy an answer that is still on its way."""
    size = 2 * MB
    with Outrider() as proxy, Origin(answering(b"z" * size)) as origin:
        for attempt in range(5):
            with Client(proxy.port, receive_buffer=65536) as client:
                client.send(request(origin, "Connection: close\r\n") + "GET http://ignored.test/ HTTP/1.1\r\n\r\n" * 1000)
                time.sleep(0.3)
                try:
                    check_equal(len(client.response().body), size, "bytes of the answer")
                except (Truncated, ConnectionResetError) as ended:
                    check(False, f"attempt {attempt + 1}: the answer is lost: {ended}")
    note("5 answers of 2 MB")
