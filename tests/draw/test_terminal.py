import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.tree import Split, Tree
from rhetree.draw.difference import compare, tally
from rhetree.draw.panel import Panel, document_panels, tree_panel
from rhetree.draw.terminal import Style, describe, draw_pairs, draw_panels, needs_ascii
from rhetree.draw.text import columns
from support.drawn_documents import (
    drawn_nary,
    hostile,
    right_branching,
    three_sentences,
    treasury,
    treasury_as_parsed,
)
from support.strategies import nary_trees

COLOUR = re.compile("\x1b\\[[0-9;]*m")


def lines(document, **style):
    return list(draw_panels(document_panels(document), Style(**style)))


def test_pictures_are_golden(golden):
    pairs = compare(treasury(), treasury_as_parsed())
    titles = ("gold", "predicted")
    style = Style(width=90)
    parts = [
        lines(treasury(), width=60),
        lines(treasury(), width=40, ascii_only=True),
        lines(drawn_nary(), width=60),
        lines(three_sentences(), width=60),
        [*draw_pairs(pairs, style, titles), "", *describe(tally(pairs), titles, style)],
        lines(right_branching(24), width=48),
    ]
    golden("trees.txt", "\n\n".join("\n".join(part) for part in parts) + "\n")


def test_relations_stand_at_the_split_and_roles_at_the_parts():
    assert lines(treasury(), width=80) == [
        "Condition 1–4",
        "├─N Attribution 1–2",
        "│  ├─S 1 The Treasury also said",
        "│  └─N 2 noncompetitive tenders will be considered timely",
        "└─S Temporal 3–4",
        "   ├─N 3 if postmarked no later than Sunday, Oct. 29,",
        "   └─N 4 and received no later than tomorrow.",
    ]


@given(
    nary_trees(max_edus=12, relations=("joint", "elaboration-object-attribute-e")),
    st.lists(
        st.sampled_from(["", "a few words", "漢字の長い文章です。", "W" * 70]), min_size=12, max_size=12
    ),
    st.integers(30, 100),
)
def test_no_line_is_wider_than_the_terminal_and_no_edu_is_left_out(tree, texts, width):
    bare = tree_panel(tree)
    panel = Panel(tuple(texts[: tree.n_edus]), bare.tokens, bare.tree)
    shown = list(draw_panels([panel], Style(width=width)))
    assert all(columns(line) <= width for line in shown)
    letters = re.sub(r"[^W漢a-z]", "", "".join(panel.texts))
    kept = re.sub(r"[^W漢a-z]", "", "".join(shown))
    for letter in "W漢":
        assert kept.count(letter) == letters.count(letter)
    for number in range(2, tree.n_edus):
        assert any(f" {number} " in f"{line} " for line in shown)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_deep_trees_go_on_from_the_margin(width):
    shown = lines(right_branching(300), width=width)
    assert max(map(columns, shown)) <= width
    assert any("goes on here" in line for line in shown)
    assert shown[-1].strip()


def test_after_a_deep_left_branch_the_outline_says_where_it_is_back():
    n_edus = 40
    left = Tree(tuple(Split(0, end - 1, end, "NS", "x") for end in range(n_edus, 1, -1)))
    document = replace(Document.from_edus(["w"] * n_edus), tree=left)
    shown = lines(document, width=40)
    went = [line for line in shown if "goes on here" in line]
    back = [line for line in shown if "back in" in line]
    assert len(went) == len(back) > 0
    assert shown[-1] == "└─S 40 w"


@pytest.mark.large
def test_ten_times_the_edus_take_ten_times_the_lines():
    small, large = lines(right_branching(400, "w"), width=60), lines(right_branching(4_000, "w"), width=60)
    assert len(large) < 11 * len(small)
    assert max(map(columns, large)) <= 60


def test_colour_changes_no_character():
    plain = lines(treasury(), width=60)
    coloured = lines(treasury(), width=60, colour=True)
    assert any("\x1b[" in line for line in coloured)
    assert [COLOUR.sub("", line) for line in coloured] == plain


def test_without_box_characters_lines_are_ascii_and_words_stay():
    shown = lines(hostile(), width=60, ascii_only=True)
    assert shown[1].startswith("|-N 1 ")
    assert not any(box in line for line in shown for box in "├└│─")


@pytest.mark.parametrize(
    ("encoding", "needed"), [("utf-8", False), ("ascii", True), ("cp1252", True), ("?", True)]
)
def test_the_streams_encoding_decides_on_ascii(encoding, needed):
    assert needs_ascii(encoding) is needed


def test_text_cannot_command_the_terminal():
    assert not any(character in line for line in lines(hostile(), width=60) for character in "\x1b\x00")


@pytest.mark.parametrize("width", [30, 40, 64])
def test_two_analyses_stand_below_each_other_where_there_is_no_room_beside(width):
    pairs = compare(treasury(), treasury_as_parsed())
    shown = list(draw_pairs(pairs, Style(width=width), ("gold", "predicted")))
    assert max(map(columns, shown)) <= width
    assert shown[:2] == ["gold", "≠NR Condition 1–4"]
    at = shown.index("predicted")
    assert shown[at + 1] == "≠NR Attribution 1–3"
    assert sum(line.startswith("<") for line in shown[:at]) == 3
    assert sum(line.startswith(">") for line in shown[at:]) == 1
    again = list(draw_pairs(compare(three_sentences(), three_sentences()), Style(width=40), ("a", "b")))
    assert again[:4] == ["(1) a", "        1 A storm came.", "    b", "        1 A storm came."]


def test_units_of_the_same_tokens_share_a_line():
    pairs = compare(treasury(), treasury_as_parsed())
    shown = list(draw_pairs(pairs, Style(width=100), ("gold", "predicted")))
    both = [line for line in shown if line.count("The Treasury also said") == 2]
    assert len(both) == 1
    assert sum(" < " in f"{line} " for line in shown) == 3
    assert sum(" > " in f"{line} " for line in shown) == 1
    assert "≠NR" in shown[1]
