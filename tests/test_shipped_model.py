"""The model in the package: it is there, small, described, good, and needs no torch."""

import subprocess
import sys
from pathlib import Path

import pytest

import rhetree
from rhetree.runtime.installed import DEFAULT, find_model

README = Path(__file__).parents[1] / "README.md"
EXAMPLE = (
    "The Treasury also said noncompetitive tenders will be considered timely if postmarked no later than "
    "Sunday, Oct. 29, and received no later than tomorrow."
)


@pytest.fixture(scope="module")
def parser():
    return rhetree.load()


def test_everything_that_ships_is_small_enough():
    assert sum(path.stat().st_size for path in find_model(DEFAULT).rglob("*")) < 45_000_000


def test_the_papers_example_has_the_papers_edus(parser):
    assert parser.parse(EXAMPLE).edu_texts() == [
        "The Treasury also said",
        "noncompetitive tenders will be considered timely",
        "if postmarked no later than Sunday, Oct. 29,",
        "and received no later than tomorrow.",
    ]


def test_the_readme_shows_what_the_command_prints_without_torch():
    run = "import sys; sys.modules['torch'] = None; from rhetree.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", run, "parse", "--format", "terminal", EXAMPLE]
    printed = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    assert f'$ rhetree parse "{EXAMPLE}"\n{printed}' in README.read_text(encoding="utf-8")


def test_a_sentence_alone_is_read_as_it_is_in_company(parser):
    texts = [
        EXAMPLE,
        "It rained.",
        "She said that he left because he was tired, but nobody believed her.",
        "Why?",
    ]
    alone = [parser.parse(text) for text in texts]
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


@pytest.mark.parametrize("text", ["", " \n ", "...", "Yes", "\u200b", "x" * 100_000, "so " * 5_000])
def test_odd_texts_come_back_to_the_character(parser, text):
    document = parser.parse(text)
    assert document.text == text
    assert rebuilt(document) == text
    assert len(document.sentence_trees) == len(document.sentences)


def test_the_card_says_what_it_must():
    card = (find_model(DEFAULT) / "MODEL_CARD.md").read_text(encoding="utf-8")
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
    from rhetree.metrics.report import evaluate
    from rhetree.treebanks.corpus import read_corpus

    documents = read_corpus(gum, split="dev").split_by_sentence().split("dev")
    predicted = list(rhetree.load().parse_documents(documents))
    scores = evaluate(documents, predicted, level="sentence").total
    assert scores.f1("segmentation.inner") > 0.88
    assert scores.f1("parseval.rst.full") > 0.635
