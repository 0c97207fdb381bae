"""What people call, over a network that is none."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rhetree
from rhetree.errors import MismatchError, ModelError
from rhetree.runtime import installed
from rhetree.runtime import parser as module
from support.fake_model import fake_parser

TEXT = "He said that it rained, so we stayed. Good.\n\nThen the sun came out, and everybody left."
TEXTS = [TEXT, "", "One.", " \n", "It rained because it was autumn.", "?!"]


def as_found(document):
    return document.edus, document.sentence_trees


def test_a_text_becomes_a_document_with_edus_and_a_tree_for_each_sentence():
    document = fake_parser().parse(TEXT, name="rain")
    assert (document.name, document.text) == ("rain", TEXT)
    assert len(document.sentences) == 3
    assert None not in document.sentence_edus()
    for tree, edus in zip(document.sentence_trees, document.sentence_edus(), strict=True):
        assert tree.n_edus == len(edus)


def test_many_texts_give_what_each_gives_alone_in_order():
    parser = fake_parser()
    assert list(parser.parse_many(TEXTS)) == [parser.parse(text) for text in TEXTS]
    assert list(parser.segment_many(TEXTS)) == [parser.segment(text) for text in TEXTS]
    assert list(fake_parser(batch_cost=1).parse_many(TEXTS)) == [parser.parse(text) for text in TEXTS]


def test_texts_are_read_as_they_are_needed():
    read = []

    def texts():
        for number in range(20_000):
            read.append(number)
            yield "It rained."

    next(fake_parser().parse_many(texts()))
    assert len(read) < 5000


def test_progress_is_told_after_each_document():
    told = []
    list(fake_parser().parse_many([TEXT, "", "One."], progress=lambda *done: told.append(done)))
    assert told == [(1, 3), (2, 3), (3, 4)]


def test_segmenting_gives_the_same_edus_and_no_trees():
    parser = fake_parser()
    segmented = parser.segment(TEXT)
    assert segmented.edus == parser.parse(TEXT).edus
    assert segmented.sentence_trees == ()
    n_labelled = len(parser.model.network.named("label"))
    parser.segment(TEXT)
    assert len(parser.model.network.named("label")) == n_labelled


def test_known_edus_are_parsed_as_they_are():
    edus = ["He said", "that it rained,", "so we stayed."]
    document = fake_parser().parse_edus(edus, name="rain")
    assert document.name == "rain"
    assert document.edu_texts() == edus
    assert document.sentence_trees[0].n_edus == 3


def test_tokens_are_taken_as_they_are():
    sentences = [["He", "said", "it", "rained", "."], ["Do", "n't", "!"]]
    document = fake_parser().parse_tokens(sentences)
    assert [document.forms_of(sentence) for sentence in document.sentences] == sentences
    assert len(document.sentence_trees) == 2


@pytest.mark.parametrize(
    "edus",
    [
        [[(0, 2), (2, 5)], [(0, 3)]],
        [[[0, 2], [2, 5]], [[0, 3]]],
        [(0, 2), (2, 5), (5, 8)],
        [rhetree.Span(0, 2), rhetree.Span(2, 5), rhetree.Span(5, 8)],
        [[rhetree.Span(0, 2), rhetree.Span(2, 5)], [rhetree.Span(0, 3)]],
        np.array([[0, 2], [2, 5], [5, 8]]),
    ],
)
def test_edus_of_tokens_are_counted_by_sentence_or_through_the_document(edus):
    sentences = [["He", "said", "it", "rained", "."], ["Do", "n't", "!"]]
    document = fake_parser().parse_tokens(sentences, edus=edus)
    assert [(edu.start, edu.end) for edu in document.edus] == [(0, 2), (2, 5), (5, 8)]
    assert [tree.n_edus for tree in document.sentence_trees] == [2, 1]


def test_documents_keep_what_is_known_of_them_but_no_gold():
    parser = fake_parser()
    document = rhetree.Document(name="a", text=TEXT, metadata={"genre": "story"})
    (found,) = parser.parse_documents([document])
    assert found.metadata == {"genre": "story", "model": "fake 0"}
    every_token = tuple(rhetree.Span(number, number + 1) for number in range(len(found.tokens)))
    gold = replace(found.without_edus(), edus=every_token)
    assert as_found(next(parser.parse_documents([gold]))) == as_found(found)
    (kept,) = parser.parse_documents([gold], edus="gold")
    assert kept.edus == gold.edus


def test_a_beam_gives_several_readings():
    (readings,) = fake_parser(beam=3).parse("He said that it rained, so we stayed.").readings
    assert len(readings) == 3


def test_threads_may_share_a_parser():
    parser = fake_parser()
    expected = [parser.parse(text) for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(parser.parse, TEXTS * 5)) == expected * 5


@pytest.mark.parametrize("text", ["", " ", "\n\n\t", "\ufeff", "\u200b", "\x00"])
def test_what_has_no_words_is_its_own_text_and_no_error(text):
    assert fake_parser().parse(text).text == text


@pytest.mark.parametrize("text", ["One", ".", "?!", "…", "word " * 5000, "x" * 20_000])
def test_odd_sentences_have_edus_and_trees(text):
    document = fake_parser().parse(text)
    assert document.edus
    assert None not in document.sentence_trees


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.parse(None), "the text is a string, got NoneType"),
        (lambda p: p.parse(b"He left."), "the text is a string, got bytes; decode them first"),
        (lambda p: p.segment(["He left."]), "the text is a string, got list"),
        (lambda p: p.parse_many("He left."), "texts are expected, got one str; parse takes a single text"),
        (lambda p: list(p.parse_many(["He left.", 3])), "the text is a string, got int"),
        (lambda p: p.parse_edus("He left."), "edus: a list of EDUs is expected, got str"),
        (lambda p: p.parse_edus(None), "edus: a list of EDUs is expected, got NoneType"),
        (lambda p: p.parse_tokens("He left."), "sentences are lists of tokens, got one str"),
        (lambda p: p.parse_tokens(["He", "left"]), "sentence 1: a list of tokens is expected, got str"),
        (lambda p: p.parse_tokens([["He", 3]]), "sentence 1: each token is a string, got int"),
        (
            lambda p: p.parse_tokens([["a", "b"]], edus=[["ab"]]),
            "an EDU is .start, end. of its tokens, got 'ab'",
        ),
    ],
)
def test_wrong_types_are_told(call, message):
    with pytest.raises(TypeError, match=message):
        call(fake_parser())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.parse_edus(["He left", " "]), "EDU 2 has no text"),
        (lambda p: p.parse_tokens([["a"], []]), "sentence 2 has no tokens"),
        (lambda p: p.parse_tokens([["a", ""]]), "sentence 1 has an empty token"),
        (lambda p: p.parse_tokens([["a"], ["b"]], edus=[[(0, 1)]]), "EDUs of 1 sentence, but there are 2"),
        (lambda p: p.parse_tokens([["a", "b"]], edus=[(0, 1)]), "EDUs end at 1, not at 2"),
        (lambda p: p.parse_documents([], edus="silver"), "edus is 'auto' or 'gold', got 'silver'"),
    ],
)
def test_wrong_values_are_told(call, message):
    with pytest.raises(ValueError, match=message):
        call(fake_parser())


def test_edus_that_cross_sentences_are_told():
    with pytest.raises(MismatchError, match="crosses the edge of sentence 1"):
        fake_parser().parse_tokens([["a", "b"], ["c"]], edus=[(0, 1), (1, 3)])


@pytest.mark.parametrize(
    ("task", "call"), [("segment", lambda p: p.parse(TEXT)), ("parse", lambda p: p.segment(TEXT))]
)
def test_a_model_that_cannot_do_it_says_what_it_can(task, call):
    with pytest.raises(ModelError, match=f"it can {task} alone"):
        call(fake_parser(task))


# --- which model ------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A place for installed models with one that is not the default."""
    monkeypatch.setattr(installed, "_HOME", tmp_path / "pretrained")
    folder = tmp_path / "pretrained" / "small"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"format": "rhetree-model"}), encoding="utf-8")
    (tmp_path / "pretrained" / "__pycache__").mkdir()
    return tmp_path / "pretrained"


