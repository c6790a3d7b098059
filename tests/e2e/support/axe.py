"""axe-core in a page. The script is OUTRIDER_AXE, or that of the npm package, which is fetched once into build/e2e/npm."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from .runner import REPOSITORY

RUN = """axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify(r.violations.map(v =>
  [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ': ' + n.failureSummary.slice(0, 300))])))"""


def script():
    """The text of axe-core, or None where it cannot be had."""
    file = Path(os.environ.get("OUTRIDER_AXE") or REPOSITORY / "build/e2e/npm/node_modules/axe-core/axe.min.js")
    if not file.exists() and shutil.which("npm") and "OUTRIDER_AXE" not in os.environ:
        folder = REPOSITORY / "build" / "e2e" / "npm"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(
                ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "axe-core@4"],
                capture_output=True, timeout=120, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
    return file.read_text() if file.exists() else None


def violations(browser, text):
    browser.evaluate(f"typeof axe === 'undefined' ? (() => {{ {text}; return 1; }})() : 1")
    return json.loads(browser.evaluate(RUN))
