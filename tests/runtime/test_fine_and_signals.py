"""Fine relations and signals of the shipped model: what they add, and that they change no tree."""

import json

import numpy as np
import pytest

import rhetree
from rhetree.cli.main import main
from rhetree.domain.record_reader import from_record
from rhetree.domain.record_writer import to_record
from rhetree.domain.relations import GUM
from rhetree.errors import ModelError
from rhetree.formats import read_one
from rhetree.runtime.heads import REACH, load_heads, pairs_of, source_of
from rhetree.runtime.installed import find_model
from rhetree.runtime.model_files import Settings
from rhetree.runtime.pipeline import Pipeline
from support.fake_network import LABELS, FakeNetwork
from support.schema import check_record
from support.shipped import english_without

TEXT = (
    "Although the soup was cold, we loved the restaurant because the waiter sang while he poured the wine. "
    "But nobody paid. If it rains, they stay at home."
)


@pytest.fixture(scope="module")
def parser():
    return rhetree.load(threads=1, signals=True)


@pytest.fixture(scope="module")
def document(parser):
    return parser.parse(TEXT)


def signals_of(document):
    words: dict[tuple[str, str], list[object]] = {}
    for signal in document.signals:
        forms = " ".join(document.tokens[token].form for token in signal.tokens)
        words.setdefault((signal.type, forms), []).append(signal.source)
    return words


def test_a_fine_relation_lies_in_the_class_and_is_no_likelier(document):
    fine = [
        one
        for (reading, *_) in document.readings
        for one in zip(reading.tree.splits, reading.label_probs, reading.fine, strict=True)
    ]
    assert fine
    for split, labels, (name, prob) in fine:
        assert GUM.class_of(name) == split.relation
        assert prob <= dict(labels)[split.label]
    assert "adversative-concession" in {name for _, _, (name, _) in fine}


def test_fine_relations_can_be_the_main_ones(document):
    found = rhetree.load(threads=1, relations="fine").parse(TEXT)
    assert found.edus == document.edus
    for tree, plain, (reading, *_) in zip(
        found.sentence_trees, document.sentence_trees, found.readings, strict=True
    ):
        assert tree.map_relations(GUM.class_of) == plain
        assert [name for name, _ in reading.fine] == [split.relation for split in tree.splits]
        for split, labels in zip(tree.splits, reading.label_probs, strict=True):
            assert split.label in dict(labels)


def test_signals_are_the_words_that_mark_a_relation(document):
    found = signals_of(document)
    texts = document.edu_texts()
    for word in ("because", "If", "Although"):
        (source,) = found["dm", word]
        assert texts[source.start].startswith(word)
    assert document.edu_texts()[found["dm", "But"][0].start].startswith("But")


def test_signals_and_fine_relations_change_no_tree(document):
    plain = rhetree.load(threads=1).parse(TEXT)
    assert plain.sentence_trees == document.sentence_trees
    assert plain.readings == document.readings
    assert plain.signals == ()


def test_in_company_and_with_a_beam_the_signals_are_the_same(parser, document):
    alone = [parser.parse(text) for text in ("He left because it rained.", "Why?", TEXT)]
    assert list(parser.parse_many(["He left because it rained.", "Why?", TEXT])) == alone
    assert rhetree.load(threads=1, beam=2, signals=True).parse(TEXT).signals == document.signals


def test_json_holds_them(document):
    record = json.loads(json.dumps(to_record(document)))
    check_record(record)
    again = from_record(record)
    assert again.signals == document.signals
    names = [[name for name, _ in reading.fine] for (reading, *_) in document.readings]
    assert [[name for name, _ in reading.fine] for (reading, *_) in again.readings] == names
    for sentence in record["sentences"]:
        sentence["probabilities"].pop("fine", None)
    assert all(reading.fine == () for (reading, *_) in from_record(record).readings)


