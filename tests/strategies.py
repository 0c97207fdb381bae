"""Random trees and documents for property tests, built from the leaves up so that every one is valid."""

from dataclasses import replace

from hypothesis import strategies as st

from rhetree.domain.annotation import EmptyNode, FusedWord, SecondaryEdge, Signal, Syntax
from rhetree.domain.document import Document, Token
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.reading import Reading
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import NUCLEARITIES, Split, Tree
from rhetree.treebanks.format import Layer

RELATIONS = ["joint-list", "same-unit", "elaboration-attribute", "attribution-positive", "causal-cause"]
WORDS = [
    "He",
    "came",
    ",",
    "saw",
    "and",
    "conquered",
    ".",
    "(",
    ")",
    "“",
    "don't",
    "_!",
    "é",
    "<P>",
    "&",
    "#",
    "//",
    "x|y",
    "1",
]


@st.composite
def trees(draw, n_edus=None, max_edus=9, relations=tuple(RELATIONS)):
    n = draw(st.integers(1, max_edus)) if n_edus is None else n_edus
    splits, waiting = [], [(0, n)]
    while waiting:
        start, end = waiting.pop()
        if end - start == 1:
            continue
        middle = draw(st.integers(start + 1, end - 1))
        splits.append(
            Split(start, middle, end, draw(st.sampled_from(NUCLEARITIES)), draw(st.sampled_from(relations)))
        )
        waiting += [(middle, end), (start, middle)]
    return Tree(tuple(splits))


@st.composite
def nary_trees(draw, n_edus=None, max_edus=9, relations=tuple(RELATIONS)):
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
        shared = draw(st.sampled_from(relations)) if len(nuclei) > 1 else None
        children = []
        for number, (start, end) in enumerate(zip(cuts, cuts[1:], strict=False)):
            if number in nuclei:
                children.append(Unit(start, end, "nucleus", shared))
            else:
                children.append(Unit(start, end, "satellite", draw(st.sampled_from(relations))))
        waiting += reversed(children)
    return NaryTree(tuple(units))


def lengths_of(total):
    """Ways to part ``total`` items into runs of at least one."""
    return st.sets(st.integers(1, max(1, total - 1)), max_size=total - 1).map(
        lambda cuts: [
            b - a for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), total], strict=False) if b > a
        ]
    )


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
    known = {"name": "doc", "text": text, "tokens": tuple(tokens)}
    n = len(forms)
    if Layer.SENTENCES in holds and (Layer.EDUS not in holds or draw(st.booleans())):
        known["sentences"] = spans_of_lengths(draw(lengths_of(n)))
    if Layer.EDUS in holds:
        known["edus"] = spans_of_lengths(draw(lengths_of(n)))
        n_edus = len(known["edus"])
        if Layer.NARY in holds and draw(st.booleans()):
            return Document(**known).with_nary(draw(nary_trees(n_edus=n_edus, relations=relations)))
        if Layer.TREE in holds:
            known["tree"] = draw(trees(n_edus=n_edus, relations=relations))
    return Document(**known)


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


@st.composite
def readings(draw, edus, tree, digits=6):
    """A reading with these EDUs and this tree; its numbers have so many digits."""
    prob = st.floats(0, 1).map(lambda number: float(f"{number:.{digits}g}"))
    label = st.builds("{}-{}".format, st.sampled_from(RELATIONS), st.sampled_from(NUCLEARITIES))
    labels = st.lists(st.tuples(label, prob), max_size=3).map(
        lambda pairs: tuple(sorted(pairs, key=lambda pair: -pair[1]))
    )
    splits = () if tree is None else tree.splits
    return Reading(
        edus,
        tree,
        float(f"{draw(st.floats(-1e6, 0)):.{digits}g}"),
        tuple(draw(prob) for _ in edus),
        tuple(draw(prob) for _ in splits),
        tuple(draw(labels) for _ in splits),
    )


@st.composite
def read_documents(draw, document, digits=6):
    """The document as a model leaves it: EDUs inside its sentences, trees of them or none, and readings."""
    ends = sorted({span.end for span in (*document.sentences, *document.edus)})
    document = replace(document.without_trees(), edus=tuple(map(Span, [0, *ends], ends)))
    has_trees = draw(st.booleans())
    own_trees, found = [], []
    for sentence, edus in zip(document.sentences, document.sentence_edus(), strict=True):
        own_trees.append(draw(trees(n_edus=len(edus))) if has_trees else None)
        found.append([])
        if draw(st.booleans()):
            spans = tuple(edu.shift(-sentence.start) for edu in document.edus[edus.start : edus.end])
            best = draw(readings(spans, own_trees[-1], digits))
            others = []
            for _ in range(draw(st.integers(0, 2))):
                spans = spans_of_lengths(draw(lengths_of(len(sentence))))
                other = draw(readings(spans, draw(trees(n_edus=len(spans))) if has_trees else None, digits))
                others.append(replace(other, log_prob=min(other.log_prob, best.log_prob)))
            found[-1] = [best, *sorted(others, key=lambda one: -one.log_prob)]
    return replace(document, sentence_trees=own_trees if has_trees else (), readings=found)


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
    return document


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
    fused = []
    for sentence in document.sentences:
        for start in range(sentence.start, sentence.end - 1):
            pair = document.tokens[start : start + 2]
            is_whole = "".join(token.form for token in pair) == document.text_of(Span(start, start + 2))
            if is_whole and not any(word.tokens.end > start for word in fused) and draw(st.booleans()):
                fused.append(FusedWord(Span(start, start + 2), draw(row)))
    return replace(document, syntax=Syntax(columns, comments if any(comments) else (), fused, nodes))
