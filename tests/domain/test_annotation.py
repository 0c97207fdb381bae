from dataclasses import replace
from typing import Any

import pytest

from rhetree.domain.annotation import EmptyNode, FusedWord, Syntax
from rhetree.domain.document import Document
from rhetree.domain.span import Span

ROW = ("_",) * 8


def test_syntax_takes_any_sequence_and_compares_by_value():
    row: Any = list(ROW)
    longer: Any = [*row, "_"]
    parts: Any = ([row], [["# text"]], [FusedWord(Span(0, 1), row)], [EmptyNode(1, longer)])
    lists = Syntax(*parts)
    tuples = Syntax((ROW,), (("# text",),), (FusedWord(Span(0, 1)),), (EmptyNode(1, ("_",) * 9),))
    assert lists == tuples
    assert hash(lists) == hash(tuples)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (lambda: Syntax((("_",),)), "8 columns from LEMMA to MISC, got 1"),
        (lambda: FusedWord(Span(0, 1), ("_",)), "a fused word has 8 columns, got 1"),
        (lambda: EmptyNode(0, ROW), "an empty node has 9 columns, got 8"),
        (lambda: Syntax((ROW,), fused=(FusedWord(Span(0, 2)),)), r"0\.\.2 should lie within 0\.\.1"),
        (lambda: Syntax((ROW, ROW), fused=(FusedWord(Span(0, 2)), FusedWord(Span(1, 2)))), "within 2..2"),
        (
            lambda: Syntax((ROW,), empty_nodes=(EmptyNode(2, ("_",) * 9),)),
            r"after 2 tokens should lie within 0\.\.1",
        ),
    ],
)
def test_syntax_that_contradicts_itself_cannot_be_built(parts, message):
    with pytest.raises(ValueError, match=message):
        parts()


def test_comments_are_one_entry_per_sentence():
    document = Document.from_sentences([["He", "left"], ["I", "stayed"]])
    syntax = Syntax((ROW,) * 4, comments=(("# sent_id = 1",),))
    with pytest.raises(ValueError, match="comments for 1 sentence, but there are 2"):
        replace(document, syntax=syntax)
