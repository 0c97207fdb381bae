"""One text with all that is known of it: the only thing that goes from room to room.

Tokens are character spans, sentences and EDUs are token spans, trees are over EDUs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, count, pairwise
from operator import add, sub

from rhetree.domain.annotation import SecondaryEdge, Signal, Syntax
from rhetree.domain.binarize import as_nary, binarize
from rhetree.domain.nary import NaryTree
from rhetree.domain.reading import Reading
from rhetree.domain.span import Span, check_tiling, spans_of_lengths
from rhetree.domain.tree import Tree


@dataclass(frozen=True, slots=True)
class Token:
    """One token, at characters ``start..end`` of its document's text.

    ``form`` is what the annotators call it, mostly the text itself. A token without letters of
    its own, such as the second half of a fused word, is empty: it starts where it ends.
    """

    form: str
    start: int
    end: int

    def __init__(self, form: str, start: int, end: int) -> None:
        # Written out because the generated one takes twice as long, and a corpus has millions.
        if not form:
            raise ValueError(f"the token at {start}..{end} has an empty form")
        if not 0 <= start <= end:
            raise ValueError(f"a token needs 0 <= start <= end, got {start}..{end}")
        _set_form(self, form)
        _set_start(self, start)
        _set_end(self, end)


_set_form, _set_start, _set_end = (getattr(Token, name).__set__ for name in ("form", "start", "end"))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Document:
    """A text, its tokens, sentences and EDUs, and one tree for all of it or one per sentence.

    Layers that are not known are empty. Known ones fit each other: sentences and EDUs each
    cover the tokens, a tree has as many leaves as there are EDUs.
    """

    name: str = ""
    text: str = ""
    tokens: tuple[Token, ...] = ()
    sentences: tuple[Span, ...] = ()
    """Token spans that cover the tokens, or none where sentences are not known."""
    edus: tuple[Span, ...] = ()
    """Token spans that cover the tokens, or none where the text is not segmented."""
    tree: Tree | None = None
    """Over all EDUs."""
    sentence_trees: tuple[Tree | None, ...] = ()
    """One per sentence, over the sentence's EDUs; None for a sentence without one."""
    readings: tuple[tuple[Reading, ...], ...] = ()
    """What a model makes of each sentence, best first: the first one is what ``edus`` and ``sentence_trees``
    say. None for a sentence, or at all, where nothing was predicted."""
    nary: NaryTree | None = None
    """The tree as it was drawn, where that was not binary; ``tree`` is its binary form."""
    secondary_edges: tuple[SecondaryEdge, ...] = ()
    signals: tuple[Signal, ...] = ()
    syntax: Syntax | None = None
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Whatever else is known, such as ``genre``; a file format's own keys start with its name."""

    def __post_init__(self) -> None:
        for name in ("tokens", "sentences", "edus", "sentence_trees", "secondary_edges", "signals"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        readings = tuple(map(tuple, self.readings))
        object.__setattr__(self, "readings", readings if any(readings) else ())
        object.__setattr__(self, "metadata", dict(self.metadata))
        for key, value in self.metadata.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise ValueError(f"metadata maps strings to strings, got {key!r}: {value!r}")
        self._check_tokens()
        if self.sentences:
            check_tiling(self.sentences, len(self.tokens), "sentence")
        if self.edus:
            check_tiling(self.edus, len(self.tokens), "EDU")
        if self.sentence_trees or self.readings:
            self._check_sentences(self.sentence_edus())
        self._check_tree()
        self._check_annotation()

    def __repr__(self) -> str:
        counts = {
            "tokens": len(self.tokens),
            "sentences": len(self.sentences),
            "EDUs": len(self.edus),
            "sentence trees": sum(tree is not None for tree in self.sentence_trees),
        }
        known = [f"{number} {what}" for what, number in counts.items() if number]
        known += ["a tree"] if self.tree is not None else []
        return f"<Document {self.name!r}: {', '.join(known) or f'{len(self.text)} characters'}>"

    # --- making one -------------------------------------------------------------------------

    @classmethod
    def from_sentences(cls, sentences: Iterable[Sequence[str]], name: str = "") -> "Document":
        """A document of sentences that are already tokenised; its text is the tokens, spaced."""
        token_lists = [list(sentence) for sentence in sentences if len(sentence)]
        text, tokens = space_out([form for tokens in token_lists for form in tokens])
        return cls(name=name, text=text, tokens=tokens, sentences=spans_of_lengths(map(len, token_lists)))

    @classmethod
    def from_edus(cls, edus: Iterable[str], name: str = "") -> "Document":
        """A document of EDU texts; its tokens are what white space separates."""
        forms = [edu.split() for edu in edus]
        for number, edu in enumerate(forms, start=1):
            if not edu:
                raise ValueError(f"EDU {number} has no text")
        text, tokens = space_out([form for edu in forms for form in edu])
        return cls(name=name, text=text, tokens=tokens, edus=spans_of_lengths(map(len, forms)))

    # --- looking at it ----------------------------------------------------------------------

    def text_of(self, tokens: Span) -> str:
        """The original text from the first of these tokens to the last."""
        return self.text[self.tokens[tokens.start].start : self.tokens[tokens.end - 1].end]

    def forms_of(self, tokens: Span) -> list[str]:
        """The forms of these tokens."""
        return [token.form for token in self.tokens[tokens.start : tokens.end]]

    def edu_texts(self) -> list[str]:
        """The original text of each EDU."""
        return [self.text_of(edu) for edu in self.edus]

    def sentence_edus(self) -> list[Span | None]:
        """For each sentence its span of EDUs; None where an EDU crosses the sentence's edge."""
        starts = {edu.start: number for number, edu in enumerate(self.edus)}
        ends = {edu.end: number + 1 for number, edu in enumerate(self.edus)}
        spans: list[Span | None] = []
        for sentence in self.sentences:
            start, end = starts.get(sentence.start), ends.get(sentence.end)
            spans.append(None if start is None or end is None else Span(start, end))
        return spans

    def trees_by_sentence(self) -> list[Tree | None]:
        """For each sentence its own tree, or the node of the document's tree that spans just it."""
        if self.sentence_trees:
            return list(self.sentence_trees)
        if self.tree is None:
            return [None] * len(self.sentences)
        spans = self.sentence_edus()
        found = self.tree.subtrees(span for span in spans if span is not None)
        return [None if span is None else next(found) for span in spans]

    def as_drawn(self) -> NaryTree | None:
        """The document's tree in n-ary form, as its annotators drew it."""
        if self.nary is not None or self.tree is None:
            return self.nary
        return as_nary(self.tree)

    # --- changing it ------------------------------------------------------------------------

    def with_nary(self, nary: NaryTree) -> "Document":
        """This document with a tree that was drawn n-ary, and its binary form."""
        kept = None if nary.is_binary() else nary
        return replace(self, tree=binarize(nary), nary=kept, sentence_trees=(), readings=())

    def split_by_sentence(self) -> "Document":
        """This document with one tree per sentence in place of the document's.

        What refers to the larger tree (secondary edges, signals) goes with it, as do readings that
        know nothing of the new trees.
        """
        return replace(
            self,
            tree=None,
            nary=None,
            sentence_trees=tuple(self.trees_by_sentence()),
            readings=self.readings if self.tree is None else (),
            secondary_edges=(),
            signals=(),
        )

    def without_trees(self) -> "Document":
        """This document's text, tokens, sentences and EDUs alone."""
        return replace(
            self, tree=None, nary=None, sentence_trees=(), readings=(), secondary_edges=(), signals=()
        )

    def without_edus(self) -> "Document":
        """This document's text, tokens and sentences alone: nothing gold for a parser to see."""
        return replace(self.without_trees(), edus=())

    def map_relations(self, name: Callable[[str], str]) -> "Document":
        """This document with every relation renamed, in trees, readings and secondary edges alike."""

        def rename(tree: Tree | None) -> Tree | None:
            return None if tree is None else tree.map_relations(name)

        edges = {edge: replace(edge, relation=name(edge.relation)) for edge in self.secondary_edges}
        return replace(
            self,
            tree=rename(self.tree),
            sentence_trees=tuple(rename(tree) for tree in self.sentence_trees),
            readings=tuple(
                tuple(reading.map_relations(name) for reading in readings) for readings in self.readings
            ),
            nary=None if self.nary is None else self.nary.map_relations(name),
            secondary_edges=tuple(edges.values()),
            signals=tuple(
                replace(signal, source=edges[signal.source])
                if isinstance(signal.source, SecondaryEdge)
                else signal
                for signal in self.signals
            ),
        )

    # --- checks -----------------------------------------------------------------------------

    def _check_tokens(self) -> None:
        at, n_characters = 0, len(self.text)
        for number, token in enumerate(self.tokens):
            if token.start < at or token.end > n_characters:
                raise ValueError(
                    f"token {number} ({token.form!r}) at {token.start}..{token.end} "
                    f"should lie within {at}..{n_characters}"
                )
            at = token.end

    def _check_tree(self) -> None:
        if self.tree is not None:
            if self.sentence_trees:
                raise ValueError("a document has one tree or one per sentence, not both")
            _check_leaves(self.tree, len(self.edus), "document")
        if self.nary is not None:
            if self.tree is None or binarize(self.nary) != self.tree:
                raise ValueError("the tree is not the binary form of the n-ary tree")
            if self.nary.is_binary():
                object.__setattr__(self, "nary", None)

    def _check_sentences(self, edus: list[Span | None]) -> None:
        """Check what is known of each sentence, which has these EDUs."""
        n_sentences = len(self.sentences)
        if self.sentence_trees:
            if len(self.sentence_trees) != n_sentences:
                raise ValueError(f"{len(self.sentence_trees)} sentence trees for {n_sentences} sentences")
            for number, (tree, span) in enumerate(zip(self.sentence_trees, edus, strict=True)):
                if tree is not None:
                    _check_leaves(tree, 0 if span is None else len(span), f"sentence {number}")
        if self.readings:
            if len(self.readings) != n_sentences:
                raise ValueError(f"readings of {len(self.readings)} sentences for {n_sentences} sentences")
            trees = self.sentence_trees or (None,) * n_sentences
            for number, (tree, span) in enumerate(zip(trees, edus, strict=True)):
                if span is None:
                    raise ValueError(f"readings need EDUs inside sentences; one crosses the edge of {number}")
                if self.readings[number]:
                    self._check_readings(number, self.edus[span.start : span.end], tree)

    def _check_readings(self, number: int, edus: tuple[Span, ...], tree: Tree | None) -> None:
        sentence, readings = self.sentences[number], self.readings[number]
        # Both cover the same tokens in order, so that ends say all.
        if [edu.end - sentence.start for edu in edus] != [edu.end for edu in readings[0].edus]:
            raise ValueError(f"the EDUs of sentence {number} are not those of its first reading")
        if readings[0].tree is not tree and readings[0].tree != tree:
            raise ValueError(f"the tree of sentence {number} is not that of its first reading")
        for better, worse in pairwise(readings):
            if worse.n_tokens != len(sentence):
                raise ValueError(f"a reading of sentence {number} does not cover its tokens")
            if worse.log_prob > better.log_prob:
                raise ValueError(f"the readings of sentence {number} do not come best first")

    def _check_annotation(self) -> None:
        if self.syntax is not None:
            _check_syntax(self.syntax, len(self.tokens), len(self.sentences))
        if not self.secondary_edges and not self.signals:
            return
        drawn = self.as_drawn()
        if drawn is None:
            raise ValueError("secondary edges and signals need a tree of the document")
        units = drawn.spans()
        for edge in self.secondary_edges:
            for unit in (edge.source, edge.target):
                if unit not in units:
                    raise ValueError(f"a secondary edge's end {unit} is no unit of the tree")
        edges = set(self.secondary_edges)
        for signal in self.signals:
            known = edges if isinstance(signal.source, SecondaryEdge) else units
            if signal.source not in known:
                raise ValueError(f"a signal's source {signal.source} is no unit or edge of the tree")
            for token in signal.tokens:
                if not 0 <= token < len(self.tokens):
                    raise ValueError(f"a signal's token {token} is not among {len(self.tokens)}")


def space_out(forms: Sequence[str]) -> tuple[str, tuple[Token, ...]]:
    """Tokens with one space between two of them, and the text that this makes."""
    lengths = [len(form) for form in forms]
    ends = list(map(add, accumulate(lengths), count()))
    return " ".join(forms), tuple(map(Token, forms, map(sub, ends, lengths), ends))


def _check_syntax(syntax: Syntax, n_tokens: int, n_sentences: int) -> None:
    if len(syntax.columns) != n_tokens:
        raise ValueError(f"syntax for {len(syntax.columns)} tokens, but there are {n_tokens}")
    if syntax.comments and n_sentences and len(syntax.comments) != n_sentences:
        raise ValueError(f"comments for {len(syntax.comments)} sentences, but there are {n_sentences}")


def _check_leaves(tree: Tree, n_edus: int, where: str) -> None:
    if tree.n_edus != n_edus:
        raise ValueError(f"the tree of {where} has {tree.n_edus} EDUs, but there are {n_edus}")
