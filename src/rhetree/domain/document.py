"""A text with everything known about it: the one value that goes from room to room.

Tokens are character spans, sentences and EDUs are token spans, trees are over EDUs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import accumulate, count, pairwise
from operator import add, sub
from typing import TYPE_CHECKING, Any

from rhetree.domain.annotation import SecondaryEdge, Signal, Syntax
from rhetree.domain.binarize import as_nary, binarize
from rhetree.domain.blocks import Block, block_numbers, check_blocks
from rhetree.domain.markup import Markup, ShownText, check_markup, shown_between
from rhetree.domain.nary import NaryTree
from rhetree.domain.reading import Reading, SplitProbs
from rhetree.domain.span import Span, check_tiling, spans_of_lengths
from rhetree.domain.tree import Tree
from rhetree.errors import counted

if TYPE_CHECKING:
    from rhetree.domain.chunks import Chunk, Count
    from rhetree.domain.dependencies import Dependency, DependencyKind
    from rhetree.domain.leaves import Leaves
    from rhetree.domain.outline import OutlineEntry
    from rhetree.domain.summary import Summary


@dataclass(frozen=True, slots=True)
class Token:
    """One token, at characters ``start..end`` of its document's text.

    ``form`` is the token as annotators write it, usually the text itself. A token without
    characters of its own, such as the second half of a fused word, starts where it ends.
    """

    form: str
    start: int
    end: int

    def __init__(self, form: str, start: int, end: int) -> None:
        # Written by hand: the generated one takes twice as long, and a corpus has millions of tokens.
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

    Layers that are not known are empty. Those that are known fit each other: sentences and EDUs each
    cover the tokens, a tree has one leaf for each EDU, and the first reading of a sentence is what
    the document itself says of that sentence. In a document with one tree that means: where a node
    of the tree spans exactly the sentence, the reading's tree is the tree of that node. Where there
    is no such node, only the EDUs can be compared, and the reading may have any tree over them. A
    reading without a tree is one of EDUs alone; it goes with any document tree.
    """

    name: str = ""
    text: str = ""
    tokens: tuple[Token, ...] = ()
    sentences: tuple[Span, ...] = ()
    """Token spans that cover the tokens; empty if the sentences are not known."""
    edus: tuple[Span, ...] = ()
    """Token spans that cover the tokens; empty if the text is not segmented."""
    tree: Tree | None = None
    """The tree over all EDUs."""
    sentence_trees: tuple[Tree | None, ...] = ()
    """A tree over the EDUs of each sentence, None for a sentence without one. Empty if there is ``tree``."""
    readings: tuple[tuple[Reading, ...], ...] = ()
    """How a model reads each sentence, best reading first. A sentence that was not predicted has no
    readings; if none was, this is empty."""
    split_probs: tuple[SplitProbs, ...] = ()
    """How sure a model is of splits of ``tree``, in pre-order: usually those above sentences, since
    ``readings`` has the others."""
    nary: NaryTree | None = None
    """The tree as it was drawn, if that was not binary; ``tree`` is its binary form."""
    secondary_edges: tuple[SecondaryEdge, ...] = ()
    signals: tuple[Signal, ...] = ()
    syntax: Syntax | None = None
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Anything else that is known, such as ``genre``. The keys of a file format start with its name."""
    markup: tuple[Markup, ...] = ()
    """Characters of the text that are not read as they stand, such as ``<b>`` and ``&amp;``."""
    blocks: tuple[Block, ...] = ()
    """The paragraphs, headings and items of lists, which hold all tokens; empty if they are not known."""

    def __post_init__(self) -> None:
        for name in _TUPLES:
            object.__setattr__(self, name, tuple(getattr(self, name)))
        readings = tuple(map(tuple, self.readings))
        object.__setattr__(self, "readings", readings if any(readings) else ())
        object.__setattr__(self, "metadata", dict(self.metadata))
        for key, value in self.metadata.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise ValueError(f"metadata maps strings to strings, got {key!r}: {value!r}")
        self._check_tokens()
        check_markup(self.markup, len(self.text))
        if self.blocks:
            check_blocks(self.blocks, self.tokens, len(self.text))
        if self.sentences:
            check_tiling(self.sentences, len(self.tokens), "sentence")
        if self.edus:
            check_tiling(self.edus, len(self.tokens), "EDU")
        self._check_tree()
        if self.sentence_trees or self.readings:
            self._check_sentences(self.sentence_edus())
        self._check_annotation()

    def __repr__(self) -> str:
        counts = {
            "token": len(self.tokens),
            "sentence": len(self.sentences),
            "EDU": len(self.edus),
            "sentence tree": sum(tree is not None for tree in self.sentence_trees),
        }
        known = [counted(number, what) for what, number in counts.items() if number]
        known += ["a tree"] if self.tree is not None else []
        return f"<Document {self.name!r}: {', '.join(known) or counted(len(self.text), 'character')}>"

    # --- making one -------------------------------------------------------------------------

    @classmethod
    def from_sentences(cls, sentences: Iterable[Sequence[str]], name: str = "") -> "Document":
        """A document of tokenised sentences; its text is the tokens with spaces between them."""
        token_lists = [list(sentence) for sentence in sentences if len(sentence)]
        text, tokens = space_out([form for tokens in token_lists for form in tokens])
        return cls(name=name, text=text, tokens=tokens, sentences=spans_of_lengths(map(len, token_lists)))

    @classmethod
    def from_edus(cls, edus: Iterable[str], name: str = "") -> "Document":
        """A document of EDU texts, tokenised at white space."""
        forms = [edu.split() for edu in edus]
        for number, edu in enumerate(forms, start=1):
            if not edu:
                raise ValueError(f"EDU {number} has no text")
        text, tokens = space_out([form for edu in forms for form in edu])
        return cls(name=name, text=text, tokens=tokens, edus=spans_of_lengths(map(len, forms)))

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "Document":
        """The document of a record as :meth:`to_dict` makes it; ``ValueError`` names what is wrong with it."""
        from rhetree.domain.record_reader import from_record

        return from_record(record)

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to read: no tokens, and no characters but white space and invisible ones."""
        return not self.tokens and not any(one.isprintable() and not one.isspace() for one in self.text)

    # --- looking at it ----------------------------------------------------------------------

    def text_of(self, tokens: Span) -> str:
        """The original text from the first of these tokens through the last, without markup."""
        start, end = self.tokens[tokens.start].start, self.tokens[tokens.end - 1].end
        return shown_between(self.text, self.markup, start, end) if self.markup else self.text[start:end]

    def forms_of(self, tokens: Span) -> list[str]:
        """The forms of these tokens."""
        return [token.form for token in self.tokens[tokens.start : tokens.end]]

    def edu_texts(self) -> list[str]:
        """The original text of each EDU, without markup."""
        return [self.text_of(edu) for edu in self.edus]

    def sentence_edus(self) -> list[Span | None]:
        """The span of EDUs of each sentence; None where an EDU crosses the sentence's edge."""
        starts = {edu.start: number for number, edu in enumerate(self.edus)}
        ends = {edu.end: number + 1 for number, edu in enumerate(self.edus)}
        spans: list[Span | None] = []
        for sentence in self.sentences:
            start, end = starts.get(sentence.start), ends.get(sentence.end)
            spans.append(None if start is None or end is None else Span(start, end))
        return spans

    def sentence_blocks(self) -> list[int]:
        """The number of the block in which each sentence starts; empty if the blocks are not known."""
        return self._block_numbers(self.sentences)

    def edu_blocks(self) -> list[int]:
        """The number of the block in which each EDU starts; empty if the blocks are not known."""
        return self._block_numbers(self.edus)

    def _block_numbers(self, spans: Iterable[Span]) -> list[int]:
        if not self.blocks:
            return []
        return block_numbers(self.blocks, (self.tokens[span.start].start for span in spans))

    def trees_by_sentence(self) -> list[Tree | None]:
        """The tree of each sentence: its own, or the node of the document's tree that spans exactly it.

        None for a sentence that has neither.
        """
        if self.sentence_trees:
            return list(self.sentence_trees)
        if self.tree is None:
            return [None] * len(self.sentences)
        spans = self.sentence_edus()
        found = self.tree.subtrees(span for span in spans if span is not None)
        return [None if span is None else next(found) for span in spans]

    def placed_trees(self) -> list[tuple[int, Tree]]:
        """Each tree, that of the document or those of its sentences, with the number of its first EDU."""
        if self.tree is not None:
            return [(0, self.tree)]
        return [
            (edus.start, tree)
            for edus, tree in zip(self.sentence_edus(), self.sentence_trees, strict=False)
            if edus is not None and tree is not None
        ]

    def as_drawn(self) -> NaryTree | None:
        """The document's tree in n-ary form, as its annotators drew it."""
        if self.nary is not None or self.tree is None:
            return self.nary
        return as_nary(self.tree)

    def to_dict(self, *, edu_texts: bool = False) -> dict[str, Any]:
        """The document as plain lists, numbers and strings: what our JSON files hold.

        :param edu_texts: whether to add the text of each EDU
        """
        from rhetree.domain.record_writer import to_record

        return to_record(self, edu_texts=edu_texts)

    def chunks(
        self,
        max_tokens: int | None = None,
        *,
        split_on: str | Iterable[str] = (),
        count: "Count | None" = None,
    ) -> "tuple[Chunk, ...]":
        """Pieces for retrieval that end at EDU edges; the document needs EDUs.

        A node of a tree and a sentence are cut only if they do not fit into one chunk, and of those the fewest
        nuclei possible are parted from their satellites, then the fewest paragraphs are cut.

        :param max_tokens: the most tokens in a chunk; a longer EDU is a chunk of its own, marked ``is_too_long``
        :param split_on: relations at which a chunk always ends, such as ``"topic"``, which stands for
            ``topic-question`` as well; case is ignored
        :param count: counts the tokens of a text as the reader of the chunks does; without it the document's
            own tokens are counted
        """
        from rhetree.domain.chunks import chunk

        return chunk(self, max_tokens, split_on, count)

    def salience(self) -> tuple[float, ...]:
        """How much each EDU matters, from 0 to 1: how far up the tree it is promoted (Marcu 2000).

        The main points of the text have 1. Where a model's probabilities are known, the score is the expected one. In
        a document with a tree for each sentence, scores compare the EDUs of one sentence, and each sentence has
        its own 1. ``ValueError`` if an EDU is in no tree.
        """
        from rhetree.domain.salience import salience

        return salience(self)

    def summary(self, n: int | None = None, *, share: float | None = None) -> "Summary":
        """The most salient EDUs in the order of the text, each with the nuclei that it builds on.

        One EDU is kept at least, with the other parts of its unit if another unit interrupts it. Headings are
        left out. ``ValueError`` if the document has no tree over all of it.

        :param n: the most EDUs to keep
        :param share: or the share of the document's tokens to keep, above 0 and at most 1
        """
        from rhetree.domain.summary import summarize

        return summarize(self, n, share)

    def outline(self, depth: int | None = None) -> "tuple[OutlineEntry, ...]":
        """A line for each heading, paragraph and item: its main point, and how far it is from the main line.

        Where the layout is not known, there is a line for each sentence. ``ValueError`` if the document has no tree
        over all of it.

        :param depth: leave out what is further from the main line; 0 keeps the main line alone
        """
        from rhetree.domain.outline import outline

        return outline(self, depth)

    def dependencies(self, kind: "DependencyKind" = "li") -> "tuple[Dependency, ...]":
        """For each EDU the EDU on which it depends, and the relation between them.

        With a tree for each sentence, each sentence has heads of its own. ``ValueError`` if an EDU is in no tree.

        :param kind: "li" (Li et al. 2014): all but one EDU depend on another, and of several nuclei the others depend
            on the first; "hirao" (Hirao et al. 2013): an EDU depends on what it supports, and nuclei beside each
            other depend on the same EDU, or on none
        """
        from rhetree.domain.dependencies import document_dependencies

        return document_dependencies(self, kind)

    # --- changing it ------------------------------------------------------------------------

    def with_nary(self, nary: NaryTree) -> "Document":
        """This document with this tree as drawn, and its binary form as ``tree``.

        Other trees go, and with them what a model thought of them (readings, probabilities of splits).
        """
        kept = None if nary.is_binary() else nary
        return replace(self, tree=binarize(nary), nary=kept, sentence_trees=(), readings=(), split_probs=())

    def split_by_sentence(self) -> "Document":
        """This document with one tree per sentence in place of the document's.

        What refers to the larger tree (secondary edges, signals, probabilities of its splits) goes
        with it. Readings stay where their tree is that of the sentence.
        """
        trees = tuple(self.trees_by_sentence())
        return replace(
            self,
            tree=None,
            nary=None,
            sentence_trees=trees,
            readings=tuple(
                own if own and own[0].tree == tree else ()
                for own, tree in zip(self.readings, trees, strict=False)
            ),
            split_probs=(),
            secondary_edges=(),
            signals=(),
        )

    def with_leaves(self, leaves: "Leaves") -> "Document":
        """This document with sentences or paragraphs as the leaves of its tree, in place of EDUs.

        Each leaf stands where its most salient EDU stood, so that there is a tree even if a node of the former
        one crosses the edge of a leaf. What refers to smaller units (readings, signals, secondary edges) goes.

        :param leaves: "sentence" or "paragraph"; a heading and an item of a list count as paragraphs
        """
        from rhetree.domain.leaves import with_leaves

        return with_leaves(self, leaves)

    def without_trees(self) -> "Document":
        """This document with text, tokens, sentences and EDUs, and no trees."""
        return replace(
            self,
            tree=None,
            nary=None,
            sentence_trees=(),
            readings=(),
            split_probs=(),
            secondary_edges=(),
            signals=(),
        )

    def without_edus(self) -> "Document":
        """This document with text, tokens and sentences: nothing gold for a parser to see."""
        return replace(self.without_trees(), edus=())

    def without_markup(self) -> "Document":
        """This document with its text as it is read; offsets are then those of that text."""
        if not self.markup:
            return self
        shown = ShownText(self.text, self.markup)
        tokens = (Token(token.form, *shown.from_source(token.start, token.end)) for token in self.tokens)
        moved = (shown.from_source(block.start, block.end) for block in self.blocks)
        blocks = [
            Block(start, end, block.kind)
            for block, (start, end) in zip(self.blocks, moved, strict=True)
            if start < end
        ]
        return replace(self, text=shown.text, tokens=tuple(tokens), markup=(), blocks=tuple(blocks))

    def map_relations(self, name: Callable[[str], str]) -> "Document":
        """This document with every relation renamed: in trees, probabilities and secondary edges."""

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
            split_probs=tuple(probs.map_relations(name) for probs in self.split_probs),
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
        if self.split_probs:
            self._check_split_probs()

    def _check_split_probs(self) -> None:
        splits = () if self.tree is None else self.tree.splits
        places = {split.span: number for number, split in enumerate(splits)}
        at = -1
        for probs in self.split_probs:
            place = places.get(probs.edus)
            if place is None:
                raise ValueError(f"a probability is for the split of EDUs {probs.edus}, which the tree lacks")
            if place <= at:
                raise ValueError(f"probabilities of splits come in pre-order; {probs.edus} is out of place")
            at = place

    def _check_sentences(self, edus: list[Span | None]) -> None:
        """Check the trees and readings of the sentences, given the span of EDUs of each."""
        n_sentences = len(self.sentences)
        if self.sentence_trees:
            if len(self.sentence_trees) != n_sentences:
                raise ValueError(
                    f"{counted(len(self.sentence_trees), 'sentence tree')} for {counted(n_sentences, 'sentence')}"
                )
            for number, (tree, span) in enumerate(zip(self.sentence_trees, edus, strict=True)):
                if tree is not None:
                    _check_leaves(tree, 0 if span is None else len(span), f"sentence {number}")
        if self.readings:
            if len(self.readings) != n_sentences:
                raise ValueError(
                    f"readings of {counted(len(self.readings), 'sentence')} for {counted(n_sentences, 'sentence')}"
                )
            trees = self.trees_by_sentence()
            for number, (tree, span) in enumerate(zip(trees, edus, strict=True)):
                if span is None:
                    raise ValueError(
                        f"readings need EDUs inside sentences, but one crosses the edge of sentence {number}"
                    )
                if self.readings[number]:
                    self._check_readings(number, self.edus[span.start : span.end], tree)

    def _check_readings(self, number: int, edus: tuple[Span, ...], tree: Tree | None) -> None:
        sentence, readings = self.sentences[number], self.readings[number]
        # Both cover the same tokens in order, so comparing the ends is enough.
        if [edu.end - sentence.start for edu in edus] != [edu.end for edu in readings[0].edus]:
            raise ValueError(f"the EDUs of sentence {number} are not those of its first reading")
        said = readings[0].tree
        is_comparable = self.tree is None or (said is not None and tree is not None)
        if is_comparable and said is not tree and said != tree:
            raise ValueError(f"the tree of sentence {number} is not that of its first reading")
        if any(reading.n_tokens != len(sentence) for reading in readings):
            raise ValueError(f"a reading of sentence {number} does not cover its tokens")
        # The first is the best one, which need not be the likeliest.
        if any(after.log_prob > before.log_prob for before, after in pairwise(readings[1:])):
            raise ValueError(f"the alternatives of sentence {number} do not come likeliest first")

    def _check_annotation(self) -> None:
        if self.syntax is not None:
            _check_syntax(self.syntax, len(self.tokens), len(self.sentences))
        if not self.secondary_edges and not self.signals:
            return
        units = self._units()
        if not units:
            raise ValueError("secondary edges and signals need a tree")
        for edge in self.secondary_edges:
            for unit in (edge.source, edge.target):
                if unit not in units:
                    raise ValueError(f"a secondary edge's end {unit} is not a unit of the tree")
        edges = set(self.secondary_edges)
        for signal in self.signals:
            known = edges if isinstance(signal.source, SecondaryEdge) else units
            if signal.source not in known:
                raise ValueError(f"a signal's source {signal.source} is not a unit or edge of the tree")
            for token in signal.tokens:
                if not 0 <= token < len(self.tokens):
                    raise ValueError(
                        f"a signal's token {token} is not one of {counted(len(self.tokens), 'token')}"
                    )

    def _units(self) -> Set[Span]:
        """The units of the document's tree, or else of its sentences' trees."""
        drawn = self.as_drawn()
        if drawn is not None:
            return drawn.spans()
        units: set[Span] = set()
        if self.sentence_trees:
            for edus, tree in zip(self.sentence_edus(), self.sentence_trees, strict=True):
                if edus is not None and tree is not None:
                    units.add(edus)
                    units |= {side.shift(edus.start) for s in tree.splits for side in (s.left, s.right)}
        return units


_TUPLES = (
    "markup",
    "blocks",
    "tokens",
    "sentences",
    "edus",
    "sentence_trees",
    "split_probs",
    "secondary_edges",
    "signals",
)


def space_out(forms: Sequence[str]) -> tuple[str, tuple[Token, ...]]:
    """The text of these tokens with one space between them, and the tokens in it."""
    lengths = [len(form) for form in forms]
    ends = list(map(add, accumulate(lengths), count()))
    return " ".join(forms), tuple(map(Token, forms, map(sub, ends, lengths), ends))


def _check_syntax(syntax: Syntax, n_tokens: int, n_sentences: int) -> None:
    if len(syntax.columns) != n_tokens:
        raise ValueError(f"syntax for {counted(len(syntax.columns), 'token')}, but there are {n_tokens}")
    if syntax.comments and n_sentences and len(syntax.comments) != n_sentences:
        raise ValueError(
            f"comments for {counted(len(syntax.comments), 'sentence')}, but there are {n_sentences}"
        )


def _check_leaves(tree: Tree, n_edus: int, where: str) -> None:
    if tree.n_edus != n_edus:
        raise ValueError(f"the tree of {where} has {counted(tree.n_edus, 'EDU')}, but there are {n_edus}")
