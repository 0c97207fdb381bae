"""A treebank with all its documents: read from its folder, split for training, in one value.

:func:`read_corpus` knows GUM's layout, RST-DT's, and plain folders of files. Whatever it had to
assume on the way (sentences by rule, words that two files do not share) it says in ``notes``.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.domain.relations import INVENTORIES, Inventory, read_inventory
from rhetree.errors import RhetreeError, TreebankError
from rhetree.treebanks import read, read_one
from rhetree.treebanks.files import open_source
from rhetree.treebanks.format import Layer, blame, stem
from rhetree.treebanks.gold import GoldFiles
from rhetree.treebanks.layouts import (
    ALL,
    DOUBLE,
    PENN_NAMES,
    SPLITS,
    UNLISTED,
    Layout,
    Source,
    find_layout,
    suggestion,
)
from rhetree.treebanks.sentences import (
    RULE,
    Aligned,
    onto_text,
    with_sentences_by_rule,
    with_tokens_of,
)

AS_THEY_ARE = "none"
"""In place of an inventory: relations keep the names that the files have."""
TRAIN, DEV = "train", "dev"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Corpus:
    """Documents by split, where they came from, and what was assumed in reading them."""

    path: Path
    layout: str
    """``gum``, ``rst-dt`` or ``files``."""
    splits: Mapping[str, tuple[Document, ...]] = field(hash=False)
    inventory: Inventory | None = None
    """Whose classes the trees have; None where relations are as the files have them."""
    notes: tuple[str, ...] = ()
    n_left_out: int = 0
    """How many files were left out, wholly or from a mistake on, where the reader was told to go on."""

    def __repr__(self) -> str:
        splits = ", ".join(f"{len(documents)} {split}" for split, documents in self.splits.items())
        return f"<Corpus {str(self.path)!r}: documents: {splits}>"

    @property
    def relations(self) -> str | None:
        """The name of the inventory."""
        return None if self.inventory is None else self.inventory.name

    @property
    def documents(self) -> tuple[Document, ...]:
        """Those of all splits, each text once: RST-DT's second annotations only where nothing else is."""
        texts = {split: docs for split, docs in self.splits.items() if split != DOUBLE} or self.splits
        return tuple(document for documents in texts.values() for document in documents)

    def split(self, name: str) -> tuple[Document, ...]:
        """The documents of one split."""
        if name not in self.splits:
            raise no_such_split(self.path, name, list(self.splits))
        return self.splits[name]

    def map(self, change: Callable[[Document], Document]) -> "Corpus":
        """The same corpus with every document changed."""
        splits = {split: tuple(map(change, documents)) for split, documents in self.splits.items()}
        return replace(self, splits=splits)

    def split_by_sentence(self) -> "Corpus":
        """The same corpus with a tree for each sentence that one node spans, in place of documents' trees."""
        return self.map(Document.split_by_sentence)

    def hold_out(self, share: float, seed: int) -> "Corpus":
        """The same corpus with a random share of its training documents as ``dev``.

        Documents are drawn by a hash of their names and the seed: everywhere the same, and the
        same for a document whatever others there are.
        """
        if not 0 < share < 1:
            raise ValueError(f"a share lies between 0 and 1, got {share}")
        if DEV in self.splits:
            raise RhetreeError(
                f"{self.path}: there is a split {DEV} already; a share cannot be held out as {DEV}"
            )
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
    split: str | None = None,
    document: str | None = None,
    trees: str | None = None,
    sentences: Path | str | None = None,
    by_rule: bool = True,
    relations: Inventory | Path | str | None = None,
    dev_share: float | None = None,
    seed: int = 0,
    lenient: bool = False,
) -> Corpus:
    """Read a treebank from its folder, or from a single file.

    :param split: read only this one
    :param document: read only the document of this name, and no file that has another's
    :param trees: which folder inside to take the trees from, where there are several
    :param sentences: a folder of Penn Treebank or CoNLL-U files with gold sentences and tokens
    :param by_rule: find sentences by a rule where they are not known, rather than leave them unknown
    :param relations: whose classes the trees get: an inventory, its name (``gum``, ``rst-dt``) or
        its file; ``none`` leaves relations as they are; by default the layout decides
    :param dev_share: hold out this share of the training documents, see :meth:`Corpus.hold_out`
    :param lenient: go on after a bad document without it, and without sentences that do not fit;
        readers forgive what they can
    """
    path = Path(folder)
    layout = find_layout(path, trees)
    reading = _Reading(
        layout=layout,
        gold=None if sentences is None else GoldFiles(Path(sentences), lenient=lenient),
        by_rule=by_rule,
        inventory=_inventory(relations, layout),
        lenient=lenient,
    )
    wanted = None if dev_share is not None else split
    documents: dict[str, list[Document]] = {}
    for name, found in reading.documents(wanted, document):
        documents.setdefault(name, []).append(found)
    if document is not None and not documents:
        reading.check_name(document, path)
    if not documents and wanted in {None, *reading.splits}:
        raise RhetreeError(f"{path}: none of its documents can be read; {'; '.join(reading.notes[:3])}")
    order = [name for name in (*SPLITS, DOUBLE, UNLISTED, ALL) if name in documents]
    corpus = Corpus(
        path=path,
        layout=layout.name,
        splits={name: tuple(sorted(documents[name], key=lambda document: document.name)) for name in order},
        inventory=reading.inventory,
        notes=reading.all_notes(),
        n_left_out=reading.n_left_out,
    )
    if dev_share is not None:
        corpus = corpus.hold_out(dev_share, seed)
    if split is None:
        return corpus
    if split not in corpus.splits:
        raise no_such_split(path, split, [*dict.fromkeys([*corpus.splits, *reading.splits])])
    return replace(corpus, splits={split: corpus.splits[split]})


