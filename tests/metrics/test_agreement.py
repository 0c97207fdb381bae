import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.relations import GUM
from rhetree.domain.tree import Tree
from rhetree.errors import MismatchError
from rhetree.metrics.agreement import Agreement, Judgements, agreement
from rhetree.metrics.counts import Counts
from support.scored_pairs import document, levels, tree
from support.strategies import pairs


def test_kappa_pools_the_labels_of_both():
    # 60 of 100 agreed. Yes was said 60 + 70 times of 200, so chance is .65² + .35² = .545, and
    # K = (.6 - .545) / (1 - .545) = .1209. (Cohen's kappa of the same table is .1304.)
    some = Judgements({("y", "y"): 45, ("y", "n"): 15, ("n", "y"): 25, ("n", "n"): 15})
    assert some.kappa == pytest.approx(0.055 / 0.455)


@pytest.mark.parametrize(
    ("judged", "kappa"),
    [
        ({}, None),  # nothing judged
        ({("y", "y"): 3}, 1.0),  # chance would agree too; still, all is agreed
        ({("y", "y"): 3, ("n", "n"): 3}, 1.0),
        ({("y", "n"): 3, ("n", "y"): 3}, -1.0),
    ],
)
def test_kappa_of_the_edges(judged, kappa):
    assert Judgements(judged).kappa == kappa


def test_a_worked_example_with_different_edus():
    # Six tokens, one sentence. A: EDUs 0..2 2..4 4..6, ((0..2 2..4) joint-NN, 4..6) causal-NS.
    # B: EDUs 0..4 4..6, (0..4 4..6) causal-NS.
    a = document([2, 2, 2], tree((0, 2, 3, "NS", "causal"), (0, 1, 2, "NN", "joint")), [6])
    b = document([4, 2], tree((0, 1, 2, "NS", "causal")), [6])
    found = agreement([a], [b])
    assert found.segmentation.inner == Counts(1, 1, 2)
    assert found.trees.n_trees == 1
    assert found.trees.rst.full == Counts(2, 2, 4)
    assert found.trees_same_edus.n_trees == 0
    assert found.to_dict()["same_edus"] == {"trees": 0, "parseval": None}
    # The units are 0..2 2..4 4..6: six spans, five without the root, and both have 0..4 and 4..6,
    # A alone 0..2 and 2..4, nobody 2..6. Agreed 3 of 5; yes 6 of 10, no 4 of 10, chance .52.
    assert found.spans.pairs == {(True, True): 2, (True, False): 2, (False, False): 1}
    assert found.spans.kappa == pytest.approx((0.6 - 0.52) / 0.48)
    assert found.relations.pairs == {
        ("span", "span"): 1,
        ("causal", "causal"): 1,
        ("joint", None): 2,
        (None, None): 1,
    }
    # Tokens 1 to 5: both start an EDU at 4, A alone at 2.
    assert found.edus.pairs == {(True, True): 1, (True, False): 1, (False, False): 3}


def test_each_relation_has_a_kappa_of_its_own_and_nodes_of_both_are_confused():
    a = document([2, 2, 2], tree((0, 2, 3, "NS", "causal"), (0, 1, 2, "NN", "joint")), [6])
    b = document([2, 2, 2], tree((0, 2, 3, "NS", "causal"), (0, 1, 2, "NS", "mode")), [6])
    found = agreement([a], [b])
    assert found.trees.confusion.pairs == {("causal", "causal"): 1, ("joint", "mode"): 1}
    assert found.relations.pairs == {
        ("span", "span"): 1,
        ("causal", "causal"): 1,
        ("joint", "span"): 1,
        ("joint", "mode"): 1,
        (None, None): 1,
    }
    # Of five spans A calls two joint and B none: 3 of 5 agreed, joint 2 of 10, chance .04 + .64.
    kappas = found.kappa_by_relation()
    assert list(kappas) == ["causal", "joint", "mode", "span"]
    assert kappas["joint"] == pytest.approx((0.6 - 0.68) / 0.32)
    assert kappas["causal"] == 1
    record = json.loads(json.dumps(found.to_dict(per_relation=True, confusion=True)))
    assert record["per_relation"]["kappa"] == pytest.approx(kappas)
    assert record["per_relation"]["original"]["joint"]["gold"] == 1
    assert record["confusion"]["nodes"] == 2
    assert (found + found).trees.confusion.n_nodes == 4


def test_trees_with_the_same_edus_are_also_counted_apart():
    joint, causal = tree((0, 1, 2, "NN", "joint")), tree((0, 1, 2, "NS", "causal"))
    a = document([1, 1, 1, 1], sentences=[2, 2], sentence_trees=(joint, joint))
    b = document([1, 1, 2], sentences=[2, 2], sentence_trees=(causal, Tree()))
    found = agreement([a], [b])
    assert (found.trees.n_trees, found.trees.rst.span) == (2, Counts(2, 2, 4))
    assert (found.trees_same_edus.n_trees, found.trees_same_edus.rst.span) == (1, Counts(2, 2, 2))


