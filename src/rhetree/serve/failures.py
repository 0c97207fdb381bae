"""Every way in which a request can fail, as JSON: ``{"error": {"code": …, "message": …}}``.

Messages about documents are those of the library, so the command line says the same. Whoever adds a code here
adds it to ``docs/serving.md``.
"""

from typing import Any

from starlette.exceptions import HTTPException

from rhetree.errors import (
    ArgumentError,
    ConstraintError,
    FileError,
    MismatchError,
    MissingExtraError,
    ModelError,
    RhetreeError,
    UnwritableError,
)
from rhetree.serve.settings import ServeSettings

RETRY_AFTER = 1
"""Seconds after which a client that was refused may try again."""

_CODES: dict[type[RhetreeError], str] = {
    FileError: "bad_document",
    UnwritableError: "unwritable",
    MismatchError: "mismatch",
    ConstraintError: "bad_constraints",
    ArgumentError: "argument_missing",
    ModelError: "model_cannot",
    MissingExtraError: "not_installed",
}
_KEYS = {"from_format": "format", "format": "format"}
"""The key of a request for each argument that an :class:`ArgumentError` can ask for."""


class Failure(HTTPException):
    """A request, or one of its documents, that cannot be answered.

    An exception of the framework's, so that it may be raised anywhere: while a body is read, or in a route.
    """

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        if status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        super().__init__(status, message, headers)
        self.code = code

    def to_dict(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"error": {"code": self.code, "message": self.detail}}


def failure_of(error: RhetreeError) -> Failure:
    """What the library says about a document."""
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), "bad_document")
    message = str(error)
    if isinstance(error, ArgumentError) and error.argument in _KEYS:
        message = f"{message} with {_KEYS[error.argument]!r}"
    return Failure(422, code, message)


def bad_request(message: str) -> Failure:
    """The body is not what the route takes."""
    return Failure(422, "bad_request", message)


def no_json(message: str) -> Failure:
    """The body is not JSON."""
    return Failure(400, "bad_json", message)


def no_key() -> Failure:
    """The key is missing or wrong."""
    what = "this service needs its key; send it as the header 'Authorization: Bearer KEY' or 'X-API-Key: KEY'"
    return Failure(401, "unauthorized", what)


def full(settings: ServeSettings) -> Failure:
    """All places are taken."""
    what = f"the service is at work on {settings.places} requests, its limit; try again later"
    return Failure(503, "busy", what, RETRY_AFTER)


def stopping() -> Failure:
    """The service was told to stop."""
    return Failure(503, "stopping", "the service is about to stop; try again later", RETRY_AFTER)


def too_slow(settings: ServeSettings) -> Failure:
    """The time for a request is over."""
    what = (
        f"the request took longer than {settings.seconds:g} seconds, the limit; send shorter or fewer texts"
    )
    return Failure(503, "time_limit", what, RETRY_AFTER)


def slow_body(settings: ServeSettings) -> Failure:
    """The client did not send its body in time."""
    what = f"the body did not arrive within {settings.seconds:g} seconds, the limit"
    return Failure(408, "slow_body", what)


def large_body(settings: ServeSettings) -> Failure:
    """The body has too many bytes."""
    what = f"the body is larger than {settings.body_bytes} bytes, the limit; send fewer documents at a time"
    return Failure(413, "body_too_large", what)


def long_text(n_characters: int, settings: ServeSettings) -> Failure:
    """A text has too many characters."""
    what = f"a text has {n_characters} characters, the limit is {settings.text_characters}; send it in parts"
    return Failure(413, "text_too_long", what)


def many_documents(n_documents: int, settings: ServeSettings) -> Failure:
    """A request has too many documents."""
    what = (
        f"the request has {n_documents} documents, the limit is {settings.documents}; send several requests"
    )
    return Failure(413, "too_many_documents", what)


def internal() -> Failure:
    """A fault of ours; the log has where it happened."""
    return Failure(500, "internal", "something went wrong here; the service's log says where")
