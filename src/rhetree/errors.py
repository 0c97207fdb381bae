"""Every error that Rhetree raises for its users' data, so that one ``except`` catches them all.

::

    RhetreeError
    ├── FileError           a file does not hold what it should
    │   ├── TreebankError   a treebank file does not say what its format promises
    │   └── EmbeddingError  a file of vectors or of an encoder cannot be used
    ├── ArgumentError       a file or document can be used only if the caller says more
    ├── UnwritableError     a document lacks what a format must have, or has what it must not
    ├── MismatchError       two things that belong together do not fit
    ├── SettingError        a setting is unknown, or its value cannot be
    ├── ModelError          a folder is no model, or not one that fits
    ├── TrainingError       training cannot start, or cannot go on
    └── MissingExtraError   a part of Rhetree that was not installed

Programmers' mistakes are ``ValueError`` and ``TypeError``, as everywhere in Python.
All arguments are positional: an exception is rebuilt from ``args`` when it crosses a process.
"""

from pathlib import Path


class RhetreeError(Exception):
    """The base of all errors that are about the user's data, files or installation."""


class FileError(RhetreeError):
    """A file does not hold what it should; says which, and where in it."""

    def __init__(self, what: str, path: Path | str, line: int | None = None) -> None:
        super().__init__(what, path, line)
        self.what = what
        self.path = Path(path)
        self.line = line

    def __str__(self) -> str:
        where = f"{self.path}" if self.line is None else f"{self.path}:{self.line}"
        # What was found in a file may be all of it.
        return f"{where}: {self.what if len(self.what) <= 500 else self.what[:500] + '…'}"


class TreebankError(FileError):
    """A treebank file does not say what its format promises."""


class EmbeddingError(FileError):
    """A file of word vectors or of a pretrained encoder does not hold what it should."""


class ArgumentError(RhetreeError):
    """A file or document can be used only if the caller says more.

    ``what`` ends with what to say, and ``argument`` is the parameter that says it: the command
    line adds the name of its option.
    """

    def __init__(self, what: str, path: Path | str, argument: str) -> None:
        super().__init__(what, path, argument)
        self.what = what
        self.path = Path(path)
        self.argument = argument

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


class UnwritableError(RhetreeError):
    """A document lacks what a format must have, or has what the format must not."""

    def __init__(self, what: str, document: str, format: str) -> None:
        super().__init__(what, document, format)
        self.what = what
        self.document = document
        self.format = format

    def __str__(self) -> str:
        return f"{self.document or 'document'} cannot be written as {self.format}: {self.what}"


class MismatchError(RhetreeError):
    """Two things that belong together do not fit: other tokens, another number of documents."""


class SettingError(RhetreeError):
    """A setting is unknown, of the wrong kind, or does not go with another."""


class ModelError(RhetreeError):
    """A folder is not a model, is of another format version, or does not fit its use."""


class TrainingError(RhetreeError):
    """Training cannot start with this data, or cannot go on."""


class MissingExtraError(RhetreeError):
    """A part of Rhetree that is installed by name was not."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(purpose, extra)
        self.purpose = purpose
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.purpose} needs more packages; install them with: pip install 'rhetree[{self.extra}]'"
