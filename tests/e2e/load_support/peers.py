"""The other ends: a client that speaks raw HTTP/1.1, and origins whose behaviour is a function of each test."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field

from .verdict import Failure


class Truncated(Exception):
    """The connection ended within a message."""

    def __init__(self, text, got=b""):
        super().__init__(text)
        self.got = got


@dataclass
class Response:
    status: int
    headers: dict = field(default_factory=dict)  # lower-case names; the last of equal names
    body: bytes = b""


class Client:
    """One connection to the proxy. Reads are buffered, so that pipelined answers come apart properly."""

    def __init__(self, port, source=None, receive_buffer=None, timeout=20):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.settimeout(timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect(("127.0.0.1", port))
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_ignored):
        self.socket.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Leaves with a RST: a program that was killed, a browser tab that was closed."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def send(self, text):
        self.socket.sendall(text.encode("latin-1") if isinstance(text, str) else text)

    def send_what_is_taken(self, data):
        """For a peer that may stop reading: whether all of it was taken."""
        try:
            self.send(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def get(self, url, headers=""):
        host = url.split("/", 3)[2]
        self.send(f"GET {url} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n")

    def connect(self, authority):
        self.send(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n")
        return self.response("CONNECT")

    def _more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise Truncated("the connection ended", self.buffer)
        self.buffer += piece

    def read_exactly(self, count):
        pieces = [self.buffer]
        have = len(self.buffer)
        while have < count:
            piece = self.socket.recv(min(262144, count - have))
            if not piece:
                raise Truncated(f"the connection ended after {have} of {count} bytes", b"".join(pieces))
            pieces.append(piece)
            have += len(piece)
        data = b"".join(pieces)
        self.buffer = data[count:]
        return data[:count]

    def read_line(self):
        while b"\r\n" not in self.buffer:
            self._more()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line.decode("latin-1")

    def head(self):
        version, status = self.read_line().split(" ", 2)[:2]
        if version != "HTTP/1.1":
            raise Failure(f"a status line with {version!r}")
        response = Response(int(status))
        while line := self.read_line():
            name, value = line.split(":", 1)
            response.headers[name.lower()] = value.strip()
        return response

    def response(self, method="GET"):
        response = self.head()
        if method in ("HEAD", "CONNECT") or response.status in (204, 304):
            return response
        if response.headers.get("transfer-encoding") == "chunked":
            pieces = []
            while size := int(self.read_line(), 16):
                pieces.append(self.read_exactly(size))
                self.read_line()
            while self.read_line():
                pass
            response.body = b"".join(pieces)
        elif "content-length" in response.headers:
            response.body = self.read_exactly(int(response.headers["content-length"]))
        else:
            response.body = self.rest()
        return response

    def rest(self):
        """All until the connection ends, however it does."""
        with contextlib.suppress(ConnectionResetError):
            while piece := self.socket.recv(65536):
                self.buffer += piece
        data, self.buffer = self.buffer, b""
        return data

    def at_end(self):
        """Whether the proxy closes the connection now, without another byte."""
        return self.rest() == b""


class Origin:
    """A server in this process: `behaviour(connection)` runs in a thread for each connection."""

    def __init__(self, behaviour, backlog=512, address="127.0.0.1"):
        self.behaviour = behaviour
        self.listener = socket.create_server((address, 0), backlog=backlog)
        self.port = self.listener.getsockname()[1]
        self.authority = f"{address}:{self.port}"
        self.url = f"http://{self.authority}"
        self.accepted = 0
        self.open = 0
        self._lock = threading.Lock()
        self._connections = set()

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_ignored):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts, which close() would not
        self.listener.close()
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                with self._lock:
                    self._connections.add(connection)
                    self.accepted += 1
                    self.open += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, contextlib.suppress(OSError, Truncated):
            connection.settimeout(60)
            self.behaviour(connection)
        with self._lock:
            self._connections.discard(connection)
            self.open -= 1


def read_head(connection):
    """The head of a request, as text, and whatever came behind it; Truncated at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            raise Truncated("no request", data)
        data += piece
    head, rest = data.split(b"\r\n\r\n", 1)
    return head.decode("latin-1"), rest


def answering(body=b"ok\n", status="200 OK"):
    """Behaviour: answers request after request (without bodies) with the same."""
    answer = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    def behaviour(connection):
        while True:
            read_head(connection)
            connection.sendall(answer)

    return behaviour


def hang_up_to(connection):
    """Takes whatever comes, answers nothing, until the other side closes."""
    while connection.recv(65536):
        pass


class Helper:
    """One of the programs beside this file (fast_origin.py, crowd.py) in a process of its own; they speak line by line."""

    def __init__(self, name, *arguments):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
        self.process = subprocess.Popen([sys.executable, script, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)

    def __enter__(self):
        return self

    def __exit__(self, *_ignored):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failure("a helper of the test ended early")
        return line.strip()

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        return self.line()


class FastOrigin(Helper):
    """An origin that costs this process nothing. /bytes/N answers N bytes, /sleep/MS answers after that time."""

    def __init__(self):
        super().__init__("fast_origin.py")
        self.port = int(self.line())
        self.authority = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.authority}"
