"""Constraints as the searches need them: in tokens, sentence by sentence, and known to have a solution.

A search can then mask what is not allowed, step by step, and never comes to a place with no way on:

- An EDU may end only at certain tokens, and not beyond the next boundary that is asked for.
- Spans that the tree must have lie apart or inside each other. A node may be split wherever that cuts none of
  them. A split that is given is two such spans, the parts.
- A node's label is one of those that are allowed for its span.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import numpy as np

from rhetree.domain.constraints import Constraints, SpanConstraint
from rhetree.domain.document import Document
from rhetree.domain.relations import label_parts
from rhetree.domain.span import Span
from rhetree.errors import ConstraintError
from rhetree.runtime.network import Bools, Ints

ConstraintsLike = Constraints | Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class SentenceConstraints:
    """What one sentence has to agree with; positions are tokens, counted from its first."""

    begins: Bools
    """Where an EDU has to begin, ``(tokens + 1,)``; at 0 and at the sentence's end, always."""
    may_begin: Bools
    """Where an EDU may begin, ``(tokens + 1,)``."""
    spans: tuple[Span, ...]
    """The spans that the tree must have, in pre-order. They lie apart or inside each other."""
    branching: tuple[Span, ...]
    """Spans of two EDUs or more, the inner ones first."""
    labels: Mapping[Span, Bools]
    """The labels that a span may have, ``(labels,)``."""

    def limits(self) -> Ints:
        """For an EDU that starts at each token the last place where it may end, ``(tokens,)``."""
        places = np.flatnonzero(self.begins)
        starts = np.arange(len(self.begins) - 1)
        limits: Ints = places[np.searchsorted(places, starts, side="right")]
        for span in self.branching:
            if limits[span.start] == span.end:
                limits[span.start] -= 1
        return limits

    def largest_spans(self, edus: Sequence[Span]) -> Ints:
        """For each EDU how many EDUs a span may have to be split before it, ``(EDUs + 1,)``.

        That is the size of the smallest span of the constraints around that place: a larger one would cut it.

        :param edus: of the sentence, which agree with the constraints
        """
        n = len(edus)
        number = {edu.start: at for at, edu in enumerate(edus)} | {edus[-1].end: n}
        spans = [(number[span.start], number[span.end]) for span in reversed(self.spans)]
        largest = np.full(n + 1, n)
        around: list[tuple[int, int]] = []
        for place in range(n):
            while around and around[-1][1] <= place:
                around.pop()
            if around:
                largest[place] = around[-1][1] - around[-1][0]
            while spans and spans[-1][0] == place:
                around.append(spans.pop())
        return largest


def as_constraints(given: ConstraintsLike | None, document: str) -> Constraints | None:
    """The constraints of a record, or themselves; None if they ask for nothing.

    :param document: its name, for messages
    """
    if given is None:
        return None
    if not isinstance(given, Constraints):
        try:
            given = Constraints.from_dict(given)
        except ValueError as error:
            raise ConstraintError(str(error), document) from error
    return given or None


def resolve(
    constraints: Constraints, document: Document, labels: Sequence[str], *, reach: int, has_edus: bool = False
) -> list[SentenceConstraints | None]:
    """The constraints of each sentence; None where there are none.

    :class:`ConstraintError` if no EDUs and trees agree with all of them, or if they do not fit the document.

    :param labels: those of the model, such as ``elaboration-NS``
    :param reach: the most tokens in an EDU
    :param has_edus: whether the document's own EDUs are kept
    """
    return _Resolution(constraints, document, labels, reach, has_edus).sentences()


@dataclass(slots=True)
class _Wish:
    """A span that the tree must have, and the constraint that asks for it."""

    tokens: Span
    origin: SpanConstraint


@dataclass(slots=True)
class _Parts:
    """The constraints of one sentence while they are sorted; positions are the document's tokens."""

    wishes: list[_Wish] = field(default_factory=list)
    branching: set[Span] = field(default_factory=set)
    labels: dict[Span, Bools] = field(default_factory=dict)


