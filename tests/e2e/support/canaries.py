"""Secrets that nobody may find: made, sent by a client that reads to the end, and searched for in every byte of a folder."""

import base64
import contextlib
import secrets
import urllib.parse

from load_support.peers import Client

from .runner import expect


class Canaries:
    """Secrets by the way they were sent. Random text: nothing else looks like it, and it cannot be compressed away."""

    def __init__(self):
        self.known = {}

    def new(self, way):
        secret = "canary" + secrets.token_hex(24)
        self.known[secret.encode()] = way
        return secret

    def forms(self):
        """As it is, and as it might have been written by somebody who encodes things."""
        for secret, way in self.known.items():
            yield secret, way
            yield base64.b64encode(secret)[:-4], f"{way}, in Base64"
            yield secret[6:].hex().encode(), f"{way}, in hexadecimal"
            yield bytes.fromhex(secret[6:].decode()), f"{way}, as bytes"

    def found_in(self, data):
        return sorted({way for form, way in self.forms() if form in data})


class Browser:
    """A client that asks and reads to the end."""

    def __init__(self, port, source="127.0.0.1"):
        self.port, self.source = port, source

    def ask(self, method, url, fields="", body=""):
        with contextlib.closing(Client(self.port, source=self.source)) as client:
            length = f"Content-Length: {len(body)}\r\n" if body else ""
            host = urllib.parse.urlsplit(url).netloc
            client.send(f"{method} {url} HTTP/1.1\r\nHost: {host}\r\n{fields}{length}\r\n{body}")
            answer = client.response(method)
        expect(answer.status in (200, 304), f"{method} {url}: {answer.status}")
        return answer

    def get(self, url, fields=""):
        return self.ask("GET", url, fields)


def padded(secret, size):
    """The secret at the beginning, in the middle and at the end of a body."""
    return "\n".join((secret, "x" * (size // 2), secret, "y" * (size // 2), secret))


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def search(canaries, *places):
    """(file, ways) for all files below the folders that hold a secret."""
    found = []
    for place in places:
        for file in files_of(place) if place.is_dir() else [place]:
            try:
                ways = canaries.found_in(file.read_bytes())
            except FileNotFoundError:  # renamed or removed since it was listed
                continue
            if ways:
                found.append(f"{file.name}: {'; '.join(ways)}")
    return found


def ways_of(found):
    return {way for line in found for way in line.partition(": ")[2].split("; ")}
