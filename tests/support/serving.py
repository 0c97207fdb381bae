"""Services to test: in this process, over a network that can be held, or on a port of this machine."""

import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
from starlette.testclient import TestClient

from rhetree.runtime.parser import Parser
from rhetree.serve.app import make_app
from rhetree.serve.settings import ServeSettings
from support.document_trees import FakeDocumentNetwork
from support.fake_model import fake_parser
from support.fake_network import FakeNetwork

TEXT = "He said that it rained, so we stayed. Good.\n\nThen the sun came out, and everybody left."
LONG = "It rained, so we stayed at home. " * 40


class HeldNetwork(FakeNetwork):
    """Stops in each batch until it is let go; fails at a sentence with the word ``poison``."""

    def __init__(self, held=True):
        super().__init__()
        self.go = threading.Semaphore(0)
        self.is_held = held
        self.batches = []
        """The sentences of each batch, as texts."""

    def encode(self, sentences):
        self.batches.append([" ".join(sentence) for sentence in sentences])
        if self.is_held:
            assert self.go.acquire(timeout=60)
        if any("poison" in sentence for sentence in sentences):
            raise ArithmeticError("poison in a secret text")
        return super().encode(sentences)

    def release(self):
        """Let all batches go from now on."""
        self.is_held = False
        for _ in range(100):
            self.go.release()


class HeldJoining(FakeDocumentNetwork):
    """Takes many steps to read a document, and stops in each until it is let go."""

    N_STEPS = 20

    def __init__(self, n_labels=2):
        super().__init__(n_labels=n_labels)
        self.go = threading.Semaphore(0)
        self.n_steps = 0
        """Steps that were begun."""

    def read_in_steps(self, tokens, units):
        for _ in range(self.N_STEPS):
            self.n_steps += 1
            assert self.go.acquire(timeout=60)
            yield
        return self.read(tokens, units)


def joining_over(network):
    """The fake parser, with this network to join sentences."""
    parser = fake_parser(joins=True)
    parser._document_model = replace(parser._document_model, network=network)
    return parser


def parser_over(network):
    return Parser(replace(fake_parser().model, network=network))


@contextmanager
def client(parser=None, **settings):
    """A client of an application in this process; ``client.service`` is what runs in it."""
    app = make_app(parser or fake_parser(), ServeSettings(**settings))
    with TestClient(app, raise_server_exceptions=False) as test_client:
        test_client.service = app.state.service
        yield test_client


@contextmanager
def on_a_port(parser=None, **settings):
    """A service on a free port of this machine; gives its port and what runs in it."""
    app = make_app(parser or fake_parser(), ServeSettings(**settings))
    listening = socket.create_server(("127.0.0.1", 0))
    # The system keeps little of an answer that nobody reads; connections inherit it.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield listening.getsockname()[1], app.state.service
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        listening.close()


def wait_until(is_so, seconds=30.0):
    """Wait for something that another thread does."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def error_of(response):
    """Status, code and message of an answer that is an error."""
    error = response.json()["error"]
    assert set(error) == {"code", "message"}
    return response.status_code, error["code"], error["message"]
