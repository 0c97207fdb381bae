"""A treebank: its documents by split.

:func:`read_corpus` knows GUM's layout, RST-DT's, and plain folders of files. What it had to
assume (sentences by rule, words on which two files differ) is in ``notes``.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rhetree.corpora.gold import GoldFiles
from rhetree.corpora.layouts import Layout, find_layout
from rhetree.corpora.reading import AS_THEY_ARE as AS_THEY_ARE  # for those who call read_corpus
from rhetree.corpora.reading import Reading
from rhetree.corpora.reading import no_such_document as no_such_document
from rhetree.corpora.splits import ALL, DEV, DOUBLE, SPLITS, TRAIN, UNLISTED, list_of, suggestion
from rhetree.domain.document import Document
from rhetree.domain.relations import INVENTORIES, Inventory, read_inventory
from rhetree.errors import ArgumentError, RhetreeError

_ORDER = (*SPLITS, DOUBLE, UNLISTED, ALL)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Corpus:
    """The documents of a treebank by split, and what was assumed in reading them."""

    path: Path
    layout: str
    """``gum``, ``rst-dt`` or ``files``."""
    splits: Mapping[str, tuple[Document, ...]] = field(hash=False)
    inventory: Inventory | None = None
    """The inventory whose classes the trees have; None if relations are as the files have them."""
    notes: tuple[str, ...] = ()
    """What was assumed or left out in reading, one sentence each."""
    n_left_out: int = 0
    """Number of files that lenient reading left out, in whole or from an error on."""
    n_masked: int = 0
    """Number of documents left out because underscores stand in place of their words."""

    def __repr__(self) -> str:
        splits = ", ".join(f"{len(documents)} {split}" for split, documents in self.splits.items())
        return f"<Corpus {str(self.path)!r}: documents: {splits}>"

    @property
    def relations(self) -> str | None:
        """The name of the inventory, or None."""
        return None if self.inventory is None else self.inventory.name

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents of all splits, each text once: RST-DT's second annotations only if there are no others."""
        texts = {split: docs for split, docs in self.splits.items() if split != DOUBLE} or self.splits
        return tuple(document for documents in texts.values() for document in documents)

    def split(self, name: str) -> tuple[Document, ...]:
        """The documents of one split."""
        if name not in self.splits:
            raise no_such_split(self.path, name, list(self.splits))
        return self.splits[name]

    def map(self, change: Callable[[Document], Document]) -> "Corpus":
        """Return the corpus with every document changed."""
        splits = {split: tuple(map(change, documents)) for split, documents in self.splits.items()}
        return replace(self, splits=splits)

    def split_by_sentence(self) -> "Corpus":
        """Return the corpus with one tree a sentence, for sentences that a node spans, in place of documents' trees."""
        return self.map(Document.split_by_sentence)

    def hold_out(self, share: float, seed: int) -> "Corpus":
        """Return the corpus with a random share of its training documents as ``dev``.

        Documents are drawn by a hash of their name and the seed: the same ones on every machine,
        and nearly the same ones when documents are added.
        """
        if not 0 < share < 1:
            raise ValueError(f"a share lies between 0 and 1, got {share}")
        if DEV in self.splits:
            raise _has_dev(self.path)
        source = TRAIN if TRAIN in self.splits else ALL
        documents = self.split(source)
        n_held = max(1, round(share * len(documents)))
        if n_held >= len(documents):
            raise RhetreeError(
                f"{self.path}: {len(documents)} documents are too few to hold out {share:.0%} of them"
            )
        drawn = sorted(documents, key=lambda document: _draw(document.name, seed))
        held = {document.name for document in drawn[:n_held]}
        splits = {TRAIN: tuple(document for document in documents if document.name not in held)}
        splits[DEV] = tuple(document for document in documents if document.name in held)
        splits |= {split: self.splits[split] for split in self.splits if split != source}
        note = f"{DEV} is a random {share:.0%} of the documents of {source}, from seed {seed}: {n_held}"
        return replace(self, splits=splits, notes=(*self.notes, note))


