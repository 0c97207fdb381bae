"""Rhetree's splitter in LangChain itself."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("langchain_text_splitters")

from langchain_core.documents import Document

from rhetree.integrations.langchain import RhetoricalSplitter
from support.fake_model import fake_parser

TEXT = "He came, he saw. He left.\n\n  He left. He left, and it rained."


@pytest.fixture
def splitter():
    return RhetoricalSplitter(20, add_start_index=True, parser=fake_parser())


def test_documents_are_split_with_their_metadata_and_exact_places(splitter):
    pieces = splitter.split_documents(
        [Document(page_content=TEXT, metadata={"source": "a"}), Document("So.")]
    )
    assert [piece.page_content for piece in pieces] == [*splitter.split_text(TEXT), "So."]
    for piece in pieces[:-1]:
        start = piece.metadata["start_index"]
        assert TEXT[start:].startswith(piece.page_content)
        assert piece.metadata["source"] == "a"
    starts = [piece.metadata["start_index"] for piece in pieces[:-1]]
    assert starts == sorted(set(starts))
    assert "".join("".join(piece.page_content.split()) for piece in pieces[:-1]) == "".join(TEXT.split())


def test_chunks_are_those_of_the_document(splitter):
    document = fake_parser().parse(TEXT)
    assert splitter.split_text(TEXT) == [chunk.text for chunk in document.chunks(20, count=len)]
    on = RhetoricalSplitter(len(TEXT), split_on="joint", parser=fake_parser())
    assert on.split_text(TEXT) == [chunk.text for chunk in document.chunks(split_on="joint")]


def test_any_length_function_counts():
    splitter = RhetoricalSplitter(4, length_function=lambda text: len(text.split()), parser=fake_parser())
    assert all(len(piece.split()) <= 4 for piece in splitter.split_text(TEXT))
    assert splitter.split_text("") == []


def test_the_overlap_that_is_usually_named_may_be_0_and_nothing_else(splitter):
    same = RhetoricalSplitter(chunk_size=20, chunk_overlap=0, parser=fake_parser())
    assert same.split_text(TEXT) == splitter.split_text(TEXT)
    for overlap in (200, -1):
        with pytest.raises(ValueError, match=f"chunk_overlap has to be 0, got {overlap}: chunks end where"):
            RhetoricalSplitter(chunk_size=20, chunk_overlap=overlap)


def test_the_default_model_is_used_where_no_parser_is_given():
    pieces = RhetoricalSplitter(40).split_text(
        "We left because it rained. It never stopped raining that day."
    )
    assert pieces == ["We left because it rained.", "It never stopped raining that day."]


@pytest.mark.parametrize(("setting", "expected"), [({}, "False"), ({"LANGCHAIN_TRACING_V2": "true"}, "True")])
def test_tracing_is_off_unless_the_user_turned_it_on(setting, expected):
    code = (
        "import rhetree.integrations.langchain\n"
        "from langsmith.utils import tracing_is_enabled\n"
        "print(tracing_is_enabled())"
    )
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("LANGCHAIN_", "LANGSMITH_"))
    }
    run = subprocess.run(
        [sys.executable, "-c", code], env=kept | setting, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == expected
