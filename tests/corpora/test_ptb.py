import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.corpora import ptb
from rhetree.errors import RhetreeError, TreebankError

PATH = Path("plan.mrg")

PLAN = r"""
( (S (NP-SBJ-1 (DT The) (NN plan) (-LRB- -LRB-) (CD 1\/2) (-RRB- -RRB-) )
    (VP (VBD was) (VP (VBN dropped) (NP (-NONE- *-1) ))) (. .) ))
( (S (NP (-NONE- *) )) )
(S (`` ``) (NN No) ('' '') (SYM \*))
"""


def read(text, lenient=False):
    return list(ptb.read(io.StringIO(text), PATH, lenient=lenient))


def test_tokens_and_sentences_without_traces_and_escapes():
    (document,) = read(PLAN)
    assert document.name == "plan"
    assert [document.forms_of(sentence) for sentence in document.sentences] == [
        ["The", "plan", "(", "1/2", ")", "was", "dropped", "."],
        ["``", "No", "''", "*"],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"plan\.mrg: no sentence in it"),
        ("( (S (NP (-NONE- *) )) )", "no sentence in it"),
        ("( (S (NN word) )\n\n", r"plan\.mrg:2: the file ends in a tree whose bracket opens in line 1"),
        ("( (S (NN word) ) )\n)", r"plan\.mrg:2: found '\)' with no bracket open"),
        ("( (S\n(NN two words) ) )", r"plan\.mrg:2: found 'words', expected a bracket"),
        ("( (S (NN word) stray ) )", "found 'stray', expected a bracket"),
        ("stray", "found 'stray', expected a bracket"),
        ("( (S\n (NN) ) )", r"plan\.mrg:2: a leaf is a tag and a word, found \(NN\)"),
        ("( (S () ) )", r"a leaf is a tag and a word, found \(\)"),
        ("( (NN word (NN more) ) )", r"a bracket opens inside the leaf \(NN word"),
    ],
)
def test_a_broken_file_is_reported_with_its_line(text, message):
    with pytest.raises(TreebankError, match=message):
        read(text)


def test_lenient_keeps_what_a_truncated_file_has(caplog):
    (document,) = read("( (S (NN one) ) )\n( (S (NN two) (NN thr", lenient=True)
    assert document.text == "one two"
    assert "bracket opens in line 2" in caplog.text


def test_depth_is_no_error():
    (document,) = read("( " + "(S " * 100_000 + "(NN word)" + ")" * 100_000 + ")")
    assert document.text == "word"


@given(st.text(alphabet="()SN a-\\/\n", max_size=40))
def test_whatever_the_file_only_our_errors_come_out(text):
    try:
        read(text)
    except RhetreeError:
        pass
