"""Program: thousands of client connections that do nothing useful.

usage: crowd.py PORT COUNT KIND
KIND  idle URL    one request each, then silence on the kept connection
      drip        a request head, a byte a while, replaced by a new one whenever the proxy ends it
      half        half a request head, then silence
      silent      not a byte
Prints "ready" when all are there. Answers the commands "count" (JSON: open, ended, and the status codes of what came
back) and ends with its standard input.
"""

import collections
import json
import random
import selectors
import socket
import sys
import threading
import time

DRIP_EVERY = 2.0  # seconds between two bytes of one connection
ASKING_AT_ONCE = 500  # of those who are to be idle: a thousand may wait for one origin, more are sent away
HALF = b"GET http://127.0.0.1:9/ HTTP/1.1\r\nHost: 127.0.0.1:9\r\nX-Slow: "


class Crowd:
    def __init__(self, port, kind, url):
        self.port = port
        self.kind = kind
        self.first = {"drip": b"GET ht", "half": HALF, "silent": b"", "idle": request(url) if url else b""}[kind]
        self.selector = selectors.DefaultSelector()
        self.open = {}  # socket -> when it is due for a byte
        self.answered = 0
        self.ended = 0
        self.statuses = collections.Counter()
        self.random = random.Random(1)

    def add(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        if self.first:
            connection.sendall(self.first)
        connection.setblocking(False)
        self.selector.register(connection, selectors.EVENT_READ)
        self.open[connection] = time.monotonic() + self.random.uniform(0, DRIP_EVERY)

    def hear(self, connection):
        try:
            data = connection.recv(65536)
        except OSError:
            data = b""
        if data:
            self.answered += 1
            if self.kind != "idle" or not data.startswith(b"HTTP/1.1 200"):
                self.statuses[data[9:12].decode("latin-1")] += 1
            return
        self.selector.unregister(connection)
        del self.open[connection]
        connection.close()
        self.ended += 1
        if self.kind == "drip":
            self.add()

    def work(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for key, _ in self.selector.select(min(left, 0.05)):
                self.hear(key.fileobj)
            if self.kind == "drip":
                self.drip()

    def drip(self):
        now = time.monotonic()
        for connection, due in list(self.open.items()):
            if due > now:
                continue
            self.open[connection] = now + DRIP_EVERY
            try:
                connection.send(b"t")
            except OSError:
                pass  # heard of at the next select()

    def report(self):
        return json.dumps({"open": len(self.open), "ended": self.ended, "answered": self.answered,
                           "statuses": dict(self.statuses)})


def request(url):
    return f"GET {url} HTTP/1.1\r\nHost: {url.split('/')[2]}\r\n\r\n".encode()


def main():
    port, count, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    crowd = Crowd(port, kind, sys.argv[4] if kind == "idle" else None)
    begin = time.monotonic()
    for number in range(count):
        crowd.add()
        if number % 50 == 0:
            crowd.work(0.001)
        while kind == "idle" and number - crowd.answered >= ASKING_AT_ONCE and time.monotonic() < begin + 40:
            crowd.work(0.001)
    while kind == "idle" and crowd.answered < count and time.monotonic() < begin + 40:
        crowd.work(0.05)
    print("ready", flush=True)
    commands = collections.deque()

    def listen():
        for line in sys.stdin:
            commands.append(line.strip())
        commands.append("end")

    threading.Thread(target=listen, daemon=True).start()
    while True:
        crowd.work(0.1)
        while commands:
            if commands.popleft() == "end":
                return
            print(crowd.report(), flush=True)


main()
