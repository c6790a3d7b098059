"""People who log in to the proxy, and a way to come from elsewhere."""

import base64
import os
import socket
import subprocess

from .runner import REPOSITORY, Skip

BINARY = os.environ.get("OUTRIDER_BINARY") or str(REPOSITORY / "build" / "release" / "outrider")


def make_users(file, *names):
    """Adds them to the file; their passwords are NAME-password. Returns their tokens."""
    tokens = {}
    for name in names:
        command = [BINARY, "user", "add", name, "--file", str(file)]
        subprocess.run(command, input=f"{name}-password\n", text=True, check=True, capture_output=True)
        tokens[name] = new_token(file, name)
    return tokens


def new_token(file, name):
    made = subprocess.run([BINARY, "user", "token", name, "--file", str(file)], text=True, check=True, capture_output=True)
    return made.stdout.strip()


def remove_user(file, name):
    subprocess.run([BINARY, "user", "remove", name, "--file", str(file)], check=True, capture_output=True)


def login_of(name):
    return {"Proxy-Authorization": "Basic " + base64.b64encode(f"{name}:{name}-password".encode()).decode()}


def address_of_this_machine():
    """One by which other machines would reach it: who comes from there counts as one of them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
            address = probe.getsockname()[0]
        except OSError:
            address = "127.0.0.1"
    if address.startswith("127."):
        raise Skip("this machine has no address but its own")
    return address
