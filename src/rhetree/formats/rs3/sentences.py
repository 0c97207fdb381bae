"""The sentences of a document, in the header of its .rs3 or .rs4 file.

The format knows no sentences, so the element is ours: ``<sentences words="12 7" trees="sentences"/>``
counts the words of each sentence and says whether each has a tree of its own, a root in the file, or
one tree spans all. RSTTool, rstWeb and rst2dep pass over it, and rstWeb leaves it out when it saves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Tree
from rhetree.errors import counted
from rhetree.formats.format import complain
from rhetree.formats.rs3.elements import Element, spell

TAG = "sentences"

_OWN, _SHARED = "sentences", "document"


@dataclass(frozen=True, slots=True)
class Sentences:
    """What a header says of the sentences of its file."""

    spans: tuple[Span, ...] = ()
    """Spans of words; none where nothing is said."""
    have_trees: bool = False
    """Whether each has a tree of its own."""
    line: int | None = None


def read_sentences(elements: Sequence[Element], n_words: int, path: Path, *, lenient: bool) -> Sentences:
    """What the header says; ``lenient`` ignores what does not fit the file."""
    if not elements:
        return Sentences()
    element = elements[0]
    counts, trees = element.get("words").split(), element.get("trees")
    what = ""
    if not all(count.isascii() and count.isdigit() and 0 < len(count) < 10 for count in counts):
        what = (
            f'<{TAG}> has words="{element.get("words")[:40]}"; expected the number of words of each sentence'
        )
    elif trees not in (_OWN, _SHARED):
        what = f'<{TAG}> has trees="{trees[:40]}"; expected {_OWN} or {_SHARED}'
    elif "0" in {count.lstrip("0") or "0" for count in counts} or sum(map(int, counts)) != n_words:
        what = f"<{TAG}> counts {counted(sum(map(int, counts)), 'word')} in {counted(len(counts), 'sentence')}, found {counted(n_words, 'word')}"
    if what:
        complain(f"{what}; correct it, or remove the element", path, element.line, lenient=lenient)
        return Sentences()
    return Sentences(spans_of_lengths(map(int, counts)), trees == _OWN, element.line)


def sentence_trees(
    document: Document, tree: Tree, roots: Sequence[Span], sentences: Sentences, path: Path, *, lenient: bool
) -> tuple[Tree | None, ...]:
    """The trees of a document's sentences, None for one whose EDUs are not connected.

    Where a root holds EDUs of two sentences, or a part of one, the header is wrong. ``lenient`` then
    returns none.

    :param tree: all roots, joined
    :param roots: the EDUs of each root
    """
    found: list[Tree | None] = []
    known = set(roots)
    for number, edus in enumerate(document.sentence_edus(), start=1):
        if edus is not None and edus in known:
            found.append(tree.subtree(edus))
        elif edus is not None and all(Span(edu, edu + 1) in known for edu in edus.indices()):
            found.append(None)
        else:
            complain(
                f"<{TAG}> says that each sentence has a tree of its own, but the roots of the file do not fit "
                f"sentence {number}; correct it, or remove the element",
                path,
                sentences.line,
                lenient=lenient,
            )
            return ()
    return tuple(found)


def sentence_lines(document: Document, ends: Sequence[int], *, have_trees: bool) -> list[str]:
    """The line of the header for a document's sentences, none where they are not known.

    :param ends: for each token the number of words up to its end
    """
    if not document.sentences:
        return []
    edges = [0, *(ends[sentence.end - 1] for sentence in document.sentences)]
    counts = [end - start for start, end in pairwise(edges) if end > start]
    return [
        spell(TAG, {"words": " ".join(map(str, counts)), "trees": _OWN if have_trees else _SHARED}),
    ]
