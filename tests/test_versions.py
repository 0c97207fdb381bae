"""What earlier versions wrote is read. Files in golden/versions are of the version in their name; none is ever changed."""

from pathlib import Path

from rhetree.formats import read, read_one
from rhetree.jobs.run_file import read_run

VERSIONS = Path(__file__).parent / "golden" / "versions"


def test_documents_of_every_version_are_read():
    (document,) = read(VERSIONS / "document-1.jsonl")
    assert document.edu_texts() == ["He left early", "because it rained."]
    assert document.sentence_trees[0].splits[0].relation == "causal"
    assert document.readings[0][0].edu_probs == (0.979534, 0.998864)
    assert document.metadata["model"] == "english 3f2a91bc0d12"
    annotated = read_one(VERSIONS / "annotated-1.json")
    assert annotated.tree.n_edus == 6
    assert annotated.nary is not None


def test_run_files_of_every_version_are_read():
    run = read_run(VERSIONS / "run-1.run")
    assert run.settings == {"command": "parse", "model": "english 3f2a91bc0d12", "beam": 1}
    assert [(known.name, known.hash) for known in run.inputs()] == [
        ("a", "0123456789abcdef"),
        ("b", "fedcba9876543210"),
    ]
