"""Sinks that a later run can go on with: a ``.jsonl`` file that grows, and a folder that fills.

Each has a run file, which says how its documents were made, and, when it is resumed, a ledger of
those that are there.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from rhetree.errors import ArgumentError, RhetreeError
from rhetree.jobs.encoding import Encoding, encode_bytes
from rhetree.jobs.ledger import EarlierFiles, EarlierLines, Ledger, NewRun
from rhetree.jobs.places import FreePaths
from rhetree.jobs.records import Record
from rhetree.jobs.run_file import RunFile, Settings, read_run, run_file_of, write_whole, writing

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.jobs.sinks import IfExists


class LinesSink:
    """A ``.jsonl`` file to which each document is added as soon as it is done."""

    resumable = True

    def __init__(
        self, path: Path, encoding: Encoding, file: BinaryIO, run_file: RunFile, ledger: Ledger
    ) -> None:
        self._path = path
        self._encoding = encoding
        self._file = file
        self._run_file = run_file
        self._ledger = ledger

    def has(self, record: Record) -> bool | RhetreeError:
        return self._ledger.has(record)

    def write(self, document: "Document", record: Record) -> None:
        line = encode_bytes(document, self._encoding, record.extra)
        self._run_file.add(record.document.name, record)
        write_whole(self._file, line, self._path)

    def leave_out(self, record: Record, problem: str) -> None:
        self._run_file.add(record.document.name, record, problem)


class FolderSink:
    """A folder that gets a file for each document, each written whole or not at all."""

    resumable = True

    def __init__(
        self,
        folder: Path,
        encoding: Encoding,
        run_file: RunFile,
        earlier: EarlierFiles | None,
        *,
        replaces: bool,
        by_sentence: bool,
    ) -> None:
        """Say where documents go.

        :param earlier: the run to go on with, if there is one
        :param replaces: whether files that are there may be replaced
        :param by_sentence: whether trees are of sentences; a format with one tree a file then has a file for each
        """
        from rhetree.jobs.sentence_files import ONE_TREE

        self._folder = folder
        self._encoding = encoding
        self._has_parts = by_sentence and encoding.name in ONE_TREE
        """Whether a document gets a folder with a file for each sentence."""
        self._run_file = run_file
        self._earlier = earlier
        self._replaces = replaces
        self._free = FreePaths()
        self._stems: dict[Record, Path] = {}
        """Where the records go that are not written yet."""

    def has(self, record: Record) -> bool:
        stem = self._free.free(self._folder / record.stem)
        if self._earlier is not None and self._earlier.has(record, self._name(stem), self._last_file(stem)):
            return True
        if not self._replaces:
            self._refuse_files_of(stem)
        self._stems[record] = stem
        return False

    def write(self, document: "Document", record: Record) -> None:
        from rhetree.formats.files import whole_file
        from rhetree.jobs.sentence_files import encode_sentences, write_sentences

        stem = self._stems.pop(record)
        name = self._encoding.name
        texts = encode_sentences(document, name) if self._has_parts else []
        data = b"" if self._has_parts else encode_bytes(document, self._encoding, record.extra)
        path = self._last_file(stem)
        with writing(path):  # the run file must not vouch for what another run left there
            path.unlink(missing_ok=True)
        self._run_file.add(self._name(stem), record)
        if self._has_parts:
            write_sentences(texts, stem, name)
            return
        with whole_file(path) as file:
            file.buffer.write(data)

    def leave_out(self, record: Record, problem: str) -> None:  # noqa: ARG002
        """Nothing says that the record is done, so that a later run tries it again."""
        self._stems.pop(record, None)

    def _name(self, stem: Path) -> str:
        """What a document is called in the run file."""
        return stem.relative_to(self._folder).as_posix()

    def _last_file(self, stem: Path) -> Path:
        """The file that is written last: if it is there, the whole document is."""
        from rhetree.jobs.sentence_files import sentence_file

        if self._has_parts:
            return sentence_file(stem, 1, self._encoding.name)
        return stem.with_name(stem.name + self._encoding.suffix)

    def _refuse_files_of(self, stem: Path) -> None:
        from rhetree.jobs.sentence_files import sentence_files

        files = sentence_files(stem, self._encoding.name) if self._has_parts else [self._last_file(stem)]
        if any(file.exists() for file in files):
            what = (
                "exists already; resume the run that wrote it, name another folder, or replace what is there"
            )
            raise ArgumentError(what, files[0], "overwrite")


@contextmanager
def open_lines(path: Path, encoding: Encoding, settings: Settings) -> Iterator[LinesSink]:
    """A ``.jsonl`` file that is written anew."""
    with closing(RunFile(run_file_of(path), is_new=True)) as run_file:
        run_file.start(settings)
        with writing(path):
            file = path.open("wb", buffering=0)
        with file:
            yield LinesSink(path, encoding, file, run_file, NewRun())


@contextmanager
def resume_lines(path: Path, encoding: Encoding, settings: Settings) -> Iterator[LinesSink]:
    """A ``.jsonl`` file that an earlier run began."""
    run = read_run(run_file_of(path))
    if run is None:
        what = (
            f"cannot be resumed, since there is no {run_file_of(path).name} beside it, which says what it was made "
            "of and how; move that file back beside it, name another output, or replace it"
        )
        raise ArgumentError(what, path, "overwrite")
    run.check_same(settings, path)
    with closing(RunFile(run.path, is_new=False)) as run_file:
        with writing(path):
            file = path.open("ab", buffering=0)
        with file:
            ledger = EarlierLines(path, run, run_file)
            yield LinesSink(path, encoding, file, run_file, ledger)
            ledger.finish()


@contextmanager
def open_folder(
    folder: Path, encoding: Encoding, if_exists: "IfExists", settings: Settings
) -> Iterator[FolderSink]:
    """A folder for a file of each document."""
    from rhetree.formats.files import check_folder

    check_folder(folder)
    path = run_file_of(folder, encoding.name)
    run = None if if_exists == "replace" else read_run(path)
    if run is not None and if_exists == "resume":
        run.check_same(settings, folder)
    if run is not None and if_exists == "refuse" and (run.replaces or run.settings != settings):
        run = None  # other documents are added to a folder of another run
    with closing(RunFile(path, is_new=run is None)) as run_file:
        if run is None:
            run = run_file.start(settings, replaces=if_exists == "replace")
        earlier = EarlierFiles(run, run_file)
        yield FolderSink(
            folder,
            encoding,
            run_file,
            earlier if if_exists == "resume" else None,
            replaces=if_exists != "refuse",
            by_sentence=settings.get("level", "sentence") == "sentence",
        )
