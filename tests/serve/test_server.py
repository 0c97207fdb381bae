"""The service as a process and on a port: signals, clients that go away, slow ones."""

import http.client
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import rhetree
from rhetree.errors import RhetreeError
from rhetree.serve.app import make_app
from rhetree.serve.failures import Failure
from rhetree.serve.server import address, listen, run
from rhetree.serve.settings import ServeSettings
from support.fake_model import fake_parser
from support.serving import LONG, TEXT, HeldNetwork, on_a_port, parser_over, wait_until

TESTS = Path(__file__).parents[1]

SERVER = """
import sys, time
from rhetree.serve.app import make_app
from rhetree.serve.server import address, listen, run
from rhetree.serve.settings import ServeSettings
from support.serving import HeldNetwork, parser_over

class Slow(HeldNetwork):
    def encode(self, sentences):
        print("batch", flush=True)
        time.sleep(float(sys.argv[1]))
        return super().encode(sentences)

settings = ServeSettings(drain_seconds=float(sys.argv[2]), slice_tokens=16, workers=1)
listening = listen("127.0.0.1", 0)
print(address(listening), flush=True)
run(make_app(parser_over(Slow(held=False)), settings), listening, settings)
"""


def post(port, body):
    """The status of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/v1/parse", json.dumps(body), {"content-type": "application/json"})
    with closing(connection):
        response = connection.getresponse()
        response.read()
        return response.status


def send_only(port, body, accept="*/*"):
    """A connection that has sent its request and not read."""
    data = json.dumps(body).encode()
    head = f"POST /v1/parse HTTP/1.1\r\nHost: a\r\nAccept: {accept}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(head.encode() + data)
    return connection


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_a_client_that_goes_away_frees_its_place_within_a_batch(accept):
    network = HeldNetwork()
    with on_a_port(parser_over(network), places=1, workers=1, slice_tokens=16) as (port, service):
        connection = send_only(port, {"documents": [LONG, LONG]}, accept)
        wait_until(lambda: network.batches)
        connection.close()
        wait_until(lambda: service.places.n_taken == 0)
        network.go.release()
        wait_until(lambda: service.pool.n_tasks == 0)
        assert len(network.batches) == 1
        network.release()
        assert post(port, {"text": TEXT}) == 200


def test_a_client_that_goes_away_in_the_middle_of_a_stream_frees_its_place():
    network = HeldNetwork()
    with on_a_port(parser_over(network), places=1, workers=1, slice_tokens=4) as (port, service):
        connection = send_only(port, {"documents": ["It rained."] * 50}, "application/x-ndjson")
        for _ in range(4):
            network.go.release()
        assert b"200 OK" in connection.recv(1000)
        connection.close()
        wait_until(lambda: service.places.n_taken == 0)
        network.release()
        wait_until(lambda: service.pool.n_tasks == 0)
        assert len(network.batches) < 20


def test_a_body_that_never_ends_is_refused():
    with on_a_port(seconds=0.5) as (port, service):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(
                b"POST /v1/parse HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
            )
            assert b"408" in connection.recv(2000).partition(b"\r\n")[0]
        wait_until(lambda: service.places.n_taken == 0)


def test_a_reader_that_stops_is_ended_with_its_time():
    with on_a_port(seconds=2, slice_tokens=64) as (port, service):
        connection = send_only(port, {"documents": [LONG * 4] * 600}, "application/x-ndjson")
        wait_until(lambda: service.places.n_taken == 1)
        wait_until(lambda: service.places.n_taken == 0 and service.pool.n_tasks == 0)
        connection.close()


def start(slice_seconds, drain_seconds):
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(Path(rhetree.__file__).parents[1]), str(TESTS)])
    }
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(slice_seconds), str(drain_seconds)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return process, int(process.stdout.readline().rpartition(":")[2])


@pytest.mark.skipif(os.name != "posix", reason="needs SIGTERM")
def test_sigterm_finishes_what_is_under_way_and_takes_nothing_new():
    process, port = start(0.2, 20)
    answers = []
    body = {"text": "It rained, so we stayed. " * 8}
    request = threading.Thread(target=lambda: answers.append(post(port, body)))
    request.start()
    assert process.stdout.readline() == "batch\n"
    process.send_signal(signal.SIGTERM)
    request.join(timeout=30)
    assert answers == [200]
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    _, errors = process.communicate(timeout=30)
    events = [json.loads(line) for line in errors.splitlines()]
    assert [event["event"] for event in events] == ["listening", "stopping", "request"]
    assert "Traceback" not in errors


@pytest.mark.skipif(os.name != "posix", reason="needs SIGTERM")
def test_what_takes_longer_than_the_limit_is_broken_off():
    process, port = start(0.3, 1)
    connection = send_only(port, {"text": "It rained, so we stayed. " * 100})
    assert process.stdout.readline() == "batch\n"
    process.send_signal(signal.SIGTERM)
    started = time.monotonic()
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - started < 15
    connection.close()
    assert all(json.loads(line) for line in errors.splitlines())
    assert "rained" not in errors


def test_a_port_that_is_taken_is_one_line():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert address(taken) == f"http://127.0.0.1:{port}"
        with pytest.raises(RhetreeError, match=f"cannot listen on 127.0.0.1, port {port}: .*in use"):
            listen("127.0.0.1", port)
    with pytest.raises(RhetreeError, match="cannot listen on port 99999: ports are numbers from 0 to 65535"):
        listen("127.0.0.1", 99999)


def test_it_runs_with_its_own_log_and_takes_nothing_new_after_a_signal(monkeypatch, capsys):
    seen: dict[str, Any] = {}

    def stand_in(self, sockets):
        seen.update(config=self.config, sockets=sockets)
        self.handle_exit(signal.SIGTERM, None)
        logging.getLogger("uvicorn.error").warning("odd")
        logging.getLogger("rhetree.formats").warning("a text of a user's")

    monkeypatch.setattr("uvicorn.Server.run", stand_in)
    names = ("rhetree", "rhetree.serve", "uvicorn", "uvicorn.error")
    before = {
        name: (logging.getLogger(name).handlers[:], logging.getLogger(name).propagate) for name in names
    }
    settings = ServeSettings(drain_seconds=3)
    app = make_app(fake_parser(), settings)
    try:
        with listen("127.0.0.1", 0) as listening:
            run(app, listening, settings)
    finally:
        for name, (handlers, propagate) in before.items():
            logging.getLogger(name).handlers[:] = handlers
            logging.getLogger(name).propagate = propagate
    assert seen["config"].timeout_graceful_shutdown == 3
    assert not seen["config"].access_log
    assert app.state.service.places.is_closed
    logged = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in logged] == ["listening", "stopping", "odd"]
    with pytest.raises(Failure, match="about to stop"):
        app.state.service.places.take()