def test_trees_count_that_both_have():
    joint = tree((0, 1, 2, "NN", "joint"))
    a = document([1, 1, 1, 1], sentences=[2, 2], sentence_trees=(joint, joint))
    b = document([1, 1, 1, 1], sentences=[2, 2], sentence_trees=(None, joint))
    assert agreement([a], [b]).trees.rst.full == agreement([b], [a]).trees.rst.full == Counts(2, 2, 2)


def test_sentences_count_that_both_have():
    a = document([1, 1, 1, 1, 1, 1], sentences=[2, 4])
    b = document([1, 1, 1, 1, 2], sentences=[2, 2, 2])
    found = agreement([a], [b])
    assert found.n_sentences == 1
    assert found.segmentation.inner == Counts(1, 1, 1)
    assert agreement([a], [replace(b, sentences=())]).segmentation.inner == Counts(3, 3, 4)


def test_whole_documents_can_be_compared_without_sentences():
    plain = document([1, 1, 1], tree((0, 1, 3, "NS", "causal"), (1, 2, 3, "NN", "joint")))
    found = agreement([plain], [plain], level="document")
    assert found.segmentation.inner is None
    assert found.trees.rst.span == Counts(4, 4, 4)
    with pytest.raises(MismatchError, match="doc: it has no sentences in A"):
        agreement([plain], [plain])


def test_other_tokens_and_missing_edus_are_named():
    with pytest.raises(MismatchError, match="doc: B ends after token 1, expected token 2, 't', as in A"):
        agreement([document([1, 1])], [document([1])])
    with pytest.raises(MismatchError, match="doc: it has no EDUs in B"):
        agreement([document([1, 1])], [document([1, 1]).without_edus()])


def test_nothing_to_compare():
    nothing = agreement([], [])
    assert nothing == Agreement(level="sentence")
    assert nothing.to_dict()["kappa"] == dict.fromkeys(("edus", "spans", "nuclearity", "relations"))
    with pytest.raises(ValueError, match="does not add up"):
        nothing + agreement([], [], inventory=GUM)


def test_relations_are_compared_by_their_class():
    a = document([1, 1], tree((0, 1, 2, "NN", "joint-list")), [2])
    b = document([1, 1], tree((0, 1, 2, "NN", "joint-other")), [2])
    assert agreement([a], [b]).trees.rst.relation == Counts(0, 2, 2)
    assert agreement([a], [b], inventory=GUM).trees.rst.relation == Counts(2, 2, 2)


def test_the_records_keys_are_golden():
    record = agreement([], []).to_dict()
    assert list(record) == [
        "level",
        "relations",
        "documents",
        "sentences",
        "segmentation",
        "trees",
        "parseval",
        "same_edus",
        "kappa",
    ]


@given(st.lists(pairs(), max_size=3), st.sampled_from(["sentence", "document"]))
def test_agreement_is_symmetric(some, level):
    some = [pair for pair in some if level in levels(*pair)]
    a, b = [first for first, _ in some], [second for _, second in some]
    there, back = agreement(a, b, level=level), agreement(b, a, level=level)
    assert there.to_dict()["kappa"] == pytest.approx(back.to_dict()["kappa"])
    for part in ("span", "nuclearity", "relation", "full"):
        for kind in ("rst", "original"):
            for trees in ("trees", "trees_same_edus"):
                one, other = (getattr(getattr(getattr(x, trees), kind), part) for x in (there, back))
                assert (one.f1, one.precision, one.recall) == (other.f1, other.recall, other.precision)
    json.dumps(there.to_dict(), allow_nan=False)


@given(pairs())
def test_brute_force_judges_every_span(pair):
    a, b = pair
    found = agreement([a], [b])
    spans, relations = [], []
    for sentence, first, second, edus_a, edus_b in zip(
        a.sentences,
        a.trees_by_sentence(),
        b.trees_by_sentence(),
        a.sentence_edus(),
        b.sentence_edus(),
        strict=True,
    ):
        if first is None or second is None:
            continue
        labels = [
            labels_of(first, a.edus[edus_a.start : edus_a.end]),
            labels_of(second, b.edus[edus_b.start : edus_b.end]),
        ]
        starts = {edu.start for edu in (*a.edus, *b.edus)}
        edges = [token for token in sentence.indices() if token in starts] + [sentence.end]
        for number, start in enumerate(edges):
            for end in edges[number + 1 :]:
                if (start, end) != (sentence.start, sentence.end):
                    spans.append(tuple((start, end) in known for known in labels))
                    relations.append(tuple(known.get((start, end)) for known in labels))
    assert found.spans.pairs == {pair: spans.count(pair) for pair in set(spans)}
    assert found.relations.pairs == {pair: relations.count(pair) for pair in set(relations)}


def labels_of(tree, edus):
    labels = {}
    for split in tree.splits:
        for part, role in zip((split.left, split.right), split.nuclearity, strict=True):
            only_nucleus = role == "N" and split.nuclearity != "NN"
            labels[edus[part.start].start, edus[part.end - 1].end] = (
                "span" if only_nucleus else split.relation
            )
    return labels
