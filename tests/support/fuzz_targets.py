"""Everything that reads bytes of strangers, one function each: what it does with any bytes is read or refuse them.

A target lets nothing out but a fault. ``tests/test_fuzz_targets.py`` gives each some hundreds of mutated files,
``benchmarks/campaign.py files`` as many as it is told, guided by coverage.
"""

import asyncio
import io
import json
import logging
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from rhetree.domain.record_reader import from_record
from rhetree.domain.record_writer import to_record
from rhetree.domain.relations import read_inventory
from rhetree.errors import ModelError, RhetreeError
from rhetree.formats import FORMATS
from rhetree.formats.json import JSONL, decode
from rhetree.jobs.readers import KINDS, sniff
from rhetree.jobs.records import Source
from rhetree.jobs.run_file import read_run
from rhetree.jobs.streams import Stream
from rhetree.runtime.graph_files import check_graph
from rhetree.runtime.model import _read_table, read_config
from support.hostile_files import valid_files
from support.schema import VALIDATOR

GOLDEN = Path(__file__).parents[1] / "golden"

logging.getLogger("rhetree").addHandler(logging.NullHandler())
logging.getLogger("rhetree").propagate = False  # leniency warns of each mistake that it forgives


@dataclass(frozen=True)
class Target:
    """A reader, and files that it takes."""

    run: Callable[[bytes], None]
    """Read these bytes; anything that it raises is a fault."""
    seeds: Callable[[], list[bytes]]


# --- formats --------------------------------------------------------------------------------


def _read_format(name: str, data: bytes) -> None:
    """Documents that come of it are sound: they are the same after they were written and read as JSON."""
    source = io.StringIO(data.decode("utf-8", "replace"), newline=None)
    with suppress(RhetreeError):
        for document in FORMATS[name].read(source, Path("a"), lenient=len(data) % 2 == 0):
            written = io.StringIO()
            JSONL.write(document, written)
            (again,) = JSONL.read(io.StringIO(written.getvalue()), Path("a"))
            assert again == document


def _seeds_of_format(name: str) -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        return [data for data in valid_files(FORMATS[name], Path(folder)) if len(data) < 5000]


# --- sources of jobs ------------------------------------------------------------------------


def _read_source(kind: str | None, data: bytes) -> None:
    source = Source(Path("a"), kind)
    stream, found_kind = Stream(io.BytesIO(data), source.path), kind
    with suppress(RhetreeError):
        if found_kind is None:
            stream.lines, found_kind = sniff(stream.lines)
        for _ in KINDS[found_kind](stream, source):
            pass


@cache
def _table() -> bytes:
    import pyarrow
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(pyarrow.table({"id": ["a", "b"], "text": ["He left.", "It rained."]}), sink)
    return sink.getvalue()


def _seeds_of_source(kind: str) -> list[bytes]:
    own = {
        "txt": [b"He left early because it rained.\n\nShe stayed.\n"],
        "md": [
            b"# Title\n\nHe **left** [early](a.html) because `it` rained.\n\n- one\n- two\n\n> said\n\n```\ncode\n```\n"
        ],
        "html": [
            b"<!doctype html><html><body><p>He <b>left</b> &amp; <!-- no --> it<br>rained.</p><pre>a</pre></body></html>"
        ],
        "csv": [b'id,text\na,"He left, early"\nb,"It ""rained"""\n'],
        "tsv": [b"id\ttext\na\tHe left\n"],
        "jsonl": [
            b'{"id": "a", "text": "He left."}\n{"tokens": [["He", "left", "."]], "edus": [[[0, 3]]]}\n'
        ],
    }
    if kind == "parquet":
        return [_table()]
    if kind in own:
        return own[kind]
    return _seeds_of_format("rs3" if kind == "rs3" else kind)


def _packed_seeds() -> list[bytes]:
    """What is told by its first bytes: gzip, Zstandard, UTF-16, and kinds of text."""
    import gzip

    line = b'{"id": "a", "text": "He left."}\n'
    found = [gzip.compress(line), gzip.compress(gzip.compress(line)), line.decode().encode("utf-16"), line]
    with suppress(ModuleNotFoundError):
        from backports import zstd

        found.append(zstd.compress(line))
    return found


# --- JSON, runs, models ---------------------------------------------------------------------


def _read_record(data: bytes) -> None:
    """What our JSON Schema refuses is refused by the reader, and what is read is written as the schema says."""
    try:
        record = decode(data.decode("utf-8"))
        document = from_record(record)
    except ValueError:
        return
    assert VALIDATOR.is_valid(record), "read, although the schema refuses it"
    assert VALIDATOR.is_valid(json.loads(json.dumps(to_record(document)))), "written against the schema"


def _on_disk(read: Callable[[Path], object], name: str, errors: type[Exception], data: bytes) -> None:
    path = _folder() / name
    path.write_bytes(data)
    with suppress(errors):
        read(path)


