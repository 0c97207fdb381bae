"""Scores as tables, in percent; the numbers come from ``metrics``."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rhetree.cli.console import Table
from rhetree.errors import counted
from rhetree.metrics.report import METRICS

if TYPE_CHECKING:
    from rhetree.metrics.agreement import Agreement, TreeAgreement
    from rhetree.metrics.confusion import Confusion
    from rhetree.metrics.counts import Counts
    from rhetree.metrics.parseval import Parseval
    from rhetree.metrics.report import Evaluation, Scores
    from rhetree.metrics.segmentation import Segmentation
    from rhetree.metrics.significance import Comparison, Runs

KINDS = {"rst": "RST-Parseval", "original": "Original Parseval"}
PARTS = {"span": "Span", "nuclearity": "Nuclearity", "relation": "Relation", "full": "Full"}
EDUS = "EDU starts"
STARTS = {"segmentation.inner": "In sentences", "segmentation.starts": "All (DISRPT)"}
UNKNOWN = "–"


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
    _add_group(table, EDUS, {name: scores.counts(metric) for metric, name in STARTS.items()})
    for kind in kinds:
        counts = {name: scores.counts(f"parseval.{kind}.{part}") for part, name in PARTS.items()}
        _add_group(table, KINDS[kind], counts)
    return table


def f1_table(rows: "Mapping[str, Scores]", kind: str | None, first: str) -> Table:
    """One row of F1 scores for each document, genre or the like; of trees by one Parseval or not at all."""
    of_trees = () if kind is None else ("Span", "Nuc.", "Rel.", "Full")
    table = _table(first, "trees", "Inside", "EDUs", *of_trees)
    metrics = [metric for metric in METRICS if metric.startswith(("segmentation.", f"parseval.{kind}."))]
    for name, scores in rows.items():
        table.add(name, str(scores.n_trees), *(percent(scores.f1(metric)) for metric in metrics))
    return table


def places_table(places: "Mapping[str, Parseval]") -> Table:
    """One row of F1 scores for each place where nodes of a document's tree lie."""
    table = _table("Nodes", "gold", *PARTS.values())
    for place, parseval in places.items():
        counts = (parseval.span, parseval.nuclearity, parseval.relation, parseval.full)
        table.add(place, str(parseval.span.gold), *(percent(count.f1) for count in counts))
    return table


def relations_table(by_relation: "Mapping[str, Counts]") -> Table:
    """One row for each relation, the most frequent in gold first."""
    table = _table("Relation", "P", "R", "F1", "matched", "predicted", "gold")
    for relation, counts in sorted(by_relation.items(), key=lambda item: (-item[1].gold, item[0])):
        table.add(relation, *_cells(counts))
    return table


def confusion_table(confusion: "Confusion", rows: str = "gold", columns: str = "predicted") -> Table:
    """Columns go by the numbers of the rows, to stay narrow."""
    relations = confusion.relations()
    table = _table(f"{rows} \\ {columns}", *(str(number) for number in range(1, len(relations) + 1)))
    for number, (relation, row) in enumerate(
        zip(relations, confusion.matrix(relations), strict=True), start=1
    ):
        table.add(f"{number} {relation}", *(str(count) if count else "·" for count in row))
    return table


def agreement_scope(found: "Agreement") -> str:
    """What was compared, in a line, and how to read it."""
    return (
        f"{_many(found.n_documents, 'document')}, {_many(found.n_sentences, 'sentence')}; "
        f"{_relations(found.inventory)}.\nP is the share of B's that A has, R the share of A's that B has."
    )


def boundaries_table(segmentation: "Segmentation") -> Table:
    """The boundaries that two annotators set."""
    table = _table("", "P", "R", "F1", "both", "B", "A")
    counts = zip(STARTS.values(), (segmentation.inner, segmentation.starts), strict=True)
    _add_group(table, EDUS, dict(counts))
    return table


def trees_table(trees: "TreeAgreement") -> Table:
    """The trees that two annotators drew."""
    table = _table("", "P", "R", "F1", "both", "B", "A")
    for kind, parseval in (("rst", trees.rst), ("original", trees.original)):
        _add_group(table, KINDS[kind], {name: getattr(parseval, part) for part, name in PARTS.items()})
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
        table.add(name, _kappa(judgements.kappa))
    return table


def agreement_by_document_table(documents: "Mapping[str, Agreement]") -> Table:
    """F1 scores of each document, and K of its relations."""
    table = _table("Document", "trees", "Inside", "EDUs", "Span", "Nuc.", "Rel.", "Full", "K rel.")
    for name, found in documents.items():
        inner, rst = found.segmentation.inner, found.trees.rst
        parts = [rst.span, rst.nuclearity, rst.relation, rst.full] if found.trees.n_trees else [None] * 4
        table.add(
            name,
            str(found.trees.n_trees),
            *(
                percent(None if part is None else part.f1)
                for part in (inner, found.segmentation.starts, *parts)
            ),
            _kappa(found.relations.kappa),
        )
    return table


def agreement_by_relation_table(found: "Agreement") -> Table:
    """One row for each relation, the most frequent in A first."""
    table = _table("Relation", "P", "R", "F1", "both", "B", "A", "K")
    kappas = found.kappa_by_relation()
    by_relation = found.trees.rst.by_relation
    for relation, counts in sorted(by_relation.items(), key=lambda item: (-item[1].gold, item[0])):
        table.add(relation, *_cells(counts), _kappa(kappas.get(relation)))
    return table


def comparison_table(comparisons: "Mapping[str, Comparison | None]") -> Table:
    """Both systems' F1, their difference and what the two tests say of it."""
    table = _table("F1", "A", "B", "B − A", "95 % of B − A", "t-test p", "boot. p")
    group = ""
    for metric, comparison in comparisons.items():
        if comparison is None:
            continue
        previous, (group, name) = group, metric_name(metric)
        if group != previous:
            table.add(group)
        bootstrap = comparison.bootstrap
        table.add(
            f"  {name}",
            _mean(comparison.a),
            _mean(comparison.b),
            _signed(comparison.difference),
            _interval(bootstrap.low, bootstrap.high),
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
        f"{shown} of {counted(confusion.n_nodes, 'node')} in both trees"
    )


def metric_name(metric: str) -> tuple[str, str]:
    """What tables call a metric's group, and the metric in it."""
    if metric in STARTS:
        return EDUS, STARTS[metric]
    _, kind, part = metric.split(".")
    return KINDS[kind], PARTS[part]


def percent(score: float | None) -> str:
    """A score from 0 to 1 as people write it."""
    return UNKNOWN if score is None else f"{100 * score:.2f}"


def _table(*header: str) -> Table:
    return Table(header)


def _add_group(table: Table, title: str, rows: "Mapping[str, Counts | None]") -> None:
    table.add(title)
    for name, counts in rows.items():
        table.add(f"  {name}", *_cells(counts))


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


def _kappa(kappa: float | None) -> str:
    return UNKNOWN if kappa is None else f"{kappa:.3f}"


def _mean(runs: "Runs") -> str:
    deviation = "" if runs.deviation is None else f"±{100 * runs.deviation:.2f}"
    return percent(runs.mean) + deviation


def _signed(difference: float) -> str:
    return f"{round(100 * difference, 2) + 0.0:+.2f}"  # adding 0 turns -0 into 0


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return UNKNOWN
    return f"{_signed(low)} to {_signed(high)}"


def _chance(p: float | None) -> str:
    if p is None:
        return UNKNOWN
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"
