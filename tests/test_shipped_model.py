"""The model in the package: it is there, small, described, good, and needs no torch."""

import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest

import rhetree
from rhetree.cli.main import main
from rhetree.runtime.installed import DEFAULT, find_model

README = Path(__file__).parents[1] / "README.md"
README_EXAMPLE = (
    "Although the soup was cold, we loved the restaurant because the waiter sang while he poured the wine."
)
PAPER_EXAMPLE = (
    "The Treasury also said noncompetitive tenders will be considered timely if postmarked no later than "
    "Sunday, Oct. 29, and received no later than tomorrow."
)


@pytest.fixture(scope="module")
def parser():
    return rhetree.load()


def test_everything_that_ships_is_small_enough():
    assert sum(path.stat().st_size for path in find_model(DEFAULT).rglob("*")) < 45_000_000


def test_a_parse_follows_constraints_and_tells_what_the_model_thinks_of_them(parser):
    asked = {"edus": [[0, 7]], "spans": [{"start": 0, "end": 32, "split": 14, "nuclearity": "SN"}]}
    document = parser.parse("He left early because it rained.", constraints=asked)
    assert document.edu_texts() == ["He left", "early", "because it rained."]
    (reading,) = document.readings[0]
    assert str(reading.tree.splits[0]).startswith("0..2 | 2..3 causal-SN")
    assert reading.edu_probs[0] < 0.01
    assert reading.label_probs[0][0][0] == "causal-NS"


def test_the_fast_model_is_a_quarter_of_the_size():
    assert sum(path.stat().st_size for path in find_model("english-fast").rglob("*")) < 12_000_000


def test_the_fast_model_parses_alone_as_in_company():
    fast = rhetree.load("english-fast", threads=1)
    texts = [README_EXAMPLE, "Yes.", "He left because it rained.", "", "If so, why?"]
    alone = [fast.parse(text) for text in texts]
    assert list(fast.parse_many(texts)) == alone
    assert alone[2].edu_texts() == ["He left", "because it rained."]
    assert alone[2].metadata["model"].startswith("english-fast ")
    assert [str(split) for split in alone[2].sentence_trees[0].splits] == ["0..1 | 1..2 causal-NS"]


def test_the_fast_model_is_as_good_as_its_card_says(gum):
    from rhetree.corpora.corpus import read_corpus
    from rhetree.metrics.report import evaluate

    documents = read_corpus(gum, split="dev").split_by_sentence().split("dev")
    predicted = list(rhetree.load("english-fast").parse_documents(documents))
    scores = evaluate(documents, predicted, level="sentence").total
    assert (scores.f1("segmentation.inner") or 0) > 0.855
    assert (scores.f1("parseval.rst.full") or 0) > 0.575


def test_the_papers_example_has_the_papers_edus(parser):
    assert parser.parse(PAPER_EXAMPLE).edu_texts() == [
        "The Treasury also said",
        "noncompetitive tenders will be considered timely",
        "if postmarked no later than Sunday, Oct. 29,",
        "and received no later than tomorrow.",
    ]


def test_the_readme_shows_what_the_command_prints_without_torch():
    run = "import sys; sys.modules['torch'] = None; from rhetree.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", run, "parse", "--format", "terminal", README_EXAMPLE]
    printed = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    assert f'$ rhetree parse "{README_EXAMPLE}"\n{printed}' in README.read_text(encoding="utf-8")


def test_a_parser_goes_to_another_process():
    parser = rhetree.load(threads=1, beam=2)
    texts = ["He left early because it rained.", "Good."]
    with get_context("spawn").Pool(1) as pool:
        assert pool.map(parser.parse, texts) == list(parser.parse_many(texts))


def test_the_readmes_example_is_parsed_right(parser):
    """The labels are GUM's; the tree is our own judgement of the sentence."""
    document = parser.parse(README_EXAMPLE)
    assert document.edu_texts() == [
        "Although the soup was cold,",
        "we loved the restaurant",
        "because the waiter sang",
        "while he poured the wine.",
    ]
    (tree,) = document.sentence_trees
    assert list(map(str, tree.splits)) == [
        "0..1 | 1..4 adversative-SN",
        "1..2 | 2..4 causal-NS",
        "2..3 | 3..4 context-NS",
    ]


def test_the_readmes_picture_shows_its_example(tmp_path):
    assert main(["parse", README_EXAMPLE, "-o", str(tmp_path / "restaurant.svg")]) == 0
    shown = README.parent / "docs" / "images" / "restaurant.svg"
    assert shown.read_bytes() == (tmp_path / "restaurant.svg").read_bytes()


