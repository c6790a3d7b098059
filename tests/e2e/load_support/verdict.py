"""Named tests, their verdicts, and the closing line. Most tests mainly wait, so several run at a time, each in a process of
its own; those that measure or press hard run alone."""

import concurrent.futures
import signal
import subprocess
import sys
import time
import traceback

TEST_LIMIT = 75  # seconds; a test that hangs is a failure, not the end of the run
AT_A_TIME = 4
ONE = "--one"  # option of load: run this test and nothing else, without a closing line

_tests = {}  # by name, in the order in which they run
_alone = set()


class Failure(Exception):
    """The program did not do what it should."""


class Skip(Exception):
    """This machine cannot show it."""


def test(function):
    """Registers a test: its name is the rule, its docstring says what is done. It is called with a function for figures."""
    _tests[function.__name__] = function
    return function


def test_alone(function):
    """The same for a test that needs the machine for itself."""
    _alone.add(function.__name__)
    return test(function)


def check(condition, message):
    if not condition:
        raise Failure(message)


def check_equal(got, wanted, what):
    check(got == wanted, f"{what}: expected {wanted!r}, got {got!r}")


def check_between(seconds, low, high, what):
    check(low <= seconds <= high, f"{what}: expected {low:.1f} to {high:.1f} s, took {seconds:.2f} s")


def wait_until(condition, limit=10.0, what=None):
    """Polls until condition() is true; says whether it became so, or with `what` fails if it did not."""
    give_up = time.monotonic() + limit
    while not condition():
        if time.monotonic() > give_up:
            check(what is None, f"not within {limit:g} s: {what}")
            return False
        time.sleep(0.02)
    return True


def _interrupt(_signal, _frame):
    raise Failure(f"not finished after {TEST_LIMIT} s")


def _verdict_of(function):
    """(verdict, text)"""
    notes = []
    signal.signal(signal.SIGALRM, _interrupt)
    signal.alarm(TEST_LIMIT)
    try:
        function(notes.append)
        return "ok", "; ".join(notes)
    except Skip as reason:
        return "skipped", str(reason)
    except Failure as failure:
        return "FAILED", "; ".join([str(failure), *notes])
    except Exception:  # a peer that is cut off where it should not be, mostly
        return "FAILED", "; ".join([traceback.format_exc().rstrip(), *notes])
    finally:
        signal.alarm(0)


def _report_of(name):
    """The line about a test that has just run here."""
    begin = time.monotonic()
    verdict, text = _verdict_of(_tests[name])
    return f"{verdict:7} {name} ({time.monotonic() - begin:.1f} s){': ' if text else ''}{text}"


def _report_of_process(name):
    """The same from another process."""
    done = subprocess.run([sys.executable, sys.argv[0], ONE, name], stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.rstrip() or f"FAILED  {name}: its process ended with {done.returncode}"


def run(arguments):
    """Runs the tests whose names contain one of the words (all without words). The exit code."""
    if arguments[:1] == [ONE]:
        print(_report_of(arguments[1]))
        return 0
    chosen = [name for name in _tests if not arguments or any(word in name for word in arguments)]
    counts = {"ok": 0, "FAILED": 0, "skipped": 0}

    def count(report):
        counts[report.split()[0]] += 1
        print(report, flush=True)

    for name in chosen:
        if name in _alone:
            count(_report_of(name))
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        for report in pool.map(_report_of_process, [name for name in chosen if name not in _alone]):
            count(report)
    line = f"{counts['ok']} passed, {counts['FAILED']} failed"
    print(line + (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
    return 0 if counts["ok"] and not counts["FAILED"] else 1
