"""A few seconds of all kinds of clients at once: the promises of docs/serving.md hold. ``--slow`` soaks for a minute.

Memory, open files and threads are those of before, here and with the shipped model.
"""

import gc
import http.client
import json
import random
import socket
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import rhetree
from rhetree.domain.record_writer import to_record
from support.fake_model import fake_parser
from support.serving import LONG, TEXT, on_a_port, wait_until

PLACES = 6
N_CLIENTS = 12
STATUS = Path("/proc/self/status")
on_linux = pytest.mark.skipif(not STATUS.exists(), reason="memory and open files are read from /proc")


class Client(threading.Thread):
    """Sends good, bad, long and broken requests, one after the other, until it is told to stop."""

    def __init__(self, port, seed, stop):
        super().__init__(daemon=True)
        self.port, self.stop, self.random = port, stop, random.Random(seed)
        self.statuses: Counter[int | str] = Counter()
        self.mistakes = []

    def run(self):
        while not self.stop.is_set():
            kind = self.random.choice(
                [self.short, self.short, self.long, self.stream, self.bad, self.goes_away]
            )
            try:
                kind()
            except (OSError, http.client.HTTPException):
                self.statuses["connection"] += 1

    def post(self, body, accept="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"content-type": "application/json", "accept": accept}
        with closing(connection):
            connection.request("POST", "/v1/parse", json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        self.statuses[answer.status] += 1
        return answer, text

    def check(self, is_right, what):
        if not is_right:
            self.mistakes.append(what)

    def short(self):
        answer, text = self.post({"text": TEXT})
        self.check(answer.status == 503 or json.loads(text) == SHORT, text)
        self.check(answer.status != 503 or answer.headers["retry-after"] == "1", "no Retry-After")

    def long(self):
        answer, text = self.post({"documents": [LONG, TEXT]})
        self.check(answer.status == 503 or json.loads(text)["documents"][1] == SHORT, text)

    def stream(self):
        answer, text = self.post({"documents": [TEXT, {"bad": 1}, LONG]}, "application/x-ndjson")
        self.check(answer.status == 503 or len(text.splitlines()) == 3, text)

    def bad(self):
        answer, _ = self.post(self.random.choice([{"text": 3}, {}, {"document": {"tokens": [[]]}}, []]))
        self.check(answer.status in (422, 503), answer.status)

    def goes_away(self):
        body = json.dumps({"documents": [LONG] * 5}).encode()
        head = f"POST /v1/parse HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(head.encode() + body[: self.random.choice([10, len(body)])])
            time.sleep(self.random.random() * 0.02)


SHORT = json.loads(json.dumps(to_record(fake_parser().parse(TEXT))))


def resident():
    """Memory of this process, in megabytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def held():
    """Numbers of open files and of threads of this process, the network library's own among them."""
    gc.collect()
    return tuple(sum(1 for _ in Path("/proc/self", kind).iterdir()) for kind in ("fd", "task"))


def wait_until_no_more_is_held_than(before):
    """Waits, for threads take a moment to end; what earlier tests left may end meanwhile as well."""
    wait_until(lambda: all(now <= then for now, then in zip(held(), before, strict=True)))


@on_linux
def test_under_all_kinds_of_clients_it_stays_up_and_in_bounds(request):
    seconds = 60 if request.config.getoption("--slow") else 5
    parser = fake_parser()
    with on_a_port(parser):  # the first event loop of a process keeps a pipe for those that follow
        pass
    before = held()
    with on_a_port(parser, places=PLACES, slice_tokens=128) as (port, service):
        stop = threading.Event()
        clients = [Client(port, seed, stop) for seed in range(N_CLIENTS)]
        for client in clients:
            client.start()
        most, memory = 0, []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            most = max(most, service.places.n_taken)
            memory.append(resident())
            parser.model.network.calls.clear()  # the fake notes every call
            time.sleep(0.05)
        stop.set()
        for client in clients:
            client.join(timeout=30)
            assert not client.is_alive()
        wait_until(lambda: service.places.n_taken == 0 and service.pool.n_tasks == 0)
        wait_until(lambda: held()[0] < before[0] + N_CLIENTS)  # few are left of hundreds of connections
    wait_until_no_more_is_held_than(before)
    statuses = sum((client.statuses for client in clients), Counter())
    assert [client.mistakes for client in clients if client.mistakes] == []
    assert statuses.keys() <= {200, 422, 503, "connection"}
    assert statuses[200] > 10
    assert statuses["connection"] <= statuses.total() / 10
    assert most <= PLACES
    half = len(memory) // 2
    assert max(memory[half:]) < max(memory[:half]) + 30


@on_linux
def test_a_parser_keeps_no_file_and_no_thread_for_what_it_has_parsed(request):
    n_rounds = 100 if request.config.getoption("--slow") else 4
    parser = rhetree.load(threads=2)
    texts = [TEXT, LONG[:200], "", "Yes."]

    def work():
        list(parser.parse_many(texts))
        parser.parse(TEXT)

    work()
    before, memory = held(), resident()
    for _ in range(n_rounds):
        work()
    wait_until_no_more_is_held_than(before)
    assert resident() < memory + 30
    rhetree.load(threads=2).parse(TEXT)  # a model that is no longer used keeps none either
    wait_until_no_more_is_held_than(before)
