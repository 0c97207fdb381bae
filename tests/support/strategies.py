"""Random texts, trees and documents for property tests, built from the leaves up so that every one is valid."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import strategies as st

from rhetree.domain.annotation import EmptyNode, FusedWord, SecondaryEdge, Signal, Syntax
from rhetree.domain.blocks import BLOCK_KINDS, BlockKind
from rhetree.domain.document import Document, Token
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.reading import Reading, SplitProbs
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import NUCLEARITIES, Split, Tree
from rhetree.formats.conllu.paragraphs import blocks_of
from rhetree.formats.format import Layer
from rhetree.metrics.counts import Counts
from support.scored_pairs import document as document_of_lengths

RELATIONS = ["joint-list", "same-unit", "elaboration-attribute", "attribution-positive", "causal-cause"]
FEW_RELATIONS = ("joint", "elaboration", "causal")
"""For pairs of trees, which should agree now and then."""
WORDS = [
    "He",
    *[
        ",",
        ".",
        "(",
        ")",
        "“",
        "_!",
        "é",
        "&",
        "#",
        "//",
        "1",
        "<P>",
        "x|y",
        "came",
        "saw",
        "and",
        "conquered",
        "don't",
    ],
]

ODDITIES = [
    *("\r\n", "\r", "\n", "\n\n", "\t", "\x00", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\u00a0"),
    *("\u200b", "\u200d", "\u200e", "\u200f", "\u202e", "\u2060", "\ufeff", "\u00ad", "\ud800", "\udfff"),
    *[
        "don't",
        "U.S.",
        "Mr.",
        "etc.",
        "cannot",
        "[12]",
        "(a)",
        "--",
        "...",
        "…",
        "”",
        "“",
        "?",
        "!",
        ".",
        ";",
    ],
    *["http://a.b/c?d=e.", "a@b.c", "👩🏽\u200d💻", "🇳🇱", "é", "é", "camelCase", "x-ray", "1,000.5%", "'s"],
]
"""What text is made of when it is not words."""


def texts():
    """Any text, with what is rare and hard in it."""
    return st.one_of(
        st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z", "C"])),
        st.lists(st.sampled_from([*ODDITIES, "word", "Word", "1", " ", " ", " "]), max_size=40).map("".join),
    )


@st.composite
def trees(draw, n_edus=None, max_edus=9, relations=tuple(RELATIONS)):
    """A tree with one draw a split: documents have many, and Hypothesis minds the amount."""
    n = draw(st.integers(1, max_edus)) if n_edus is None else n_edus
    labels = [(nuclearity, relation) for nuclearity in NUCLEARITIES for relation in relations]
    splits, waiting = [], [(0, n)]
    while waiting:
        start, end = waiting.pop()
        if end - start > 1:
            place, label = divmod(draw(st.integers(0, (end - start - 1) * len(labels) - 1)), len(labels))
            middle = start + 1 + place
            splits.append(Split(start, middle, end, *labels[label]))
            waiting += [(middle, end), (start, middle)]
    return Tree(tuple(splits))


@st.composite
def nary_trees(draw, n_edus=None, max_edus=9, relations=tuple(RELATIONS), multinuclear=None):
    """An n-ary tree whose satellites have these relations, and nuclei those of ``multinuclear``, or the same."""
    n = draw(st.integers(1, max_edus)) if n_edus is None else n_edus
    units, waiting = [], [Unit(0, n, "root")]
    while waiting:
        unit = waiting.pop()
        units.append(unit)
        if unit.end - unit.start == 1:
            continue
        inner = st.integers(unit.start + 1, unit.end - 1)
        cuts = [unit.start, *sorted(draw(st.sets(inner, min_size=1))), unit.end]
        nuclei = draw(st.sets(st.integers(0, len(cuts) - 2), min_size=1))
        shared = draw(st.sampled_from(multinuclear or relations)) if len(nuclei) > 1 else None
        children = []
        for number, (start, end) in enumerate(pairwise(cuts)):
            if number in nuclei:
                children.append(Unit(start, end, "nucleus", shared))
            else:
                children.append(Unit(start, end, "satellite", draw(st.sampled_from(relations))))
        waiting += reversed(children)
    return NaryTree(tuple(units))


def lengths_of(total):
    """Ways to part ``total`` items into runs; one draw, each bit of which is a cut or none."""

    def lengths(cuts):
        edges = [0, *(item for item in range(1, total) if cuts >> (item - 1) & 1), total]
        return [end - start for start, end in pairwise(edges)]

    return st.integers(0, 2 ** (total - 1) - 1).map(lengths)


def sentences():
    """A batch of sentences of few words."""
    return st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=20), min_size=1, max_size=6)


@st.composite
def segmented(draw):
    """A batch of sentences, and the EDUs of each."""
    batch = draw(sentences())
    return batch, [spans_of_lengths(draw(lengths_of(len(tokens)))) for tokens in batch]


@st.composite
def parsed_documents(draw, min_sentences=1, whole=None):
    """A document whose EDUs lie within sentences.

    :param whole: whether it has one tree over all of it, or one per sentence; None for either
    """
    lengths = draw(st.lists(st.integers(1, 8), min_size=min_sentences, max_size=5))
    document = Document.from_sentences(
        [[draw(st.sampled_from("abc")) for _ in range(n)] for n in lengths], name="doc"
    )
    edus = [draw(lengths_of(n)) for n in lengths]
    flat = [length for sentence in edus for length in sentence]
    document = replace(document, edus=spans_of_lengths(flat))
    if draw(st.booleans()) if whole is None else whole:
        return replace(document, tree=draw(trees(n_edus=len(flat))))
    return replace(document, sentence_trees=tuple(draw(trees(n_edus=len(sentence))) for sentence in edus))


@st.composite
def documents(draw, holds=frozenset(Layer), words=tuple(WORDS), relations=tuple(RELATIONS)):
    """A document with any of these layers; words, EDUs and tokens only as the layers allow."""
    forms = draw(st.lists(st.sampled_from(words), min_size=1, max_size=14))
    gap = st.sampled_from(["", " ", "  ", "\n", "\n\n", "\t"]) if Layer.SPACING in holds else st.just(" ")
    text, tokens = "", []
    for number, form in enumerate(forms):
        text += draw(gap) if number or Layer.SPACING in holds else ""
        tokens.append(Token(form, len(text), len(text) + len(form)))
        text += form
    if Layer.SPACING in holds:
        text += draw(gap)
    document = Document(name="doc", text=text, tokens=tuple(tokens))
    n = len(forms)
    if Layer.SENTENCES in holds and (Layer.EDUS not in holds or draw(st.booleans())):
        document = replace(document, sentences=spans_of_lengths(draw(lengths_of(n))))
    if Layer.EDUS in holds:
        edus = spans_of_lengths(draw(lengths_of(n)))
        document = replace(document, edus=edus)
        if Layer.NARY in holds and draw(st.booleans()):
            return document.with_nary(draw(nary_trees(n_edus=len(edus), relations=relations)))
        if Layer.TREE in holds:
            return replace(document, tree=draw(trees(n_edus=len(edus), relations=relations)))
    return document


@st.composite
def annotated_documents(draw, document):
    """The document with secondary edges and signals between the units of its tree."""
    units = sorted(document.as_drawn().spans())
    unit = st.sampled_from(units)
    edges = draw(
        st.lists(st.builds(SecondaryEdge, unit, unit, st.sampled_from(RELATIONS)), max_size=3, unique=True)
    )
    source = st.one_of(unit, st.sampled_from(edges)) if edges else unit
    some_tokens = st.lists(st.integers(0, len(document.tokens) - 1), max_size=3, unique=True).map(tuple)
    signal = st.builds(
        Signal,
        source,
        st.just("dm"),
        st.sampled_from(["dm", "other"]),
        some_tokens,
        st.sampled_from(["", "gold"]),
    )
    return replace(document, secondary_edges=edges, signals=draw(st.lists(signal, max_size=3, unique=True)))


def probabilities(digits=6):
    return st.floats(0, 1).map(lambda number: float(f"{number:.{digits}g}"))


def label_probs(digits=6):
    """Labels with probabilities, best first."""
    label = st.builds("{}-{}".format, st.sampled_from(RELATIONS), st.sampled_from(NUCLEARITIES))
    return st.lists(st.tuples(label, probabilities(digits)), max_size=3).map(
        lambda pairs: tuple(sorted(pairs, key=lambda pair: -pair[1]))
    )


@st.composite
def readings(draw, edus, tree, digits=6):
    """A reading with these EDUs and this tree; its numbers have ``digits`` digits."""
    splits = () if tree is None else tree.splits
    return Reading(
        edus,
        tree,
        float(f"{draw(st.floats(-1e6, 0)):.{digits}g}"),
        tuple(draw(probabilities(digits)) for _ in edus),
        tuple(draw(probabilities(digits)) for _ in splits),
        tuple(draw(label_probs(digits)) for _ in splits),
    )


@st.composite
def read_documents(draw, document, digits=6):
    """The document as a model leaves it: EDUs inside its sentences, trees of any kind or none, readings."""
    ends = sorted({span.end for span in (*document.sentences, *document.edus)})
    document = replace(document.without_trees(), edus=tuple(map(Span, [0, *ends], ends)))
    kind = draw(st.sampled_from(["no trees", "trees of sentences", "a tree", "a tree of sentences", "n-ary"]))
    edus = document.sentence_edus()
    of_sentences = [draw(trees(n_edus=len(span))) for span in edus]
    if kind == "trees of sentences":
        document = replace(document, sentence_trees=tuple(of_sentences))
    elif kind == "a tree":
        document = replace(document, tree=draw(trees(n_edus=len(document.edus))))
    elif kind == "a tree of sentences":
        document = replace(document, tree=grafted(draw(trees(n_edus=len(of_sentences))), of_sentences))
    elif kind == "n-ary":
        document = document.with_nary(draw(nary_trees(n_edus=len(document.edus))))
    if document.tree is not None:
        probs = [
            SplitProbs(split.span, draw(probabilities(digits)), draw(label_probs(digits)))
            for split in document.tree.splits
            if draw(st.booleans())
        ]
        document = replace(document, split_probs=probs)
    has_trees = kind != "no trees" and (document.tree is None or draw(st.booleans()))
    # A tree of the document says nothing of a sentence that is none of its nodes.
    said = [tree or one for tree, one in zip(document.trees_by_sentence(), of_sentences, strict=True)]
    found = []
    for sentence, span, tree in zip(document.sentences, edus, said, strict=True):
        own: tuple[Reading, ...] = ()
        if draw(st.booleans()):
            spans = tuple(edu.shift(-sentence.start) for edu in document.edus[span.start : span.end])
            best = draw(readings(spans, tree if has_trees else None, digits))
            others = []
            for _ in range(draw(st.integers(0, 2))):
                spans = spans_of_lengths(draw(lengths_of(len(sentence))))
                other = draw(readings(spans, draw(trees(n_edus=len(spans))) if has_trees else None, digits))
                others.append(replace(other, log_prob=min(other.log_prob, best.log_prob)))
            own = (best, *sorted(others, key=lambda one: -one.log_prob))
        found.append(own)
    return replace(document, readings=tuple(found))


def grafted(top, below):
    """The tree ``top`` with the i-th of the trees ``below`` in place of its i-th leaf."""
    starts = [0]
    for tree in below:
        starts.append(starts[-1] + tree.n_edus)
    splits = [
        replace(split, start=starts[split.start], split=starts[split.split], end=starts[split.end])
        for split in top.splits
    ]
    for start, tree in zip(starts, below, strict=False):
        splits += [split.shift(start) for split in tree.splits]
    return Tree.from_splits(splits)


@st.composite
def rich_documents(draw, holds=frozenset(Layer), words=tuple(WORDS), relations=tuple(RELATIONS)):
    """A document as :func:`documents` draws it, with the rarer layers too, where they are allowed."""
    document = draw(documents(holds, words, relations))
    if Layer.FORMS in holds:
        document = draw(_with_other_forms(document))
    if document.tree is not None:
        if Layer.SENTENCE_TREES in holds and document.sentences and draw(st.booleans()):
            document = document.split_by_sentence()
        elif {Layer.SECONDARY_EDGES, Layer.SIGNALS} <= holds:
            document = draw(annotated_documents(document))
    if Layer.READINGS in holds and document.sentences and document.edus and draw(st.booleans()):
        document = draw(read_documents(document))
    if Layer.METADATA in holds:
        key = st.sampled_from(["genre", "título", "x::y", "a b"])
        document = replace(
            document,
            metadata=draw(st.dictionaries(key, st.sampled_from(["", " news ", "a = b", "two\n\nlines\n"]))),
        )
    if Layer.SYNTAX in holds and document.sentences:
        document = draw(_with_syntax(document))
    if Layer.BLOCKS in holds and document.sentences:
        document = draw(_with_blocks(document))
    return document


@st.composite
def _with_blocks(draw, document):
    """Blocks that start where the comments of CoNLL-U say so, or anywhere if a sentence has none of its own."""
    comments = document.syntax.comments if document.syntax else ()
    kind = st.sampled_from([None, None, *BLOCK_KINDS])
    kinds: list[BlockKind | None] = [
        ("paragraph" if any(line.startswith("# newpar") for line in lines) else None) if lines else draw(kind)
        for lines in comments or [()] * len(document.sentences)
    ]
    if any(kinds):
        kinds[0] = kinds[0] or "paragraph"
    return replace(document, blocks=blocks_of(tuple(kinds), document.sentences, document.tokens))


@st.composite
def _with_other_forms(draw, document):
    other = st.sampled_from([None, None, None, "-LRB-", "two words", "_"])
    forms = [draw(other) or token.form for token in document.tokens]
    tokens = [replace(token, form=form) for token, form in zip(document.tokens, forms, strict=True)]
    return replace(document, tokens=tokens)


@st.composite
def _with_syntax(draw, document):
    cell = st.sampled_from(["_", "a", "Case=Nom|Number=Sing"])
    misc = st.sampled_from(["_", "MSeg=a-b", "Entity=(1|MSeg=x", "Zeta=1|Alpha=2"])
    row = st.tuples(*[cell] * 7, misc)
    columns = [draw(row) for _ in document.tokens]
    columns[0] = ("lemma", *columns[0][1:])
    comment = st.sampled_from(
        ["# sent_id = 1", "# newpar", "# newpar id = 2", "# text", "# meta::odd = 3", "#x"]
    )
    comments = [draw(st.lists(comment, max_size=3, unique=True)) for _ in document.sentences]
    comments[0] = [line for line in comments[0] if "meta" not in line]
    nodes = []
    for sentence in document.sentences:
        for after in range(sentence.start, sentence.end + 1):
            if draw(st.integers(0, 9)) == 0:
                opens = after == sentence.start
                nodes.append(EmptyNode(after, draw(st.tuples(*[cell] * 9)), opens))
    fused: list[FusedWord] = []
    for sentence in document.sentences:
        for start in range(sentence.start, sentence.end - 1):
            pair = document.tokens[start : start + 2]
            is_whole = "".join(token.form for token in pair) == document.text_of(Span(start, start + 2))
            if is_whole and not any(word.tokens.end > start for word in fused) and draw(st.booleans()):
                fused.append(FusedWord(Span(start, start + 2), draw(row)))
    lines = tuple(map(tuple, comments)) if any(comments) else ()
    return replace(document, syntax=Syntax(tuple(columns), lines, tuple(fused), tuple(nodes)))


@st.composite
def analyses(draw):
    """Two analyses of one sentence: EDUs and a tree over them."""
    n_tokens = draw(st.integers(1, 10))
    whole = Document.from_sentences([[f"w{number}" for number in range(n_tokens)]], name="d")
    sides = []
    for _ in range(2):
        edus = spans_of_lengths(draw(lengths_of(n_tokens)))
        sides.append(replace(whole, edus=edus, tree=draw(trees(n_edus=len(edus)))))
    return sides


@st.composite
def annotations(draw, sentences, edus=None):
    """EDUs and trees over sentences of these lengths; EDUs mostly keep to the sentences."""
    if edus is None:
        if draw(st.integers(0, 3)):
            edus = [length for sentence in sentences for length in draw(lengths_of(sentence))]
        else:
            edus = draw(lengths_of(sum(sentences)))
    plain = document_of_lengths(edus, sentences=sentences)
    if draw(st.booleans()):
        return replace(plain, tree=draw(trees(len(edus), relations=FEW_RELATIONS)))
    own = [
        None
        if span is None or draw(st.integers(0, 4)) == 0
        else draw(trees(len(span), relations=FEW_RELATIONS))
        for span in plain.sentence_edus()
    ]
    return replace(plain, sentence_trees=own)


@st.composite
def pairs(draw, same_edus=False):
    """Gold and predicted, with the same tokens and sentences."""
    sentences = draw(lengths_of(draw(st.integers(1, 10))))
    gold = draw(annotations(sentences))
    edus = [len(edu) for edu in gold.edus] if same_edus else None
    return gold, draw(annotations(sentences, edus))


@st.composite
def counts(draw):
    predicted, gold = draw(st.integers(0, 50)), draw(st.integers(0, 50))
    return Counts(draw(st.integers(0, min(predicted, gold))), predicted, gold)
