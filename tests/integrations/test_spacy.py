"""The component in a real spaCy pipeline, with a blank English vocabulary and our default model."""

import subprocess
import sys
from pathlib import Path

import pytest

spacy = pytest.importorskip("spacy")

from spacy.tokens import Doc, DocBin

import rhetree
import rhetree.integrations.spacy as component
from rhetree.integrations.extras import shared_parser
from support.fake_model import fake_parser

TEXT = "We left because it rained.  \n\nAlthough it was late, nobody slept. So what?"
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture
def nlp():
    pipeline = spacy.blank("en")
    pipeline.add_pipe("rhetree")
    return pipeline


@pytest.fixture
def fake(monkeypatch):
    parser = fake_parser()
    monkeypatch.setattr(component, "shared_parser", lambda model: parser)
    return parser


def test_edus_are_spans_and_trees_are_there(nlp):
    doc = nlp(TEXT)
    assert [edu.text for edu in doc.spans["edus"]] == [
        "We left",
        "because it rained.",
        "Although it was late,",
        "nobody slept.",
        "So what?",
    ]
    assert isinstance(doc._.rst, rhetree.Document)
    assert doc._.rst.text == TEXT
    assert doc._.rst.edu_texts() == [edu.text for edu in doc.spans["edus"]]
    first, second, third = doc.sents
    assert [split.nuclearity for split in first._.rst.splits] == ["NS"]
    assert [split.nuclearity for split in second._.rst.splits] == ["SN"]
    assert third._.rst == rhetree.Tree()
    assert doc[0:2]._.rst is None  # no sentence


def test_sentences_and_tokens_of_spacy_are_kept(fake, nlp):
    words = ["One", "two", "three", "four"]
    doc = Doc(nlp.vocab, words=words, sent_starts=[True, False, False, True])
    doc = nlp(doc)
    assert [token.form for token in doc._.rst.tokens] == words
    assert [str(sentence) for sentence in doc._.rst.sentences] == ["0..3", "3..4"]
    assert [len(sentence) for sentence in doc.sents] == [3, 1]


def test_sentences_are_found_where_there_are_none(fake, nlp):
    doc = nlp("  It rained. We left.")
    assert [sentence.text.strip() for sentence in doc.sents] == ["It rained.", "We left."]


def test_a_sentencizer_before_it_decides(fake):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
    nlp.add_pipe("rhetree", config={"spans_key": "units"})
    doc = nlp("He came; he saw.")
    assert len(doc._.rst.sentences) == 2
    assert "units" in doc.spans


def test_many_documents_are_the_same_as_one_by_one(nlp):
    texts = [TEXT, "", " \n ", "It rained.", TEXT * 3]
    for doc, text in zip(nlp.pipe(texts, batch_size=2), texts, strict=True):
        alone = nlp(text)
        assert doc._.rst == alone._.rst
        assert [edu.text for edu in doc.spans["edus"]] == [edu.text for edu in alone.spans["edus"]]


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_several_processes_find_the_same(nlp):
    texts = [TEXT, "It rained.", TEXT]
    expected = [nlp(text)._.rst for text in texts]
    found = list(nlp.pipe(texts, n_process=2, batch_size=1))
    assert [doc._.rst for doc in found] == expected
    assert [len(doc.spans["edus"]) for doc in found] == [5, 1, 5]


def test_documents_keep_it_when_they_are_stored(fake, nlp):
    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.rst == doc._.rst
    packed = DocBin(store_user_data=True, docs=[doc])
    assert next(packed.get_docs(nlp.vocab))._.rst == doc._.rst
    assert Doc(nlp.vocab, words=["No"])._.rst is None
    assert Doc(nlp.vocab, words=["No"])[:1]._.rst is None


def test_the_component_is_stored_with_the_pipeline(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("rhetree", config={"spans_key": "units", "model": "english"})
    nlp.to_disk(tmp_path)
    pipe = spacy.load(tmp_path).get_pipe("rhetree")
    assert (pipe.spans_key, pipe.model) == ("units", "english")
    assert pipe.parser is shared_parser("english")


def test_an_error_goes_to_spacys_handler(nlp, monkeypatch):
    class Broken:
        def parse_documents(self, documents):
            raise ValueError("broken")

    monkeypatch.setattr(component, "shared_parser", lambda model: Broken())
    with pytest.raises(ValueError, match="broken"):
        list(nlp.pipe(["It rained."]))
    seen = []
    nlp.set_error_handler(lambda name, pipe, docs, error: seen.append((name, len(docs), str(error))))
    assert list(nlp.pipe(["It rained.", "We left."])) == []
    assert seen == [("rhetree", 2, "broken")]


def test_no_import_is_needed(tmp_path):
    tomllib = pytest.importorskip("tomllib")
    groups = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]
    about = tmp_path / "rhetree_entry-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rhetree-entry\nVersion: 1\n")
    lines = [f"{name} = {value}" for name, value in groups["spacy_factories"].items()]
    (about / "entry_points.txt").write_text("\n".join(["[spacy_factories]", *lines]))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import spacy\n"
        "nlp = spacy.blank('en'); nlp.add_pipe('rhetree'); print(len(nlp('It rained.').spans['edus']))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "1", run.stderr
