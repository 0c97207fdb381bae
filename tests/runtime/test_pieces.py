"""Pieces of many words at once against the obvious way: one word, one piece at a time."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from rhetree.runtime.pieces import WordPieces, window_owners, window_starts

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a", "b", "##b", "c"]
WORDS = ["a", "aab", "b", "abab", "c", "?"]


def tokenizer():
    made = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made.to_str()


sentences = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), max_size=4)


@pytest.mark.parametrize("piece", ["first", "last", "mean"])
@given(batch=sentences, window=st.sampled_from([8, 9, 64]), max_pieces=st.integers(1, 5))
def test_a_batch_is_what_each_word_by_itself_makes(piece, batch, window, max_pieces):
    pieces = WordPieces(tokenizer(), pad_id=0, window=window, max_pieces=max_pieces, piece=piece)
    found = pieces.batch(batch)
    capacity = window - 2
    rows, at = [], 0
    for number, sentence in enumerate(batch):
        words = [pieces.of(word) for word in sentence]
        flat = [own for word in words for own in word]
        starts = window_starts(len(flat), capacity)
        owners = window_owners(len(flat), capacity, starts)
        rows += [[2, *flat[start : start + capacity], 3] for start in starts]
        end = 0
        for place, word in enumerate(words):
            start, end = end, end + len(word)
            own = {"first": [start], "last": [end - 1], "mean": range(start, end)}[piece]
            expected = [(at + owners[n], 1 + n - starts[owners[n]]) for n in own]
            weights = found.weights[number, place]
            row, column = np.divmod(found.positions[number, place][weights > 0], found.ids.shape[1])
            assert list(zip(row.tolist(), column.tolist(), strict=True)) == expected
            np.testing.assert_allclose(weights.sum(), 1, rtol=1e-6)
        assert not found.weights[number, len(words) :].any()
        at += len(starts)
    assert [row[mask == 1].tolist() for row, mask in zip(found.ids, found.mask, strict=True)] == rows
    assert not found.ids[found.mask == 0].any()


def test_long_words_are_not_remembered():
    pieces = WordPieces(tokenizer(), pad_id=0, window=64, max_pieces=5, piece="last")
    tracemalloc.start()
    for number in range(50):
        pieces.of(f"{number}" + "a" * 100_000)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000
