"""Packages of npm for the tests: fetched once, into build/e2e/npm, which is no part of the sources."""

import fcntl
import json
import shutil
import subprocess

from .runner import REPOSITORY, Skip

FOLDER = REPOSITORY / "build" / "e2e" / "npm"


def package(name, version):
    """The folder of a package; Skip where it cannot be had. version: an exact one, "1.61.1"."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another script may be fetching at this moment
        return _fetched(name, version)


def _fetched(name, version):
    folder = FOLDER / "node_modules" / name
    if _version(folder) == version:
        return folder
    if not shutil.which("npm"):
        raise Skip(f"no npm, and {name} {version} is not in {FOLDER}")
    command = ["npm", "install", "--prefix", str(FOLDER), "--no-save", "--no-package-lock", "--no-audit", "--no-fund"]
    kept = [f"{other.name}@{_version(other)}" for other in FOLDER.glob("node_modules/*") if _version(other) and other != folder]
    try:
        done = subprocess.run([*command, *kept, f"{name}@{version}"], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        raise Skip(f"npm has not brought {name} {version} within five minutes")
    if done.returncode != 0 or _version(folder) != version:
        said = " ".join(word for line in done.stderr.splitlines() if "warn" not in line for word in line.split())
        raise Skip(f"npm cannot bring {name} {version}: {said[:300]}")
    return folder


def _version(folder):
    file = folder / "package.json"
    return json.loads(file.read_text())["version"] if file.exists() else None
