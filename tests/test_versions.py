"""What earlier versions wrote is read. Files in golden/versions are of the version in their name; none is ever changed."""

import json
import shutil
from pathlib import Path

import pytest

import rhetree
from rhetree.formats import read, read_one
from rhetree.jobs.run_file import read_run
from rhetree.jobs.sources import find_remote_sources
from support.clusters import done, job

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


def test_models_of_every_version_are_loaded():
    """A network of a few numbers, which has learnt these three sentences by heart."""
    parser = rhetree.load(VERSIONS / "model-1", threads=1)
    texts = ["They left because they were late.", "She said that it rained.", "He came, he saw and he left."]
    said, heard, came = parser.parse_many(texts)
    assert said.edu_texts() == ["They left", "because they were late."]
    assert [str(split) for split in said.sentence_trees[0].splits] == ["0..1 | 1..2 causal-NS"]
    assert [str(split) for split in heard.sentence_trees[0].splits] == ["0..1 | 1..2 attribution-SN"]
    assert came.edu_texts() == ["He came,", "he saw", "and he left."]
    assert came.readings[0][0].edu_probs == pytest.approx((0.9955, 0.9882, 0.9963), abs=0.001)


@pytest.mark.parametrize("missing", [None, "part-00000-00001"])
def test_a_clusters_runs_of_every_version_are_resumed(missing, tmp_path):
    """The run of an input with a line that is no JSON; its facts are read, and what has none is done again."""
    fsspec = pytest.importorskip("fsspec")
    finished, out = VERSIONS / "shards-1", tmp_path / "out"
    shutil.copytree(finished, out)
    if missing:
        (out / ".shards" / f"{missing}.json").unlink()
    cloud = fsspec.filesystem("memory")
    cloud.pipe_file("/versions/shards-1.jsonl", (VERSIONS / "shards-1.jsonl").read_bytes())
    try:
        sources = find_remote_sources("memory://versions/shards-1.jsonl")
        own = job(sources, out, tmp_path / "done", shard_size=20, if_exists="resume")
        facts = {facts.shard: facts for facts in own.run()}
    finally:
        cloud.rm("/versions", recursive=True)
    assert own.n_earlier == (3 if missing else 4)
    assert done(tmp_path / "done") == ({"b": 1} if missing else {})
    assert facts["part-00000-00002"].aside[0].line == 3
    for path in finished.glob("part-*"):
        assert (out / path.name).read_bytes() == path.read_bytes()
    before = json.loads((finished / "manifest.json").read_text(encoding="utf-8"))
    assert own.manifest.items() >= before.items()  # later ones may say more