def test_installed_models_are_found_by_name_and_others_by_folder(home, tmp_path):
    assert list(installed.installed_models()) == ["small"]
    assert installed.find_model("small") == home / "small"
    (tmp_path / "own").mkdir()
    assert installed.find_model(tmp_path / "own") == tmp_path / "own"
    assert installed.find_model(str(tmp_path / "own")) == tmp_path / "own"


def test_an_unknown_model_lists_those_that_are_there(home):
    with pytest.raises(ModelError, match="no model is called 'smal'.*; installed: small"):
        rhetree.load("smal")
    with pytest.raises(ModelError, match="'english' is not installed; installed: small; name one"):
        rhetree.load()


def test_without_any_model_the_message_says_what_to_name(tmp_path, monkeypatch):
    monkeypatch.setattr(installed, "_HOME", tmp_path / "none")
    with pytest.raises(ModelError, match="no model is installed with this package; name the folder"):
        rhetree.load()
    with pytest.raises(ModelError, match="no model is called 'x'.*; none is installed"):
        rhetree.load("x")


def test_settings_are_checked_before_anything_is_loaded():
    for setting in ({"threads": -1}, {"beam": 0}, {"batch_cost": 0}, {"threads": "2"}):
        with pytest.raises(ValueError, match=f"{next(iter(setting))} is a whole number from"):
            rhetree.load(**setting)


