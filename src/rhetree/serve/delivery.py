"""Takes the answer of a task to its client: whole, or line by line; ends the task when the client goes or time is up."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rhetree.errors import RhetreeError
from rhetree.serve.answers import NDJSON, to_json
from rhetree.serve.failures import Failure, failure_of, internal, too_slow
from rhetree.serve.guard import DEADLINE
from rhetree.serve.logs import described, log
from rhetree.serve.pool import Task
from rhetree.serve.settings import ServeSettings

Result = TypeVar("Result")

END_SECONDS = 1.0
"""How long a client that reads too slowly has to take the last line, which says what went wrong."""
GONE = 499
"""The status of a request whose client went away, for log and metrics; nobody is there to read it."""


class ClientGoneError(Exception):
    """The client closed the connection."""


async def whole(task: Task, request: Request, settings: ServeSettings) -> list[bytes]:
    """All pieces of the answer."""

    async def collect() -> list[bytes]:
        return [piece async for piece in task.pieces()]

    return await _in_time(collect(), task, request.receive, request.scope[DEADLINE], settings)


class Lines(Response):
    """An answer of one line per document, sent as each is done.

    What goes wrong before the first line is an error of its own; what goes wrong later is the last line.
    """

    media_type = NDJSON

    def __init__(self, task: Task, settings: ServeSettings) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._task = task
        self._settings = settings
        self._has_begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        try:
            sending = self._send_all(send)
            await _in_time(sending, self._task, receive, scope[DEADLINE], self._settings)
        except ClientGoneError:
            if not self._has_begun:
                await Response(status_code=GONE)(scope, receive, send)
        except (RhetreeError, Failure) as error:
            if not self._has_begun:
                raise
            await self._end(send, error if isinstance(error, Failure) else failure_of(error))
        except Exception as error:
            if not self._has_begun:
                raise
            log("answer broken off", level=logging.ERROR, **described(error))
            await self._end(send, internal())

    async def _send_all(self, send: Send) -> None:
        async for piece in self._task.pieces():
            await self._begin(send)
            await send({"type": "http.response.body", "body": piece + b"\n", "more_body": True})
        await self._begin(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _begin(self, send: Send) -> None:
        if not self._has_begun:
            self._has_begun = True
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

    async def _end(self, send: Send, failure: Failure) -> None:
        line = to_json(failure.to_dict()) + b"\n"
        last = send({"type": "http.response.body", "body": line, "more_body": False})
        try:
            await asyncio.wait_for(last, END_SECONDS)
        except asyncio.TimeoutError:  # nobody reads: the server closes an answer that has no end
            log("answer not read", level=logging.WARNING)


async def _in_time(
    answering: Coroutine[Any, Any, Result],
    task: Task,
    receive: Receive,
    deadline: float,
    settings: ServeSettings,
) -> Result:
    """The result of ``answering``, unless the client goes away first or its time is over; then the task ends."""
    answer = asyncio.ensure_future(answering)
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        left = max(0.0, deadline - asyncio.get_running_loop().time())
        await asyncio.wait({answer, gone}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            return answer.result()
        if gone.done():
            raise ClientGoneError
        raise too_slow(settings)
    finally:
        task.cancel()
        answer.cancel()
        gone.cancel()
        await asyncio.gather(answer, gone, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