class _Resolution:
    """Sorts the constraints of a document by sentence, and finds what contradicts what."""

    def __init__(
        self,
        constraints: Constraints,
        document: Document,
        labels: Sequence[str],
        reach: int,
        has_edus: bool,
    ) -> None:
        self._document = document
        self._starts = [token.start for token in document.tokens]
        self._ends = [token.end for token in document.tokens]
        self._edges = [sentence.start for sentence in document.sentences]
        self._labels = [label_parts(label) for label in labels]
        self._reach = len(document.tokens) if has_edus else reach  # EDUs that are there are not searched for
        self._begins: dict[int, str] = {}
        """Tokens at which an EDU begins, and the constraint that says so."""
        self._joined: dict[int, str] = {}
        """Tokens at which none does."""
        self._parts: dict[int, _Parts] = {}
        if has_edus:
            self._add_edus([(edu, f"the given {self._named(edu)}") for edu in document.edus])
        for position in constraints.boundaries:
            self._add_boundary(position)
        for position in constraints.joined:
            self._add_joined(position)
        self._add_edus([(self._tokens(edu, f"EDU {edu}"), f"EDU {edu}") for edu in constraints.edus])
        for span in constraints.spans:
            self._add_span(span)

    def sentences(self) -> list[SentenceConstraints | None]:
        """The constraints of each sentence; None where there are none."""
        for place, wanted in self._begins.items():
            if place in self._joined:
                raise self._error(
                    f"{wanted} asks for an EDU that begins at character {self._starts[place]}, "
                    f"and {self._joined[place]} for none there"
                )
        touched = {self._sentence_of(place) for place in (*self._begins, *self._joined)} | self._parts.keys()
        return [
            self._sentence(number, sentence) if number in touched else None
            for number, sentence in enumerate(self._document.sentences)
        ]

    # --- what is asked for ------------------------------------------------------------------

    def _add_boundary(self, position: int) -> None:
        place = self._place(position, f"boundary {position}")
        if place == len(self._starts):
            raise self._error(f"boundary {position} is the end of the text, where no EDU can begin")
        self._begin(place, f"boundary {position}")

    def _add_joined(self, position: int) -> None:
        place = self._place(position, f"joined {position}")
        if place == len(self._starts) or self._is_edge(place):
            edge = "the text ends" if place == len(self._starts) else "a sentence begins"
            raise self._error(f"joined {position} asks for no EDU that begins there, but {edge} there")
        self._joined.setdefault(place, f"joined {position}")

    def _add_edus(self, edus: Iterable[tuple[Span, str]]) -> None:
        known = sorted(edus)
        for (one, name), (other, other_name) in pairwise(known):
            if one.end > other.start and one != other:
                raise self._error(f"{name} and {other_name} overlap")
        for edu, name in dict(known).items():
            self._check_in_sentence(edu, name)
            self._begin(edu.start, name)
            self._begin(edu.end, name)
            for place in range(edu.start + 1, edu.end):
                self._joined.setdefault(place, name)

    def _add_span(self, span: SpanConstraint) -> None:
        name = str(span)
        tokens = self._tokens(Span(span.start, span.end), name)
        self._check_in_sentence(tokens, name)
        parts = self._parts.setdefault(self._sentence_of(tokens.start), _Parts())
        self._begin(tokens.start, name)
        self._begin(tokens.end, name)
        parts.wishes.append(_Wish(tokens, span))
        if span.split is not None:
            place = self._place(span.split, name)
            if not tokens.start < place < tokens.end:
                raise self._error(f"{name} has no token on one side of its split")
            self._begin(place, name)
            halves = (Span(tokens.start, place), Span(place, tokens.end))
            parts.wishes += [_Wish(half, span) for half in halves]
        if span.is_labelled:
            parts.branching.add(tokens)
            allowed = self._allowed_labels(span)
            earlier = parts.labels.get(tokens)
            if earlier is not None and not (allowed & earlier).any():
                others = [wish.origin for wish in parts.wishes if wish.tokens == tokens]
                first = next(one for one in others if one is not span and one.is_labelled)
                raise self._error(f"{name} is asked to be {_wanted(first)} and to be {_wanted(span)}")
            parts.labels[tokens] = allowed if earlier is None else allowed & earlier

    def _allowed_labels(self, span: SpanConstraint) -> Bools:
        relations = sorted({relation for relation, _ in self._labels})
        if span.relation is not None and span.relation not in relations:
            close = get_close_matches(span.relation[:40], relations, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            known = ", ".join(relations)
            raise self._error(
                f"{span} asks for the relation {span.relation[:40]!r}, which the model does not have{hint} (it has {known})"
            )
        allowed = np.array(
            [
                span.relation in (None, relation) and span.nuclearity in (None, nuclearity)
                for relation, nuclearity in self._labels
            ]
        )
        if not allowed.any():
            known = ", ".join(
                f"{relation}-{nuclearity}"
                for relation, nuclearity in self._labels
                if relation == span.relation or span.relation is None
            )
            raise self._error(
                f"{span} asks for the label {_wanted(span)}, which the model does not have (it has {known})"
            )
        return allowed

    # --- one sentence -----------------------------------------------------------------------

    def _sentence(self, number: int, sentence: Span) -> SentenceConstraints:
        parts = self._parts.get(number, _Parts())
        first, n = sentence.start, len(sentence)
        begins, may_begin = np.zeros(n + 1, dtype=bool), np.ones(n + 1, dtype=bool)
        begins[[0, n]] = True
        for place in range(n):
            begins[place] |= first + place in self._begins
            may_begin[place] = first + place not in self._joined
        self._check_reach(np.flatnonzero(may_begin) + first)
        wishes = sorted(parts.wishes, key=lambda wish: (wish.tokens.start, -wish.tokens.end))
        self._check_crossing(wishes)
        for span in parts.branching:
            inside = may_begin[span.start - first + 1 : span.end - first]
            if not inside.any():
                wish = next(one for one in wishes if one.tokens == span and one.origin.is_labelled)
                because = "it is a single token"
                if len(span) > 1:
                    because = f"{self._joined[span.start + 1]} leaves no place for a second one"
                raise self._error(
                    f"{wish.origin} asks for {_wanted(wish.origin)}, so for two EDUs or more, but {because}"
                )
        return SentenceConstraints(
            begins,
            may_begin,
            tuple(dict.fromkeys(wish.tokens.shift(-first) for wish in wishes)),
            tuple(span.shift(-first) for span in sorted(parts.branching, key=len)),
            {span.shift(-first): allowed for span, allowed in parts.labels.items()},
        )

    def _check_reach(self, places: Ints) -> None:
        """Where no EDU begins for more tokens than an EDU may have, the search could not go on."""
        gaps = np.diff(places)
        if not len(gaps) or gaps.max() <= self._reach:
            return
        start = int(places[gaps.argmax()])
        raise self._error(
            f"{self._joined[start + 1]} asks for an EDU of {gaps.max()} tokens from character "
            f"{self._starts[start]} on, but an EDU has at most {self._reach}"
        )

    def _check_crossing(self, wishes: list[_Wish]) -> None:
        around: list[_Wish] = []
        for wish in wishes:
            while around and around[-1].tokens.end <= wish.tokens.start:
                around.pop()
            if around and around[-1].tokens.end < wish.tokens.end:
                raise self._error(
                    f"{around[-1].origin} and {wish.origin} cross: in a tree two spans lie apart, or one inside the other"
                )
            around.append(wish)

    # --- places -----------------------------------------------------------------------------

    def _begin(self, place: int, name: str) -> None:
        if place < len(self._starts) and not self._is_edge(place):
            self._begins.setdefault(place, name)

    def _place(self, position: int, name: str) -> int:
        """The token that begins at a character or after the white space there; the number of tokens at the end."""
        if position > len(self._document.text):
            raise self._error(
                f"{name}: character {position} is beyond the text, which has {len(self._document.text)}"
            )
        place = bisect_right(self._ends, position)
        if place < len(self._starts) and self._starts[place] < position:
            token = self._document.tokens[place]
            raise self._error(
                f"{name}: character {position} is inside the token {token.form[:40]!r}, {token.start}..{token.end}"
            )
        return place

    def _tokens(self, span: Span, name: str) -> Span:
        start, end = self._place(span.start, name), self._place(span.end, name)
        if start == end:
            raise self._error(f"{name} holds no token")
        return Span(start, end)

    def _named(self, tokens: Span) -> str:
        return f"EDU {self._starts[tokens.start]}..{self._ends[tokens.end - 1]}"

    def _sentence_of(self, place: int) -> int:
        return bisect_right(self._edges, place) - 1

    def _is_edge(self, place: int) -> bool:
        return self._edges[self._sentence_of(place)] == place

    def _check_in_sentence(self, tokens: Span, name: str) -> None:
        sentence = self._document.sentences[self._sentence_of(tokens.start)]
        if tokens.end > sentence.end:
            edge = self._starts[sentence.end]
            raise self._error(
                f"{name} crosses the edge of a sentence at character {edge}; trees are of single sentences"
            )

    def _error(self, what: str) -> ConstraintError:
        return ConstraintError(what, self._document.name)


def _wanted(span: SpanConstraint) -> str:
    return "-".join(part for part in (span.relation, span.nuclearity) if part is not None)
