"""What every request passes: the key, a free place, the limit of its body; then headers, a line in the log, counters.

A plain ASGI middleware: nothing is buffered, and a client that goes away is noticed.
"""

import asyncio
import hmac
import json
import logging
import re
import time
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rhetree.serve.failures import Failure, full, internal, large_body, no_key, slow_body, stopping
from rhetree.serve.logs import described, log
from rhetree.serve.observations import Observations
from rhetree.serve.settings import ServeSettings

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Pages load what comes with the package, and nothing else: no inline script, no inline style, no other host."""

SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
DEADLINE = "rhetree.deadline"
"""The key of a request's scope for the moment (of the event loop's clock) when its time is over."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Places:
    """How many requests are waiting or at work, and whether the service takes more."""

    def __init__(self, settings: ServeSettings) -> None:
        self._settings = settings
        self.n_taken = 0
        self.is_closed = False

    def take(self) -> None:
        """Take a place, or raise the failure of a service that is full or about to stop."""
        if self.is_closed:
            raise stopping()
        if self.n_taken >= self._settings.places:
            raise full(self._settings)
        self.n_taken += 1

    def free(self) -> None:
        """Give a place back."""
        self.n_taken -= 1


class Guard:
    """The middleware."""

    def __init__(
        self, app: ASGIApp, *, settings: ServeSettings, places: Places, observations: Observations
    ) -> None:
        self._app = app
        self._settings = settings
        self._places = places
        self._observations = observations
        self._key = None if settings.api_key is None else settings.api_key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, if it may, and note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        scope[DEADLINE] = asyncio.get_running_loop().time() + self._settings.seconds
        answer = _Answer(send, _request_id(Headers(scope=scope)))
        failed: dict[str, object] = {}
        has_place = False
        try:
            self._check_key(scope)
            if _needs_place(scope):
                self._places.take()
                has_place = True
            await self._app(scope, self._limited(scope, receive), answer)
        except Failure as failure:
            await answer.fail(failure)
        except Exception as error:
            failed = described(error)
            await answer.fail(internal())
        finally:
            if has_place:
                self._places.free()
            self._note(scope, answer, time.perf_counter() - started, failed)

    def _check_key(self, scope: Scope) -> None:
        if self._key is None or not scope["path"].startswith(("/v1/", "/metrics")):
            return
        headers = Headers(scope=scope)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self._key):
            raise no_key()

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """``receive`` that refuses a body that is too large or too slow."""
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isascii() and declared.isdigit() and int(declared[:20]) > self._settings.body_bytes:
            raise large_body(self._settings)
        loop = asyncio.get_running_loop()
        n_bytes = 0
        is_complete = False

        async def limited() -> Message:
            nonlocal n_bytes, is_complete
            if is_complete:  # all that can come is that the client goes away
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), scope[DEADLINE] - loop.time())
            except asyncio.TimeoutError as error:
                raise slow_body(self._settings) from error
            n_bytes += len(message.get("body", b""))
            is_complete = not message.get("more_body", False)
            if n_bytes > self._settings.body_bytes:
                raise large_body(self._settings)
            return message

        return limited

    def _note(self, scope: Scope, answer: "_Answer", seconds: float, failed: dict[str, object]) -> None:
        route = getattr(scope.get("route"), "path", "other")
        status = answer.status or 499  # the client went away before there was an answer
        self._observations.answered(route, status, seconds)
        if answer.code:
            self._observations.failed(answer.code)
        log(
            "request",
            level=logging.ERROR if failed else logging.INFO,
            id=answer.id,
            method=scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "OPTIONS") else "other",
            route=route,
            status=status,
            milliseconds=round(seconds * 1000, 1),
            bytes=answer.n_bytes,
            **({"code": answer.code} if answer.code else {}),
            **failed,
        )


class _Answer:
    """``send`` that adds our headers and remembers what was sent."""

    def __init__(self, send: Send, id: str) -> None:
        self._send = send
        self.id = id
        self.status = 0
        self.code = ""
        """The code of the error, if the answer is one."""
        self.n_bytes = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            headers["X-Request-ID"] = self.id
            headers.setdefault("Cache-Control", "no-store")
            self.code = headers.get("x-error-code", "")
        self.n_bytes += len(message.get("body", b""))
        await self._send(message)

    async def fail(self, failure: Failure) -> None:
        """Answer with a failure, unless an answer has begun; then only break it off."""
        self.code = failure.code
        if self.status:
            return
        body = json.dumps(failure.to_dict()).encode()
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "x-error-code": failure.code,
            # The rest of a body that was refused is not read.
            "connection": "close",
            **(failure.headers or {}),
        }
        encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self({"type": "http.response.start", "status": failure.status_code, "headers": encoded})
        await self({"type": "http.response.body", "body": body})


def _needs_place(scope: Scope) -> bool:
    return bool(scope["method"] == "POST" and scope["path"].startswith("/v1/"))


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid4().hex
