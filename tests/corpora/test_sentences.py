from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.corpora.sentences import (
    cut_at_sentences,
    onto_text,
    with_sentences_by_rule,
    with_sentences_of,
    with_tokens_of,
)
from rhetree.domain.annotation import Signal
from rhetree.domain.document import Document
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import MismatchError
from support.strategies import lengths_of

DIS, GOLD = Path("plan.dis"), Path("plan.mrg")
CHAIN = Tree((Split(0, 1, 3, "NS", "cause"), Split(1, 2, 3, "NN", "joint")))

EDUS = ['"We dropped the plan,"', "said the U.S.", "It rained. (See: Plans)"]


def tree_document(edus=EDUS):
    document = Document.from_edus(edus, name="plan")
    return replace(document, tree=CHAIN) if len(edus) == 3 else document


def sentence_texts(document):
    return [document.text_of(sentence) for sentence in document.sentences]


# --- the same tokens in both ------------------------------------------------------------------


def gold_document(**changes):
    gold = Document.from_sentences(
        [['"We', "dropped", "the", 'plan,"', "said", "the", "U.S."], ["It", "rained.", "(See:", "Plans)"]]
    )
    return replace(gold, **{"text": gold.text, "metadata": {"genre": "news"}, **changes})


def test_trees_go_over_to_documents_with_the_same_tokens():
    document = with_tokens_of(tree_document(), gold_document(), DIS, Path("plan.conllu")).document
    assert document.tree == CHAIN
    assert document.name == "plan"
    assert document.metadata == {"genre": "news"}
    assert document.sentence_edus() == [Span(0, 2), Span(2, 3)]
    assert document.trees_by_sentence() == [None, Tree()]


@pytest.mark.parametrize(
    ("edus", "gold", "message"),
    [
        (
            ['"We dropped a plan,"', *EDUS[1:]],
            gold_document(),
            r"plan\.dis: token 3 is 'a', expected 'the' as in plan\.conllu",
        ),
        (EDUS[:2], gold_document(), r"plan\.dis: 7 tokens, expected 11 as in plan\.conllu"),
        (
            EDUS,
            gold_document(edus=spans_of_lengths([4, 2, 5])),
            r"plan\.conllu: an EDU starts at token 7 \('U\.S\.'\), but none does in plan\.dis",
        ),
        (
            EDUS,
            gold_document(edus=spans_of_lengths([7, 4])),
            r"plan\.dis: an EDU starts at token 5 \('said'\), but none does in plan\.conllu",
        ),
    ],
)
def test_two_files_that_do_not_fit_are_refused(edus, gold, message):
    with pytest.raises(MismatchError, match=message):
        with_tokens_of(tree_document(edus), gold, DIS, Path("plan.conllu"))


def test_lenient_takes_the_others_word_for_few_tokens():
    document, gold = tree_document(), gold_document()
    other = Document.from_sentences([["`We", *(token.form for token in gold.tokens[1:])]])
    aligned = with_tokens_of(document, other, DIS, GOLD, lenient=True)
    assert aligned.notes == ("token 1 is '\"We', expected '`We' as in plan.mrg",)
    assert aligned.document.tokens == other.tokens
    another = Document.from_sentences([["`We", "drop", *(token.form for token in gold.tokens[2:])]])
    with pytest.raises(MismatchError, match="token 2 is 'dropped', expected 'drop'"):
        with_tokens_of(document, another, DIS, GOLD, lenient=True)


def test_the_same_edus_may_be_in_both_or_in_one():
    gold = gold_document(edus=tree_document().edus)
    assert with_tokens_of(tree_document(), gold, DIS, GOLD).document.edus == gold.edus
    bare = tree_document().without_edus()
    assert with_tokens_of(bare, gold, DIS, GOLD).document.edus == gold.edus


# --- by characters ----------------------------------------------------------------------------

PENN = [
    ["``", "We", "dropped", "the", "plan", ",", "''", "said", "the", "U.S.", "."],
    ["It", "rained", "."],
]


