"""Named tests, run one after the other and counted. The closing line is what ./test adds up."""

import os
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]


class Skip(Exception):
    """Raised by a test that cannot run here; its text says why."""


class Suite:
    def __init__(self):
        self.tests = []

    def test(self, function):
        """Decorator: the name of the function, with spaces, is the name of the test."""
        self.add(function.__name__.replace("_", " "), function)
        return function

    def add(self, name, function):
        self.tests.append((name, function))

    def run(self, wanted):
        """Runs the tests whose name contains a word of `wanted` (all, if there is none). Returns the exit code."""
        chosen = [(n, f) for n, f in self.tests if not wanted or any(word in n for word in wanted)]
        counts = {"ok": 0, "FAILED": 0, "skipped": 0}
        for name, function in chosen:
            start = time.monotonic()
            verdict, detail = _verdict(function)
            counts[verdict] += 1
            print(f"{verdict:8}{name} ({time.monotonic() - start:.1f} s)", flush=True)
            if detail:
                print("        " + detail.replace("\n", "\n        "), flush=True)
        line = f"{counts['ok']} passed, {counts['FAILED']} failed"
        if counts["skipped"]:
            line += f", {counts['skipped']} skipped"
        print(line, flush=True)
        if chosen and counts["skipped"] == len(chosen):
            return 77  # nothing could be tested here
        return 1 if counts["FAILED"] or not chosen else 0


def _verdict(function):
    try:
        detail = function()
        return "ok", detail if isinstance(detail, str) else ""
    except Skip as reason:
        return "skipped", f"skipped: {reason}"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        steps = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[1:]]
        return "FAILED", f"{type(error).__name__}: {error}\n{place.line}\nat {' > '.join(steps)}"


def expect_equal(got, expected, what="value"):
    if got != expected:
        raise AssertionError(f"{what}: expected {_short(expected)}, got {_short(got)}")


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def _short(value):
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:200]} … {text[-200:]} ({len(text)} characters)"


def fresh_folder(name):
    """build/e2e/NAME, emptied: logs and screenshots of the last run stay there to be looked at."""
    folder = REPOSITORY / "build" / "e2e" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def clean_environment(home):
    """For the clients: none of the caller's proxy settings or configuration files."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}


def need_program(*names):
    for name in names:
        if not shutil.which(name):
            raise Skip(f"no {name}")


def wait_until(condition, what, seconds=30):
    """Polls until the condition gives something true, and returns that. The time bounds a hang, no more."""
    give_up = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > give_up:
            raise AssertionError(f"in vain waited for {what}")
        time.sleep(0.01)


def main_arguments():
    """Words of the command line; --help explains."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves by the exits that stop what was started
    words = sys.argv[1:]
    if any(word in ("-h", "--help") for word in words):
        print(
            f"usage: {Path(sys.argv[0]).name} [WORD...]\n\n"
            "Runs the tests whose name contains one of the words; all without words."
        )
        sys.exit(0)
    return words
