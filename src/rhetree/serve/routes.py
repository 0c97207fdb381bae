"""The routes of the API. A new one is a function here, a body in ``serve/requests.py`` and work for the pool."""

from collections.abc import Callable, Coroutine
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.routing import APIRoute

from rhetree.formats.json import decode
from rhetree.serve.analysis import analyse_texts
from rhetree.serve.annotations import convert, draw_pictures, score
from rhetree.serve.answers import MEDIA_TYPES, NDJSON, as_list, media_type
from rhetree.serve.delivery import GONE, ClientGoneError, Lines, whole
from rhetree.serve.failures import stopping
from rhetree.serve.observations import MEDIA_TYPE
from rhetree.serve.pool import Work
from rhetree.serve.requests import ConvertBody, DrawBody, ParseBody, ScoreBody, SegmentBody, TextsBody
from rhetree.serve.service import Service

_ERROR = {
    "description": '`{"error": {"code": …, "message": …}}`',
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["error"],
                "properties": {
                    "error": {
                        "type": "object",
                        "required": ["code", "message"],
                        "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
                    }
                },
            }
        }
    },
}
_ERRORS: dict[int | str, dict[str, Any]] = dict.fromkeys((400, 401, 408, 413, 422, 503), _ERROR)


def _answers(*formats: str) -> dict[int | str, dict[str, Any]]:
    types = {media_type(format) for format in formats} | {"application/json", NDJSON}
    told = (
        "The document in the format that was asked for; several in a list, or one per line with `Accept: "
        + NDJSON
        + "`."
    )
    return {200: {"description": told, "content": {name: {} for name in sorted(types)}}, **_ERRORS}


class _StrictRequest(Request):
    """Its JSON is read as strictly as our files: no repeated keys, no NaN, no half characters."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            try:
                self._json = decode((await self.body()).decode("utf-8"))
            except UnicodeDecodeError as error:
                raise HTTPException(400, "the body is not UTF-8") from error
            except ValueError as error:
                raise HTTPException(400, f"the body is not JSON: {error}") from error
        return self._json


class _StrictRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handle(_StrictRequest(request.scope, request.receive))

        return strict


def api_router(service: Service) -> APIRouter:
    """All routes but those of the page."""
    router = APIRouter(route_class=_StrictRoute)
    _add_work(router, service)
    _add_state(router, service)
    return router


def _add_work(router: APIRouter, service: Service) -> None:
    async def answer(request: Request, work: Work, format: str, is_many: bool) -> Response:
        task = service.pool.submit(work)
        if is_many and NDJSON in request.headers.get("accept", ""):
            return Lines(task, service.settings)
        try:
            pieces = await whole(task, request, service.settings)
        except ClientGoneError:
            return Response(status_code=GONE)
        if is_many:
            return Response(as_list(pieces), media_type="application/json")
        return Response(b"".join(pieces), media_type=media_type(format))

    async def analyse(request: Request, body: TextsBody) -> Response:
        return await answer(
            request, analyse_texts(body, service.parser, service.settings), body.format, body.is_many
        )

    @router.post("/v1/parse", response_class=Response, responses=_answers(*MEDIA_TYPES, "txt"))
    async def parse(request: Request, body: ParseBody) -> Response:
        """Find the EDUs and trees of texts."""
        return await analyse(request, body)

    @router.post("/v1/segment", response_class=Response, responses=_answers(*MEDIA_TYPES, "txt"))
    async def segment(request: Request, body: SegmentBody) -> Response:
        """Find the EDUs of texts."""
        return await analyse(request, body)

    @router.post("/v1/convert", response_class=Response, responses=_answers())
    async def convert_(request: Request, body: ConvertBody) -> Response:
        """Write documents in another format. The answer has the content, and lists what the format cannot hold."""
        return await answer(request, convert(body, service.settings), "json", body.is_many)

    @router.post("/v1/draw", response_class=Response, responses=_answers("svg", "html", "png", "txt"))
    async def draw(request: Request, body: DrawBody) -> Response:
        """Draw trees, or two analyses of a text side by side."""
        return await answer(request, draw_pictures(body, service.settings), body.format, body.is_many)

    @router.post("/v1/score", response_class=Response, responses=_answers())
    async def score_(request: Request, body: ScoreBody) -> Response:
        """Score predicted EDUs and trees against gold ones; docs/metrics.md has the keys of the answer."""
        return await answer(request, score(body, service.settings), "json", is_many=False)


def _add_state(router: APIRouter, service: Service) -> None:
    @router.get("/v1/models", responses={401: _ERROR})
    async def models() -> dict[str, Any]:
        """The model that the service runs, and the versions of both."""
        return {"rhetree": version("rhetree"), "models": [service.model_facts()]}

    @router.get("/healthz", responses={503: _ERROR})
    async def health() -> dict[str, str]:
        """Whether the process works: restart it if not."""
        if not service.is_alive:
            raise stopping()
        return {"status": "ok"}

    @router.get("/readyz", responses={503: _ERROR})
    async def readiness() -> dict[str, str]:
        """Whether to send requests here: not while it starts or stops."""
        if not service.is_ready:
            raise stopping()
        return {"status": "ready"}

    @router.get("/metrics", response_class=Response, responses={401: _ERROR})
    async def metrics() -> Response:
        """Counters for Prometheus."""
        return Response(service.observations.text(), media_type=MEDIA_TYPE)