def test_the_command_writes_fine_relations_and_signals(tmp_path, document):
    path = tmp_path / "out.json"
    assert main(["parse", "--text", TEXT, "--relations", "fine", "--signals", "-o", str(path)]) == 0
    found = read_one(path)
    assert found.signals == document.signals
    assert "adversative-concession" in {
        split.relation for tree in found.sentence_trees for split in tree.splits
    }
    path = tmp_path / "out.rs4"
    assert main(["parse", "--text", TEXT, "--relations", "fine", "--signals", "-o", str(path)]) == 0
    again = read_one(path)
    assert [(one.type, one.tokens) for one in again.signals] == [
        (one.type, one.tokens) for one in document.signals
    ]
    assert 'name="adversative-concession"' in path.read_text(encoding="utf-8")
    path = tmp_path / "one.dis"
    assert (
        main(["parse", "--text", "He left because it rained.", "--relations", "fine", "-o", str(path)]) == 0
    )
    assert "causal-cause" in path.read_text(encoding="utf-8")


def test_the_drawings_name_the_signals(tmp_path, capsys):
    text = "He left because it rained."
    assert main(["parse", "--text", text, "--signals", "--format", "terminal"]) == 0
    assert "signals  2  dm: because" in capsys.readouterr().out
    assert main(["parse", "--text", text, "--signals", "-o", str(tmp_path / "out.html")]) == 0
    assert "signal dm: because" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_models_without_heads_say_so(tmp_path):
    with pytest.raises(ModelError, match="fine relations"):
        Pipeline(FakeNetwork(), LABELS, relations="fine")
    with pytest.raises(ModelError, match="signals"):
        Pipeline(FakeNetwork(), LABELS, signals=True)
    with pytest.raises(ValueError, match="'class' or 'fine'"):
        rhetree.load(relations="coarse")  # type: ignore[arg-type]  # what a typo would be
    folder = english_without(tmp_path / "model", "fine", "signals")
    (reading,) = rhetree.load(folder, threads=1).parse("He left because it rained.").readings[0]
    assert reading.fine == ()


@pytest.mark.parametrize(
    ("section", "value"),
    [
        ("fine", {"relations": [["causal-NS"]]}),
        ("fine", {}),
        ("signals", {"kinds": "dm", "words": []}),
        ("signals", {"kinds": [["dm", "dm", 0.1]], "words": [1]}),
    ],
)
def test_settings_of_heads_that_cannot_be_are_refused(section, value):
    folder = find_model("english")
    runtime = json.loads((folder / "config.json").read_text(encoding="utf-8"))["runtime"]
    settings = Settings({"parser": runtime["parser"], section: value}, "config.json: runtime")
    with pytest.raises(ModelError, match=rf"config\.json: runtime\.{section}\.\w+: expected a list"):
        load_heads(folder, settings, ["causal-NS"])


def test_pairs_are_the_tokens_near_a_split_with_their_places():
    edges = [np.array([0, 3, 7, 200])]
    pairs = pairs_of(np.array([0, 0]), np.array([[0, 3, 7], [0, 7, 200]]), edges)
    assert pairs.splits.tolist() == [0] * 7 + [1] * (7 + REACH)
    assert pairs.tokens.tolist() == [*range(7), *range(7 + REACH)]
    # Distance from the split (plus 12), from the span's start and end, from the EDU's start and end.
    assert pairs.places[3].tolist() == [12, 3, 3, 0, 3]
    assert pairs.places[-1].tolist() == [24, 8, 8, 8, 4]


def test_the_source_of_a_signal_is_the_satellite_or_the_right_nucleus():
    from rhetree.domain.span import Span
    from rhetree.domain.tree import Split

    assert source_of(Split(0, 1, 3, "SN", "x")) == Span(0, 1)
    assert source_of(Split(0, 1, 3, "NS", "x")) == source_of(Split(0, 1, 3, "NN", "x")) == Span(1, 3)
