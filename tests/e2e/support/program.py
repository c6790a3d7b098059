"""The program under test: started on a free port, its memory watched, its access log read, stopped."""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

from .runner import REPOSITORY, wait_until

START_SECONDS = 60
STOP_SECONDS = 30


class Outrider:
    def __init__(self, folder, *settings, config="/dev/null", listen="127.0.0.1:0"):
        """settings: "key=value" of the configuration; config: a file, for what is to change while it runs."""
        self.folder = folder
        self.access_log_file = folder / "access.log"
        self.log_file = folder / "outrider.log"
        ready_file = folder / "ready.json"
        ready_file.unlink(missing_ok=True)  # of one that was killed
        binary = os.environ.get("OUTRIDER_BINARY") or REPOSITORY / "build" / "release" / "outrider"
        command = [
            str(binary),
            "serve",
            "--listen",
            listen,
            "--data",
            str(folder / "data"),
            "--config",
            str(config),
            "--ready-file",
            str(ready_file),
        ]
        for setting in (
            "access_log.format=json",
            f"access_log.file={self.access_log_file}",
            "access_log.with_query=true",
            "plugins.off=hyperscout",  # pages as they come, unless a test says otherwise
            *settings,
        ):
            command += ["--set", setting]
        begin = time.monotonic()
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.pid = self.process.pid
        try:
            wait_until(lambda: ready_file.exists() or self.process.poll() is not None, "the ready file", START_SECONDS)
            self.start_seconds = time.monotonic() - begin  # from the start of the process until it was ready
            if self.process.poll() is not None:
                raise RuntimeError(f"outrider did not start:\n{self.log_file.read_text(errors='replace')}")
        except BaseException:
            self.stop()
            raise
        self.address = json.loads(ready_file.read_text())["listen"]
        self.host, port = self.address.rsplit(":", 1)
        self.port = int(port)
        self.url = f"http://{self.address}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Asks it to end, and returns its exit code. Dead already is no error here: see the code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def kill(self):
        """Ends it without a chance to finish anything."""
        self.process.kill()
        self.process.wait()

    def memory(self):
        """Resident memory now, in bytes."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("outrider is gone")

    def access_log(self):
        """The finished exchanges so far, as dictionaries; "url" with its query. Half a line is left for later."""
        if not self.access_log_file.exists():
            return []
        text = self.access_log_file.read_text()
        entries = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
        return [{**entry, "url": entry["url"] + entry.get("query", "")} for entry in entries]

    def wait_for_log(self, condition, what):
        """Lines come at least once a second. Returns the first entry that fits."""
        return wait_until(
            lambda: next((e for e in self.access_log() if condition(e)), None), f"{what} in the access log"
        )


class MemoryWatch:
    """Samples the resident memory of the program: `with MemoryWatch(outrider) as watch: …`, then watch.growth."""

    def __init__(self, outrider):
        self.outrider = outrider
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self):
        self.before = self.highest = self.outrider.memory()
        self.samples = 0
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def _sample(self):
        while not self.done.wait(0.02):
            self.highest = max(self.highest, self.outrider.memory())
            self.samples += 1

    @property
    def growth(self):
        return self.highest - self.before