def test_a_sentence_alone_is_read_as_it_is_in_company(parser):
    texts = [
        PAPER_EXAMPLE,
        "It rained.",
        "She said that he left because he was tired, but nobody believed her.",
        "Why?",
        "If it rains, we will stay at home and read, unless somebody calls.",
        "Having lost his keys, the man who lived next door slept in the car.",
        "To win, you must train; to train, you must want it.",
        "The shop, which opened in May, closed in June because no one came.",
        "He laughed, though he was afraid, and ran as fast as he could.",
        "Nobody knew when the train would leave or whether it had left already.",
    ]
    alone = [parser.parse(text) for text in texts]  # probabilities are compared to the last bit
    assert list(parser.parse_many(texts)) == alone
    one_thread = rhetree.load(threads=1, batch_cost=16)
    assert [document.sentence_trees for document in one_thread.parse_many(texts)] == [
        document.sentence_trees for document in alone
    ]


def rebuilt(document):
    """What is between and inside the EDUs, one after the other."""
    parts, at = [], 0
    for edu in document.edus:
        start, end = document.tokens[edu.start].start, document.tokens[edu.end - 1].end
        between = document.text[at:start]
        assert at <= start < end
        assert not any(c.isprintable() and not c.isspace() for c in between)
        parts += [between, document.text[start:end]]
        at = end
    return "".join([*parts, document.text[at:]])


@pytest.mark.parametrize(
    "text",
    ["", " \n ", "...", "Yes", "\u200b", "x" * 100_000, pytest.param("so " * 5_000, marks=pytest.mark.large)],
)
def test_odd_texts_come_back_to_the_character(parser, text):
    document = parser.parse(text)
    assert document.text == text
    assert rebuilt(document) == text
    assert len(document.sentence_trees) == len(document.sentences)


@pytest.mark.parametrize("model", [DEFAULT, "english-fast"])
def test_the_card_says_what_it_must(model):
    card = (find_model(model) / "MODEL_CARD.md").read_text(encoding="utf-8")
    for wanted in (
        "## Scores",
        "RST-Parseval",
        "Original Parseval",
        "By genre",
        "commercial",
        "rhetree train",
    ):
        assert wanted in card
    assert "@" not in card


def test_it_is_as_good_as_its_card_says(gum):
    from rhetree.corpora.corpus import read_corpus
    from rhetree.metrics.report import evaluate

    documents = read_corpus(gum, split="dev").split_by_sentence().split("dev")
    predicted = list(rhetree.load().parse_documents(documents))
    scores = evaluate(documents, predicted, level="sentence").total
    assert (scores.f1("segmentation.inner") or 0) > 0.90
    assert (scores.f1("parseval.rst.full") or 0) > 0.665


def test_the_shipped_model_knows_the_texts_it_was_trained_on(gum):
    from rhetree.corpora.corpus import read_corpus
    from rhetree.learning.evaluation import trained_on
    from rhetree.runtime.installed import find_model

    model = find_model("english")
    assert trained_on(model, read_corpus(gum, split="dev").documents) == []
    learnt = (gum / "train.txt").read_text(encoding="utf-8").split()[::20]
    documents = [rhetree.read_one(gum / "conllu" / f"{name}.conllu") for name in learnt]
    assert len(trained_on(model, documents)) == len(documents) > 5


def test_a_service_with_signals_gives_them_at_every_level():
    testclient = pytest.importorskip("starlette.testclient", reason="needs the extra serve")
    from rhetree.serve.app import make_app
    from rhetree.serve.settings import ServeSettings

    parser = rhetree.load(signals=True, threads=1)
    with testclient.TestClient(make_app(parser, ServeSettings())) as client:
        for level in ("sentence", "document"):
            body = {"text": "He left because it rained. But she stayed.", "level": level}
            record = client.post("/v1/parse", json=body).json()
            assert [signal["tokens"] for signal in record["signals"]] == [[2], [6]]


def test_the_shipped_models_join_sentences_into_a_document():
    text = "The Storm\n\nIt rained all night. The river rose, because the snow melted.\n\nNobody was hurt."
    parser = rhetree.load()
    alone, whole = parser.parse(text), parser.parse(text, level="document")
    assert whole.tree is not None
    assert whole.tree.n_edus == len(alone.edus)
    assert whole.split_by_sentence().sentence_trees == alone.sentence_trees
    assert len(whole.split_probs) == len(alone.sentences) - 1
    assert whole.metadata["document model"].startswith("english-document ")
    with pytest.raises(rhetree.ModelError, match="joins sentences into documents"):
        rhetree.load("english-document")
