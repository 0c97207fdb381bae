"""Rhetree's node parser in LlamaIndex itself."""

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import Document, NodeRelationship

from rhetree.integrations.llama_index import RhetoricalSplitter
from support.fake_model import fake_parser

TEXT = "He came, he saw. He left.\n\n  He left. He left, and it rained."


@pytest.fixture
def splitter():
    return RhetoricalSplitter(5, parser=fake_parser())


def test_nodes_have_exact_places_metadata_and_neighbours(splitter):
    document = Document(text=TEXT, metadata={"source": "a"})
    nodes = IngestionPipeline(transformations=[splitter], disable_cache=True).run(documents=[document])
    chunks = fake_parser().parse(TEXT).chunks(5)
    assert [(node.text, node.start_char_idx, node.end_char_idx) for node in nodes] == [
        (chunk.text, chunk.start, chunk.end) for chunk in chunks
    ]
    assert len(nodes) > 2
    assert {node.metadata["source"] for node in nodes} == {"a"}
    assert nodes[1].relationships[NodeRelationship.PREVIOUS].node_id == nodes[0].node_id


def test_a_tokenizer_and_relations_decide_where_nodes_end():
    document = fake_parser().parse(TEXT)
    by_letters = RhetoricalSplitter(20, tokenizer=list, parser=fake_parser())
    assert by_letters.split_text(TEXT) == [chunk.text for chunk in document.chunks(20, count=len)]
    on = RhetoricalSplitter(split_on="joint", parser=fake_parser())
    assert on.split_text(TEXT) == [chunk.text for chunk in document.chunks(split_on="joint")]


def test_settings_are_stored_with_a_pipeline():
    splitter = RhetoricalSplitter(12, split_on=["topic"])
    again = RhetoricalSplitter.from_dict(splitter.model_dump(exclude={"id_func"}))
    assert (again.chunk_size, again.split_on, again.model) == (12, ("topic",), None)
    assert again.split_text("We left because it rained. It never stopped raining that day.") == [
        "We left because it rained.",
        "It never stopped raining that day.",
    ]


def test_progress_is_shown_on_request(splitter, capsys):
    splitter.get_nodes_from_documents([Document(text=TEXT)], show_progress=True)
    assert "Parsing nodes" in capsys.readouterr().err


def test_a_size_below_one_is_refused():
    with pytest.raises(ValueError, match="chunk_size"):
        RhetoricalSplitter(0)
