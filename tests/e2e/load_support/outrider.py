"""The program under test: started with its own data directory and port 0, watched through /proc, stopped at the end."""

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from .peers import Client
from .verdict import Failure, wait_until

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BINARY = os.environ.get("OUTRIDER_BINARY", os.path.join(TOP, "build/release/outrider"))
PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")


class Outrider:
    """`with Outrider("timeouts.body_idle=1s") as proxy:`. Leaving the block fails if the program has died."""

    def __init__(self, *settings, config="/dev/null", descriptors=None, data=None, listen="127.0.0.1:0", wrap=(), env=None):
        self.folder = tempfile.mkdtemp(prefix="outrider-load-")
        self.ready_file = os.path.join(self.folder, "ready.json")
        self.data = data or os.path.join(self.folder, "data")
        self.command = [*wrap, BINARY, "serve", "--listen", listen, "--data", self.data,
                        "--ready-file", self.ready_file, "--config", config]
        for setting in settings:
            self.command += ["--set", setting]
        self.descriptors_allowed = descriptors
        self.env = {**os.environ, **(env or {})}
        self.process = None
        self.abandoned = False
        self.port = None
        self.pid = None

    def _limit(self):
        if self.descriptors_allowed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors_allowed, self.descriptors_allowed))

    def launch(self):
        """Starts without waiting: for a start that must fail."""
        self.log = open(os.path.join(self.folder, "log"), "w+b")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log,
                                        preexec_fn=self._limit, env=self.env)
        return self

    def __enter__(self):
        self.launch()
        wait_until(lambda: self._is_ready() or self.process.poll() is not None, 20, "ready")
        if self.process.poll() is not None:
            raise Failure(f"the program did not start: {self.log_text()}")
        with open(self.ready_file, encoding="utf-8") as file:
            ready = json.load(file)
        self.port = int(ready["listen"].rsplit(":", 1)[1])
        self.pid = ready["pid"]
        return self

    def _is_ready(self):
        return os.path.exists(self.ready_file) and os.path.getsize(self.ready_file) > 0

    def __exit__(self, _kind, failure, _trace):
        died = None if self.abandoned else self.process.poll()
        if died is None and not self.abandoned:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                died = "hung at shutdown"
        said = " | ".join(self.log_text().splitlines()[-3:])
        self.clean_up()
        if died not in (None, 0):
            before = f"{failure}; moreover " if failure else ""
            raise Failure(f"{before}the program is gone (exit code {died}): {said[-300:]}")

    def clean_up(self):
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log_text(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            return file.read()

    # ---- looking at it ----

    def alive(self):
        return self.process.poll() is None

    def _status(self, field):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"^{field}:\s+(\d+) kB", file.read(), re.M).group(1)) * 1024

    def rss(self):
        return self._status("VmRSS")

    def virtual_size(self):
        return self._status("VmSize")

    def cpu_seconds(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def sockets(self):
        count = 0
        for name in os.listdir(f"/proc/{self.pid}/fd"):
            with contextlib.suppress(OSError):
                count += os.readlink(f"/proc/{self.pid}/fd/{name}").startswith("socket:")
        return count

    def client_connections(self):
        """As the program counts them, without the one that asks."""
        with Client(self.port) as client:
            client.send(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n")
            body = client.response().body.decode()
        return int(float(re.search(r"^outrider_client_connections (\S+)$", body, re.M).group(1))) - 1

    # ---- acting on it ----

    def signal(self, number):
        os.kill(self.pid, number)

    def reload(self):
        self.signal(signal.SIGHUP)

    def get(self, url, headers="", timeout=20):
        """One request on a connection of its own."""
        with Client(self.port, timeout=timeout) as client:
            client.get(url, headers + "Connection: close\r\n")
            return client.response()

    def abandon(self):
        """Ends it the hard way, where a clean end would take long and is the matter of another test."""
        self.abandoned = True
        self.process.kill()
        self.process.wait()

    def exit_code(self, limit):
        begin = time.monotonic()
        try:
            return self.process.wait(limit), time.monotonic() - begin
        except subprocess.TimeoutExpired:
            raise Failure(f"still running after {limit} s") from None
