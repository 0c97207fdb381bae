"""Runs the application with uvicorn: a socket, a log in JSON lines, and an orderly end."""

import socket

import uvicorn
from fastapi import FastAPI

from rhetree.errors import RhetreeError
from rhetree.serve.logs import log, log_to_standard_error
from rhetree.serve.settings import ServeSettings

BACKLOG = 128
"""Connections that the system keeps while none is accepted."""
KEEP_ALIVE = 15
"""Seconds that an idle connection stays open."""


def listen(host: str, port: int) -> socket.socket:
    """A socket to listen on; port 0 takes any that is free."""
    if not 0 <= port < 2**16:
        raise RhetreeError(f"cannot listen on port {port}: ports are numbers from 0 to {2**16 - 1}")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise RhetreeError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error


def address(listening: socket.socket) -> str:
    """The address of a socket, for people to open."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(app: FastAPI, listening: socket.socket, settings: ServeSettings) -> None:
    """Serve until SIGTERM or SIGINT; then finish what is under way, within the limit."""
    log_to_standard_error()
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
        lifespan="on",
    )
    server = _Server(config)
    log("listening", address=address(listening), workers=settings.workers, places=settings.places)
    server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """Takes no new requests on open connections either, once it is told to stop."""

    def handle_exit(self, sig: int, frame: object) -> None:
        log("stopping", signal=sig)
        self.config.app.state.service.places.is_closed = True  # type: ignore[union-attr]  # our own FastAPI
        super().handle_exit(sig, frame)  # type: ignore[arg-type]  # the frame of a signal handler
