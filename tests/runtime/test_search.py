"""Which reading is the best one: against brute force, and whatever else is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rhetree
from rhetree.errors import ModelError
from rhetree.runtime.model import load_runtime
from rhetree.runtime.model_files import Settings
from rhetree.runtime.pipeline import Pipeline
from rhetree.runtime.search import GREEDY, Search
from support.brute_force import brute_force, signature
from support.fake_network import LABELS, FakeNetwork
from support.shipped import english_without

WIDE = 10_000
TOKENS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)
WORTH = st.sampled_from([0.0, 0.3, 1.5, 4.0])
TREE = st.sampled_from([0.01, 0.3, 1.0])


@given(TOKENS, st.integers(0, 9), WORTH, TREE)
def test_the_best_reading_is_that_of_brute_force(tokens, seed, per_edu, tree):
    network = FakeNetwork(seed)
    readings = brute_force(network, LABELS, tokens)
    of_edus = {
        tuple((edu.start, edu.end) for edu in reading.edus): reading.log_prob
        for reading in Pipeline(network, LABELS, beam=WIDE).analyse([tokens], trees=False)[0]
    }
    values = {
        reading: (1 - tree) * of_edus[reading[0]] + tree * log_prob + per_edu * len(reading[0])
        for reading, log_prob in readings
    }
    ((found,),) = Pipeline(network, LABELS, search=Search(WIDE, per_edu, tree)).analyse([tokens])
    assert values[signature(found)] == pytest.approx(max(values.values()), abs=1e-4)


@given(st.lists(TOKENS, min_size=1, max_size=3), st.integers(0, 9), WORTH, TREE, st.integers(1, 5))
def test_the_best_reading_does_not_depend_on_how_many_are_asked_for(batch, seed, per_edu, tree, n):
    network, search = FakeNetwork(seed), Search(5, per_edu, tree)
    one = Pipeline(network, LABELS, search=search).analyse(batch)
    several = Pipeline(network, LABELS, search=search, beam=n).analyse(batch)
    for (best,), (first, *others) in zip(one, several, strict=True):
        assert signature(first) == signature(best)
        assert first.log_prob == best.log_prob
        log_probs = [other.log_prob for other in others]
        assert log_probs == sorted(log_probs, reverse=True)
        assert len({signature(reading) for reading in (first, *others)}) == 1 + len(others) <= n


@given(st.lists(TOKENS, min_size=1, max_size=3), st.integers(0, 9), st.integers(1, 4))
def test_segmenting_finds_the_edus_of_the_best_reading(batch, seed, n):
    pipeline = Pipeline(FakeNetwork(seed), LABELS, search=Search(4, 0.3), beam=n)
    for parsed, (first, *others) in zip(
        pipeline.analyse(batch), pipeline.analyse(batch, trees=False), strict=True
    ):
        assert first.tree is None
        assert (first.edus, first.edu_probs) == (parsed[0].edus, parsed[0].edu_probs)
        assert len({reading.edus for reading in (first, *others)}) == 1 + len(others) <= n


@pytest.mark.parametrize("n", [1, 2])
def test_a_network_that_only_segments_gives_the_best_edus_and_no_more_readings_than_asked_for(n):
    tokens = list("abcabcab")
    pipeline = Pipeline(FakeNetwork(parses=False), (), search=Search(8, 2.0), beam=n)
    ((first, *others),) = pipeline.analyse([tokens], trees=False)
    ((likeliest, *rest),) = Pipeline(FakeNetwork(parses=False), (), beam=8).analyse([tokens], trees=False)
    values = [one.log_prob + 2.0 * len(one.edus) for one in (likeliest, *rest)]
    assert first == [likeliest, *rest][values.index(max(values))] != likeliest
    assert len(others) == n - 1


def test_another_segmenter_finds_without_trees_what_it_finds_with_them():
    tokens = list("abcabcab")
    pipeline = Pipeline(FakeNetwork(1), LABELS, segmenter=FakeNetwork(2), search=Search(4, 0.5))
    ((parsed,),), ((segmented,),) = pipeline.analyse([tokens]), pipeline.analyse([tokens], trees=False)
    assert segmented.edus == parsed.edus


def test_an_edu_is_worth_something():
    batch = [list("abcabcab"), list("cba")]
    few, many = (
        Pipeline(FakeNetwork(), LABELS, search=Search(8, worth)).analyse(batch) for worth in (0.0, 9.0)
    )
    n_few, n_many = (sum(len(one.edus) for (one,) in found) for found in (few, many))
    assert n_few < n_many


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"width": 0}, "width: expected a number from 1 on, got 0"),
        ({"width": 65}, "width: expected a number up to 64, got 65"),
        ({"width": 2.5}, "width: expected a whole number, got 2.5"),
        ({"width": True}, "width: expected a whole number"),
        ({"per_edu": -1}, "per_edu: expected a number from 0 to 10, got -1"),
        ({"per_edu": float("nan")}, "per_edu: expected a number from 0 to 10, got nan"),
        ({"per_edu": "much"}, "per_edu: expected a number, got 'much'"),
        ({"tree": 1.5}, "tree: expected a number from 0.01 to 1, got 1.5"),
        ({"tree": 0}, "tree: expected a number from 0.01 to 1, got 0"),
        ({"tree": None}, "tree: expected a number, got None"),
        ({"depth": 3}, "expected width, per_edu and tree: .*depth"),
    ],
)
def test_a_search_that_is_none_is_refused(values, message):
    with pytest.raises(ModelError, match=rf"c\.json: runtime\.search: .*{message}"):
        Search.from_settings(Settings(values, "c.json: runtime.search"))


def test_the_shipped_model_searches_and_one_without_settings_is_greedy(tmp_path):
    folder = english_without(tmp_path / "model", "search")
    assert load_runtime(folder, threads=1).search == GREEDY
    parser = rhetree.load("english", threads=1)
    assert parser.model.search == parser.pipeline.search == Search(3, 0.15, 0.3)
    text = "When the rain that had been falling stopped, we left, hoping to reach the sea before it got dark."
    parsed = parser.parse(text)
    assert [len(readings) for readings in parsed.readings] == [1]
    assert parser.segment(text).edus == parsed.edus