def test_a_text_file_gives_the_spacing():
    text = '  "We dropped\nthe plan," said the U.S.\n\nIt rained. (See: Plans)\n'
    aligned = onto_text(tree_document(), text, DIS)
    assert aligned.document.text == text
    assert aligned.document.edu_texts() == ['"We dropped\nthe plan,"', *EDUS[1:]]
    assert aligned.notes == ()


def test_an_edu_that_is_not_in_the_text_is_refused():
    edus = ["We all dropped the plan that everybody knew", "or not,", "when it rained on the whole town."]
    text = " ".join([edus[0], edus[2]])
    with pytest.raises(MismatchError, match=r"plan\.dis: no word of EDU 2 \('or not,'\) is in the text"):
        onto_text(tree_document(edus), text, DIS)


def test_sentences_and_tokens_are_found_in_the_text():
    aligned = with_sentences_of(tree_document(EDUS[:2]), Document.from_sentences(PENN[:1]), GOLD)
    assert aligned.notes == ()
    document = aligned.document
    assert document.forms_of(Span(0, 7)) == ['"', "We", "dropped", "the", "plan", ",", '"']
    assert [document.forms_of(edu)[-1] for edu in document.edus] == ['"', "U.S."]
    assert sentence_texts(document) == [document.text]


def test_text_after_the_last_gold_sentence_keeps_its_words_and_gets_sentences_by_rule():
    edus = [*EDUS[:2], "It rained.", "(See: Plans,", "page 2)", "Source: us"]
    aligned = with_sentences_of(tree_document(edus), Document.from_sentences(PENN), GOLD)
    assert aligned.notes == ("the last 3 EDUs are not in plan.mrg; their sentences are by rule",)
    assert sentence_texts(aligned.document) == [
        " ".join(EDUS[:2]),
        "It rained.",
        "(See: Plans, page 2) Source: us",
    ]
    assert aligned.document.edu_texts() == edus
    assert aligned.document.forms_of(aligned.document.edus[3]) == ["(See:", "Plans,"]


def test_a_stray_end_of_the_text_belongs_to_the_last_sentence():
    aligned = with_sentences_of(
        tree_document(["He left", "early. >"]), Document.from_sentences([["He", "left", "early", "."]]), GOLD
    )
    assert sentence_texts(aligned.document) == ["He left early. >"]


def test_words_that_only_the_text_has_belong_to_the_sentence_before_them():
    edus = ["It was a great surprise among the analysts", "that the plan was dropped in a hurry."]
    gold = [edus[0].split()[:6], [*edus[1].rstrip(".").split(), "."]]
    aligned = with_sentences_of(tree_document(edus), Document.from_sentences(gold), GOLD)
    assert aligned.notes == ("the text has 'theanalysts' in place of '' at character 30",)
    assert sentence_texts(aligned.document) == edus
    assert aligned.document.forms_of(aligned.document.sentences[0])[-2:] == ["the", "analysts"]


def test_a_token_that_an_edu_cuts_becomes_two():
    aligned = with_sentences_of(
        tree_document(["the plan", "--good", "--fell"]),
        Document.from_sentences([["the", "plan", "--good--", "fell"]]),
        GOLD,
    )
    assert aligned.notes == ("1 token of plan.mrg crosses an EDU's edge and is cut there",)
    assert [aligned.document.forms_of(edu) for edu in aligned.document.edus] == [
        ["the", "plan"],
        ["--good"],
        ["--", "fell"],
    ]


def test_a_sentence_that_ends_inside_an_edu_is_kept():
    gold = Document.from_sentences([["We"], ["left", "early", "."]])
    document = with_sentences_of(tree_document(["We left", "early."]), gold, GOLD).document
    assert document.sentence_edus() == [None, None]
    assert sentence_texts(document) == ["We", "left early."]


def test_a_document_without_edus_stays_so():
    document = replace(tree_document(EDUS[:2]), edus=())
    aligned = with_sentences_of(document, Document.from_sentences(PENN[:1]), GOLD)
    assert aligned.document.edus == ()
    assert len(aligned.document.sentences) == 1


