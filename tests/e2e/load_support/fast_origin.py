"""Program: an origin for many quick requests, at 127.0.0.1 to 127.0.0.8. Prints its port; ends with its standard input.

GET /bytes/N answers N bytes; GET /sleep/MS answers 3 bytes after MS milliseconds.
"""

import asyncio
import gc
import sys


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.buffer = b""
        self.busy = False

    def data_received(self, data):
        self.buffer += data
        self.next_request()

    def next_request(self):
        while not self.busy and b"\r\n\r\n" in self.buffer:
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            kind, value = head.split(b" ", 2)[1].split(b"/")[1:3]
            if kind == b"sleep":
                self.busy = True
                asyncio.get_running_loop().call_later(int(value) / 1000, self.late_answer)
            else:
                self.answer(b"x" * int(value))

    def late_answer(self):
        self.busy = False
        self.answer(b"ok\n")
        self.next_request()

    def answer(self, body):
        if not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=4096)
    port = server.sockets[0].getsockname()[1]
    for last in range(2, 9):
        await loop.create_server(Connection, f"127.0.0.{last}", port, backlog=4096)
    print(port, flush=True)
    gc.freeze()
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
