"""Constrained decoding: what is asked for is there, and it is the best of all that agrees."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rhetree import ConstraintError, Constraints, Document, Span, SpanConstraint
from rhetree.domain.relations import label_parts
from rhetree.domain.span import spans_of_lengths
from rhetree.runtime.constraints import resolve
from rhetree.runtime.edu_search import Segmentation, find_segmentations
from rhetree.runtime.network import Encoded, Tags
from rhetree.runtime.pipeline import Pipeline
from rhetree.runtime.tree_search import find_structures
from support.brute_force import brute_force, check_same, signature
from support.fake_model import fake_parser
from support.fake_network import LABELS, FakeNetwork
from support.strategies import trees

WIDE = 100_000


def document_of(*sentences):
    """Tokens of one letter with a space between them: token i is at character 2i."""
    return Document.from_sentences([list(sentence) for sentence in sentences])


def agrees(said, constraints, first=0):
    """Whether a sentence's EDUs and splits do what is asked for, by the letter of the constraints.

    :param said: the :func:`signature` of a reading
    :param first: the sentence's first token in the document; constraints are of its own
    """
    edus, splits = said
    tokens = [(start + first, end + first) for start, end in edus]
    begins = {2 * start for start, _ in tokens}
    nodes = dict.fromkeys([(2 * start, 2 * end - 1) for start, end in tokens])
    for start, middle, end, label in splits:
        edges = [2 * tokens[start][0], 2 * tokens[middle][0], 2 * tokens[end - 1][1] - 1]
        nodes[edges[0], edges[2]] = edges[1], *label_parts(label)
    for span in constraints.spans:
        if (span.start, span.end) not in nodes:
            return False
        middle, relation, nuclearity = nodes[span.start, span.end] or (None, None, None)
        if span.split not in (None, middle) or span.relation not in (None, relation):
            return False
        if span.nuclearity not in (None, nuclearity):
            return False
    return (
        begins.issuperset(constraints.boundaries)
        and begins.isdisjoint(constraints.joined)
        and all((edu.start // 2, (edu.end + 1) // 2) in tokens for edu in constraints.edus)
    )


@st.composite
def some_constraints(draw, n_tokens):
    """Any constraints on a sentence; most of them contradict each other."""
    places = st.integers(0, n_tokens - 1).map(lambda place: 2 * place)
    pairs = st.sampled_from(list(combinations(range(n_tokens + 1), 2)))
    spans = []
    for start, end in draw(st.lists(pairs, max_size=3)):
        inside = st.sampled_from([None, *range(start + 1, end)])
        split = draw(inside)
        spans.append(
            SpanConstraint(
                2 * start,
                2 * end - 1,
                None if split is None else 2 * split,
                draw(st.sampled_from([None, "NS", "SN"])),
                draw(st.sampled_from([None, None, "elaboration", "attribution"])),
            )
        )
    return Constraints(
        boundaries=draw(st.lists(places, max_size=2)),
        joined=draw(st.lists(places, max_size=2)),
        edus=[Span(2 * start, 2 * end - 1) for start, end in draw(st.lists(pairs, max_size=1))],
        spans=spans,
    )


@st.composite
def facts(draw, lengths, first=0):
    """Some of what is true of one tree over EDUs of these lengths, which start at a token of the document."""
    edus = [edu.shift(first) for edu in spans_of_lengths(lengths)]
    tree = draw(trees(n_edus=len(edus), relations=("elaboration",)))
    inner = [2 * token for edu in edus for token in range(edu.start + 1, edu.end)]
    spans = []
    for split in draw(st.lists(st.sampled_from(tree.splits), unique=True)) if tree.splits else []:
        relation, nuclearity = label_parts(draw(st.sampled_from(LABELS)))
        start, middle = edus[split.start].start, edus[split.split].start
        spans.append(
            SpanConstraint(
                2 * start,
                2 * edus[split.end - 1].end - 1,
                draw(st.sampled_from([None, 2 * middle])),
                draw(st.sampled_from([None, nuclearity])),
                draw(st.sampled_from([None, relation])),
            )
        )
    return Constraints(
        boundaries=draw(st.lists(st.sampled_from([2 * edu.start for edu in edus]), max_size=3)),
        joined=draw(st.lists(st.sampled_from(inner), max_size=3)) if inner else (),
        edus=[
            Span(2 * edu.start, 2 * edu.end - 1) for edu in draw(st.lists(st.sampled_from(edus), max_size=2))
        ],
        spans=spans,
    )


@given(st.text("abc", min_size=1, max_size=4), st.integers(0, 2), st.data())
@settings(max_examples=40, deadline=None)
def test_a_wide_beam_is_brute_force_over_what_agrees(tokens, seed, data):
    constraints = data.draw(some_constraints(len(tokens)))
    network = FakeNetwork(seed)
    agreeing = [
        (said, score)
        for said, score in brute_force(network, LABELS, list(tokens))
        if agrees(said, constraints)
    ]
    pipeline = Pipeline(network, LABELS, beam=WIDE, batch_cost=WIDE * 100)
    documents = pipeline.predict([document_of(tokens)], constraints=[constraints])
    if agreeing:
        check_same(next(documents).readings[0], agreeing)
    else:
        with pytest.raises(ConstraintError):
            next(documents)


@given(
    st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=7), min_size=1, max_size=4),
    st.integers(0, 9),
    st.integers(1, 3),
    st.data(),
)
@settings(max_examples=30, deadline=None)
def test_every_reading_agrees_and_company_does_not_matter(lengths, seed, beam, data):
    sentences = ["abc"[number % 3] * sum(own) for number, own in enumerate(lengths)]
    document = document_of(*sentences)
    own = [
        data.draw(facts(lengths[number], sentence.start)) if data.draw(st.booleans()) else Constraints()
        for number, sentence in enumerate(document.sentences)
    ]
    together = Constraints(
        **{
            name: [item for one in own for item in getattr(one, name)]
            for name in ("boundaries", "joined", "edus", "spans")
        }
    )
    pipeline = Pipeline(FakeNetwork(seed), LABELS, beam=beam)
    (parsed,) = pipeline.predict([document], constraints=[together])
    (free,) = pipeline.predict([document])
    for number, sentence in enumerate(document.sentences):
        readings = parsed.readings[number]
        assert all(agrees(signature(one), own[number], sentence.start) for one in readings)
        if not own[number]:
            assert readings == free.readings[number]
        (resolved,) = resolve(
            shifted(own[number], -sentence.start), document_of(sentences[number]), LABELS, reach=512
        )
        (alone,) = pipeline.analyse([list(sentences[number])], constraints=[resolved])
        assert alone == readings


def shifted(constraints, tokens):
    by = 2 * tokens
    return Constraints(
        boundaries=[place + by for place in constraints.boundaries],
        joined=[place + by for place in constraints.joined],
        edus=[edu.shift(by) for edu in constraints.edus],
        spans=[
            replace(
                span,
                start=span.start + by,
                end=span.end + by,
                split=None if span.split is None else span.split + by,
            )
            for span in constraints.spans
        ],
    )


def test_what_the_model_does_anyway_changes_nothing():
    parser = fake_parser(beam=2)
    text = "He came , he saw and he left . It rained ."
    free = parser.parse(text)
    constraints = Constraints(
        edus=[Span(free.tokens[edu.start].start, free.tokens[edu.end - 1].end) for edu in free.edus]
    )
    assert parser.parse(text, constraints=constraints).readings[0][0] == free.readings[0][0]
    assert parser.parse(text, constraints={"boundaries": []}) == free
    assert parser.parse(text, constraints=Constraints()) == free


def test_probabilities_are_the_models_own():
    parser = fake_parser()
    free = parser.parse("a b c d")
    assert len(free.edus) > 1
    told = parser.parse("a b c d", constraints={"edus": [(0, 7)]})
    (reading,) = told.readings[0]
    encoded = parser.pipeline.network.encode([["a", "b", "c", "d"]])
    step = parser.pipeline.network.segment_step(
        encoded, np.array([0]), np.array([0]), encoded.segmenter.hidden, 9
    )
    assert reading.log_prob == pytest.approx(step.log_probs[0, 3])
    assert reading.edu_probs == pytest.approx((np.exp(step.log_probs[0, 3]),))


def test_the_likeliest_labels_are_told_beside_the_one_that_is_asked_for():
    parser = fake_parser()
    edus = [(0, 1), (2, 3)]
    free = parser.parse("a b", constraints={"edus": edus}).readings[0][0]
    asked = free.label_probs[0][-1][0]
    relation, nuclearity = label_parts(asked)
    span = {"start": 0, "end": 3, "relation": relation, "nuclearity": nuclearity}
    told = parser.parse("a b", constraints={"edus": edus, "spans": [span]}).readings[0][0]
    assert told.tree.splits[0].label == asked != free.tree.splits[0].label
    assert told.label_probs == free.label_probs
    few = Pipeline(parser.model.network, LABELS, top_labels=1)
    (document,) = few.predict([document_of("ab")], constraints=[{"edus": edus, "spans": [span]}])
    assert document.readings[0][0].label_probs == ((free.label_probs[0][0], free.label_probs[0][-1]),)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("tokens", ["ab", "abc", "bca", "caab"])
def test_a_span_with_a_label_has_two_edus_or_more(tokens, beam):
    pipeline = Pipeline(FakeNetwork(), LABELS, beam=beam)
    span = SpanConstraint(0, 2 * len(tokens) - 1, nuclearity="SN")
    (document,) = pipeline.predict([document_of(tokens)], constraints=[Constraints(spans=[span])])
    for reading in document.readings[0]:
        assert len(reading.edus) > 1
        assert reading.tree.splits[0].nuclearity == "SN"


def test_white_space_belongs_to_the_boundary():
    parser = fake_parser()
    document = parser.parse(" Yes ,  no .  ", constraints={"edus": [[0, 7], [8, 14]]})
    assert document.edu_texts() == ["Yes ,", "no ."]
    assert parser.segment("a b c", constraints={"joined": [1, 4]}).edu_texts() == ["a b c"]


def test_given_edus_and_constraints_have_to_agree():
    parser = fake_parser()
    document = replace(document_of("abcd"), edus=(Span(0, 1), Span(1, 3), Span(3, 4)))
    asked = [{"spans": [{"start": 2, "end": 7}]}]
    (parsed,) = parser.parse_documents([document], edus="gold", constraints=asked)
    assert parsed.edus == document.edus
    assert parsed.sentence_trees[0].splits[1].span == Span(1, 3)
    with pytest.raises(
        ConstraintError,
        match=r"^the text: boundary 4 asks .* at character 4, and the given EDU 2\.\.5 for none",
    ):
        next(parser.parse_documents([document], edus="gold", constraints=[{"boundaries": [4]}]))


def test_a_tagger_does_what_is_asked_for():
    begins = np.array([[True, False, True, False, False, False], [True, True, False, False, False, False]])
    likely = np.log(np.array([[1, 0.1, 0.9, 0.2, 0.3, 0.1], [1, 0.8, 0.1, 0.1, 0.1, 0.1]], dtype=np.float32))
    likely[0, 1] = -np.inf
    encoded = Encoded(lengths=np.array([6, 4]), tags=Tags(begins, likely))
    asked = Constraints(boundaries=[2], joined=[4], spans=[SpanConstraint(2, 11, nuclearity="NS")])
    (own,) = resolve(asked, document_of("abcdef"), LABELS, reach=512)
    (first,), (second,) = find_segmentations(FakeNetwork(), encoded, constraints=[own, None])
    assert [edu.start for edu in first.edus] == [0, 1, 4]
    assert np.isfinite(first.log_prob)
    assert second == find_segmentations(FakeNetwork(), encoded)[1][0]


def test_a_span_of_many_edus_is_split_where_it_is_asked_for():
    n = 40
    edus = [spans_of_lengths([1] * n)]
    asked = Constraints(
        spans=[SpanConstraint(0, 2 * n - 1, split=40), SpanConstraint(10, 29, nuclearity="NS")]
    )
    (own,) = resolve(asked, document_of("a" * n), LABELS, reach=512)
    network = FakeNetwork(3)
    found = find_structures(
        network, network.encode([["a"] * n]), np.array([0]), edus, width=2, reach=3, constraints=[own]
    )
    for tree in range(2):
        spans = found.edus[found.owners == tree].tolist()
        assert [0, 20, 40] in spans
        assert [5, 15] in [[start, end] for start, _, end in spans]
        assert len(spans) == n - 1


BAD = [
    ({"spans": [{"start": 0, "end": 5}, {"start": 2, "end": 7}]}, "span 0..5 and span 2..7 cross"),
    (
        {"spans": [{"start": 0, "end": 7, "split": 4}, {"start": 2, "end": 7}]},
        "span 0..7 split at 4 and span 2..7 cross",
    ),
    (
        {"spans": [{"start": 0, "end": 7, "relation": "elaborate"}]},
        "span 0..7 asks for the relation 'elaborate', which the model does not have; did you mean 'elaboration'? "
        "(it has attribution, elaboration, joint)",
    ),
    (
        {"spans": [{"start": 0, "end": 7, "relation": "joint", "nuclearity": "NS"}]},
        "span 0..7 asks for the label joint-NS, which the model does not have (it has joint-NN)",
    ),
    (
        {"spans": [{"start": 0, "end": 7, "relation": "joint"}, {"start": 0, "end": 7, "nuclearity": "NS"}]},
        "span 0..7 is asked to be joint and to be NS",
    ),
    (
        {"boundaries": [2], "edus": [[0, 5]]},
        "boundary 2 asks for an EDU that begins at character 2, and EDU 0..5 for none there",
    ),
    ({"edus": [[0, 5], [4, 7]]}, "EDU 0..5 and EDU 4..7 overlap"),
    (
        {"edus": [[0, 5]], "spans": [{"start": 0, "end": 5, "nuclearity": "NS"}]},
        "span 0..5 asks for NS, so for two EDUs or more, but EDU 0..5 leaves no place for a second one",
    ),
    ({"spans": [{"start": 0, "end": 1, "relation": "joint"}]}, "but it is a single token"),
    ({"joined": [8]}, "joined 8 asks for no EDU that begins there, but a sentence begins there"),
    ({"joined": [15]}, "joined 15 asks for no EDU that begins there, but the text ends there"),
    ({"boundaries": [15]}, "boundary 15 is the end of the text, where no EDU can begin"),
    (
        {"edus": [[0, 11]]},
        "EDU 0..11 crosses the edge of a sentence at character 8; trees are of single sentences",
    ),
    ({"spans": [{"start": 6, "end": 15}]}, "span 6..15 crosses the edge of a sentence at character 8"),
    ({"boundaries": [99]}, "boundary 99: character 99 is beyond the text, which has 15"),
    ({"boundaries": [10]}, "boundary 10: character 10 is inside the token 'efg', 8..11"),
    ({"edus": [[3, 4]]}, "EDU 3..4 holds no token"),
    ({"spans": [{"start": 0, "end": 4, "split": 3}]}, "span 0..4 split at 3 has no token on one side"),
    ({"edges": []}, "constraints: unknown key 'edges'; did you mean 'edus'?"),
    ({"boundaries": [True]}, "constraints.boundaries[0]: expected a whole number, found true"),
    ({"joined": [-1]}, "constraints.joined[0]: expected a character's number, from 0 on, found -1"),
    ({"edus": [[4, 4]]}, "constraints.edus[0]: expected 0 <= start < end, found [4, 4]"),
    ({"spans": [{"start": 4}]}, "constraints.spans[0]: the key 'end' is missing"),
    ({"spans": [{"start": 4, "end": 2}]}, "constraints.spans[0]: a span needs 0 <= start < end, got 4..2"),
    (
        {"spans": [{"start": 0, "end": 7, "split": 7}]},
        "constraints.spans[0]: span 0..7 can only be split inside",
    ),
    ({"spans": [{"start": 0, "end": 7, "nuclearity": "N"}]}, "nuclearity is one of NS, SN, NN, got 'N'"),
    ({"spans": [{"start": 0, "end": 7, "relation": ""}]}, "a relation is a name, got ''"),
    ([], "constraints: expected an object, found []"),
]


@pytest.mark.parametrize(("constraints", "message"), BAD)
def test_what_nothing_agrees_with_is_refused_and_both_sides_are_named(constraints, message):
    document = Document.from_sentences([list("abcd"), ["efg", "h", "."]], "a.txt")
    with pytest.raises(ConstraintError) as caught:
        next(fake_parser().parse_documents([document], constraints=[constraints]))
    assert str(caught.value).startswith("a.txt: ")
    assert message in str(caught.value)


def test_an_edu_is_not_longer_than_the_reach():
    pipeline = Pipeline(FakeNetwork(), LABELS, reach=3)
    message = "EDU 0..7 asks for an EDU of 4 tokens from character 0 on, but an EDU has at most 3"
    with pytest.raises(ConstraintError, match=message):
        next(pipeline.predict([document_of("abcd")], constraints=[{"edus": [[0, 7]]}]))
    (document,) = pipeline.predict([document_of("abcd")], constraints=[{"edus": [[0, 5]]}])
    assert len(document.edus) == 2
    document = replace(document_of("abcd"), edus=(Span(0, 4),))
    (kept,) = pipeline.predict([document], edus="gold", constraints=[{"edus": [[0, 7]]}])
    assert kept.edus == (Span(0, 4),)


def test_each_document_has_its_constraints():
    parser = fake_parser()
    documents = [document_of("ab"), document_of("ab"), Document()]
    parsed = parser.parse_documents(documents, constraints=[{"joined": [2]}, {"boundaries": [2]}, None])
    assert [len(document.edus) for document in parsed] == [1, 2, 0]
    with pytest.raises(ValueError, match="constraints are for 1 document, but there are more"):
        list(parser.parse_documents(documents, constraints=[None]))
    with pytest.raises(ValueError, match="for more documents than there are"):
        list(parser.parse_documents(documents[:1], constraints=[None, None]))


@given(st.lists(st.integers(1, 3), min_size=1, max_size=6), st.data())
@settings(max_examples=30, deadline=None)
def test_constraints_are_plain_values_and_back(lengths, data):
    constraints = data.draw(facts(lengths))
    assert Constraints.from_dict(constraints.to_dict()) == constraints
    assume(constraints)
    assert all(constraints.to_dict().values())


def test_constraints_check_themselves():
    assert not Constraints()
    assert Constraints(edus=[Span(0, 2)]).edus == (Span(0, 2),)
    with pytest.raises(ValueError, match="boundaries are numbers of characters, from 0 on, got -1"):
        Constraints(boundaries=[-1])
    with pytest.raises(ValueError, match="0 <= start < end"):
        SpanConstraint(3, 3)
    assert Segmentation.given([Span(0, 1)]).log_prob == 0
