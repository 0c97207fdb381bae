"""All errors that Rhetree raises about its users' data; one ``except`` catches them all.

::

    RhetreeError
    ├── FileError           the content of a file is not what it should be
    │   ├── TreebankError   a treebank file breaks the rules of its format
    │   └── EmbeddingError  a file of word vectors or of an encoder cannot be used
    ├── ArgumentError       a file or document can only be used with a further argument
    │   └── ConstraintError constraints contradict each other, the document or the model
    ├── UnwritableError     a document cannot be written in a format
    ├── MismatchError       two things that belong together do not fit each other
    ├── SettingError        a setting is unknown, or its value is wrong
    ├── ModelError          a folder is not a model, or not one that can be used here
    ├── TrainingError       training cannot start or cannot continue
    └── MissingExtraError   an optional part of Rhetree is not installed

Programmers' mistakes are ``ValueError`` and ``TypeError``, as everywhere in Python.
All arguments are positional: an exception that goes to another process is rebuilt from its ``args``.
"""

import re
from pathlib import Path


def counted(number: int, noun: str) -> str:
    """A number and its noun, as messages have them: ``1 document``, ``2 documents``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _shown(path: Path) -> str:
    """A path as the user wrote it: that of a URL has lost one of its slashes."""
    return re.sub(r"^([a-z][a-z0-9+.-]+):/(?!/)", r"\1://", str(path))


class RhetreeError(Exception):
    """Base class of all errors about the user's data, files or installation."""


class FileError(RhetreeError):
    """The content of a file is not what it should be; the message names the file and the line."""

    def __init__(self, what: str, path: Path | str, line: int | None = None) -> None:
        super().__init__(what, path, line)
        self.what = what
        self.path = Path(path)
        self.line = line

    def __str__(self) -> str:
        where = _shown(self.path) if self.line is None else f"{_shown(self.path)}:{self.line}"
        # The message may quote the file, and that may be all of it.
        return f"{where}: {self.what if len(self.what) <= 500 else self.what[:500] + '…'}"


class TreebankError(FileError):
    """A treebank file breaks the rules of its format."""


class EmbeddingError(FileError):
    """A file of word vectors or of a pretrained encoder cannot be used."""


class ArgumentError(RhetreeError):
    """A file or document can only be used with a further argument.

    ``what`` ends with the value to give, and ``argument`` is the parameter that takes it; the
    command line adds the name of its own option.
    """

    def __init__(self, what: str, path: Path | str, argument: str) -> None:
        super().__init__(what, path, argument)
        self.what = what
        self.path = Path(path)
        self.argument = argument

    def __str__(self) -> str:
        return f"{_shown(self.path)}: {self.what}"


class ConstraintError(ArgumentError):
    """Constraints on a parse contradict each other, or do not fit the document or the model.

    The message names both sides of a contradiction. Positions in it are characters of the text.
    """

    def __init__(self, what: str, document: str) -> None:
        super().__init__(what, document or "the text", "constraints")
        self.args = what, document  # what rebuilds it


class UnwritableError(RhetreeError):
    """A document lacks something that a format needs, or has something that it cannot hold."""

    def __init__(self, what: str, document: str, format: str) -> None:
        super().__init__(what, document, format)
        self.what = what
        self.document = document
        self.format = format

    def __str__(self) -> str:
        return f"{self.document or 'document'} cannot be written as {self.format}: {self.what}"


class MismatchError(RhetreeError):
    """Two things that belong together do not fit each other: their tokens differ, or their documents."""


class SettingError(RhetreeError):
    """A setting is unknown, has the wrong type, or contradicts another one."""


class ModelError(RhetreeError):
    """A folder is not a model, has another format version, or cannot do what is asked."""


class TrainingError(RhetreeError):
    """Training cannot start with this data, or cannot continue."""


class MissingExtraError(RhetreeError):
    """An optional part of Rhetree is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(purpose, extra)
        self.purpose = purpose
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.purpose} needs more packages; install them with: pip install 'rhetree[{self.extra}]'"
