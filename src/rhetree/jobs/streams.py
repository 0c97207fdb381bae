"""The lines of a source as UTF-8 text, however the source is compressed and encoded.

gzip, Zstandard and UTF-16 are recognised by their first bytes, with which no UTF-8 text begins, so
pipes are read like files. Lines are read one by one and may not be too long: a small file that
unpacks to terabytes gives an error instead of filling the memory.
"""

import codecs
import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, cast

from rhetree.errors import FileError, MissingExtraError

MOST_BYTES = 1 << 28
"""Most bytes in a line, and in a document that is a whole file: 256 MiB."""

COMPRESSED = (".gz", ".zst")
"""The endings of compressed files, which follow the ending that tells what is inside."""

_GZIP = b"\x1f\x8b"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_PACKED = {b"PK\x03\x04": "ZIP", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PAR1": "Parquet"}
"""The first bytes of files that people may take for text."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Stream:
    """The lines of one source."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        """Read from an open file.

        :param path: for messages
        """
        buffered = file if hasattr(file, "peek") else BufferedReader(cast(RawIOBase, file))
        self.file = cast(BufferedReader, buffered)
        """The file as it is."""
        self.lines: Iterator[bytes] = _checked(self.file, path)
        """Lines of UTF-8 text with their line ends."""
        self.n_skimmed: int | None = None
        """How far a reader is that does not read from start to end, in bytes."""

    def __iter__(self) -> Iterator[bytes]:
        return self.lines

    @property
    def n_read(self) -> int:
        """Number of bytes of the file that have been read; 0 if that is not known, as in a pipe."""
        if self.n_skimmed is not None:
            return self.n_skimmed
        return self.file.tell() if self.file.seekable() else 0


def whole(lines: Iterable[bytes], path: Path) -> bytes:
    """All lines of a file that is one document."""
    kept: list[bytes] = []
    n_bytes = 0
    for line in lines:
        n_bytes += len(line)
        if n_bytes > MOST_BYTES:
            raise FileError(f"more than {_size()}, the most that a document may have; split it up", path)
        kept.append(line)
    return b"".join(kept)


def decode(data: bytes, path: Path, first_line: int = 1) -> str:
    """The text without its byte-order mark: UTF-8, unless it is XML that declares another encoding.

    :param first_line: the number of the first line, for messages
    """
    from rhetree.formats.files import declared_encoding

    encoding = declared_encoding(data[:200]).removesuffix("-sig")
    if encoding.lower().startswith("utf-16"):
        encoding = "utf-8"  # what it is by now; in UTF-16, the declaration could not be read byte by byte
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        packed = next((name for magic, name in _PACKED.items() if data.startswith(magic)), None)
        if packed is not None:
            raise FileError(f"{packed} data, not text; unpack it first", path) from error
        line = first_line + data.count(b"\n", 0, error.start)
        what = f"not {encoding.upper()} text; convert it first, for instance with iconv"
        raise FileError(what, path, line) from error
    except LookupError as error:
        raise FileError(f"its encoding is not known: {error}", path) from error


def without_compression(path: Path) -> Path:
    """The path without the ending of a compressed file: ``a.jsonl`` for ``a.jsonl.gz``."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def _checked(file: BufferedReader, path: Path) -> Iterator[bytes]:
    """The lines of a file; :class:`FileError` for data that is damaged."""
    try:
        yield from _lines(file, path)
    except EOFError as error:
        raise FileError("the compressed data ends too early; was it copied completely?", path) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FileError(f"damaged gzip data: {error}; make the file anew", path) from error


def _lines(file: BufferedReader, path: Path, *, was_packed: bool = False) -> Iterator[bytes]:
    first = file.peek(4)
    if was_packed and first.startswith((_GZIP, _ZSTANDARD)):
        raise FileError("it is compressed twice; unpack it once", path)
    if first.startswith(_GZIP):
        inner = cast(BufferedReader, gzip.GzipFile(fileobj=file, mode="rb"))
        yield from _lines(inner, path, was_packed=True)
        return
    if first.startswith(_ZSTANDARD):
        yield from _zstandard_lines(file, path)
        return
    if first.startswith(_UTF_16):
        yield from _utf_16_lines(file, path)
        return
    for number, line in enumerate(iter(partial(file.readline, MOST_BYTES + 1), b""), start=1):
        _check_length(len(line), path, number)
        yield line


def compressed(file: BinaryIO, path: Path) -> BinaryIO:
    """A file that compresses what is written to it, as the ending of its name says; the same text gives the same bytes."""
    if path.suffix.lower() == ".gz":
        return cast(BinaryIO, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0))
    if path.suffix.lower() == ".zst":
        return cast(BinaryIO, _zstandard(f"{path}: writing Zstandard data").ZstdFile(file, "wb"))
    return file


def check_compression(path: Path) -> None:
    """Raise :class:`MissingExtraError` if what the ending asks for cannot be written here."""
    if path.suffix.lower() == ".zst":
        _zstandard(f"{path}: writing Zstandard data")


def _zstandard(purpose: str) -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ModuleNotFoundError as error:
        raise MissingExtraError(purpose, "zstd") from error
    return zstd


def _zstandard_lines(file: BufferedReader, path: Path) -> Iterator[bytes]:
    zstd = _zstandard(f"{path}: reading Zstandard data")
    try:
        yield from _lines(cast(BufferedReader, zstd.ZstdFile(file)), path, was_packed=True)
    except zstd.ZstdError as error:
        raise FileError(f"damaged Zstandard data: {error}; make the file anew", path) from error


def _utf_16_lines(file: BufferedReader, path: Path) -> Iterator[bytes]:
    # Half a surrogate pair is found when its line is encoded, so that the error can name the line.
    text = TextIOWrapper(file, encoding="utf-16", errors="surrogatepass", newline="\n")
    number = 1
    try:
        while line := text.readline(MOST_BYTES + 1):
            data = line.encode("utf-8")
            _check_length(len(data), path, number)
            yield data
            number += 1
    except UnicodeError as error:
        raise FileError(
            "not UTF-16 text, although it begins as such; make the file anew", path, number
        ) from error
    finally:
        text.detach()  # whoever opened the file closes it


def _check_length(n_bytes: int, path: Path, number: int) -> None:
    if n_bytes > MOST_BYTES:
        raise FileError(f"a line of more than {_size()}, the most that a document may have", path, number)


def _size() -> str:
    return f"{MOST_BYTES >> 20} MiB" if MOST_BYTES >> 20 else f"{MOST_BYTES} bytes"
