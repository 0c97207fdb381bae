"""Words to the pieces that an encoder reads, and back to where each word is found in what it writes.

NumPy and the ``tokenizers`` library only, no torch: a model that runs without torch cuts its
words in the same way.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

_CHARACTERS_PER_PIECE = 32
"""A longer word is cut before it is tokenised: some tokenizers take quadratic time."""
_MOST_REMEMBERED = 500_000
_CALL_COST = 64
"""What a call of an encoder costs besides its pieces, counted in pieces (a small one on a CPU)."""
_MOST_PIECES = 16_384
"""No more than so many go through an encoder at once: a sentence can have any number of windows."""


@dataclass(frozen=True, slots=True)
class PieceBatch:
    """What an encoder reads for some sentences, and where their words will be in what it writes."""

    ids: NDArray[np.int64]
    """``(rows, length)``; a sentence is one row, or several windows."""
    mask: NDArray[np.int64]
    """``(rows, length)``; 1 at pieces, 0 at padding."""
    positions: NDArray[np.int64]
    """``(batch, longest, k)``: of each word the pieces that stand for it, counted through all rows."""
    weights: NDArray[np.float32]
    """``(batch, longest, k)``: how much of each of these pieces; zeros after a sentence's last word."""


class WordPieces:
    """Cuts words into pieces, each word by itself, and sentences into windows."""

    def __init__(self, tokenizer: str, *, pad_id: int, window: int, max_pieces: int, piece: str) -> None:
        """Read a ``tokenizer.json``; anything wrong with it is a ``ValueError``.

        :param window: most pieces in a row, special ones included
        :param max_pieces: most pieces of a word
        :param piece: which stand for a word: ``first``, ``last`` or ``mean``
        """
        description = json.loads(tokenizer)
        if not isinstance(description, dict):
            raise ValueError("not a tokenizer")
        self._tokenizer = _word_tokenizer(description)
        self.n_pieces: int = self._tokenizer.get_vocab_size(with_added_tokens=True)
        self._unknown = _unknown_id(description, self._tokenizer)
        self._prefix, self._suffix = _special_ids(self._tokenizer)
        self._capacity = window - len(self._prefix) - len(self._suffix)
        if self._capacity < 2:
            raise ValueError(f"a window of {window} pieces leaves no place for words")
        self._pad_id = pad_id
        self._max_pieces = max_pieces
        self._piece = piece
        self._remembered: dict[str, tuple[int, ...]] = {}

    def of(self, word: str) -> tuple[int, ...]:
        """The pieces of a word: at least one, at most ``max_pieces``."""
        ids = self._remembered.get(word)
        if ids is None:
            text = word[: self._max_pieces * _CHARACTERS_PER_PIECE]
            # Half of a surrogate pair is no text; the tokenizer would refuse it.
            text = text.encode("utf-8", "replace").decode("utf-8")
            found = self._tokenizer.encode(text, add_special_tokens=False).ids
            ids = tuple(found[: self._max_pieces]) or (self._unknown,)
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[word] = ids
        return ids

    def batch(self, sentences: Sequence[Sequence[str]]) -> PieceBatch:
        """Sentences as rows of pieces, padded."""
        rows: list[list[int]] = []
        places: list[list[list[tuple[int, int]]]] = []  # sentence, word, piece -> (row, column)
        for sentence in sentences:
            words = [self.of(word) for word in sentence]
            ids = [piece for word in words for piece in word]
            starts = window_starts(len(ids), self._capacity)
            owners = window_owners(len(ids), self._capacity, starts)
            where = [
                (len(rows) + owner, len(self._prefix) + number - starts[owner])
                for number, owner in enumerate(owners)
            ]
            rows += [[*self._prefix, *ids[start : start + self._capacity], *self._suffix] for start in starts]
            places.append(self._chosen(words, where))
        return self._padded(rows, places)

    def _chosen(
        self, words: list[tuple[int, ...]], where: list[tuple[int, int]]
    ) -> list[list[tuple[int, int]]]:
        chosen, at = [], 0
        for word in words:
            end = at + len(word)
            if self._piece == "first":
                chosen.append(where[at : at + 1])
            elif self._piece == "last":
                chosen.append(where[end - 1 : end])
            else:
                chosen.append(where[at:end])
            at = end
        return chosen

    def _padded(self, rows: list[list[int]], places: list[list[list[tuple[int, int]]]]) -> PieceBatch:
        length = max(map(len, rows), default=0)
        ids = np.full((len(rows), length), self._pad_id, dtype=np.int64)
        mask = np.zeros((len(rows), length), dtype=np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        longest = max(map(len, places), default=0)
        k = max((len(pieces) for words in places for pieces in words), default=1)
        positions = np.zeros((len(places), longest, k), dtype=np.int64)
        weights = np.zeros((len(places), longest, k), dtype=np.float32)
        for sentence, words in enumerate(places):
            for word, pieces in enumerate(words):
                positions[sentence, word, : len(pieces)] = [row * length + column for row, column in pieces]
                weights[sentence, word, : len(pieces)] = 1 / len(pieces)
        return PieceBatch(ids, mask, positions, weights)


def window_starts(n_pieces: int, capacity: int) -> list[int]:
    """Where windows start that half overlap; all are full, so the last may overlap more."""
    if n_pieces <= capacity:
        return [0]
    return [*range(0, n_pieces - capacity, (capacity + 1) // 2), n_pieces - capacity]


def window_owners(n_pieces: int, capacity: int, starts: Sequence[int]) -> list[int]:
    """For each piece the window where it has most context on its poorer side.

    Windows are of one size, so this is the window whose middle is nearest; the earlier of two.
    """
    # The first piece of the later one of each pair of neighbours.
    cuts = [(start + after + capacity - 1) // 2 + 1 for start, after in zip(starts, starts[1:], strict=False)]
    owners: list[int] = np.searchsorted(cuts, np.arange(n_pieces), side="right").tolist()
    return owners


def row_groups(lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Which rows go through an encoder together: of like length, so that little of the work is padding.

    The cheapest division of the rows, from short to long, where a call costs its padded pieces and
    a constant.
    """
    order = np.argsort(lengths, kind="stable")
    ordered = lengths[order]
    costs = np.zeros(len(order) + 1)  # of the rows before, at best
    starts = np.zeros(len(order) + 1, dtype=np.int64)  # of the last group of these
    for end in range(1, len(order) + 1):
        longest = max(1, int(ordered[end - 1]))
        first = max(0, end - max(1, _MOST_PIECES // longest))
        ways = costs[first:end] + np.arange(end - first, 0, -1) * longest + _CALL_COST
        best = int(ways.argmin())
        costs[end], starts[end] = ways[best], first + best
    groups = []
    end = len(order)
    while end:
        groups.append(order[starts[end] : end])
        end = int(starts[end])
    return groups


def _word_tokenizer(description: dict[str, Any]) -> Tokenizer:
    description = {**description, "truncation": None, "padding": None}
    _space_before_words(description.get("pre_tokenizer"))
    try:
        tokenizer = Tokenizer.from_str(json.dumps(description))
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"not a tokenizer that this version of tokenizers reads: {error}") from error
    # The word "[SEP]" in a text is not the end of a sentence.
    tokenizer.encode_special_tokens = True
    return tokenizer


def _space_before_words(pre_tokenizer: Any) -> None:
    """Let byte-level tokenizers see each word as they would within a text, after a space."""
    if isinstance(pre_tokenizer, dict):
        if pre_tokenizer.get("type") == "ByteLevel":
            pre_tokenizer["add_prefix_space"] = True
        for inner in pre_tokenizer.get("pretokenizers", ()):
            _space_before_words(inner)


def _special_ids(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """What goes before and after a sentence."""
    ids: list[int] = tokenizer.encode("a").ids
    inner: list[int] = tokenizer.encode("a", add_special_tokens=False).ids
    for before in range(len(ids) - len(inner) + 1):
        if ids[before : before + len(inner)] == inner:
            return ids[:before], ids[before + len(inner) :]
    raise ValueError("adds special pieces in an unknown way")


def _unknown_id(description: dict[str, Any], tokenizer: Tokenizer) -> int:
    model = description.get("model", {})
    if isinstance(model.get("unk_id"), int):
        return int(model["unk_id"])
    for token in (model.get("unk_token"), "[UNK]", "<unk>"):
        number = None if token is None else tokenizer.token_to_id(token)
        if number is not None:
            return int(number)
    raise ValueError("has no piece for what is unknown: neither unk_token, [UNK] nor <unk>")
