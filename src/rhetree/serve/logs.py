"""The log: one JSON object per line on standard error, without any text, name or key of a user's.

Exceptions are logged by type and place. Their messages, and the library's own warnings, may quote a document, so
neither is logged.
"""

import json
import logging
import traceback
from datetime import datetime, timezone
from typing import Any

LOG = logging.getLogger("rhetree.serve")

_OF_UVICORN = "uvicorn.error"


class JsonLines(logging.Formatter):
    """A record as one line of JSON: time, level, event, and the fields it was logged with."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        time = datetime.fromtimestamp(record.created, timezone.utc)
        line: dict[str, Any] = {
            "time": time.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line |= described(record.exc_info[1])
        return json.dumps(line, ensure_ascii=True, default=str)


def log(event: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Log an event with its fields."""
    LOG.log(level, event, extra={"fields": fields})


def described(error: BaseException) -> dict[str, Any]:
    """An exception by its type and the lines of code that it passed, without its message."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "error": type(error).__name__,
        "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-8:]],
    }


def log_to_standard_error() -> None:
    """Send our log, and what uvicorn has to say, to standard error as JSON lines; silence everything else."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    for name in (LOG.name, _OF_UVICORN):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO if logger is LOG else logging.WARNING)
    for name in ("rhetree", "uvicorn"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
