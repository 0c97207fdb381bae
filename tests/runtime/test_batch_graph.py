"""Sentences of equal length through an int8 encoder together: the same bits as alone."""

import numpy as np
import pytest

import rhetree
from rhetree.runtime import words
from rhetree.runtime.batch_graph import for_batches
from rhetree.runtime.installed import find_model
from rhetree.runtime.model import ENCODER
from rhetree.runtime.onnx_runtime import onnxruntime, read_batch_graph, read_graph

TEXTS = [
    "He left early because it rained.",
    "She came late although it snowed.",
    "If prices fall, the company will close the plant, which employs 300 people.",
    "We stayed at home.",
    "They went on again.",
    "Nobody saw him leave.",
]


@pytest.fixture(scope="module")
def encoder():
    return find_model(None) / ENCODER


def test_each_sentence_of_a_batch_is_what_it_is_alone(encoder):
    alone, together = read_graph(encoder, ["ids"]), read_batch_graph(encoder)
    assert together is not None
    random = np.random.default_rng(7)
    for n_rows, length in [(1, 5), (2, 3), (5, 17), (8, 40)]:
        ids = random.integers(1000, 20_000, (n_rows, length))
        ids[0] = 1037  # a sentence of one word repeated has other scales than its neighbours
        (found,) = together.run(None, {"ids": ids})
        for row in range(n_rows):
            np.testing.assert_array_equal(found[row], alone.run(None, {"ids": ids[row : row + 1]})[0][0])


def test_documents_are_the_same_to_the_last_digit(monkeypatch):
    parser = rhetree.load(threads=1)
    before = list(parser.parse_many(TEXTS))
    monkeypatch.setattr(words, "_MANY", 1)
    for n_threads in (1, 2):
        calls: list[int] = []
        parser = rhetree.load(threads=n_threads)
        watch(monkeypatch, calls)
        assert list(parser.parse_many(TEXTS * 4)) == before * 4
        assert max(calls) == 8
        assert sum(calls) == 4 * len(TEXTS)


def watch(monkeypatch, calls):
    encode = words.EncodedWords._encode

    def watched(self, ids):
        calls.append(len(ids))
        return encode(self, ids)

    monkeypatch.setattr(words.EncodedWords, "_encode", watched)


def test_the_second_graph_waits_until_there_are_many_sentences(monkeypatch):
    monkeypatch.setattr(words, "_MANY", 30)
    calls: list[int] = []
    parser = rhetree.load(threads=1)  # which tries out a few sentences
    watch(monkeypatch, calls)
    list(parser.parse_many(TEXTS))
    assert set(calls) == {1}
    list(parser.parse_many(TEXTS * 4))
    assert max(calls) == 8


def test_long_sentences_go_alone(monkeypatch):
    monkeypatch.setattr(words, "_MANY", 1)
    monkeypatch.setattr(words, "_MOST_PIECES_TOGETHER", 30)
    calls: list[int] = []
    parser = rhetree.load(threads=1)
    watch(monkeypatch, calls)
    list(parser.parse_many([TEXTS[2]] * 5 + ["Good."] * 9))
    assert calls == [1] * 5 + [7, 2]  # 17 pieces alone, four pieces seven times


def test_graphs_without_whole_numbers_stay_as_they_are(tmp_path, encoder):
    assert for_batches((encoder.parent / "states.onnx").read_bytes()) is None
    assert read_batch_graph(encoder.parent / "states.onnx") is None
    (tmp_path / "broken.onnx").write_bytes(b"\x3a\x05\x0b\x00\x00\x00\x00")
    assert read_batch_graph(tmp_path / "broken.onnx") is None
    assert read_batch_graph(tmp_path / "none.onnx") is None


def test_the_rewritten_graph_is_one_that_the_checker_takes(encoder):
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(for_batches(encoder.read_bytes()))
    kinds = [node.op_type for node in model.graph.node]
    assert kinds.count("Scan") == 48
    assert not {"MatMulIntegerToFloat", "DynamicQuantizeLinear"} & set(kinds)
    assert onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
