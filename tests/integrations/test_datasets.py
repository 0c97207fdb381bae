"""``dataset.map`` with our functions, in Hugging Face's own library."""

import pytest

import rhetree
import rhetree.integrations.datasets as ours
from rhetree.errors import ArgumentError

TEXTS = ["We left because it rained.", "", "So what?", None]


def test_a_batch_gets_columns_of_edus_and_relations():
    found = ours.parse({"text": TEXTS})
    assert [[edu["text"] for edu in edus] for edus in found["edus"]] == [
        rhetree.parse(text or "").edu_texts() for text in TEXTS
    ]
    assert [len(relations) for relations in found["relations"]] == [1, 0, 0, 0]
    assert "document" not in found["edus"][0][0]


def test_a_missing_column_names_those_that_are_there():
    with pytest.raises(ArgumentError, match="no column 'text'; expected one of review, stars"):
        ours.parse({"review": ["It rained."], "stars": [1]})
    with pytest.raises(TypeError, match="batched=True"):
        ours.segment({"text": "It rained."})


@pytest.fixture
def datasets(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    return pytest.importorskip("datasets")


def test_a_data_set_is_mapped(datasets):
    data = datasets.Dataset.from_dict({"text": TEXTS, "stars": [1, 2, 3, 4]})
    parsed = data.map(ours.parse, batched=True, batch_size=2)
    assert [len(edus) for edus in parsed["edus"]] == [2, 0, 1, 0]
    assert parsed[0]["relations"][0]["nuclearity"] == "NS"
    assert parsed["stars"] == [1, 2, 3, 4]
    renamed = data.rename_column("text", "review")
    segmented = renamed.map(ours.segment, batched=True, fn_kwargs={"column": "review"})
    assert segmented[0]["edus"] == ["We left", "because it rained."]


@pytest.mark.parametrize(
    ("before", "settings"),
    [
        (["Ok."], {"batch_size": 1}),
        (["", None], {"batch_size": 1}),
        pytest.param(["Ok."] * 1000, {}, marks=pytest.mark.slow),  # a first batch of the default size
        (["Ok."], {"num_proc": 2}),
    ],
)
def test_types_do_not_depend_on_the_first_batch(datasets, before, settings):
    """Hugging Face takes them from there: texts of one EDU have no relation, role or attachment."""
    texts = [*before, "He left because it rained."]
    data = datasets.Dataset.from_dict({"text": texts})
    parsed = data.map(ours.parse, batched=True, **settings)
    assert parsed[-1]["relations"][0]["relation"] == "causal"
    assert [edu["attaches_to"] for edu in parsed[-1]["edus"]] == [None, 1]
    assert parsed["text"] == texts
    alone = data.select([len(before)]).map(ours.parse, batched=True)
    assert parsed.features == alone.features
    segmented = data.map(ours.segment, batched=True, **settings)
    assert segmented[-1]["edus"] == ["He left", "because it rained."]


def test_columns_are_left_out_and_stored_with_their_types(datasets, tmp_path):
    data = datasets.Dataset.from_dict({"text": ["Ok."]})
    parsed = data.map(ours.parse, batched=True, remove_columns=["text"])
    assert parsed.column_names == ["edus", "relations"]
    parsed.to_parquet(tmp_path / "a.parquet")
    pyarrow = pytest.importorskip("pyarrow.parquet")
    assert "nuclearity: string" in str(pyarrow.read_schema(tmp_path / "a.parquet").field("relations").type)
