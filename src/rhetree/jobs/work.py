"""What a job does with its documents: find EDUs and trees, in this process or in any other."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from rhetree.errors import ModelError, RhetreeError
from rhetree.jobs.interrupts import open_to_interrupts
from rhetree.jobs.portions import Worked

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.domain.levels import Level
    from rhetree.runtime.parser import Parser
    from rhetree.runtime.pipeline import Edus, Relations

Item: TypeAlias = "tuple[Document, Edus]"
"""A document, and whether its EDUs are found ("auto") or kept ("gold")."""
Work = Callable[["Iterable[list[Item]]"], Generator[Worked, None, None]]
"""Works through portions, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to do; it can be sent to another process, which loads the model for itself."""

    model: str | None = None
    """An installed model or the folder of one; None is the default model."""
    parses: bool = True
    """Whether to find trees, or EDUs alone."""
    declares_labels: bool = False
    """Whether documents carry the model's relations, for rs3 and rs4."""
    threads: int = 0
    beam: int = 1
    batch_cost: int | None = None
    device: str | None = None
    level: "Level" = "sentence"
    """How far up trees go."""
    document_model: str | None = None
    """The model that joins sentences; None is the one for the default model."""
    relations: "Relations" = "class"
    """Whether trees have classes or fine relations."""
    signals: bool = False
    """Whether to find the words that signal relations."""

    def load(self) -> "Worker":
        """Load the model."""
        from rhetree.runtime.parser import load
        from rhetree.runtime.pipeline import BATCH_COST

        parser = load(
            self.model,
            threads=self.threads,
            beam=self.beam,
            batch_cost=self.batch_cost or BATCH_COST,
            device=self.device,
            document_model=self.document_model,
            relations=self.relations,
            signals=self.signals,
        )
        return Worker(self, parser)

    def identify_model(self) -> str:
        """The name and hash of each model that is used, without loading any."""
        from rhetree.runtime.identity import identify
        from rhetree.runtime.installed import DOCUMENTS, find_model
        from rhetree.runtime.model import read_config

        folders = [find_model(self.model)]
        if self.level != "sentence":
            folders.append(find_model(self.document_model or DOCUMENTS))
        return ", ".join(identify(folder, read_config(folder)) for folder in folders)


class Worker:
    """A task with its model loaded."""

    def __init__(self, task: Task, parser: "Parser") -> None:
        self._task = task
        self.parser = parser

    @property
    def identity(self) -> str:
        """The name and hash of each model that is used."""
        own = self.parser.model.identity
        return own if self._task.level == "sentence" else f"{own}, {self.parser.document_model().identity}"

    def __call__(self, portions: Iterable[list[Item]]) -> Generator[Worked, None, None]:
        """Work through portions, in order."""
        for portion in portions:
            with open_to_interrupts():
                worked = self.work_on(portion)
            yield worked

    def work_on(self, portion: Sequence[Item]) -> Worked:
        """Work on one portion. A document that cannot be worked on gives an error in its place."""
        start = perf_counter()
        try:
            results = self._results(portion)
        except ModelError:
            raise  # it would be the same for all
        except RhetreeError:
            results = [result for item in portion for result in self._result(item)]
        return Worked(results, perf_counter() - start)

    def _result(self, item: Item) -> "list[Document | RhetreeError]":
        try:
            return self._results([item])
        except ModelError:
            raise
        except RhetreeError as error:
            return [error]

    def _results(self, portion: Sequence[Item]) -> "list[Document | RhetreeError]":
        found = {
            edus: self._work([document for document, own in portion if own == edus], edus)
            for edus in sorted({edus for _, edus in portion})
        }
        return [next(found[edus]) for _, edus in portion]

    def _work(self, documents: "list[Document]", edus: "Edus") -> "Iterator[Document]":
        if not self._task.parses:
            return self.parser.segment_documents(documents)
        level = self._task.level
        parsed = self.parser.parse_documents(documents, edus=edus, level=level)
        if not self._task.declares_labels:
            return parsed
        from rhetree.formats.rs3 import declare

        labels = self.parser.labels(level)
        return (declare(document, labels) for document in parsed)
