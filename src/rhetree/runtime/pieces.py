"""Words to the pieces that an encoder reads, and back to where each word is found in what it writes.

NumPy and the ``tokenizers`` library only, no torch: a model that runs without torch cuts its
words in the same way.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

_CHARACTERS_PER_PIECE = 32
"""A longer word is cut before it is tokenised: some tokenizers take quadratic time."""
_MOST_REMEMBERED = 500_000
_LONGEST_REMEMBERED = 40
"""Longer words are hardly seen again, and a few could fill the memory."""
_CALL_COST = 64
"""Fixed cost of calling an encoder, counted in pieces (for a small encoder on a CPU)."""
_MOST_PIECES_AT_ONCE = 16_384
"""The most pieces that go through an encoder at once: a sentence can have any number of windows."""


@dataclass(frozen=True, slots=True)
class PieceBatch:
    """An encoder's input for some sentences, and where to find their words in its output."""

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

    def __init__(
        self,
        tokenizer: str,
        *,
        pad_id: int,
        window: int,
        max_pieces: int,
        piece: str,
        overlap: int | None = None,
    ) -> None:
        """Read a ``tokenizer.json``; anything wrong with it is a ``ValueError``.

        :param window: most pieces in a row, special ones included
        :param max_pieces: most pieces of a word
        :param piece: which stand for a word: ``first``, ``last`` or ``mean``
        :param overlap: least number of pieces that two windows share; None for half of them
        """
        description = json.loads(tokenizer)
        if not isinstance(description, dict):
            raise ValueError("not a tokenizer")
        self._tokenizer = _word_tokenizer(tokenizer, description)
        self.n_pieces: int = self._tokenizer.get_vocab_size(with_added_tokens=True)
        self._unknown = _unknown_id(description, self._tokenizer)
        self.largest_id: int = max(self._unknown, *self._tokenizer.get_vocab(with_added_tokens=True).values())
        self._prefix, self._suffix = _special_ids(self._tokenizer)
        self._capacity = window - len(self._prefix) - len(self._suffix)
        if self._capacity < 2:
            raise ValueError(f"a window of {window} pieces leaves no place for words")
        self._stride = None if overlap is None else max(1, self._capacity - overlap)
        self._pad_id = pad_id
        self._max_pieces = max_pieces
        self._piece = piece
        self._remembered: dict[str, tuple[int, ...]] = {}

    @property
    def special_ids(self) -> list[int]:
        """The pieces before and after each row, and the one of padding."""
        return [*self._prefix, *self._suffix, self._pad_id]

    def of(self, word: str) -> tuple[int, ...]:
        """The pieces of a word: at least one, at most ``max_pieces``."""
        ids = self._remembered.get(word)
        if ids is None:
            text = word[: self._max_pieces * _CHARACTERS_PER_PIECE]
            # Half of a surrogate pair is no text; the tokenizer would refuse it.
            text = text.encode("utf-8", "replace").decode("utf-8")
            found = self._tokenizer.encode(text, add_special_tokens=False).ids
            ids = tuple(found[: self._max_pieces]) or (self._unknown,)
            if len(word) <= _LONGEST_REMEMBERED:
                if len(self._remembered) >= _MOST_REMEMBERED:
                    self._remembered.clear()
                self._remembered[word] = ids
        return ids

    def batch(self, sentences: Sequence[Sequence[str]]) -> PieceBatch:
        """Sentences as rows of pieces, padded."""
        known = self._remembered
        words = [known.get(word) or self.of(word) for sentence in sentences for word in sentence]
        sizes = np.fromiter(map(len, words), np.int64, len(words))
        pieces = np.fromiter(chain.from_iterable(words), np.int64, int(sizes.sum()))
        n_words = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        edges = _edges(sizes)[_edges(n_words)]  # of the sentences, in pieces
        windows = _Windows.of(np.diff(edges), self._capacity, self._stride)
        length = len(self._prefix) + int(windows.sizes.max(initial=0)) + len(self._suffix)
        if not len(sentences):
            length = 0
        ids, mask = self._rows(pieces, edges, windows, length)
        positions, weights = self._words(windows.places(length, len(self._prefix)), sizes, n_words)
        return PieceBatch(ids, mask, positions, weights)

    def _rows(
        self, pieces: NDArray[np.int64], edges: NDArray[np.int64], windows: "_Windows", length: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids and mask, ``(rows, length)``."""
        before, after = len(self._prefix), len(self._suffix)
        columns = np.arange(length)
        ids = np.full((len(windows.sizes), length), self._pad_id, dtype=np.int64)
        ends = before + windows.sizes[:, None]  # of the pieces of words
        inside = (columns >= before) & (columns < ends)
        first = edges[windows.sentences] + windows.starts - before
        ids[inside] = pieces[(first[:, None] + columns)[inside]]
        ids[:, :before] = self._prefix
        np.put_along_axis(ids, ends + np.arange(after), np.array([self._suffix], dtype=np.int64), axis=1)
        return ids, (columns < ends + after).astype(np.int64)

    def _words(
        self, places: NDArray[np.int64], sizes: NDArray[np.int64], n_words: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Positions and weights, ``(batch, longest, k)``, from the places of all pieces and the words' sizes."""
        ends = sizes.cumsum()
        if self._piece == "mean":
            numbers = np.arange(sizes.max(initial=1))
            inside = numbers < sizes[:, None]
            chosen = np.where(inside, places[((ends - sizes)[:, None] + numbers) * inside], 0)
            shares = inside / sizes[:, None]
        else:
            chosen = places[ends - sizes if self._piece == "first" else ends - 1][:, None]
            shares = np.ones_like(chosen)
        present = np.arange(n_words.max(initial=0)) < n_words[:, None]
        positions = np.zeros((*present.shape, chosen.shape[1]), dtype=np.int64)
        weights = np.zeros(positions.shape, dtype=np.float32)
        positions[present], weights[present] = chosen, shares
        return positions, weights


@dataclass(frozen=True, slots=True)
class _Windows:
    """The rows that sentences go into, each sentence into one or more."""

    n_pieces: NDArray[np.int64]
    """Number of pieces of each sentence."""
    sentences: NDArray[np.int64]
    """The sentence of each row."""
    starts: NDArray[np.int64]
    """The first piece in each row, counted in its sentence."""
    sizes: NDArray[np.int64]
    """How many of the sentence's pieces are in each row."""
    capacity: int

    @classmethod
    def of(cls, n_pieces: NDArray[np.int64], capacity: int, stride: int | None) -> "_Windows":
        starts = [window_starts(n, capacity, stride) for n in n_pieces.tolist()]
        sentences = np.repeat(np.arange(len(starts)), list(map(len, starts)))
        flat = np.fromiter(chain.from_iterable(starts), np.int64, len(sentences))
        return cls(n_pieces, sentences, flat, np.minimum(n_pieces[sentences] - flat, capacity), capacity)

    def places(self, length: int, before: int) -> NDArray[np.int64]:
        """The position of each piece of each sentence, counted through all rows of ``length`` pieces."""
        first_rows = np.searchsorted(self.sentences, np.arange(len(self.n_pieces)))
        edges = _edges(self.n_pieces)
        begin = first_rows * length + before - edges[:-1]
        places = np.repeat(begin, self.n_pieces) + np.arange(edges[-1])
        for sentence in np.flatnonzero(self.n_pieces > self.capacity).tolist():
            n, first = int(self.n_pieces[sentence]), int(first_rows[sentence])
            starts = self.starts[first : np.searchsorted(self.sentences, sentence, side="right")]
            owners = np.array(window_owners(n, self.capacity, starts.tolist()))
            columns = before + np.arange(n) - starts[owners]
            places[edges[sentence] : edges[sentence + 1]] = (first + owners) * length + columns
        return places


def window_starts(n_pieces: int, capacity: int, stride: int | None = None) -> list[int]:
    """The starts of windows; all are full, so the last may overlap more.

    :param stride: from one start to the next; None for half of a window
    """
    if n_pieces <= capacity:
        return [0]
    return [*range(0, n_pieces - capacity, stride or (capacity + 1) // 2), n_pieces - capacity]


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
        first = max(0, end - max(1, _MOST_PIECES_AT_ONCE // longest))
        ways = costs[first:end] + np.arange(end - first, 0, -1) * longest + _CALL_COST
        best = int(ways.argmin())
        costs[end], starts[end] = ways[best], first + best
    groups = []
    end = len(order)
    while end:
        groups.append(order[starts[end] : end])
        end = int(starts[end])
    return groups


def _edges(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The starts of consecutive items of these sizes, and the end of the last one."""
    return np.concatenate([[0], sizes.cumsum()])


def _word_tokenizer(text: str, description: dict[str, Any]) -> Tokenizer:
    if _space_before_words(description.get("pre_tokenizer")):
        text = json.dumps(description)
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"not a tokenizer that this version of tokenizers reads: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # The word "[SEP]" in a text is not the end of a sentence.
    tokenizer.encode_special_tokens = True
    return tokenizer


def _space_before_words(pre_tokenizer: Any) -> bool:
    """Let byte-level tokenizers see each word as they would within a text, after a space; whether there are any."""
    if not isinstance(pre_tokenizer, dict):
        return False
    is_byte_level = pre_tokenizer.get("type") == "ByteLevel"
    if is_byte_level:
        pre_tokenizer["add_prefix_space"] = True
    return any([is_byte_level, *map(_space_before_words, pre_tokenizer.get("pretokenizers", ()))])


def _special_ids(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The special pieces before and after a sentence."""
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
