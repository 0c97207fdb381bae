"""What the runtime computes in NumPy is what its twin in torch computes."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rhetree.learning.networks import pointer as torch_pointer
from rhetree.learning.networks import spans as torch_spans
from rhetree.runtime import pointer, spans
from rhetree.runtime.model_files import Settings

BATCH, LONGEST, WIDTH = 3, 7, 4


def random_states(lengths):
    states = torch.randn(BATCH, LONGEST, WIDTH)
    for row, length in zip(states, lengths, strict=True):
        row[length:] = 0
    return states


@pytest.mark.parametrize("query_width", [WIDTH, 5])
@pytest.mark.parametrize("boundary", ["last", "both-sides"])
@pytest.mark.parametrize("kind", ["dot", "additive", "biaffine"])
def test_a_pointer_scores_as_its_twin(kind, boundary, query_width):
    torch.manual_seed(5)
    lengths = [LONGEST, 1, 4]
    states, outputs = random_states(lengths), torch.randn(BATCH, query_width)
    in_torch = torch_pointer.Pointer(kind, query_width, WIDTH, boundary)
    inside = torch.arange(LONGEST) < torch.tensor(lengths)[:, None]
    with torch.no_grad():
        expected = in_torch(outputs[:, None], in_torch.prepare(states), inside[:, None])[:, 0]
        exported = {name: value.numpy() for name, value in in_torch.exported_keys(states).items()}
        queries, *weights = (value.numpy() for value in in_torch.exported_step(outputs).values())
    twin = pointer.Pointer.from_settings(Settings.of(in_torch.settings(), "config.json"))
    keys = exported["keys"] if exported else twin.prepare(states.numpy())
    together = twin.scores(keys, queries, *weights)
    for row, length in enumerate(lengths):
        scores = twin.scores(keys[row, :length], queries[row], *weights)
        np.testing.assert_allclose(pointer.log_softmax(scores), expected[row, :length], atol=1e-5)
        assert np.array_equal(scores, together[row, :length])  # to the last bit


bounds = st.tuples(st.integers(0, LONGEST), st.integers(0, LONGEST)).map(sorted)
some_spans = st.one_of(st.just([0, 0]), bounds.filter(lambda span: span[0] < span[1]))


@pytest.mark.parametrize("partial_tree", ["attention", "average", "none"])
@pytest.mark.parametrize("kind", ["last", "mean", "both-ends"])
@given(st.lists(st.tuples(st.integers(0, BATCH - 1), some_spans, some_spans, some_spans), min_size=1))
def test_a_span_is_represented_as_by_its_twin(kind, partial_tree, steps):
    torch.manual_seed(5)
    states = random_states([LONGEST] * BATCH)
    in_torch = torch_spans.SpanRepresentation(kind, WIDTH, partial_tree)
    twin = spans.SpanRepresentation.from_settings(Settings.of(in_torch.settings(), "config.json"))
    rows, *columns = (np.array(column) for column in zip(*steps, strict=True))
    units = twin.prepare(states.numpy())
    tensors = [torch.from_numpy(array) for array in (rows, *columns)]
    prepared = in_torch.prepare(states)
    np.testing.assert_allclose(units, prepared, atol=1e-6)
    np.testing.assert_allclose(twin(units, rows, columns[0]), in_torch(prepared, *tensors[:2]), atol=1e-5)
    np.testing.assert_allclose(
        twin.inputs(units, rows, *columns), in_torch.inputs(prepared, *tensors), atol=1e-5
    )
