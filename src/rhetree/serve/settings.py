"""What the operator of a service can set; every limit has its own error (``serve/failures.py``)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """Limits of the service, and who may use it."""

    workers: int = 2
    """Threads that run the model. Each runs one batch, which itself uses the model's threads."""
    places: int = 64
    """Most requests at a time, waiting or at work; the next one is answered with 503."""
    body_bytes: int = 4_000_000
    """Largest body of a request."""
    text_characters: int = 200_000
    """Longest text of a document, or longest file."""
    documents: int = 1_000
    """Most documents in a request."""
    seconds: float = 60.0
    """Longest time for a request, from its first byte to the last byte of the answer."""
    slice_tokens: int = 1_024
    """Most tokens in a batch, unless one sentence is longer. Requests take turns after each batch."""
    drain_seconds: float = 20.0
    """Longest time for requests that are under way when the service is told to stop."""
    api_key: str | None = None
    """The key that requests must have; None lets everyone in."""
    cors: tuple[str, ...] = ()
    """Origins of web pages that may use the service, such as ``https://example.org``; ``*`` is any."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cors", tuple(self.cors))
        for name in ("workers", "places", "body_bytes", "text_characters", "documents", "slice_tokens"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} is a whole number from 1 on, got {value!r}")
        for name in ("seconds", "drain_seconds"):
            value = getattr(self, name)
            if not 0 < value < float("inf"):
                raise ValueError(f"{name} is a number over 0, got {value!r}")
        if self.api_key is not None and (len(self.api_key) < 8 or not self.api_key.isascii()):
            raise ValueError("an API key has 8 or more ASCII characters")
