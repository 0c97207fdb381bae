"""Which relations are mistaken for which, as a table and as a picture like the paper's figure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Literal

from rhetree.errors import MissingExtraError
from rhetree.metrics.parseval import Labels

N_SHOWN = 14
"""Number of relations to show, the most frequent ones; the paper's figure has as many."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Pairs of gold and predicted relation of the internal nodes that both trees have."""

    pairs: Mapping[tuple[str, str], int] = field(default_factory=dict, hash=False)
    """Number of nodes with the first relation in gold and the second in the prediction."""

    def __add__(self, other: "Confusion") -> "Confusion":
        return Confusion.total([self, other])

    @classmethod
    def total(cls, parts: Iterable["Confusion"]) -> "Confusion":
        """The sum of many confusions."""
        pairs: Counter[tuple[str, str]] = Counter()
        for part in parts:
            pairs.update(part.pairs)
        return cls(dict(sorted(pairs.items())))

    @property
    def n_nodes(self) -> int:
        return sum(self.pairs.values())

    def relations(self, n: int | None = N_SHOWN) -> list[str]:
        """The ``n`` most frequent relations in gold; ties go by the prediction, then by name. None for all."""
        gold: Counter[str] = Counter()
        predicted: Counter[str] = Counter()
        for (gold_relation, predicted_relation), count in self.pairs.items():
            gold[gold_relation] += count
            predicted[predicted_relation] += count
        names = sorted(gold.keys() | predicted.keys(), key=lambda name: (-gold[name], -predicted[name], name))
        return names[:n]

    def matrix(self, relations: Sequence[str]) -> list[list[int]]:
        """A row for each gold relation, a column for each predicted one."""
        return [[self.pairs.get((gold, predicted), 0) for predicted in relations] for gold in relations]

    def to_dict(self, n: int | None = N_SHOWN) -> dict[str, object]:
        """``relations``, their ``matrix`` (rows are gold) and the total number of ``nodes``, for JSON."""
        relations = self.relations(n)
        return {"relations": relations, "matrix": self.matrix(relations), "nodes": self.n_nodes}


def confuse(gold: Labels, predicted: Labels) -> Confusion:
    """The confusion of the nodes of two trees, labelled as in original Parseval."""
    pairs = Counter((gold[span][1], label[1]) for span, label in predicted.items() if span in gold)
    return Confusion(dict(sorted(pairs.items())))


def plot_confusion(
    confusion: Confusion,
    format: Literal["svg", "png"] = "svg",
    n: int | None = N_SHOWN,
    *,
    rows: str = "gold",
    columns: str = "predicted",
) -> bytes:
    """Draw the matrix: colours show the share of the row, numbers the counts.

    The same confusion gives the same bytes with the same version of Matplotlib.

    :param n: number of relations to show, the most frequent ones; None for all
    :param rows: title of the rows, as ``columns`` is that of the columns
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("drawing a confusion matrix", "plot") from error
    relations = confusion.relations(n)
    matrix = confusion.matrix(relations)
    shares = [[count / max(1, sum(row)) for count in row] for row in matrix]
    side = 1.8 + 0.45 * max(3, len(relations))
    # Text stays text, so that it can be searched and selected; the salt makes element ids repeatable.
    with matplotlib.rc_context({"svg.hashsalt": "rhetree", "svg.fonttype": "none"}):
        figure = Figure(figsize=(side, side), layout="constrained")
        axes = figure.add_subplot()
        axes.set_xlabel(columns)
        axes.set_ylabel(rows)
        # A relation is a name, not a formula, even with dollars in it.
        axes.set_xticks(range(len(relations)), relations, rotation=90, parse_math=False)
        axes.set_yticks(range(len(relations)), relations, parse_math=False)
        if relations:
            axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for row, counts in enumerate(matrix):
            for column, count in enumerate(counts):
                if count:
                    colour = "white" if shares[row][column] > 0.5 else "black"
                    axes.text(column, row, str(count), ha="center", va="center", fontsize=7, color=colour)
        picture = BytesIO()
        metadata = {"Date": None} if format == "svg" else {}
        figure.savefig(picture, format=format, dpi=150, metadata=metadata)
    return picture.getvalue()
