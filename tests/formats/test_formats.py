"""What every format promises: what is written is read back the same, or listed as lost, or refused."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import UnwritableError
from rhetree.formats import FORMATS, read, write, write_one
from rhetree.formats.format import Layer, layers_of
from support.strategies import rich_documents

every_format = pytest.mark.parametrize("format", FORMATS.values(), ids=list(FORMATS))
with_text = {name: format for name, format in FORMATS.items() if Layer.TEXT in format.holds}
every_format_with_text = pytest.mark.parametrize("format", with_text.values(), ids=list(with_text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


def written_and_read(document, format, folder):
    """The documents that come back from a file with this one, and the layers that it lost."""
    path = folder / f"doc{format.suffixes[0]}"
    lost = write(document, path)
    return list(read(path)), lost


def in_any_order(document):
    """The document with its edges and signals sorted: .rsd has them with the EDUs that they belong to."""
    edges = sorted(document.secondary_edges, key=repr)
    return replace(document, secondary_edges=edges, signals=sorted(document.signals, key=repr))


@every_format
@given(data=st.data())
def test_what_a_format_holds_comes_back_the_same(format, folder, data):
    document = data.draw(rich_documents(format.holds))
    assume(format.needs <= layers_of(document))
    try:
        again, lost = written_and_read(document, format, folder)
    except UnwritableError:
        # Such as <P> in .dis, where it ends a paragraph.
        reject()
    if Layer.TEXT in format.holds:
        assert lost == []
        assert list(map(in_any_order, again)) == [in_any_order(document)]
    else:
        assert lost == [Layer.TEXT]
        assert [one.tree for one in again] == [document.tree, *document.sentence_trees][
            document.tree is None :
        ]


LAYERS = {
    Layer.SENTENCES: lambda document: document.sentences,
    Layer.EDUS: lambda document: document.edus,
    Layer.TREE: lambda document: document.tree,
    Layer.SENTENCE_TREES: lambda document: document.sentence_trees,
    Layer.READINGS: lambda document: (document.readings, document.split_probs),
    Layer.NARY: lambda document: document.nary,
    Layer.SECONDARY_EDGES: lambda document: in_any_order(document).secondary_edges,
    Layer.SIGNALS: lambda document: in_any_order(document).signals,
    Layer.SYNTAX: lambda document: document.syntax,
    Layer.METADATA: lambda document: document.metadata,
    Layer.BLOCKS: lambda document: document.blocks,
}


@every_format_with_text
@given(document=rich_documents())
def test_what_is_not_listed_as_lost_comes_back(format, folder, document):
    assume(format.needs <= layers_of(document))
    try:
        again, lost = written_and_read(document, format, folder)
    except UnwritableError:
        reject()
    (one,) = again
    if {Layer.FORMS, Layer.TOKENS} & set(lost):
        # Another number of tokens, where one had white space in it or two had none between: other numbers than before.
        assert len(one.edus) == len(document.edus)
        lost += [Layer.EDUS, Layer.SENTENCES, Layer.SIGNALS]
    elif Layer.SPACING in lost:
        assert [token.form for token in one.tokens] == [token.form for token in document.tokens]
    else:
        assert one.text == document.text
        assert one.tokens == document.tokens
    for layer in set(LAYERS) & layers_of(document) - set(lost):
        assert LAYERS[layer](one) == LAYERS[layer](document), layer


@every_format
def test_a_file_holds_several_documents_or_refuses_them(format, folder):
    document = pair("doc")
    path = folder / f"doc{format.suffixes[0]}"
    if format.many:
        write([document, document], path)
        assert len(list(read(path))) == 2
    else:
        with pytest.raises(UnwritableError, match="second of a file that holds one"):
            write([document, document], path)


@every_format
def test_what_a_document_needs_is_asked_for(format, folder):
    if format.needs & {Layer.TREE, Layer.EDUS}:
        with pytest.raises(UnwritableError, match="doc cannot be written as"):
            write(Document.from_sentences([["It", "rained"]], "doc"), folder / f"x{format.suffixes[0]}")
        assert not (folder / f"x{format.suffixes[0]}").exists()


@every_format
@pytest.mark.large
def test_a_tree_deeper_than_pythons_stack_is_written_and_read(format, folder):
    n_edus = 2_000
    document = Document(
        name="doc",
        text=" ".join(["x"] * n_edus),
        tokens=Document.from_edus(["x"] * n_edus).tokens,
        sentences=spans_of_lengths([n_edus]) if Layer.SENTENCES in format.needs else (),
        edus=spans_of_lengths([1] * n_edus),
        tree=Tree(tuple(Split(n, n + 1, n_edus, "NS", "list") for n in range(n_edus - 1))),
    )
    (again,), lost = written_and_read(document, format, folder)
    if Layer.TREE not in lost:
        assert again.tree == document.tree
    assert again.edus == document.edus


def pair(name):
    document = Document.from_sentences([["It", "rained"]], name)
    tree = Tree((Split(0, 1, 2, "NS", "elaboration"),))
    return Document(
        name=name,
        text=document.text,
        tokens=document.tokens,
        sentences=document.sentences,
        edus=spans_of_lengths([1, 1]),
        tree=tree,
    )


def test_every_format_has_a_name_and_endings_of_its_own():
    endings = [suffix for format in FORMATS.values() for suffix in format.suffixes]
    assert len(endings) == len(set(endings))
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in endings)
    assert all(name == format.name for name, format in FORMATS.items())
    assert all(format.needs <= format.holds for format in FORMATS.values())


def test_a_document_is_appended_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.tok"
    with path.open("w", encoding="utf-8") as sink, pytest.raises(UnwritableError):
        write_one(Document(name="a", text="x"), FORMATS["tok"], sink)
    assert path.read_text() == ""
    assert Path(path).exists()


# --- docs/formats.md -------------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def test_the_table_in_the_docs_is_what_the_formats_declare():
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:1] == "|"
    ]
    table = {row[0]: row[1:] for row in rows}
    assert table[""] == list(FORMATS)
    for layer in Layer:
        assert table[layer.value] == ["✓" if layer in format.holds else "" for format in FORMATS.values()]
    assert table["several documents a file"] == ["✓" if format.many else "" for format in FORMATS.values()]


def test_the_examples_in_the_docs_can_be_read(tmp_path):
    examples = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    found = {language: text for language, text in examples if language in FORMATS}
    assert found.keys() == FORMATS.keys() - {"rs4", "jsonl"}
    for language, text in found.items():
        path = tmp_path / f"example.{language}"
        path.write_text(text, encoding="utf-8", newline="\n")
        documents = list(read(path))
        assert documents
        assert write(
            documents if FORMATS[language].many else documents[0], tmp_path / f"again.{language}"
        ) in ([], [Layer.TEXT])


def test_there_is_a_section_for_every_format():
    titles = re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    words = {word for title in titles for word in title.split()}
    assert FORMATS.keys() - {"jsonl"} <= words
