"""The ASGI application: routes, the guard before them, and every error as JSON."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse

from rhetree.errors import RhetreeError
from rhetree.runtime.parser import Parser
from rhetree.serve.failures import Failure, bad_request, failure_of, no_json
from rhetree.serve.guard import Guard
from rhetree.serve.page import page_router
from rhetree.serve.routes import api_router
from rhetree.serve.service import Service
from rhetree.serve.settings import ServeSettings

_MOST_MISTAKES = 3
"""Mistakes of a body that are told; the rest are only counted."""


def make_app(parser: Parser, settings: ServeSettings | None = None) -> FastAPI:
    """An application that serves this parser.

    It starts its worker threads with ASGI's lifespan; ``app.state.service`` is the running service.
    """
    settings = settings or ServeSettings()
    service = Service(parser, settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(service.start)
        yield
        await asyncio.to_thread(service.stop)

    app = FastAPI(
        title="Rhetree",
        description="Discourse units and rhetorical trees of English text.",
        version=version("rhetree"),
        lifespan=lifespan,
        docs_url=None,  # the framework's pages load scripts from elsewhere; ours is page/docs.html
        redoc_url=None,
    )
    app.state.service = service
    app.include_router(api_router(service))
    app.include_router(page_router())
    app.add_exception_handler(RhetreeError, _library_error)
    app.add_exception_handler(RequestValidationError, _wrong_body)
    app.add_exception_handler(StarletteHTTPException, _http_error)
    app.add_middleware(Guard, settings=settings, places=service.places, observations=service.observations)
    if settings.cors:
        app.add_middleware(  # outside the guard, so that pages can read its errors
            CORSMiddleware,
            allow_origins=list(settings.cors),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key", "X-Request-ID"],
            expose_headers=["Retry-After", "X-Request-ID"],
        )
    return app


async def _library_error(_request: Request, error: Exception) -> JSONResponse:
    return _answer(failure_of(error) if isinstance(error, RhetreeError) else bad_request(str(error)))


async def _wrong_body(_request: Request, error: Exception) -> JSONResponse:
    mistakes = error.errors() if isinstance(error, RequestValidationError) else []
    told = [_mistake(mistake) for mistake in mistakes[:_MOST_MISTAKES]]
    more = f"; and {len(mistakes) - len(told)} more" if len(mistakes) > len(told) else ""
    return _answer(bad_request("; ".join(told) + more))


async def _http_error(_request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, Failure):
        return _answer(error)
    status = error.status_code if isinstance(error, HTTPException | StarletteHTTPException) else 500
    detail = str(getattr(error, "detail", ""))
    if status == 400:
        return _answer(no_json(detail))
    codes = {404: "not_found", 405: "method_not_allowed"}
    messages = {404: "no such address; /docs lists them", 405: "this address takes another method; see /docs"}
    failure = Failure(status, codes.get(status, "http_error"), messages.get(status, detail))
    failure.headers = getattr(error, "headers", None)  # such as Allow
    return _answer(failure)


def _mistake(mistake: dict[str, object]) -> str:
    """A mistake in a body: where it is and what was expected, without the value that was found."""
    where = mistake.get("loc", ())
    place = ".".join(str(part) for part in where if part != "body") if isinstance(where, tuple) else ""
    what = str(mistake.get("msg", "")).removeprefix("Value error, ")
    if mistake.get("type") == "model_attributes_type":
        what = "expected a JSON object, with 'Content-Type: application/json'"
    return f"{place[:100]}: {what}" if place else what


def _answer(failure: Failure) -> JSONResponse:
    headers = {**(failure.headers or {}), "X-Error-Code": failure.code}
    return JSONResponse(failure.to_dict(), failure.status_code, headers)
