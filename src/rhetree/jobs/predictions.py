"""What a model predicted for a corpus, in a file or in a folder with a file for each document."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.domain.tree import Tree
from rhetree.errors import ArgumentError, RhetreeError, UnwritableError
from rhetree.formats import format_of, write
from rhetree.formats.files import check_folder
from rhetree.formats.format import Layer
from rhetree.jobs.places import FreePaths, file_name, names_folder
from rhetree.jobs.sentence_files import ONE_TREE, encode_sentences, write_sentences


class Predictions:
    """The place for predicted documents, checked before there are any."""

    def __init__(self, path: Path, format: str | None = None) -> None:
        self.path = path
        self.is_folder = names_folder(path)
        if self.is_folder and format is None:
            raise ArgumentError("a folder; name the format of the files in it", path, "to_format")
        self.format = format_of(path, format, argument="to_format")
        check_folder(path if self.is_folder else path.parent)

    def check_room_for(self, documents: Sequence[Document], *, has_trees: bool) -> None:
        """Raise :class:`RhetreeError` if predictions for these documents could not be written."""
        if self.is_folder and self.format.name in ONE_TREE and has_trees:
            return
        if len(documents) > 1 and not (self.is_folder or self.format.many):
            raise RhetreeError(
                f"{self.path}: {self.format.name} holds one document a file, and there are {len(documents)}; "
                "name a folder"
            )
        for document in documents[:1]:
            leaves = (Tree(),) * len(document.sentences) if has_trees else ()
            stand_in = replace(document.without_trees(), edus=document.sentences, sentence_trees=leaves)
            try:
                self.format.write(stand_in, StringIO())
            except UnwritableError as error:
                raise RhetreeError(
                    f"{self.path}: {self.format.name} cannot hold what this model finds: {error.what}; "
                    f"json, jsonl and {'rs3' if has_trees else 'conllu'} can"
                ) from error

    def write(self, documents: Sequence[Document]) -> list[Layer]:
        """Write the documents. Returns the layers that the format could not hold."""
        if not self.is_folder:
            return write(documents, self.path, format=self.format.name)
        free = FreePaths()
        lost = {layer for document in documents for layer in self._write_one(document, free)}
        return [layer for layer in Layer if layer in lost]

    def _write_one(self, document: Document, free: FreePaths) -> Iterable[Layer]:
        stem = free.free(self.path / file_name(document.name))
        if self.format.name in ONE_TREE and document.tree is None:
            write_sentences(encode_sentences(document, self.format.name), stem, self.format.name)
            return ()
        path = stem.with_name(stem.name + self.format.suffixes[0])
        return write(document, path, format=self.format.name)
