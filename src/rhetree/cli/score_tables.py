"""Scores as tables for people, in percent; the numbers behind them come from ``metrics``."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from rhetree.metrics.report import METRICS

if TYPE_CHECKING:
    from rhetree.metrics.agreement import Agreement, TreeAgreement
    from rhetree.metrics.confusion import Confusion
    from rhetree.metrics.counts import Counts
    from rhetree.metrics.report import Evaluation, Scores
    from rhetree.metrics.segmentation import Segmentation
    from rhetree.metrics.significance import Comparison, Runs

KINDS = {"rst": "RST-Parseval", "original": "Original Parseval"}
PARTS = {"span": "Span", "nuclearity": "Nuclearity", "relation": "Relation", "full": "Full"}
SEGMENTATION = {
    "segmentation.inner": "Boundaries inside sentences",
    "segmentation.starts": "All EDU starts (DISRPT)",
}
UNKNOWN = "–"


def make_console() -> Console:
    """Standard output; as wide as a table needs where it is not a terminal."""
    # Names of documents and relations are shown as they are: no [markup], no :emoji:.
    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = 200
    return console


def show(console: Console, title: str, table: Table) -> None:
    """Print a table under its title, which may be wider."""
    console.print(title)
    console.print(table)


def kinds_of(choice: str) -> list[str]:
    """The Parsevals that ``--parseval`` names."""
    return list(KINDS) if choice == "both" else [choice]


def scope(evaluation: "Evaluation") -> str:
    """What was scored, in a line."""
    total = evaluation.total
    return (
        f"{_many(total.n_documents, 'document')}, {_many(total.n_sentences, 'sentence')}, "
        f"{_many(total.n_trees, 'gold tree')} of {evaluation.level}s; {_relations(evaluation.inventory)}"
    )


def scores_table(scores: "Scores", kinds: Iterable[str]) -> Table:
    """Precision, recall, F1 and counts of every metric of these Parsevals."""
    table = _table("", "P", "R", "F1", "matched", "predicted", "gold")
    for metric, name in SEGMENTATION.items():
        table.add_row(name, *_cells(scores.counts(metric)))
    for kind in kinds:
        table.add_section()
        for part, name in PARTS.items():
            table.add_row(f"{KINDS[kind]} {name}", *_cells(scores.counts(f"parseval.{kind}.{part}")))
    return table


def f1_table(rows: "Mapping[str, Scores]", kind: str, first: str) -> Table:
    """One row of F1 scores for each document, genre or the like."""
    table = _table(first, "trees", "Boundaries", "EDU starts", *PARTS.values())
    metrics = [metric for metric in METRICS if metric.startswith(("segmentation.", f"parseval.{kind}."))]
    for name, scores in rows.items():
        table.add_row(name, str(scores.n_trees), *(percent(scores.f1(metric)) for metric in metrics))
    return table


def relations_table(by_relation: "Mapping[str, Counts]") -> Table:
    """One row for each relation, the most frequent in gold first."""
    table = _table("Relation", "P", "R", "F1", "matched", "predicted", "gold")
    for relation, counts in sorted(by_relation.items(), key=lambda item: (-item[1].gold, item[0])):
        table.add_row(relation, *_cells(counts))
    return table


def confusion_table(confusion: "Confusion") -> Table:
    """Rows are gold, columns predicted; columns go by the numbers of the rows, to stay narrow."""
    relations = confusion.relations()
    table = _table("gold \\ predicted", *(str(number) for number in range(1, len(relations) + 1)))
    for number, (relation, row) in enumerate(
        zip(relations, confusion.matrix(relations), strict=True), start=1
    ):
        table.add_row(f"{number} {relation}", *(str(count) if count else "·" for count in row))
    return table


def agreement_scope(found: "Agreement") -> str:
    """What was compared, in a line, and how to read it."""
    return (
        f"{_many(found.n_documents, 'document')}, {_many(found.n_sentences, 'sentence')}; "
        f"{_relations(found.inventory)}. P is the share of B's that A has, R the share of A's that B has."
    )


def boundaries_table(segmentation: "Segmentation") -> Table:
    """The boundaries that two annotators set."""
    table = _table("", "P", "R", "F1", "both", "B", "A")
    for name, counts in zip(SEGMENTATION.values(), (segmentation.inner, segmentation.starts), strict=True):
        table.add_row(name, *_cells(counts))
    return table


def trees_table(trees: "TreeAgreement") -> Table:
    """The trees that two annotators drew."""
    table = _table("", "P", "R", "F1", "both", "B", "A")
    for kind, parseval in (("rst", trees.rst), ("original", trees.original)):
        table.add_section()
        for part, name in PARTS.items():
            table.add_row(f"{KINDS[kind]} {name}", *_cells(getattr(parseval, part)))
    return table


def kappa_table(found: "Agreement") -> Table:
    """K for each kind of judgement."""
    table = _table("", "K")
    for name, judgements in (
        ("EDU starts", found.edus),
        ("Spans", found.spans),
        ("Nuclearity", found.nuclearity),
        ("Relations", found.relations),
    ):
        kappa = judgements.kappa
        table.add_row(name, UNKNOWN if kappa is None else f"{kappa:.3f}")
    return table


def comparison_table(comparisons: "Mapping[str, Comparison | None]") -> Table:
    """Both systems' F1, their difference and what the two tests say of it."""
    table = _table("F1", "A", "B", "B − A", "95 % interval", "t-test p", "bootstrap p")
    for metric, comparison in comparisons.items():
        if comparison is None:
            continue
        bootstrap = comparison.bootstrap
        table.add_row(
            metric_name(metric),
            _mean(comparison.a),
            _mean(comparison.b),
            _signed(comparison.difference),
            f"{_signed(bootstrap.low)} to {_signed(bootstrap.high)}",
            _chance(comparison.t_test.p),
            _chance(bootstrap.p),
        )
    return table


def confusion_title(confusion: "Confusion") -> str:
    """How much of the confusion a table of it shows."""
    relations = confusion.relations()
    shown = sum(map(sum, confusion.matrix(relations)))
    return (
        f"Confusion of the {len(relations)} most frequent relations: "
        f"{shown} of the {confusion.n_nodes} nodes that both trees have"
    )


def metric_name(metric: str) -> str:
    """What a table calls a metric."""
    if metric in SEGMENTATION:
        return SEGMENTATION[metric]
    _, kind, part = metric.split(".")
    return f"{KINDS[kind]} {PARTS[part]}"


def percent(score: float | None) -> str:
    """A score from 0 to 1 as people write it."""
    return UNKNOWN if score is None else f"{100 * score:.2f}"


def _table(first: str, *columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _many(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _relations(inventory: str | None) -> str:
    return "relations as they are" if inventory is None else f"classes of {inventory}"


def _cells(counts: "Counts | None") -> list[str]:
    if counts is None:
        return [UNKNOWN] * 6
    return [
        *map(percent, (counts.precision, counts.recall, counts.f1)),
        *map(str, (counts.matched, counts.predicted, counts.gold)),
    ]


def _mean(runs: "Runs") -> str:
    deviation = "" if runs.deviation is None else f" ± {100 * runs.deviation:.2f}"
    return percent(runs.mean) + deviation


def _signed(difference: float) -> str:
    return f"{round(100 * difference, 2) + 0.0:+.2f}"  # adding 0 turns -0 into 0


def _chance(p: float | None) -> str:
    if p is None:
        return UNKNOWN
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"
