"""Very many requests at once, all of them honest: every one gets its own answer."""

import asyncio
import threading
import time

from .outrider import Outrider
from .peers import Client, FastOrigin, Origin, read_head
from .slow_bodies import MB
from .slow_heads import need_descriptors
from .verdict import check, check_equal, test_alone


def numbered(connection):
    """Behaviour: answers with the path that was asked for."""
    while True:
        head, rest = read_head(connection)
        check(rest == b"", "the proxy pipelines to the origin")
        body = head.split(" ", 2)[1].encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


@test_alone
def pipelined_requests_are_answered_in_order(note):
    """10,000 on one connection, sent without waiting for answers (RFC 9112 section 9.3.2)."""
    count = 10_000
    with Outrider("memory.enabled=false") as proxy, Origin(numbered) as origin, \
            Client(proxy.port, timeout=40) as client:
        before = proxy.rss()
        requests = "".join(f"GET {origin.url}/{number} HTTP/1.1\r\nHost: {origin.authority}\r\n\r\n" for number in range(count))
        sender = threading.Thread(target=client.send, args=(requests,))
        begin = time.monotonic()
        sender.start()
        for number in range(count):
            check_equal(client.response().body, b"/%d" % number, f"answer {number + 1}")
        sender.join()
        took = time.monotonic() - begin
        note(f"{count / took:.0f} requests/s, {origin.accepted} connections to the origin")
        check(proxy.rss() - before < 2 * MB, f"the program grew by {(proxy.rss() - before) / 1024:.0f} KB")
        client.get(f"{origin.url}/last")
        check_equal(client.response().body, b"/last", "the connection afterwards")


async def honest_client(port, url, number, visits, start, failures):
    for visit in range(visits):
        body = b""
        try:
            if visit == 0:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                await start.wait()
            writer.write(f"GET {url} HTTP/1.1\r\nHost: x\r\nX-Number: {number}\r\n\r\n".encode())
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            body = await asyncio.wait_for(reader.readexactly(length), 30)
            status = head[9:12]
        except (OSError, EOFError, asyncio.TimeoutError) as problem:
            status = repr(problem).encode()
        if status != b"200":
            failures.append(status.decode())
            break
    if visit or body:
        writer.close()


async def all_at_once(port, urls, count, visits):
    start = asyncio.Event()
    failures = []
    clients = [asyncio.create_task(honest_client(port, urls[number % len(urls)], number, visits, start, failures))
               for number in range(count)]
    await asyncio.sleep(1.5)
    begin = time.monotonic()
    start.set()
    await asyncio.gather(*clients)
    return failures, time.monotonic() - begin


def crowd_test(note, settings, urls, count, visits):
    need_descriptors()
    with Outrider(*settings) as proxy:
        before = proxy.rss()
        cpu = proxy.cpu_seconds()
        failures, took = asyncio.run(all_at_once(proxy.port, urls, count, visits))
        done = count * visits
        each = (proxy.cpu_seconds() - cpu) / done
        note(f"{', '.join(settings) or 'defaults'}: {done} requests in {took:.1f} s, {each * 1e6:.0f} us of CPU each, "
             f"{(proxy.rss() - before) / MB:.0f} MB more")
        check(not failures, f"{len(failures)} of {count} clients failed: {sorted(set(failures))[:3]}")


@test_alone
def two_thousand_clients_at_once(note):
    """All ask at the same moment, five times, for 10 KB of eight origins; with one and with two threads."""
    with FastOrigin() as origin:
        # By different names one server is many origins.
        urls = [f"http://127.0.0.{number}:{origin.port}/bytes/10000" for number in range(1, 9)]
        crowd_test(note, [], urls, 2000, 5)
        crowd_test(note, ["proxy.threads=2"], urls, 2000, 5)


@test_alone
def a_thousand_clients_wait_for_one_slow_origin(note):
    """1,000 clients, one origin that takes 50 ms, 256 connections to it: nobody is turned away, waiting costs little."""
    with FastOrigin() as origin:
        crowd_test(note, [], [f"{origin.url}/sleep/50"], 1000, 3)