def no_such_document(path: Path, name: str, known: list[str]) -> RhetreeError:
    """The error for a document that a file or folder does not have."""
    few = ", ".join(repr(other) for other in known[:5])
    more = f" and {len(known) - 5} more" if len(known) > 5 else ""
    return RhetreeError(f"{path} has no document called {name!r}, but {few}{more}{suggestion(name, known)}")


def no_such_split(path: Path, name: str, known: list[str]) -> RhetreeError:
    """The error for a split that a corpus does not have."""
    if name in SPLITS and (path / f"{name}.txt").is_file():
        return RhetreeError(f"{path / name}.txt lists no document, so split {name!r} is empty")
    if name in SPLITS and (path / name).is_dir():
        return RhetreeError(f"{path / name}: nothing in it is read beside the trees of {', '.join(known)}")
    return RhetreeError(f"{path}: no split {name!r}, only {', '.join(known)}{suggestion(name, known)}")


class _Reading:
    """Reads the documents of a layout one by one and remembers what to say about them."""

    def __init__(
        self,
        *,
        layout: Layout,
        gold: GoldFiles | None,
        by_rule: bool,
        inventory: Inventory | None,
        lenient: bool,
    ) -> None:
        self.layout = layout
        self.gold = gold
        self.by_rule = by_rule
        self.inventory = inventory
        self.lenient = lenient
        self.notes = list(layout.notes)
        self.n_by_rule = 0
        self.n_left_out = 0
        self.splits: dict[str, None] = {}
        """All splits there are, read or not, in the order they came."""
        self.others: list[str] = []
        """Documents that were passed over, since only another is wanted."""
        self.seen: dict[tuple[str, bool], Path] = {}
        """Where each document is, by name and whether it is a second annotation."""
        is_split = bool(layout.lists) or any(source.split for source in layout.sources)
        self.rest = UNLISTED if is_split else ALL

    def documents(self, wanted: str | None, only: str | None) -> Iterator[tuple[str, Document]]:
        """The documents of one split or of all, or the only one of this name, each with its split."""
        for source in self.sources(only):
            if source.name is None and any(name == only for name, _ in self.seen):
                break
            try:
                if source.name is not None and not self.admits(source, source.name, wanted):
                    continue
                for document in self.read(source):
                    if only not in (None, document.name):
                        self.others.append(document.name)
                    elif source.name is not None or self.admits(source, document.name, wanted):
                        yield self.split_of(source, document.name), self.complete(document, source)
            except RhetreeError as error:
                self.forgive(error, "left out: ")
                self.n_left_out += 1
        if only is None:
            self.check_lists()

    def sources(self, only: str | None) -> Sequence[Source]:
        """All, or those called like a document, or else those that may hold it among others, likely ones first."""
        if only is None:
            return self.layout.sources
        called = [source for source in self.layout.sources if source.name == only]
        several = [source for source in self.layout.sources if source.name is None]
        return called or sorted(several, key=lambda source: stem(source.path, source.format.suffixes) != only)

    def all_notes(self) -> tuple[str, ...]:
        if not self.n_by_rule:
            return tuple(self.notes)
        one = self.n_by_rule == 1
        which = (
            "1 document has no sentences of its own"
            if one
            else f"{self.n_by_rule} documents have no sentences of their own"
        )
        return (*self.notes, f"{which}; by rule {RULE}")

    # --- one document -----------------------------------------------------------------------

    def read(self, source: Source) -> Iterator[Document]:
        for document in read(source.path, source.format.name, lenient=self.lenient):
            yield document if source.name is None else replace(document, name=source.name)

    def complete(self, document: Document, source: Source) -> Document:
        """The document with its text, its sentences, and classes for relations."""
        if source.edus is not None:
            self.compare_edus(document, source.edus)
        if source.text is not None:
            document = self.on_its_text(document, source.text)
        with blame(source.path):
            if self.gold is not None:
                document = self.with_gold(document, source, self.gold)
            elif source.tokens is not None:
                gold = self.tokens_of(source)
                together = with_tokens_of(document, gold, source.path, source.tokens, lenient=self.lenient)
                document = self.aligned(together)
        # Brackets have no words, and those that stand for them end no sentence.
        has_words = Layer.TEXT in source.format.holds
        if self.by_rule and has_words and not document.sentences and document.edus:
            document = with_sentences_by_rule(document)
            self.n_by_rule += 1
        return self.with_classes(document, source)

    def compare_edus(self, document: Document, path: Path) -> None:
        with open_source(path) as lines:
            n_edus = sum(1 for line in lines if line.strip())
        if n_edus != len(document.edus):
            self.note(document, f"{path.name} has {n_edus} EDUs, the tree {len(document.edus)}, which count")

    def on_its_text(self, document: Document, path: Path) -> Document:
        with open_source(path) as source:
            text = source.read()
        try:
            return self.aligned(onto_text(document, text, path))
        except RhetreeError as error:
            self.forgive(error, "its text is the tree's own: ")
            return document

    def with_gold(self, document: Document, source: Source, files: GoldFiles) -> Document:
        try:
            penn_name = PENN_NAMES.get(document.name) if self.layout.name == "rst-dt" else None
            return self.aligned(files.complete(document, source.path, penn_name))
        except RhetreeError as error:
            self.forgive(error, "gold sentences left out: ")
            return document

    def tokens_of(self, source: Source) -> Document:
        path = source.tokens
        if path is None or not path.is_file():
            raise RhetreeError(f"{path}: there is no such file with the tokens of {source.path}")
        return read_one(path, "conllu", lenient=self.lenient)

    def with_classes(self, document: Document, source: Source) -> Document:
        if self.inventory is None:
            return document
        try:
            return document.map_relations(self.inventory.class_of)
        except ValueError as error:
            raise TreebankError(
                f"{error}; name another inventory, or {AS_THEY_ARE!r} to keep relations as they are",
                source.path,
            ) from error

    # --- splits and names -------------------------------------------------------------------

    def split_of(self, source: Source, name: str) -> str:
        if source.split != DOUBLE and name in self.layout.lists:
            return self.layout.lists[name].split
        return source.split or self.rest

    def admits(self, source: Source, name: str, wanted: str | None) -> bool:
        """Whether to read a document that the source has; its name must be new."""
        split = self.split_of(source, name)
        self.splits.setdefault(split)
        key = (name, split == DOUBLE)
        if key in self.seen:
            raise RhetreeError(
                f"{source.path}: a second document called {name!r}; the first is in {self.seen[key]}"
            )
        self.seen[key] = source.path
        return wanted in (None, split)

    def check_name(self, name: str, path: Path) -> None:
        """Raise :class:`RhetreeError` where no file has a document of this name."""
        known = [source.name for source in self.layout.sources if source.name is not None]
        if name not in known and not any(name == seen for seen, _ in self.seen):
            raise no_such_document(path, name, known + self.others)

    def check_lists(self) -> None:
        names = [name for name, _ in self.seen]
        for name, listed in self.layout.lists.items():
            if (name, False) not in self.seen:
                what = f"{name} is listed, but there is no tree of it{suggestion(name, names)}"
                self.forgive(TreebankError(what, listed.path, listed.line), "")

    # --- what to say ------------------------------------------------------------------------

    def aligned(self, aligned: Aligned) -> Document:
        for note in aligned.notes:
            self.note(aligned.document, note)
        return aligned.document

    def note(self, document: Document, what: str) -> None:
        self.notes.append(f"{document.name}: {what}")

    def forgive(self, error: RhetreeError, consequence: str) -> None:
        if not self.lenient:
            raise error
        self.notes.append(f"{consequence}{error}")


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
