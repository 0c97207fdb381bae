"""Trees in CoNLL-U, as GUM has them: the ``Discourse=`` field of the first word of each EDU.

``Discourse=joint-list_m:4->3:0:SIGNALS``: EDU 4 depends on EDU 3, both counted from 1; ``_m`` says
that it is one of several nuclei, and 0 is the depth at which it attaches, as in ``.rsd``. The head of
the document is ``ROOT:3:0``. Signals, and the secondary edges that follow after a semicolon, are
kept in the field and not understood. Older files have no depths and no signals.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rhetree.domain.dependencies import Dependency, DependencyError, dependencies, tree_of
from rhetree.domain.nary import NaryTree
from rhetree.errors import UnwritableError
from rhetree.formats.conllu.misc import DISCOURSE
from rhetree.formats.format import complain

_FIELD = re.compile(
    rf"{DISCOURSE}=(?:ROOT:(?P<root>[0-9]{{1,9}})"
    r"|(?P<relation>[^:;]+?)(?P<nucleus>_m)?:(?P<edu>[0-9]{1,9})->(?P<head>[0-9]{1,9}))"
    r"(?::(?P<depth>[0-9]{1,9}))?(?:[:;].*)?"
)


@dataclass(frozen=True, slots=True)
class Told:
    """What the field of an EDU says of it."""

    edu: int
    """Its number, counted from 1."""
    dependency: Dependency


def understand(field: str) -> Told | None:
    """What a field says; None if it is of another kind."""
    found = _FIELD.fullmatch(field)
    if found is None:
        return None
    depth = None if found["depth"] is None else int(found["depth"])
    if found["root"] is not None:
        return Told(int(found["root"]), Dependency(None, None, depth=depth))
    head = int(found["head"]) - 1
    if head < 0:
        return None
    return Told(int(found["edu"]), Dependency(head, found["relation"], bool(found["nucleus"]), depth))


def read_tree(fields: Sequence[str], lines: Sequence[int], path: Path, *, lenient: bool) -> NaryTree | None:
    """The tree that the fields of a document's EDUs tell; None if they are of another kind.

    ``lenient`` goes without a tree where the fields contradict each other.

    :param lines: the line of each field, for messages
    """
    told = [understand(field) for field in fields]
    known = [one for one in told if one is not None]
    if len(known) < len(told):
        if known:
            line = lines[told.index(None)]
            what = f"expected {DISCOURSE}=relation:EDU->head:depth, found {fields[told.index(None)][:60]!r}"
            complain(f"{what}; without it there is no tree", path, line, lenient=lenient)
        return None
    for number, (one, line) in enumerate(zip(known, lines, strict=True), start=1):
        if one.edu != number:
            what = f"the {DISCOURSE} field is that of EDU {one.edu}, expected EDU {number}"
            complain(what, path, line, lenient=lenient)
            return None
    try:
        return tree_of([one.dependency for one in known])
    except DependencyError as error:
        what = f"the {DISCOURSE} fields make no tree: EDU {error.edu + 1} {error.what}"
        complain(what, path, lines[error.edu], lenient=lenient)
        return None


def tells(fields: Sequence[str], tree: NaryTree) -> bool:
    """Whether the fields of a document's EDUs tell just this tree."""
    told = [understand(field) for field in fields]
    known = [one.dependency for one in told if one is not None]
    if [one and one.edu for one in told] != list(range(1, tree.n_edus + 1)):
        return False
    try:
        return tree_of(known) == tree
    except DependencyError:
        return False


def plain_fields(tree: NaryTree, document: str) -> list[str]:
    """The field of each EDU of a tree, without signals."""
    fields = []
    for number, dependency in enumerate(dependencies(tree), start=1):
        if dependency.head is None:
            fields.append(f"{DISCOURSE}=ROOT:{number}:{dependency.depth}")
            continue
        relation = f"{dependency.relation}{'_m' if dependency.is_nucleus else ''}"
        field = f"{DISCOURSE}={relation}:{number}->{dependency.head + 1}:{dependency.depth}:_"
        if understand(field) != Told(number, dependency) or re.search(r"[|\t\n\r]", relation):
            what = f"it has a relation called {dependency.relation!r}, which a {DISCOURSE} field cannot hold"
            raise UnwritableError(what, document, "conllu")
        fields.append(field)
    return fields
