"""axe-core in a page: the script of the npm package, or OUTRIDER_AXE."""

import json
import os
from pathlib import Path

from . import npm
from .runner import Skip

VERSION = "4.14.0"
RUN = """axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify(r.violations.map(v =>
  [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ': ' + n.failureSummary.slice(0, 300))])))"""


def script():
    """The text of axe-core, or None where it cannot be had."""
    try:
        file = Path(os.environ.get("OUTRIDER_AXE") or npm.package("axe-core", VERSION) / "axe.min.js")
    except Skip:
        return None
    return file.read_text()


def violations(browser, text):
    return violations_by(browser.evaluate, text)


def violations_by(evaluate, text):
    """The same for a document that is not the page itself: `evaluate` runs an expression in it."""
    evaluate(f"typeof axe === 'undefined' ? (() => {{ {text}; return 1; }})() : 1")
    return json.loads(evaluate(RUN))
