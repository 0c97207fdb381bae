"""A load of HTTP requests on one service, in one process, over connections that stay open.

Clients of a *closed* load send their next request when they have the answer; an *open* load sends requests at a given
rate, whether or not earlier ones were answered. Both end after a given time, and requests have a time limit of their own.
"""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

TIMEOUT = 120


@dataclass
class Load:
    """What became of the requests."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    """Answers by status; 0 for a connection that failed."""
    latencies: list[float] = field(default_factory=list)
    """Seconds of each request that was answered with 200."""

    def per_second(self) -> float:
        return self.statuses[200] / self.seconds

    def to_dict(self) -> dict:
        ordered = sorted(self.latencies)
        return {
            "seconds": self.seconds,
            "statuses": {str(status): n for status, n in sorted(self.statuses.items())},
            "requests_per_second": self.per_second(),
            "p50": quantile(ordered, 0.5),
            "p99": quantile(ordered, 0.99),
        }


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """The value that this share of an ordered sequence does not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


class Connection:
    """One connection that stays open; opened anew after a failure."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes) -> int:
        """Send a body to ``/v1/parse`` and read the answer. Returns its status, 0 if there was none."""
        try:
            return await asyncio.wait_for(self._post(body), TIMEOUT)
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError):
            self.close()
            return 0

    async def _post(self, body: bytes) -> int:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        head = "POST /v1/parse HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in answer[1:] if ": " in line)
        await reader.readexactly(int(headers["content-length"]))
        if headers.get("connection") == "close":
            self.close()
        return int(answer[0].split()[1])

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def body_of(text: str) -> bytes:
    return json.dumps({"text": text}).encode()


def closed_load(port: int, texts: Sequence[str], *, clients: int, seconds: float) -> Load:
    """Each client sends the texts one after the other, from another place in the list."""
    bodies = [body_of(text) for text in texts]

    async def run() -> Load:
        load = Load()
        end = time.perf_counter() + seconds

        async def client(number: int) -> None:
            connection = Connection(port)
            at = number * len(bodies) // clients
            while time.perf_counter() < end:
                await _timed(connection, bodies[at % len(bodies)], load)
                at += 1
            connection.close()

        await _for_as_long(load, lambda: asyncio.gather(*map(client, range(clients))))
        return load

    return asyncio.run(run())


def open_load(port: int, texts: Sequence[str], *, rate: float, seconds: float, seed: int = 1) -> Load:
    """Requests at random moments, ``rate`` per second on average."""
    bodies = [body_of(text) for text in texts]
    chance = random.Random(seed)

    async def run() -> Load:
        load = Load()
        idle: list[Connection] = []

        async def one(body: bytes) -> None:
            connection = idle.pop() if idle else Connection(port)
            await _timed(connection, body, load)
            idle.append(connection)

        async def arrivals() -> None:
            begin, at = time.perf_counter(), 0.0
            tasks = []
            while (at := at + chance.expovariate(rate)) < seconds:
                await asyncio.sleep(max(0.0, begin + at - time.perf_counter()))
                tasks.append(asyncio.ensure_future(one(bodies[len(tasks) % len(bodies)])))
            await asyncio.gather(*tasks)

        await _for_as_long(load, arrivals)
        for connection in idle:
            connection.close()
        return load

    return asyncio.run(run())


async def _timed(connection: Connection, body: bytes, load: Load) -> None:
    started = time.perf_counter()
    status = await connection.post(body)
    load.statuses[status] += 1
    if status == 200:
        load.latencies.append(time.perf_counter() - started)
    elif status == 503:
        await asyncio.sleep(0.05)  # a client that is refused waits, if only a little


async def _for_as_long(load: Load, work: Callable[[], object]) -> None:
    started = time.perf_counter()
    await work()  # type: ignore[misc]  # a coroutine or a future
    load.seconds = time.perf_counter() - started
