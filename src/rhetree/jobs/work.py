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
    from rhetree.runtime.parser import Parser
    from rhetree.runtime.pipeline import Edus

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
    """Whether documents carry the model's relations, for rs3."""
    threads: int = 0
    beam: int = 1
    batch_cost: int | None = None
    device: str | None = None

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
        )
        return Worker(self, parser)

    def identify_model(self) -> str:
        """The model's name and hash, without loading it."""
        from rhetree.runtime.identity import identify
        from rhetree.runtime.installed import find_model
        from rhetree.runtime.model import read_config

        folder = find_model(self.model)
        return identify(folder, read_config(folder))


class Worker:
    """A task with its model loaded."""

    def __init__(self, task: Task, parser: "Parser") -> None:
        self._task = task
        self.parser = parser

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
        parsed = self.parser.parse_documents(documents, edus=edus)
        if not self._task.declares_labels:
            return parsed
        from rhetree.formats.rs3 import declare

        return (declare(document, self.parser.model.labels) for document in parsed)