def test_the_module_functions_load_the_default_model_once(monkeypatch):
    loaded = []

    def load():
        loaded.append(1)
        return fake_parser()

    monkeypatch.setattr(module, "load", load)
    module._load_default.cache_clear()
    try:
        assert rhetree.parse("It rained.") == fake_parser().parse("It rained.")
        assert rhetree.segment("It rained.").sentence_trees == ()
    finally:
        module._load_default.cache_clear()
    assert loaded == [1]


def test_a_parser_says_where_its_model_is():
    assert repr(fake_parser()) == f"<Parser {str(Path('fake'))!r}>"


def test_a_pickled_parser_is_loaded_again_as_it_was(home, tmp_path, monkeypatch):
    loaded = []
    monkeypatch.setattr(module, "load", lambda model, **settings: loaded.append((model, settings)))
    settings = {"threads": 2, "beam": 3, "batch_cost": 100, "device": "cpu", "document_model": "mine"}
    settings |= {"relations": "class", "signals": False}
    monkeypatch.chdir(tmp_path)
    for folder in (home / "small", Path("mine")):
        parser = fake_parser(**settings)
        parser.model = replace(parser.model, folder=folder)
        pickle.loads(pickle.dumps(parser))
    assert loaded == [("small", settings), (tmp_path / "mine", settings)]


@pytest.mark.parametrize("call", ["parse_many", "segment_many"])
def test_an_error_in_reading_comes_after_all_that_was_read_before(call):
    def texts():
        yield from ("It rained.", "", "He left.")
        raise OSError("the disk is gone")

    found = []
    with pytest.raises(OSError, match="the disk is gone"):
        for document in getattr(fake_parser(), call)(texts()):
            found.append(document.text)
    assert found == ["It rained.", "", "He left."]


def test_counts_of_one_are_singular():
    assert (
        repr(fake_parser().parse("Good.", "a"))
        == "<Document 'a': 2 tokens, 1 sentence, 1 EDU, 1 sentence tree>"
    )
    assert repr(rhetree.Document(name="a", text="b")) == "<Document 'a': 1 character>"
    with pytest.raises(ValueError, match="EDUs of 2 sentences, but there are 1"):
        fake_parser().parse_tokens([["Good", "."]], edus=[[(0, 2)], [(0, 2)]])