def test_signals_follow_their_words():
    document = tree_document()
    signal = Signal(Span(0, 1), "dm", "dm", tokens=(0, 3))
    aligned = with_sentences_of(replace(document, signals=[signal]), Document.from_sentences(PENN), GOLD)
    (moved,) = aligned.document.signals
    assert [aligned.document.tokens[number].form for number in moved.tokens] == ['"', "We", "plan", ",", '"']


@given(st.text("abc.", min_size=2, max_size=25), st.data())
def test_any_tokens_and_any_edus_of_one_text_fit(text, data):
    def cut(lengths):
        return [text[span.start : span.end] for span in spans_of_lengths(lengths)]

    edus = cut(data.draw(lengths_of(len(text))))
    words = cut(data.draw(lengths_of(len(text))))
    sentences = spans_of_lengths(data.draw(lengths_of(len(words))))
    gold = Document.from_sentences([words[sentence.start : sentence.end] for sentence in sentences])
    document = onto_text(tree_document(edus), text, DIS).document
    aligned = with_sentences_of(document, gold, GOLD).document
    assert aligned.edu_texts() == edus
    expected = ["".join(words[sentence.start : sentence.end]) for sentence in sentences]
    assert "".join(sentence_texts(aligned)) == text
    assert sentence_texts(aligned) == expected


# --- by rule ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edus", "starts"),
    [
        (["He left,", "sighing.", "It rained."], [0, 2]),
        (['"Is it?"', "he asked."], [0]),
        (['"It is."', "He left."], [0, 1]),
        (["He left (at last.)", "(Or so it", "seemed.)", "And then?!"], [0, 1, 3]),
        (["He works for the U.S.", "when he can,", "or not..."], [0]),
        (["“Yes.”", "“no.”", "”Maybe”"], [0, 2]),
        (["A title", "without an end"], [0]),
        (["One."], [0]),
    ],
)
def test_sentences_end_where_edus_end_in_final_punctuation(edus, starts):
    document = with_sentences_by_rule(tree_document(edus))
    assert [
        document.edus.index(edu) for edu in document.edus for s in document.sentences if s.start == edu.start
    ] == starts


def test_a_paragraph_ends_a_sentence():
    text = "A title\n \nHe left,\nsighing."
    document = onto_text(tree_document(["A title", "He left,", "sighing."]), text, DIS).document
    assert sentence_texts(with_sentences_by_rule(document)) == ["A title", "He left,\nsighing."]


def test_a_document_without_edus_has_no_sentences_by_rule():
    assert with_sentences_by_rule(Document(text="  ")).sentences == ()


# --- EDUs that cross a sentence's edge --------------------------------------------------------


def test_an_edu_that_crosses_a_sentences_edge_is_cut_there():
    whole = Document.from_sentences([["It", "rained"], ["."], ["He", "left", "."]])
    crossing = replace(whole, edus=spans_of_lengths([1, 3, 2]), tree=CHAIN)
    cut = cut_at_sentences(crossing)
    assert cut.edus == spans_of_lengths([1, 1, 1, 1, 2])
    assert cut.sentences == whole.sentences
    assert cut.tree is None
    fitting = replace(whole, edus=spans_of_lengths([2, 1, 3]), tree=CHAIN)
    assert cut_at_sentences(fitting) is fitting
    assert cut_at_sentences(whole) is whole


@given(st.lists(st.integers(1, 3), min_size=1, max_size=5), st.data())
def test_cut_edus_lie_inside_sentences_and_keep_every_boundary(sentences, data):
    whole = Document.from_sentences([["x"] * n for n in sentences])
    edus = spans_of_lengths(data.draw(lengths_of(len(whole.tokens))))
    cut = cut_at_sentences(replace(whole, edus=edus))
    assert None not in cut.sentence_edus()
    starts = {edu.start for edu in cut.edus}
    assert starts == {edu.start for edu in edus} | {sentence.start for sentence in whole.sentences}
