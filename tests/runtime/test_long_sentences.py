"""A sentence that is too long is cut, and the document says so."""

from dataclasses import replace

import pytest

from rhetree.domain.annotation import Syntax
from rhetree.domain.document import Document
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.errors import MismatchError
from rhetree.runtime.long_sentences import MOST_TOKENS, cut_long_sentences
from support.fake_model import fake_parser


def words(*lengths):
    return Document.from_sentences([["word"] * length for length in lengths], "table")


def test_a_document_of_short_sentences_stays_as_it_is():
    document = words(3, 4)
    assert cut_long_sentences(document, 4) is document


def test_a_long_sentence_is_cut_and_noted(caplog):
    cut = cut_long_sentences(words(2, 9, 4, 5), 4)
    assert list(map(len, cut.sentences)) == [2, 4, 4, 1, 4, 4, 1]
    note = (
        "sentence 2 (9 tokens) and 1 more of 4 cut into parts of at most 4 tokens, each parsed as a sentence"
    )
    assert cut.metadata["note"] == note
    assert caplog.messages == [f"table: {note}"]


def test_an_earlier_note_is_kept():
    document = replace(words(5), metadata={"note": "from a log", "genre": "table"})
    metadata = cut_long_sentences(document, 4).metadata
    assert metadata["genre"] == "table"
    assert metadata["note"].startswith("from a log; sentence 1 (5 tokens) cut")


def test_edus_are_kept_unless_one_is_too_long():
    document = replace(words(3, 12), edus=spans_of_lengths([3, 3, 2, 7]))
    cut = cut_long_sentences(document, 4)
    assert list(map(len, cut.edus)) == [3, 3, 2, 4, 3]
    assert list(map(len, cut.sentences)) == [3, 3, 2, 4, 3]
    assert None not in cut.sentence_edus()


def test_columns_that_count_by_sentences_cannot_be_cut():
    document = replace(words(5), syntax=Syntax((("_",) * 8,) * 5))
    with pytest.raises(MismatchError, match="table: sentence 1 has 5 tokens, expected at most 4; divide it"):
        cut_long_sentences(document, 4)


def test_a_parser_cuts_what_is_too_long_with_edus_found_or_given():
    document = fake_parser().parse("word " * (2 * MOST_TOKENS + 1), "a")
    assert list(map(len, document.sentences)) == [MOST_TOKENS, MOST_TOKENS, 1]
    assert document.metadata["note"].startswith(f"sentence 1 ({2 * MOST_TOKENS + 1} tokens) cut")
    given = fake_parser().parse_tokens(
        [["word"] * (MOST_TOKENS + 1)], [Span(0, MOST_TOKENS), Span(MOST_TOKENS, MOST_TOKENS + 1)]
    )
    assert given.edus == given.sentences
