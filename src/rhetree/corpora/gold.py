"""Gold sentences and tokens from a folder of Penn Treebank or CoNLL-U files, looked up by document name."""

from dataclasses import dataclass
from pathlib import Path

from rhetree.corpora import ptb
from rhetree.corpora.sentences import Aligned, with_sentences_of, with_tokens_of
from rhetree.domain.document import Document
from rhetree.errors import RhetreeError
from rhetree.formats import FORMATS
from rhetree.formats.files import check_exists, open_source
from rhetree.formats.format import Reader, blame

_READERS: dict[str, Reader] = {ptb.SUFFIX: ptb.read, ".conllu": FORMATS["conllu"].read}


@dataclass(frozen=True, slots=True)
class Gold:
    """A document with gold tokens and sentences, and its file."""

    document: Document
    path: Path


class GoldFiles:
    """The documents of a folder; a file is read when one of its documents is asked for."""

    def __init__(self, folder: Path, *, lenient: bool = False) -> None:
        check_exists(folder)
        self.folder = folder
        self._lenient = lenient
        self._paths: dict[str, Path] = {}
        self._shared: dict[str, Gold] | None = None
        for path in sorted(folder.rglob("*")):
            if path.suffix not in _READERS or not path.is_file():
                continue
            if path.stem in self._paths:
                raise RhetreeError(f"{path}: {self._paths[path.stem]} has the same name; which one counts?")
            self._paths[path.stem] = path
        if not self._paths:
            raise RhetreeError(
                f"{folder}: no sentences in it; expected files that end in {', '.join(_READERS)}"
            )

    def find(self, name: str) -> Gold | None:
        """Find a document by name: in the file of that name, or among others in a CoNLL-U file."""
        path = self._paths.get(name)
        if path is not None:
            documents = self._read(path)
            if len(documents) == 1:
                return documents[0]
        if self._shared is None:
            shared = [path for path in self._paths.values() if path.suffix != ptb.SUFFIX]
            self._shared = {gold.document.name: gold for path in shared for gold in self._read(path)}
        return self._shared.get(name)

    def complete(self, document: Document, path: Path, other_name: str | None = None) -> Aligned:
        """Return the document with the tokens and sentences that the folder has for it.

        :param path: the document's own file, for messages
        :param other_name: another name under which the folder may have it
        """
        gold = self.find(document.name)
        if gold is None and other_name is not None:
            gold = self.find(other_name)
        if gold is None:
            raise RhetreeError(f"{self.folder}: no sentences of {document.name}, whose tree is {path}")
        with blame(path):
            if _forms(document) == _forms(gold.document):
                return with_tokens_of(document, gold.document, path, gold.path)
            return with_sentences_of(document, gold.document, gold.path)

    def _read(self, path: Path) -> list[Gold]:
        with open_source(path) as source:
            read = _READERS[path.suffix]
            return [Gold(document, path) for document in read(source, path, lenient=self._lenient)]


def _forms(document: Document) -> list[str]:
    return [token.form for token in document.tokens]
