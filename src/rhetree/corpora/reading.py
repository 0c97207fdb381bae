"""Reads the documents of a treebank one by one, puts their files together, and notes what it had to assume."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rhetree.corpora.gold import GoldFiles
from rhetree.corpora.layouts import PENN_NAMES, DocumentFiles, Layout
from rhetree.corpora.masked import are_masked, is_masked_file
from rhetree.corpora.sentences import (
    RULE,
    Aligned,
    onto_text,
    with_sentences_by_rule,
    with_tokens_of,
)
from rhetree.corpora.splits import ALL, DOUBLE, UNLISTED, suggestion
from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.errors import RhetreeError, TreebankError, counted
from rhetree.formats import read, read_one
from rhetree.formats.files import open_source
from rhetree.formats.format import Layer, blame, stem

AS_THEY_ARE = "none"
"""In place of an inventory: relations keep the names that the files have."""


def no_such_document(path: Path, name: str, known: list[str]) -> RhetreeError:
    """The error for a document that a file or folder does not have."""
    few = ", ".join(repr(other) for other in known[:5])
    more = f" and {len(known) - 5} more" if len(known) > 5 else ""
    return RhetreeError(f"{path} has no document called {name!r}, but {few}{more}{suggestion(name, known)}")


class Reading:
    """One pass over the documents of a layout, with notes on what was assumed or left out."""

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
        self.n_masked = 0
        self.splits: dict[str, None] = {}
        """Names of all splits found so far, read or not, in order."""
        self.others: list[str] = []
        """Names of documents that were passed over because only another one is wanted."""
        self.seen: dict[tuple[str, bool], Path] = {}
        """The file of each document, by its name and whether it is a second annotation."""
        self.rest = UNLISTED if layout.is_split else ALL

    def documents(self, wanted: Collection[str] | None, only: str | None) -> Iterator[tuple[str, Document]]:
        """Yield documents, each with its split. The files of documents that are not wanted are not read.

        :param wanted: the splits to read; None for all
        :param only: the name of the only document to read; None for all
        """
        for source in self.sources(only):
            if source.name is None and any(name == only for name, _ in self.seen):
                break
            try:
                if source.name is not None and not self.admits(source, source.name, wanted):
                    continue
                if source.tokens is not None and source.tokens.is_file() and is_masked_file(source.tokens):
                    self.n_masked += 1
                    continue
                for document in self.read(source):
                    if only not in (None, document.name):
                        self.others.append(document.name)
                    elif source.name is None and not self.admits(source, document.name, wanted):
                        continue
                    elif are_masked(token.form for token in document.tokens):
                        self.n_masked += 1
                    else:
                        yield self.split_of(source, document.name), self.complete(document, source)
            except RhetreeError as error:
                self.forgive(error, "left out: ")
                self.n_left_out += 1
        if only is None:
            self.check_lists(wanted)

    def sources(self, only: str | None) -> Sequence[DocumentFiles]:
        """The files to read: all; or those named after the only document; or those that may hold it among
        others, the likeliest first."""
        if only is None:
            return self.layout.sources
        called = [source for source in self.layout.sources if source.name == only]
        several = [source for source in self.layout.sources if source.name is None]
        return called or sorted(several, key=lambda source: stem(source.path, source.format.suffixes) != only)

    def all_notes(self) -> tuple[str, ...]:
        """The notes, and the counts that are known when all is read."""
        notes = list(self.notes)
        if self.n_masked:
            which = "1 document is" if self.n_masked == 1 else f"{self.n_masked} documents are"
            notes.append(f"{which} left out: underscores stand in place of the words")
        if self.n_by_rule:
            which = (
                "1 document has no sentences of its own"
                if self.n_by_rule == 1
                else f"{self.n_by_rule} documents have no sentences of their own"
            )
            notes.append(f"{which}; by rule {RULE}")
        return tuple(notes)

    # --- one document -----------------------------------------------------------------------

    def read(self, source: DocumentFiles) -> Iterator[Document]:
        for document in read(source.path, source.format.name, lenient=self.lenient):
            yield document if source.name is None else replace(document, name=source.name)

    def complete(self, document: Document, source: DocumentFiles) -> Document:
        """Add the text and sentences of other files to a document, and turn relations into classes."""
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
        # The bracket format has no words; the placeholders it is read with end no sentence.
        has_words = Layer.TEXT in source.format.holds
        if self.by_rule and has_words and not document.sentences and document.edus:
            document = with_sentences_by_rule(document)
            self.n_by_rule += 1
        return self.with_classes(document, source)

    def compare_edus(self, document: Document, path: Path) -> None:
        with open_source(path) as lines:
            n_edus = sum(1 for line in lines if line.strip())
        if n_edus != len(document.edus):
            self.note(
                document,
                f"{path.name} has {counted(n_edus, 'EDU')}, the tree {len(document.edus)}, which count",
            )

    def on_its_text(self, document: Document, path: Path) -> Document:
        with open_source(path) as source:
            text = source.read()
        try:
            return self.aligned(onto_text(document, text, path))
        except RhetreeError as error:
            self.forgive(error, "its text is the tree's own: ")
            return document

    def with_gold(self, document: Document, source: DocumentFiles, files: GoldFiles) -> Document:
        try:
            penn_name = PENN_NAMES.get(document.name) if self.layout.name == "rst-dt" else None
            return self.aligned(files.complete(document, source.path, penn_name))
        except RhetreeError as error:
            self.forgive(error, "gold sentences left out: ")
            return document

    def tokens_of(self, source: DocumentFiles) -> Document:
        path = source.tokens
        if path is None or not path.is_file():
            raise RhetreeError(f"{path}: there is no such file with the tokens of {source.path}")
        return read_one(path, "conllu", lenient=self.lenient)

    def with_classes(self, document: Document, source: DocumentFiles) -> Document:
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

    def split_of(self, source: DocumentFiles, name: str) -> str:
        if source.split != DOUBLE and name in self.layout.lists:
            return self.layout.lists[name].split
        return source.split or self.rest

    def admits(self, source: DocumentFiles, name: str, wanted: Collection[str] | None) -> bool:
        """Whether a document is wanted; raises :class:`RhetreeError` if another one had its name."""
        split = self.split_of(source, name)
        self.splits.setdefault(split)
        key = (name, split == DOUBLE)
        if key in self.seen:
            raise RhetreeError(
                f"{source.path}: a second document called {name!r}; the first is in {self.seen[key]}"
            )
        self.seen[key] = source.path
        return wanted is None or split in wanted

    def check_name(self, name: str, path: Path) -> None:
        """Raise :class:`RhetreeError` if no file has a document of this name."""
        known = [source.name for source in self.layout.sources if source.name is not None]
        if name not in known and not any(name == seen for seen, _ in self.seen):
            raise no_such_document(path, name, known + self.others)

    def check_lists(self, wanted: Collection[str] | None) -> None:
        """Complain of documents that the lists of the wanted splits name, and that have no tree, unless they are masked."""
        names = [name for name, _ in self.seen]
        for name, listed in self.layout.lists.items():
            if (wanted is None or listed.split in wanted) and (name, False) not in self.seen:
                tokens = self.layout.without_tree.get(name)
                if tokens is not None and is_masked_file(tokens):
                    self.n_masked += 1
                    continue
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
