"""Serve a model over HTTP, with a page to look at trees and correct them; /docs describes the API.

The service listens on this machine only, unless --host says otherwise. docs/serving.md has its routes and limits.
"""

import argparse
import os
import sys

from rhetree.cli.options import add_device_argument, say
from rhetree.errors import MissingExtraError, RhetreeError

KEY = "RHETREE_API_KEY"

_PACKAGES = {"fastapi", "uvicorn", "starlette", "pydantic", "prometheus_client"}
_LIMITS = {
    "workers": ("N", "threads that run batches of the model"),
    "places": ("N", "most requests at a time; further ones are answered with 503 at once"),
    "body_bytes": ("N", "largest body of a request"),
    "text_characters": ("N", "longest text"),
    "documents": ("N", "most documents in a request"),
    "seconds": ("S", "longest time for a request"),
    "slice_tokens": ("N", "most tokens in a batch; requests take turns after each"),
    "drain_seconds": ("S", "longest time to finish requests after SIGTERM"),
}
"""The settings that have an option of the same name: its placeholder, and what it is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree serve``."""
    add = parser.add_argument
    add(
        "--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1, this machine only)"
    )
    add("--port", type=int, default=8000, metavar="N", help="0 is any that is free (default: 8000)")
    add("--open", action="store_true", help="open the page in a browser")
    add("--model", metavar="NAME|FOLDER", help="an installed model (rhetree models) or the folder of one")
    add(
        "--document-model",
        metavar="NAME|FOLDER",
        help="the model that joins sentences (default: english-document, if it fits the model)",
    )
    add("--beam", type=int, default=1, metavar="K", help="the K best readings of each sentence")
    add("--signals", action="store_true", help="find the words that signal each relation, for all requests")
    add("--threads", type=int, default=0, metavar="N", help="threads of a batch (default: 0, one per core)")
    add_device_argument(parser)
    add(
        "--api-key",
        metavar="KEY",
        help=f"requests must have this key; better in the environment variable {KEY}, where other users do not see it",
    )
    add(
        "--cors",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="let web pages of this origin use the service, such as https://example.org; can be repeated",
    )
    from rhetree.serve.settings import ServeSettings

    limits = parser.add_argument_group("limits")
    standard = ServeSettings()
    for name, (placeholder, what) in _LIMITS.items():
        default = getattr(standard, name)
        limits.add_argument(
            f"--{name.replace('_', '-')}",
            type=type(default),
            default=default,
            metavar=placeholder,
            help=f"{what} (default: {default:g})"
            if isinstance(default, float)
            else f"{what} (default: {default})",
        )


def run(args: argparse.Namespace) -> int:
    """Load the model, listen, serve."""
    from rhetree.runtime.parser import load
    from rhetree.serve.settings import ServeSettings

    try:
        from rhetree.serve.app import make_app
        from rhetree.serve.server import address, listen, run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise MissingExtraError("the service", "serve") from error
    try:
        settings = ServeSettings(
            **{name: getattr(args, name) for name in _LIMITS},
            api_key=args.api_key or os.environ.get(KEY) or None,
            cors=tuple(args.cors),
        )
        parser = load(
            args.model,
            threads=args.threads,
            beam=args.beam,
            signals=args.signals,
            device=args.device,
            document_model=args.document_model,
        )
    except ValueError as error:
        raise RhetreeError(str(error)) from error
    if args.document_model is not None:
        parser.document_model()  # one that was named has to fit; without the usual one, sentences are not joined
    listening = listen(args.host, args.port)
    if args.host not in ("127.0.0.1", "::1", "localhost") and settings.api_key is None:
        say(f"everyone who reaches {args.host} can use the service; --api-key, or {KEY}, asks for a key")
    page = address(listening)
    say(f"serving {parser.model.name} on {page} (API: {page}/docs)")
    if args.open:
        _open_page(page)
    elif sys.stderr.isatty():
        say(f"open {page} in a browser to look at trees and correct them; --open does so by itself")
    run(make_app(parser, settings), listening, settings)
    return 0


def _open_page(page: str) -> None:
    """Open the page beside the service: some browsers only return when they are closed."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()
