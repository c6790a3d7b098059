"""WebSocket (RFC 6455): frames and both handshakes, as little as the tests and the browsers' remote protocols need."""

import base64
import hashlib
import os
import socket
import struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def accept_value(key):
    """Sec-WebSocket-Accept for a Sec-WebSocket-Key (section 4.2.2)."""
    return base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()


class WebSocket:
    """Messages over a byte stream whose handshake is done. `reader` is a buffered file, `write` a function."""

    def __init__(self, reader, write, is_client, close=lambda: None):
        self.reader = reader
        self.write = write
        self.close = close
        self.is_client = is_client  # clients mask what they send, servers never do (section 5.1)
        self.pongs = []

    def send(self, opcode, payload, fin=True):
        payload = payload.encode() if isinstance(payload, str) else bytes(payload)
        mask_bit = 0x80 if self.is_client else 0
        head = bytes([(0x80 if fin else 0) | opcode])
        if len(payload) < 126:
            head += bytes([mask_bit | len(payload)])
        elif len(payload) < 65536:
            head += struct.pack("!BH", mask_bit | 126, len(payload))
        else:
            head += struct.pack("!BQ", mask_bit | 127, len(payload))
        if self.is_client:
            key = os.urandom(4)
            head += key
            payload = _masked(payload, key)
        self.write(head + payload)

    def receive(self):
        """The next message as (opcode, payload), its fragments joined; pings are answered, pongs kept aside."""
        message_opcode, message = None, b""
        while True:
            fin, opcode, payload = self._frame()
            if opcode == PING:
                self.send(PONG, payload)
            elif opcode == PONG:
                self.pongs.append(payload)
            elif opcode == CLOSE:
                return CLOSE, payload
            else:
                message_opcode = message_opcode or opcode
                message += payload
                if fin:
                    return message_opcode, message

    def _frame(self):
        first, second = self._exactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self._exactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self._exactly(8))
        if bool(second & 0x80) == self.is_client:
            raise ConnectionError("masking is wrong for this side")
        key = self._exactly(4) if second & 0x80 else b""
        payload = self._exactly(length)
        return bool(first & 0x80), first & 0x0F, _masked(payload, key) if key else payload

    def _exactly(self, count):
        data = self.reader.read(count)
        if len(data) < count:
            raise ConnectionError("the stream ended inside a frame")
        return data


def _masked(payload, key):
    count = len(payload)
    stretched = (key * (count // 4 + 1))[:count]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(stretched, "big")).to_bytes(count, "big")


def connect(address, target, host, timeout=60, tunnel=None):
    """Opens a WebSocket at `address` (host, port). `target` is absolute for a proxy; `tunnel` ("host:port") is asked for
    by CONNECT first.

    Returns (WebSocket, head of the answer)."""
    connection = socket.create_connection(address, timeout)
    reader = connection.makefile("rb")
    if tunnel:
        connection.sendall(f"CONNECT {tunnel} HTTP/1.1\r\nHost: {tunnel}\r\n\r\n".encode())
        head = _head(reader)
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(f"no tunnel: {head[:200]!r}")
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall(
        (
            f"GET {target} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
    )
    head = _head(reader)
    if not head.startswith(b"HTTP/1.1 101 ") or accept_value(key).encode() not in head:
        raise ConnectionError(f"no upgrade: {head[:500]!r}")

    def close():
        reader.close()
        connection.close()

    return WebSocket(reader, connection.sendall, is_client=True, close=close), head


def _head(reader):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = reader.readline()
        if not line:
            raise ConnectionError(f"the stream ended inside a head: {head[:500]!r}")
        head += line
    return head
