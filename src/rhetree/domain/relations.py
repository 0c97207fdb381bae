"""Relation inventories: the fine relations of a treebank, and the class of each."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rhetree.domain.tree import NUCLEARITIES, Nuclearity
from rhetree.errors import TreebankError

_RST_DT_CLASSES = {
    "Attribution": "attribution attribution-negative",
    "Background": "background circumstance",
    "Cause": "cause result cause-result consequence",
    "Comparison": "comparison preference analogy proportion",
    "Condition": "condition hypothetical contingency otherwise",
    "Contrast": "contrast concession antithesis",
    "Elaboration": "elaboration-additional elaboration-general-specific elaboration-part-whole"
    " elaboration-process-step elaboration-object-attribute elaboration-set-member example definition",
    "Enablement": "purpose enablement",
    "Evaluation": "evaluation interpretation conclusion comment",
    "Explanation": "evidence explanation-argumentative reason",
    "Joint": "list disjunction",
    "Manner-Means": "manner means",
    "Same-Unit": "same-unit",
    "Summary": "summary restatement",
    "Temporal": "temporal-before temporal-after temporal-same-time sequence inverted-sequence",
    "TextualOrganization": "textualorganization textual-organization",
    "Topic-Change": "topic-shift topic-drift",
    "Topic-Comment": "problem-solution question-answer statement-response topic-comment"
    " comment-topic rhetorical-question",
}

_PAPER_LABELS = {
    "Attribution": "NS SN",
    "Background": "NS SN",
    "Cause": "NN NS SN",
    "Comparison": "NN NS SN",
    "Condition": "NN NS SN",
    "Contrast": "NN NS SN",
    "Elaboration": "NS SN",
    "Enablement": "NS SN",
    "Evaluation": "NN NS SN",
    "Explanation": "NN NS SN",
    "Joint": "NN",
    "Manner-Means": "NS SN",
    "Same-Unit": "NN",
    "Summary": "NS SN",
    "Temporal": "NN NS SN",
    "TextualOrganization": "NN",
    "Topic-Comment": "NN NS SN",
}

PAPER_LABELS: tuple[str, ...] = tuple(
    f"{name}-{nuclearity}" for name, seen in _PAPER_LABELS.items() for nuclearity in seen.split()
)
"""The 39 class-nuclearity labels of RST-DT's sentences (Lin et al. 2019)."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """Fine relations and the class of each; case is ignored."""

    name: str
    classes: Mapping[str, str] = field(hash=False)
    """The class of each fine relation, whose name is in lower case."""
    suffixes: tuple[str, ...] = ()
    """Endings that do not change a relation's class, such as RST-DT's ``-e`` for embedded."""
    class_before_hyphen: bool = False
    """Whether the class of an unlisted relation is the part before its first hyphen."""

    def class_of(self, relation: str) -> str:
        """The class of a fine relation, or of a class, which is itself; ``ValueError`` if it has none."""
        wanted = relation.lower()
        while True:
            if wanted in self.classes:
                return self.classes[wanted]
            suffix = next((end for end in self.suffixes if wanted.endswith(end)), None)
            if suffix is None:
                break
            wanted = wanted.removesuffix(suffix)
        if self.class_before_hyphen:
            return relation.lower().partition("-")[0]
        raise ValueError(f"{self.name} has no relation {relation!r}")


def _inventory(name: str, classes: Mapping[str, Iterable[str]], suffixes: tuple[str, ...]) -> Inventory:
    class_of = {fine.lower(): title for title, fines in classes.items() for fine in fines}
    # A class is its own class, so relations that are classes already stay as they are.
    own = {title.lower(): title for title in classes}
    return Inventory(name, own | class_of, suffixes)


RST_DT = _inventory(
    "rst-dt", {title: names.split() for title, names in _RST_DT_CLASSES.items()}, ("-e", "-s", "-n")
)
"""RST-DT's 78 fine relations (Carlson & Marcu 2001) in 18 classes."""

GUM = Inventory("gum", {"same-unit": "same-unit"}, class_before_hyphen=True)
"""GUM's relations are ``class-subtype``; ``same-unit`` is a class of its own."""

INVENTORIES: Mapping[str, Inventory] = {inventory.name: inventory for inventory in (GUM, RST_DT)}


def read_inventory(path: Path | str) -> Inventory:
    """Read an inventory from a file with one class per line: ``Contrast: contrast, concession``.

    Blank lines and lines that start with ``#`` are skipped.
    """
    path = Path(path)
    classes: dict[str, list[str]] = {}
    seen: dict[str, str] = {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreebankError("not UTF-8 text", path) from error
    except OSError as error:
        raise TreebankError(f"cannot be read: {error.strerror}", path) from error
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        title, colon, rest = (part.strip() for part in line.partition(":"))
        fines = [fine for fine in re.split(r"[,\s]+", rest) if fine]
        if not colon or not title:
            raise TreebankError(f"expected 'Class: relation, relation', found {line!r}", path, number)
        for fine in fines:
            if seen.setdefault(fine.lower(), title) != title:
                raise TreebankError(
                    f"{fine} belongs to {seen[fine.lower()]} already, found it under {title}", path, number
                )
        classes.setdefault(title, []).extend(fines)
    if not classes:
        raise TreebankError("it lists no class; expected lines like 'Class: relation, relation'", path)
    return _inventory(path.stem, classes, ())


def label_parts(label: str) -> tuple[str, Nuclearity]:
    """Relation and nuclearity of a label such as ``same-unit-NN``."""
    for nuclearity in NUCLEARITIES:
        relation = label.removesuffix(f"-{nuclearity}")
        if relation and relation != label:
            return relation, nuclearity
    raise ValueError(f"a label is a relation, a hyphen and NS, SN or NN, got {label!r}")
