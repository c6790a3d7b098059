"""Name servers that are dead or lie, and clocks that are wrong."""

import contextlib
import email.utils
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

from .broken_origins import check_told
from .outrider import Outrider
from .peers import Client, Origin, answering, hang_up_to
from .slow_heads import SLACK
from .verdict import Skip, check, check_between, check_equal, test

YEAR = 365 * 24 * 3600
NAME_SERVER = f"127.53.{os.getpid() >> 8 & 255}.{os.getpid() & 255 or 1}"  # of this process: tests run side by side


def with_files(**files):
    """A command in front of the program that replaces files of /etc for it alone."""
    if os.geteuid() != 0 or not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        raise Skip("needs root and unshare -m for a private /etc/resolv.conf")
    script = "".join(f"mount --bind '{source}' /etc/{name.replace('_', '.')} && " for name, source in files.items())
    return ["unshare", "-m", "sh", "-c", script + 'exec "$0" "$@"']


def text_file(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


@contextlib.contextmanager
def dead_resolver():
    """What to put in front of the program so that its name server never answers. It does know known.test."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        try:
            sink.bind((NAME_SERVER, 53))
        except OSError as reason:
            raise Skip(f"no name server can be played on {NAME_SERVER}: {reason}") from None
        yield with_files(resolv_conf=text_file(folder, "r", f"nameserver {NAME_SERVER}\noptions timeout:15 attempts:1\n"),
                         hosts=text_file(folder, "h", "127.0.0.1 localhost known.test\n"),
                         nsswitch_conf=text_file(folder, "n", "hosts: files dns\n"))


@test
def dead_resolver_is_504_within_5_seconds(note):
    """A name server that never answers: 504 in timeouts.connect. Addresses need no name server."""
    with dead_resolver() as wrap, Outrider(wrap=wrap) as proxy, Origin(answering()) as origin:
        clients = []
        for number in range(40):  # more than there are threads to wait for them
            clients.append(Client(proxy.port))
            clients[-1].get(f"http://dead{number}.test/")
        begin = time.monotonic()
        check_equal(proxy.get(origin.url).status, 200, "an address while the resolver is dead")
        check(time.monotonic() - begin < SLACK, "an address had to wait for the resolver")
        for client in clients:
            check_equal(client.response().status, 504, "a name that nobody resolves")
        check_between(time.monotonic() - begin, 4, 5 + SLACK, "the answer for a name that nobody resolves")
        note(f"after {time.monotonic() - begin:.2f} s")
        proxy.abandon()


@test
def dead_names_do_not_stop_living_ones(note):
    """40 names that nobody resolves are being looked up; one of /etc/hosts must not wait behind them."""
    with dead_resolver() as wrap, Outrider(wrap=wrap) as proxy, Origin(answering()) as origin, contextlib.ExitStack() as stack:
        for number in range(40):
            stack.enter_context(Client(proxy.port)).get(f"http://dead{number}.test/")
        time.sleep(0.3)
        begin = time.monotonic()
        status = proxy.get(f"http://known.test:{origin.port}/").status
        note(f"{status} after {time.monotonic() - begin:.1f} s")
        proxy.abandon()
        check_equal(status, 200, "a name of /etc/hosts beside 40 dead ones")


@test
def shutdown_does_not_wait_for_a_dead_resolver(note):
    """timeouts.drain bounds the end, although a lookup cannot be interrupted."""
    with dead_resolver() as wrap, Outrider("timeouts.drain=1s", "timeouts.connect=500ms", wrap=wrap) as proxy:
        check_equal(proxy.get("http://dead.test/").status, 504, "a name that nobody resolves")
        begin = time.monotonic()
        proxy.process.terminate()
        try:
            proxy.process.wait(1 + SLACK)
        except subprocess.TimeoutExpired:
            proxy.abandon()
            check(False, f"still running {time.monotonic() - begin:.0f} s after SIGTERM with timeouts.drain=1s")
        note(f"ended after {time.monotonic() - begin:.1f} s")


class LyingResolver:
    """Answers every question for an address with 127.0.0.1, or with rubbish."""

    def __init__(self, rubbish):
        self.rubbish = rubbish
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(0.1)
        self.stop = False
        try:
            self.socket.bind((NAME_SERVER, 53))
        except OSError as reason:
            raise Skip(f"no name server can be played on {NAME_SERVER}: {reason}") from None

    def __enter__(self):
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_ignored):
        self.stop = True
        self.thread.join()
        self.socket.close()

    def _serve(self):
        while not self.stop:
            with contextlib.suppress(TimeoutError):
                question, peer = self.socket.recvfrom(2048)
                end = question.index(b"\0", 12) + 5
                if self.rubbish:
                    self.socket.sendto(question[:2] + b"\x81\x80" + os.urandom(300), peer)
                    continue
                has_answer = question[end - 4:end - 2] == b"\0\1"
                head = question[:2] + struct.pack(">HHHHH", 0x8180, 1, int(has_answer), 0, 0)
                answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + bytes([127, 0, 0, 1]) if has_answer else b""
                self.socket.sendto(head + question[12:end] + answer, peer)


@test
def lying_resolver_does_no_harm(_note):
    """Rubbish for an answer: 502 or 504 in time. A public name that points to us: not connected to ourselves without end;
    to a private address where those are denied: refused."""
    with tempfile.TemporaryDirectory() as folder:
        wrap = with_files(resolv_conf=text_file(folder, "r", f"nameserver {NAME_SERVER}\noptions timeout:1 attempts:1\n"))
        with LyingResolver(rubbish=True), Outrider(wrap=wrap) as proxy:
            begin = time.monotonic()
            status = proxy.get("http://www.example.com/").status
            check(status in (502, 504), f"a name that resolves to rubbish is answered {status}")
            check(time.monotonic() - begin < 5 + SLACK, "rubbish took too long")
        with LyingResolver(rubbish=False), Outrider("destinations.private=deny", wrap=wrap) as proxy, \
                Origin(answering()) as origin:
            answer = proxy.get(f"http://www.example.com:{origin.port}/")
            check_equal((answer.status, origin.accepted), (403, 0), "a public name that points to 127.0.0.1, private denied")
        with LyingResolver(rubbish=False), Outrider(wrap=wrap) as proxy:
            answer = proxy.get(f"http://www.example.com:{proxy.port}/")
            check(answer.status in (403, 502, 508), f"a name that points to the proxy itself is answered {answer.status}")
            with Client(proxy.port) as client:
                status = client.connect(f"www.example.com:{proxy.port}").status
                check(status in (403, 502, 508), f"CONNECT to the proxy itself by another name is answered {status}")


# ---- clock ----


@test
def wrong_clocks_do_no_harm(note):
    """Ten years ahead and behind, at the start and in the middle: requests succeed, time-outs hold, the date is the clock's."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise Skip("needs a C compiler for a clock that can be moved")
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "shifted_clock.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shifted_clock.c")
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        shift = os.path.join(folder, "shift")

        def move(seconds):
            with open(shift, "r+b" if os.path.exists(shift) else "wb") as file:
                file.write(struct.pack("=q", seconds))

        def check_service(years, what):
            answer = proxy.get(origin.url)
            check_equal(answer.status, 200, what)
            off = email.utils.parsedate_to_datetime(answer.headers["date"]).timestamp() - time.time() - years * YEAR
            check(abs(off) < 60, f"{what}: Date is off by {off:.0f} s")
            check_told(proxy, silent.url, 504, 0.2, 0.3 + SLACK, f"{what}: an origin that never answers")

        for start in (0, 10, -10):
            move(start * YEAR)
            with Outrider("timeouts.response_head=300ms", env={"LD_PRELOAD": library, "OUTRIDER_TEST_SHIFT": shift}) as proxy, \
                    Origin(answering()) as origin, Origin(hang_up_to) as silent, Client(proxy.port) as kept:
                check_service(start, f"started {start} years off")
                kept.get(origin.url)
                check_equal(kept.response().status, 200, "a kept connection")
                for jump in (10, -10) if start == 0 else (0,):
                    move(jump * YEAR)
                    time.sleep(0.3)
                    check_service(jump, f"jumped from {start} to {jump} years off")
                    kept.get(origin.url)
                    check_equal(kept.response().status, 200, "the kept connection after the jump")
    note("7 clocks")
