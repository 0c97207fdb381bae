"""The loop over records: read, work, write, and count what became of each."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from rhetree.errors import FileError, RhetreeError, UnwritableError
from rhetree.jobs.interrupts import held_interrupts, open_to_interrupts
from rhetree.jobs.portions import Portions
from rhetree.jobs.records import Record
from rhetree.jobs.sinks import Sink
from rhetree.jobs.work import Item, Work

if TYPE_CHECKING:
    from rhetree.domain.document import Document


@dataclass(frozen=True, slots=True)
class Done:
    """A document that was written, and the record that it was made of."""

    document: "Document"
    record: Record


class Job:
    """Takes records through some work into a sink.

    A record that cannot be read, worked on or written stops the job, unless ``on_bad_record`` is
    given. The error that stopped it is raised when all that came before is written. So is
    ``KeyboardInterrupt``: of what a resumable sink takes, Ctrl-C loses nothing that was done.
    """

    def __init__(
        self,
        records: "Iterable[Record | RhetreeError]",
        work: Work,
        sink: AbstractContextManager[Sink],
        *,
        on_bad_record: Callable[[RhetreeError], None] | None = None,
    ) -> None:
        """Say what to do.

        :param records: the records in order, and an error in place of each that cannot be read
        :param work: a loaded task, in this process or in several
        :param on_bad_record: called with what is wrong with a bad record, which is then left out
        """
        self._records = records
        self._work = work
        self._sink = sink
        self._on_bad_record = on_bad_record
        self._error: RhetreeError | None = None
        """What stopped the job."""
        self.n_documents = 0
        """Documents written."""
        self.n_sentences = 0
        self.n_earlier = 0
        """Records that an earlier run had finished."""
        self.n_earlier_bytes = 0
        """Bytes of the sources up to the last of these."""
        self.n_skipped = 0
        self.n_gold = 0
        """Records whose EDUs were kept."""
        self.resumable = False
        """Whether a later run can go on where this one ends; known once it runs."""

    def run(self) -> Generator[Done, None, None]:
        """Do the work, giving each document after it is written."""
        with held_interrupts(), self._sink as sink:
            self.resumable = sink.resumable
            with closing(self._results(sink)) as results:
                for record, result in results:
                    problem = (
                        result if isinstance(result, RhetreeError) else self._write(result, record, sink)
                    )
                    if problem is None:
                        yield Done(cast("Document", result), record)
                    elif self._goes_on_after(FileError(str(problem), record.path, record.line)):
                        sink.leave_out(record, str(problem))
                    else:
                        break
            if sink.resumable or not self.n_documents:
                self._raise()
        self._raise()  # a file of many documents is there now, with those that came before the error

    def _results(self, sink: Sink) -> "Generator[tuple[Record, Document | RhetreeError], None, None]":
        """What the work makes of each record that is not finished yet, in order."""
        portions = Portions()
        waiting: deque[list[Record]] = deque()

        def items() -> Iterator[list[Item]]:
            divided = portions.divide(self._unfinished(sink))
            while True:
                with open_to_interrupts():
                    portion = next(divided, None)
                if portion is None:
                    return
                waiting.append(portion)
                yield [(record.document, record.edus) for record in portion]

        with closing(self._work(items())) as work:
            for worked in work:
                portion = waiting.popleft()
                portions.learn(portion, worked.seconds)
                yield from zip(portion, worked.results, strict=True)

    def _unfinished(self, sink: Sink) -> Iterator[Record]:
        for record in self._records:
            error: RhetreeError | None = None
            if isinstance(record, RhetreeError):
                error = record
            elif isinstance(earlier := sink.has(record), RhetreeError):
                error = earlier
            elif earlier:
                self.n_earlier += 1
                self.n_earlier_bytes = record.at
            else:
                self.n_gold += record.edus == "gold"
                yield record
            if error is not None and not self._goes_on_after(error):
                return

    def _write(self, document: "Document", record: Record, sink: Sink) -> UnwritableError | None:
        """Write what became of a record. Returns why it cannot be written, if it cannot."""
        try:
            sink.write(document, record)
        except UnwritableError as error:
            return error
        self.n_documents += 1
        self.n_sentences += len(document.sentences)
        return None

    def _goes_on_after(self, error: RhetreeError) -> bool:
        if self._on_bad_record is None:
            self._error = error
            return False
        self._on_bad_record(error)
        self.n_skipped += 1
        return True

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error
