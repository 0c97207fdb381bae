"""Ray datasets in and out, for people who have one already."""

from typing import TYPE_CHECKING, Any

from rhetree.domain.document import Document
from rhetree.errors import RhetreeError
from rhetree.jobs.encoding import encode
from rhetree.jobs.work import Task
from rhetree.scale.shards import work_on_any

if TYPE_CHECKING:
    from rhetree.scale.cluster import Dataset

DOCUMENT, PROBLEM = "document", "problem"
"""The columns that are added."""
_ROWS_AT_ONCE = 256


def parse_dataset(
    dataset: "Dataset",
    *,
    model: str | None = None,
    text_field: str = "text",
    id_field: str | None = None,
    beam: int = 1,
    segment_only: bool = False,
    n_workers: int | None = None,
    batch_size: int = _ROWS_AT_ONCE,
) -> "Dataset":
    """Parse the texts of a Ray dataset, one model in each worker process.

    Returns the dataset with two more columns: ``document``, a document in our JSON as :func:`rhetree.read` reads it,
    and ``problem``, what is wrong with a text for which there is none. One of the two is always null.

    :param model: an installed model or the folder of one, on every machine of the cluster
    :param text_field: the column of the texts
    :param id_field: the column that names the documents; None leaves them without a name
    :param segment_only: whether to find EDUs alone
    :param n_workers: number of worker processes; None lets Ray choose, up to one for each processor
    :param batch_size: rows that are parsed together
    """
    task = Task(model=model, parses=not segment_only, beam=beam, threads=1)
    return dataset.map_batches(
        _Parse,
        fn_constructor_args=(task, text_field, id_field),
        batch_size=batch_size,
        batch_format="pyarrow",
        num_cpus=1,
        concurrency=n_workers or (1, _all_processors()),
    )


def _all_processors() -> int:
    from rhetree.scale.cluster import n_cpus

    return n_cpus()


class _Parse:
    """The class of which each worker process has one."""

    def __init__(self, task: Task, text_field: str, id_field: str | None) -> None:
        self._worker = task.load()
        self._text_field = text_field
        self._id_field = id_field

    def __call__(self, batch: Any) -> Any:
        """The batch, an Arrow table, with the columns ``document`` and ``problem``."""
        import pyarrow

        texts = _column(batch, self._text_field)
        names = [None] * len(texts) if self._id_field is None else _column(batch, self._id_field)
        problems = [_problem(text, self._text_field) for text in texts]
        documents = [
            Document(name="" if name is None else str(name), text=text)
            for text, name, problem in zip(texts, names, problems, strict=True)
            if problem is None
        ]
        results = iter(work_on_any(self._worker, [(document, "auto") for document in documents]))
        rows: list[str | None] = []
        for number, problem in enumerate(problems):
            result = None if problem is not None else next(results)
            problems[number] = result if isinstance(result, str) else problem
            rows.append(str(encode(result, "jsonl")).rstrip("\n") if isinstance(result, Document) else None)
        for name, column in ((DOCUMENT, rows), (PROBLEM, problems)):
            batch = batch.append_column(name, pyarrow.array(column, pyarrow.string()))
        return batch


def _column(batch: Any, name: str) -> list[Any]:
    if name not in batch.column_names:
        raise RhetreeError(f"no column {name!r} (found {', '.join(map(repr, batch.column_names))})")
    column: list[Any] = batch[name].to_pylist()
    return column


def _problem(text: object, field: str) -> str | None:
    """What is wrong with a text, if anything is."""
    if isinstance(text, str):
        return None
    return f"expected a string in the column {field!r}, found {type(text).__name__}"