@cache
def _folder() -> Path:
    return Path(
        tempfile.mkdtemp(prefix="rhetree-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    )


def _read_whole_run(path: Path) -> None:
    run = read_run(path)
    if run is not None:
        list(run.inputs())


def _config_seeds() -> list[bytes]:
    config = {
        "format": "rhetree-model",
        "version": 1,
        "labels": ["joint-NN", "cause-NS"],
        "recipe": {"network": {"task": "joint", "embedding": {"kind": "random"}}},
        "scores": {"dev": {"full": 1.5}},
        "runtime": {"files": {"a": 1}, "words": {"kind": "table", "lower_case": True}},
    }
    required: tuple[Any, ...] = (">=0.1", "==0.1.*,<1", [">=0.1"], [], {"a": 1}, ">=0.1.dev" + "9" * 50)
    return [json.dumps(config | {"requires_rhetree": versions}).encode() for versions in required]


def _table_seeds() -> list[bytes]:
    import numpy as np
    from safetensors.numpy import save

    return [save({"vectors": np.zeros((3, 2), np.float32)}), save({"other": np.zeros(1, np.int64)})]


def _graph_seeds() -> list[bytes]:
    """graph { node { op_type attribute { t { external_data } } } initializer {…} }, written by hand."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    tensor = b"\x08\x02\x10\x01" + field(4, b"\0\0\x80?") + field(8, b"w")
    attribute = field(1, b"value") + field(5, tensor) + b"\xa0\x01\x04"
    node = field(1, b"left") + field(2, b"y") + field(4, b"Neg") + field(5, attribute)
    graph = field(1, node) + field(2, b"g") + field(5, tensor)
    return [b"\x08\x08" + field(7, graph) + field(8, b"\x10\x11")]


def _load_graph(path: Path) -> None:
    from rhetree.runtime.onnx_runtime import read_graph

    read_graph(path, ["left", "right"])


# --- the service ----------------------------------------------------------------------------


class _Service:
    """A service in this process, whose threads end with it."""

    def __init__(self) -> None:
        from rhetree.serve.app import make_app
        from rhetree.serve.settings import ServeSettings
        from support.fake_model import fake_parser

        self._app = make_app(fake_parser(), ServeSettings(seconds=20, text_characters=2000))
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._lifespan = self._app.router.lifespan_context(self._app)
        self._run(self._lifespan.__aenter__())

    def post(self, route: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer."""
        answer: tuple[int, bytes] = self._run(self._post(route, body))
        return answer

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)

    async def _post(self, route: str, body: bytes) -> tuple[int, bytes]:
        path = f"/v1/{route}"
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        scope: dict[str, Any] = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
        }
        scope |= {"headers": headers, "http_version": "1.1", "scheme": "http", "asgi": {"version": "3.0"}}
        received = iter([{"type": "http.request", "body": body, "more_body": False}])
        sent: list[dict[str, Any]] = []

        async def receive():
            message = next(received, None)
            return message if message is not None else await asyncio.sleep(60, {"type": "http.disconnect"})

        async def send(message):
            sent.append(message)

        await self._app(scope, receive, send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


@cache
def _service() -> _Service:
    return _Service()


def _post(route: str, data: bytes) -> None:
    status, body = _service().post(route, data)
    assert status in (200, 400, 413, 422), (status, body[:500])


def _bodies(route: str) -> list[bytes]:
    document = {"tokens": [["He", "left", "."], ["Yes"]], "edus": [[[0, 3]], [[0, 1]]]}
    storm = json.loads((GOLDEN / "storm.json").read_text(encoding="utf-8"))
    found: dict[str, list[Any]] = {
        "parse": [
            {"text": "He left early. It rained.", "format": "json"},
            {"documents": ["a", document], "edus": "gold"},
        ],
        "segment": [{"document": document, "format": "edus"}],
        "convert": [{"document": storm, "to": "rs3", "shape": "nary"}],
        "draw": [{"document": storm, "format": "svg", "width": 80, "theme": "dark"}],
        "score": [{"gold": storm, "predicted": storm, "per_relation": True}],
    }
    return [json.dumps(body).encode() for body in found[route]]


TARGETS = {
    **{
        f"format {name}": Target(partial(_read_format, name), partial(_seeds_of_format, name))
        for name in FORMATS
    },
    **{
        f"source {kind}": Target(partial(_read_source, kind), partial(_seeds_of_source, kind))
        for kind in ("txt", "md", "html", "csv", "tsv", "jsonl", "conllu", "parquet")
    },
    "source of any kind": Target(partial(_read_source, None), _packed_seeds),
    "JSON schema": Target(_read_record, partial(_seeds_of_format, "json")),
    "inventory": Target(
        partial(_on_disk, read_inventory, "inventory.txt", RhetreeError),
        lambda: [b"# ours\nContrast: contrast, but\n"],
    ),
    "run file": Target(
        partial(_on_disk, _read_whole_run, "a.run", RhetreeError),
        lambda: [
            b'{"format": "rhetree-run", "version": 1, "settings": {"model": "a"}, "replaces": false}\n["a", "b"]\n'
        ],
    ),
    "model config": Target(
        partial(_on_disk, lambda path: read_config(path.parent), "config.json", ModelError), _config_seeds
    ),
    "model table": Target(partial(_on_disk, _read_table, "words.safetensors", ModelError), _table_seeds),
    "model graph": Target(partial(_on_disk, check_graph, "a.onnx", ModelError), _graph_seeds),
    "model graph in ONNX Runtime": Target(partial(_on_disk, _load_graph, "b.onnx", ModelError), _graph_seeds),
    **{
        f"HTTP {route}": Target(partial(_post, route), partial(_bodies, route))
        for route in ("parse", "segment", "convert", "draw", "score")
    },
}


def kept_inputs(name: str) -> Iterator[Path]:
    """Inputs that once showed a fault in this target."""
    yield from sorted((GOLDEN / "fuzz").glob(f"{name.replace(' ', '-')}.*"))
