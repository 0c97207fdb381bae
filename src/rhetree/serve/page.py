"""The static files of the package, ``serve/page/``: read once, so that no path of a request touches the disk.

A file is served under its name, ``index.html`` also as ``/`` and ``docs.html`` as ``/docs``. They run under the content
policy of ``serve/guard.py``: scripts and styles are files of their own, never inline.
"""

import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fastapi import APIRouter, Request, Response

FOLDER = Path(__file__).parent / "page"

_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file that is served as it is."""

    data: bytes
    media_type: str
    tag: str
    """Changes whenever the file does, for browsers that have it already."""

    def answer(self, request: Request) -> Response:
        """The file, or word that the browser's copy is still good."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.data, media_type=self.media_type, headers=headers)


def page_router() -> APIRouter:
    """A route for each file."""
    router = APIRouter(include_in_schema=False)
    for name, file in _read():
        paths = [f"/{name}"]
        if name.endswith(".html"):
            paths.append(f"/{name.removesuffix('.html').removesuffix('index')}")
        for path in paths:
            router.add_api_route(path, file.answer, methods=["GET", "HEAD"])
    return router


def _read() -> Iterator[tuple[str, StaticFile]]:
    for path in sorted(path for path in FOLDER.rglob("*") if path.is_file()):
        data = path.read_bytes()
        known = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
        tag = f'"{sha256(data).hexdigest()[:32]}"'
        yield path.relative_to(FOLDER).as_posix(), StaticFile(data, known or "application/octet-stream", tag)