def read_corpus(
    folder: Path | str,
    *,
    split: str | Collection[str] | None = None,
    document: str | None = None,
    trees: str | None = None,
    sentences: Path | str | None = None,
    by_rule: bool = True,
    relations: Inventory | Path | str | None = None,
    dev_share: float | None = None,
    seed: int = 1,
    lenient: bool = False,
) -> Corpus:
    """Read a treebank from its folder, or from a single file.

    :param split: read only this split, or these; documents of others are not opened
    :param document: read only the document of this name
    :param trees: which folder inside to take the trees from, such as ``rst/rstweb``
    :param sentences: a folder of Penn Treebank or CoNLL-U files with gold sentences and tokens
    :param by_rule: find sentences by a rule if they are not known, rather than leave them unknown
    :param relations: whose classes the trees get: an inventory, its name (``gum``, ``rst-dt``) or
        its file; ``none`` leaves relations as they are; by default the layout decides
    :param dev_share: hold out this share of the training documents as dev, see :meth:`Corpus.hold_out`
    :param seed: which documents are held out
    :param lenient: leave out bad documents and gold sentences that do not fit, and go on;
        readers forgive what they can
    """
    path = Path(folder)
    layout = find_layout(path, trees)
    reading = Reading(
        layout=layout,
        gold=None if sentences is None else GoldFiles(Path(sentences), lenient=lenient),
        by_rule=by_rule,
        inventory=_inventory(relations, layout),
        lenient=lenient,
    )
    asked = None if split is None else (split,) if isinstance(split, str) else tuple(split)
    to_read = asked
    if asked is not None and dev_share is not None:
        to_read = (*(name for name in asked if name != DEV), TRAIN, ALL)
    documents: dict[str, list[Document]] = {}
    for name, found in reading.documents(to_read, document):
        documents.setdefault(name, []).append(found)
    if document is not None and not documents:
        reading.check_name(document, path)
    if not documents and (to_read is None or not reading.splits.keys().isdisjoint(to_read)):
        notes = "; ".join(reading.all_notes()[:3])
        raise RhetreeError(f"{path}: none of its documents can be read; {notes}")
    order = [name for name in _ORDER if name in documents]
    corpus = Corpus(
        path=path,
        layout=layout.name,
        splits={name: tuple(sorted(documents[name], key=lambda document: document.name)) for name in order},
        inventory=reading.inventory,
        notes=reading.all_notes(),
        n_left_out=reading.n_left_out,
        n_masked=reading.n_masked,
    )
    if dev_share is not None:
        if DEV in reading.splits:  # though nothing of it may have been read
            raise _has_dev(path)
        corpus = corpus.hold_out(dev_share, seed)
    if asked is None:
        return corpus
    for name in asked:
        if name not in corpus.splits:
            known = {*corpus.splits, *reading.splits}
            raise no_such_split(path, name, [split for split in _ORDER if split in known])
    return replace(corpus, splits={name: corpus.splits[name] for name in corpus.splits if name in asked})


def no_such_split(path: Path, name: str, known: list[str]) -> RhetreeError:
    """The error for a split that a corpus does not have."""
    if name in SPLITS and (listed := list_of(path, name)) is not None:
        return RhetreeError(f"{listed} lists no document, so split {name!r} is empty")
    if name in SPLITS and (path / name).is_dir():
        return RhetreeError(f"{path / name}: nothing in it is read beside the trees of {', '.join(known)}")
    if known == [ALL] and name in (TRAIN, DEV):
        what = f"it is not split, so there is no {name!r}; hold out a share of its documents as dev"
        return ArgumentError(what, path, "dev_share")
    if name == DEV and TRAIN in known:
        what = (
            f"no split {name!r}, only {', '.join(known)}; hold out a share of the training documents as dev"
        )
        return ArgumentError(what, path, "dev_share")
    return RhetreeError(f"{path}: no split {name!r}, only {', '.join(known)}{suggestion(name, known)}")


def _has_dev(path: Path) -> RhetreeError:
    return RhetreeError(
        f"{path}: it has a split {DEV}, so no share is held out as {DEV}; leave out the share, or set it to 0"
    )


def _inventory(relations: Inventory | Path | str | None, layout: Layout) -> Inventory | None:
    if isinstance(relations, Inventory):
        return relations
    name = layout.relations if relations is None else str(relations)
    if name is None or name == AS_THEY_ARE:
        return None
    if name in INVENTORIES:
        return INVENTORIES[name]
    if not Path(name).is_file():
        known = [*INVENTORIES, AS_THEY_ARE]
        raise RhetreeError(
            f"no relations {name!r}: neither a file nor one of {', '.join(known)}{suggestion(name, known)}"
        )
    return read_inventory(Path(name))


def _draw(name: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {name}".encode()).digest()
