"""Training the sentence splitter: what it learns from, and that NumPy runs what torch trained."""

import random

import numpy as np
import pytest
import torch

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.learning.sentence_splitter import (
    SplitterNetwork,
    SplitterTraining,
    disturbed_text,
    gold_paragraphs,
    raw_text,
    save_splitter,
    train_splitter,
)
from rhetree.text.sentence_features import features
from rhetree.text.splitter import load_splitter
from rhetree.text.tokenizing import paragraphs

WORDS = ["he", "she", "left", "came", "then", ".", "and"]
VECTORS = np.random.default_rng(1).normal(size=(len(WORDS), 6)).astype(np.float32)
DOCUMENT = [
    (("", "He left."), (" ", "She came and left"), (" ", "Then he came.")),
    (("", "She left then and he came and she left and he left."), (" ", "He came.")),
]


def test_gold_paragraphs_put_the_text_together_again():
    text = "He left. She came\n\nThen he left."
    tokens = Document.from_sentences([["He", "left."], ["She", "came"], ["Then", "he", "left."]]).tokens
    starts = [0, 3, 9, 13, 19, 24, 27]
    placed = [
        type(token)(token.form, at, at + len(token.form)) for token, at in zip(tokens, starts, strict=True)
    ]
    document = Document(text=text, tokens=tuple(placed), sentences=spans_of_lengths([2, 2, 3]))
    found = gold_paragraphs(document)
    assert found == [(("", "He left."), (" ", "She came")), (("", "Then he left."),)]
    assert raw_text(found) == (text, [(0, 8), (9, 17), (19, 32)])


def test_disturbed_text_keeps_track_of_its_sentences():
    seen = set()
    for seed in range(200):
        text, found = disturbed_text(DOCUMENT, random.Random(seed))
        parts = [text[start:end] for start, end in found]
        assert len(parts) == 5
        for part, (_, sentence) in zip(parts, [one for own in DOCUMENT for one in own], strict=True):
            assert part.replace("\n", " ").lower().rstrip(".") == sentence.lower().rstrip(".")
        seen.add("lower" if text == text.lower() else "same")
        seen.add(
            "lines" if "\nShe came" in text else "wrapped" if "\n" in text.replace("\n\n", "") else "plain"
        )
        seen.add("dropped" if text.count(".") < 4 else "whole")
    assert seen == {"lower", "same", "lines", "wrapped", "plain", "dropped", "whole"}


def test_numpy_runs_what_torch_trained(tmp_path):
    torch.manual_seed(1)
    table = np.concatenate([np.zeros_like(VECTORS[:1]), VECTORS])
    network = SplitterNetwork(table, SplitterTraining(width=8)).eval()
    save_splitter(network, WORDS, tmp_path / "s.safetensors")
    found = load_splitter(tmp_path / "s.safetensors")
    text, _ = raw_text(DOCUMENT)
    for forms, starts in paragraphs(text):
        rows = features(text, forms, starts, found.vocabulary)
        with torch.inference_mode():
            expected = network(torch.from_numpy(rows)[None], torch.ones(1, len(rows)))[0]
        np.testing.assert_allclose(found.scores(text, forms, starts), expected, atol=0.02)


def test_a_splitter_learns_sentences_without_marks(tmp_path):
    document = [((" ", "he left"), (" ", "then she came and left"), (" ", "then he came")) * 6]
    config = SplitterTraining(width=16, epochs=30, batch_size=2, learning_rate=0.02, dropout=0.0, unknown=0.0)
    *_, (_, loss, network) = train_splitter([document] * 4, WORDS, VECTORS, config)
    assert loss < 0.1
    save_splitter(network, WORDS, tmp_path / "s.safetensors")
    text, sentences = raw_text(document)
    ((forms, starts),) = paragraphs(text)
    found = load_splitter(tmp_path / "s.safetensors").sentence_starts(text, forms, starts)
    gold = {start for start, _ in sentences}
    right = sum(starts[number] in gold for number in found)
    assert right / max(len(found), len(gold)) > 0.9


@pytest.mark.parametrize("width", [60, 80])
def test_wrapped_lines_are_no_wider_than_they_may_be(width, monkeypatch):
    monkeypatch.setattr("rhetree.learning.sentence_splitter._COLUMNS_OF_TEXT", (width,))
    for seed in range(50):
        text, _ = disturbed_text([DOCUMENT[1] * 5], random.Random(seed))
        if "\n" in text and "\nHe came" not in text:
            assert max(map(len, text.split("\n"))) <= width
