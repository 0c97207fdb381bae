import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.document import Document, Token
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.reading import Reading, SplitProbs
from rhetree.domain.record_reader import from_record
from rhetree.domain.record_writer import to_record
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import TreebankError
from rhetree.formats.format import Layer
from rhetree.formats.json import JSON, JSONL, schema
from support.golden_storm import storm
from support.schema import VALIDATOR
from support.strategies import documents, read_documents, rich_documents

RAIN = """\
{
 "format": "rhetree",
 "version": 1,
 "id": "rain",
 "metadata": {"genre": "story"},
 "text": "It rained, so I stayed. Good.",
 "sentences": [
  {"tokens": ["It", "rained", ",", "so", "I", "stayed", "."], "offsets": [[0, 2], [3, 9], [9, 10], [11, 13], [14, 15], [16, 22], [22, 23]], "edus": [[0, 3], [3, 7]], "splits": [[0, 1, 2, "SN", "causal-cause"]]},
  {"tokens": ["Good", "."], "offsets": [[24, 28], [28, 29]], "edus": [[0, 2]], "splits": []}
 ]
}
"""


def read(text, format=JSON):
    return list(format.read(io.StringIO(text), Path(f"rain.{format.name}")))


def written(document, format=JSON):
    sink = io.StringIO()
    format.write(document, sink)
    return sink.getvalue()


def rain():
    return Document(
        name="rain",
        text="It rained, so I stayed. Good.",
        tokens=(
            *(Token("It", 0, 2), Token("rained", 3, 9), Token(",", 9, 10), Token("so", 11, 13)),
            *(Token("I", 14, 15), Token("stayed", 16, 22), Token(".", 22, 23)),
            *(Token("Good", 24, 28), Token(".", 28, 29)),
        ),
        sentences=spans_of_lengths([7, 2]),
        edus=spans_of_lengths([3, 4, 2]),
        sentence_trees=(Tree((Split(0, 1, 2, "SN", "causal-cause"),)), Tree()),
        metadata={"genre": "story"},
    )


def test_a_document_with_one_tree_per_sentence_to_the_byte():
    assert written(rain()) == RAIN
    assert read(RAIN) == [rain()]


def test_jsonl_is_one_document_a_line_and_is_read_as_it_comes():
    first, second = rain(), replace(rain(), name="a\u2028b", metadata={})
    text = written(first, JSONL) + "\n" + written(second, JSONL)
    assert len(text.splitlines()) == 3
    assert read(text, JSONL) == [first, second]
    documents = JSONL.read(io.StringIO(text + "broken"), Path("x.jsonl"))
    assert [next(documents), next(documents)] == [first, second]
    with pytest.raises(TreebankError, match=r"x\.jsonl:4: not JSON: Expecting value at character 1$"):
        next(documents)


@pytest.mark.parametrize("format", [JSON, JSONL], ids=["json", "jsonl"])
def test_the_golden_file_is_read_and_written(format, golden):
    document = storm(gap="\n\n")
    document = replace(document, sentences=spans_of_lengths([len(document.tokens) - 7, 7]))
    text = written(document, format)
    golden(f"storm.{format.name}", text)
    assert read(text, format) == [document]


def test_a_tree_of_the_document_stands_beside_the_sentences():
    tree = Tree((Split(0, 2, 3, "NS", "evaluation"), Split(0, 1, 2, "SN", "causal-cause")))
    record = to_record(replace(rain(), sentence_trees=(), tree=tree))
    assert record["tree"] == [[0, 2, 3, "NS", "evaluation"], [0, 1, 2, "SN", "causal-cause"]]
    assert "splits" not in record["sentences"][0]


def test_edus_that_cross_sentences_are_listed_for_the_document():
    record = to_record(replace(rain(), sentence_trees=(None, None), edus=spans_of_lengths([3, 6])))
    assert record["edus"] == [[0, 3], [3, 9]]
    assert record["sentences"][1] == {
        "tokens": ["Good", "."],
        "offsets": [[24, 28], [28, 29]],
        "splits": None,
    }


def test_without_sentences_tokens_and_edus_are_listed_for_the_document():
    record = to_record(replace(rain(), sentence_trees=(), sentences=()))
    assert list(record) == ["format", "version", "id", "metadata", "text", "tokens", "offsets", "edus"]
    assert record["tokens"][:2] == ["It", "rained"]


def predicted():
    """What a model with a beam of 2 might make of it."""
    labels = (("causal-cause-SN", 2 / 3), ("joint-NN", 1 / 7))
    best = Reading(
        spans_of_lengths([3, 4]), rain().sentence_trees[0], -1.23456789, (0.5, 1.0), (1,), (labels,)
    )
    other = Reading(spans_of_lengths([7]), Tree(), -2e-7 - 2, (1e-9 / 3,))
    only = Reading(spans_of_lengths([2]), Tree(), 0.0, (1.0,))
    return replace(rain(), readings=((best, other), (only,)))


def test_what_a_model_is_sure_of_is_written_in_six_digits():
    first, second = to_record(predicted())["sentences"]
    assert first["probabilities"] == {
        "log_prob": -1.23457,
        "edus": [0.5, 1.0],
        "splits": [1.0],
        "labels": [[["causal-cause-SN", 0.666667], ["joint-NN", 0.142857]]],
    }
    assert first["alternatives"] == [
        {
            "edus": [[0, 7]],
            "splits": [],
            "probabilities": {"log_prob": -2.0, "edus": [3.33333e-10], "splits": [], "labels": []},
        }
    ]
    assert second["probabilities"] == {"log_prob": 0.0, "edus": [1.0], "splits": [], "labels": []}
    assert "alternatives" not in second
    VALIDATOR.validate(to_record(predicted()))


def predicted_whole():
    """The same model's readings below a tree of the whole document."""
    document = predicted()
    tree = document.sentence_trees[0].join(Tree(), "NS", "evaluation")
    probs = SplitProbs(Span(0, 3), 2 / 3, (("evaluation-NS", 2 / 3), ("joint-NN", 1 / 7)))
    return replace(document, sentence_trees=(), tree=tree, split_probs=(probs,))


def test_a_tree_of_the_document_and_readings_of_its_sentences():
    record = to_record(predicted_whole())
    assert record["sentences"] == to_record(predicted())["sentences"]
    assert record["tree"] == [[0, 2, 3, "NS", "evaluation"], [0, 1, 2, "SN", "causal-cause"]]
    assert record["split_probabilities"] == [
        {
            "edus": [0, 3],
            "probability": 0.666667,
            "labels": [["evaluation-NS", 0.666667], ["joint-NN", 0.142857]],
        }
    ]
    VALIDATOR.validate(record)
    again = from_record(record)
    assert not again.sentence_trees
    assert again.readings[0][0].tree == predicted().sentence_trees[0]
    assert to_record(again) == record


def test_a_reading_that_contradicts_the_tree_is_refused():
    record = to_record(predicted_whole())
    record["tree"][1][4] = "joint"
    with pytest.raises(ValueError, match="the tree of sentence 0 is not that of its first reading"):
        from_record(record)


def test_probabilities_of_edus_alone():
    readings = [(Reading(spans_of_lengths([3, 4]), None, -1.0, (0.5, 1.0)),), ()]
    document = replace(rain(), sentence_trees=(), readings=readings)
    first, second = to_record(document)["sentences"]
    assert first["probabilities"] == {"log_prob": -1.0, "edus": [0.5, 1.0]}
    assert "splits" not in first
    assert "probabilities" not in second
    assert read(written(document)) == [document]


def test_annotation_beside_the_tree():
    units = (Unit(0, 3, "root"), *(Unit(n, n + 1, "nucleus", "joint") for n in range(3)))
    edge = SecondaryEdge(Span(0, 1), Span(2, 3), "cause")
    document = replace(
        replace(rain(), sentence_trees=()).with_nary(NaryTree(units)),
        secondary_edges=(edge,),
        signals=(Signal(edge, "dm", "dm", (3,), "gold"), Signal(Span(1, 2), "graphical", "layout")),
    )
    record = to_record(document)
    assert record["nary"] == [[0, 3, "root", None], *([n, n + 1, "nucleus", "joint"] for n in range(3))]
    assert record["secondary_edges"] == [{"source": [0, 1], "target": [2, 3], "relation": "cause"}]
    assert record["signals"] == [
        {"secondary_edge": 0, "type": "dm", "subtype": "dm", "tokens": [3], "status": "gold"},
        {"source": [1, 2], "type": "graphical", "subtype": "layout", "tokens": []},
    ]
    del record["tree"]
    assert from_record(record) == document


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"id": "a", "text": "It rained."}, Document(name="a", text="It rained.")),
        ({"id": "a", "text": ""}, Document(name="a")),
        ({"id": "a", "tokens": []}, Document(name="a")),
        (
            {"id": "a", "tokens": ["It", "rained"]},
            replace(Document.from_sentences([["It", "rained"]], "a"), sentences=()),
        ),
        ({"id": "a", "tokens": [["It"], ["rained"]]}, Document.from_sentences([["It"], ["rained"]], "a")),
        (
            {"id": "a", "tokens": [["It", "rained"], ["So", "?"]], "edus": [[[0, 1], [1, 2]], [[0, 2]]]},
            replace(
                Document.from_sentences([["It", "rained"], ["So", "?"]], "a"),
                edus=spans_of_lengths([1, 1, 2]),
            ),
        ),
        (
            {"id": "a", "tokens": [["It", "rained"], ["So", "?"]], "edus": [[0, 1], [1, 4]]},
            replace(
                Document.from_sentences([["It", "rained"], ["So", "?"]], "a"), edus=spans_of_lengths([1, 3])
            ),
        ),
        (
            {"id": "a", "text": " It\n\train(ed)", "tokens": [["It"], ["rain", "("], ["ed", ")"]]},
            Document(
                name="a",
                text=" It\n\train(ed)",
                tokens=(
                    Token("It", 1, 3),
                    Token("rain", 5, 9),
                    Token("(", 9, 10),
                    Token("ed", 10, 12),
                    Token(")", 12, 13),
                ),
                sentences=spans_of_lengths([1, 2, 2]),
            ),
        ),
        ({"id": "a", "sentences": [{"tokens": ["It"]}]}, Document.from_sentences([["It"]], "a")),
    ],
)
def test_short_inputs(record, expected):
    VALIDATOR.validate(record)
    assert read(json.dumps(record)) == [expected]
    assert read(json.dumps(record), JSONL) == [expected]


def change(**changes):
    return json.dumps(to_record(rain()) | changes)


def in_probabilities(**changes):
    record = to_record(predicted())
    record["sentences"][0]["probabilities"] |= changes
    return json.dumps(record)


def with_a_likelier_alternative_last():
    record = to_record(predicted())
    alternatives = record["sentences"][0]["alternatives"]
    alternatives.append(json.loads(json.dumps(alternatives[0]).replace("-2.0", "-1.0")))
    return json.dumps(record)


def in_split_probabilities(**changes):
    record = to_record(predicted_whole())
    record["split_probabilities"][0] |= changes
    return json.dumps(record)


def in_sentence(**changes):
    record = to_record(rain())
    record["sentences"][0] |= changes
    return json.dumps(record)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"rain\.json:1: not JSON: Expecting value at character 1 of the line"),
        ('{"id": "a",\n "text": }', r"rain\.json:2: not JSON: Expecting value at character 10 of the line"),
        (
            '{"id": "a"}\n{"id": "b"}',
            "rain.json:2: not JSON: Extra data .*; a file with one document per line ends in .jsonl",
        ),
        ("[" * 200_000, "nested too deeply for a document"),
        ('{"a":' * 200_000, "nested too deeply for a document"),
        ('{"id": NaN}', "NaN is not JSON"),
        ('{"id": -Infinity}', "-Infinity is not JSON"),
        ('{"id": ' + "9" * 100_000 + "}", r"the number 9999999999\.\.\. has 100000 digits"),
        ('{"id": "a", "id": "b"}', "the key 'id' occurs twice"),
        ('{"id": "a", "text": "\\ud800"}', "half of a surrogate pair is not a character"),
        ("[]", r"document: expected an object, found \[\]"),
        ("{}", "document: the key 'id' is missing"),
        ('{"id": "a"}', "document: expected a text, tokens or sentences, found none of them"),
        ('{"id": 1, "text": ""}', "id: expected a string, found 1"),
        (change(txet=""), "document: unknown key 'txet'; did you mean 'text'?"),
        (change(zzz=""), "document: unknown key 'zzz'$"),
        (change(format="other"), "format: expected 'rhetree', found 'other'"),
        (change(version=2, new=1), "version: expected at most 1, found 2; a newer Rhetree reads it"),
        (change(version=0), "version: expected 1, found 0"),
        (change(version="1"), "version: expected a whole number, found '1'"),
        (change(version=True), "version: expected a whole number, found true"),
        (change(metadata={"genre": None}), "metadata.genre: expected a string, found null"),
        (change(metadata=[]), r"metadata: expected an object, found \[\]"),
        (change(tokens=["a"]), "tokens: expected it in the sentences, found it beside them"),
        (change(edus=[[0, 9]]), "edus: expected them in the sentences or beside them, found both"),
        (
            in_sentence(splits=[[0, 1, 2, "NS"]]),
            r"sentences\[0\]\.splits\[0\]: expected a list of 5, found \[0, 1",
        ),
        (in_sentence(splits=[[0, 1, 2, "XS", "x"]]), "expected NS, SN or NN, found 'XS'"),
        (in_sentence(splits=[[0, 2, 2, "NS", "x"]]), r"splits\[0\]: a split needs 0 <= start < split < end"),
        (
            in_sentence(splits=[[0, 1, 3, "NS", "x"]]),
            r"splits: in pre-order the next split is that of 0\.\.2",
        ),
        (in_sentence(splits=[[0, 1.5, 3, "NS", "x"]]), r"splits\[0\]: expected a whole number, found 1.5"),
        (in_sentence(splits=[]), "the tree of sentence 0 has 1 EDU, but there are 2"),
        (in_sentence(edus=[[0, 3]]), "EDU 7..9 should start at 3"),
        (in_sentence(edus=[[0, 0]]), r"sentences\[0\]\.edus\[0\]: expected 0 <= start < end, found \[0, 0\]"),
        (in_sentence(edus=[[0]]), r"sentences\[0\]\.edus\[0\]: expected \[start, end\], found \[0\]"),
        (in_sentence(tokens=[]), r"sentences\[0\]\.offsets: expected a list of 0, found a list of 7"),
        (in_sentence(tokens=["x", 1, *"abcde"]), r"sentences\[0\]\.tokens\[1\]: expected a string, found 1"),
        (in_sentence(spans=[]), r"sentences\[0\]: unknown key 'spans'"),
        (change(sentences=[{"tokens": []}]), r"sentences\[0\]\.tokens: expected at least one, found none"),
        (change(sentences=[{"tokens": [""]}]), "has an empty form"),
        (
            change(sentences=[{"tokens": ["It"], "edus": [[0, 1]]}, {"tokens": ["a"]}]),
            r"sentences\[1\]: the key 'edus' is missing, other sentences have it",
        ),
        (
            change(sentences=[{"tokens": ["It", "snowed"]}]),
            "token 1: expected 'snowed' in the text, found 'rained, so",
        ),
        (in_sentence(alternatives=[]), r"sentences\[0\]\.alternatives: expected 'probabilities' beside them"),
        (
            change(sentences=[{"tokens": ["It"], "probabilities": {"log_prob": 0, "edus": [1]}}]),
            r"sentences\[0\]\.probabilities: expected 'edus' beside them",
        ),
        (in_probabilities(log_prob="0"), r"probabilities\.log_prob: expected a number, found '0'"),
        (in_probabilities(log_prob=False), "expected a number, found false"),
        (
            in_probabilities(log_prob=1),
            r"sentences\[0\]\.probabilities: a log-probability is finite and at most 0, got 1",
        ),
        (
            in_probabilities(edus=[1]),
            r"sentences\[0\]\.probabilities: expected a probability for each of 2 EDUs, got 1",
        ),
        (in_probabilities(edus=[1, None]), r"probabilities\.edus\[1\]: expected a number, found null"),
        (in_probabilities(edus=[1, 2]), "a probability lies between 0 and 1, got 2"),
        (in_probabilities(labels=[[["a-NS"]]]), r"labels\[0\]\[0\]: expected a list of 2, found \['a-NS'\]"),
        (in_probabilities(labels=[[[1, 1]]]), r"labels\[0\]: expected a string, found 1"),
        (in_probabilities(labels=[[["a", 1]]]), "a label is a relation, a hyphen and NS, SN or NN, got 'a'"),
        (in_probabilities(more=1), r"sentences\[0\]\.probabilities: unknown key 'more'"),
        (
            with_a_likelier_alternative_last(),
            "the alternatives of sentence 0 do not come likeliest first",
        ),
        (
            in_probabilities().replace('[[0, 7]], "splits": []', '[[0, 6]], "splits": []'),
            "a reading of sentence 0 does not cover its tokens",
        ),
        (change(tree=[]), r"sentences\[0\]\.splits: expected none, since the document has one tree"),
        (in_split_probabilities(edus=[0, 4]), r"the split of EDUs 0\.\.4, which the tree lacks"),
        (in_split_probabilities(probability=2), r"split_probabilities\[0\]: a probability lies between"),
        (in_split_probabilities(labels=[["a", 1]]), r"split_probabilities\[0\]: a label is a relation"),
        (in_split_probabilities(labels=1), r"split_probabilities\[0\]\.labels: expected a list, found 1"),
        (in_split_probabilities(more=1), r"split_probabilities\[0\]: unknown key 'more'"),
        (change(nary=[[0, 1, "boss", None]]), r"nary\[0\]: expected root, nucleus, satellite, found 'boss'"),
        (change(nary=[[0, 0, "root", None]]), r"nary\[0\]: a unit needs"),
        (change(nary=[]), "nary: an n-ary tree starts with its root"),
        (change(secondary_edges=[{"source": [0, 1], "target": [1, 2], "relation": ""}]), "needs a relation"),
        (change(signals=[{"type": "dm", "subtype": "dm"}]), "expected either 'source' or 'secondary_edge'"),
        (
            change(signals=[{"type": "dm", "subtype": "dm", "secondary_edge": 0}]),
            "expected one of 0 edges, found 0",
        ),
        (change(syntax={"columns": [["_"]]}), "syntax: a token has 8 columns"),
        (
            change(syntax={"columns": [], "fused": [{"tokens": [0, 1], "columns": []}]}),
            "expected a list of 8, found",
        ),
        (change(syntax={"columns": [], "empty_nodes": [{"after": 0, "columns": [], "opens": 1}]}), "found 1"),
        ('{"id": "a", "tokens": ["a"], "offsets": [[0, 1]]}', "expected a text for them to point into"),
        (
            '{"id": "a", "text": "a", "tokens": ["a"], "offsets": [[0, 9]]}',
            r"at 0\.\.9 should lie within 0\.\.1",
        ),
        ('{"id": "a", "text": "a", "offsets": []}', "expected a text, tokens or sentences"),
        ('{"id": "a", "tokens": [["a"], "b"]}', r"tokens\[1\]: expected a list, found 'b'"),
        (
            '{"id": "a", "tokens": [["a"]], "offsets": []}',
            "expected none beside a list of tokens per sentence",
        ),
        (
            '{"id": "a", "tokens": [["a"]], "edus": [[[0, 1]], []]}',
            "edus: expected a list of 1, found a list of 2",
        ),
    ],
)
def test_a_broken_record_is_reported_with_its_place(text, message):
    with pytest.raises(TreebankError, match=message):
        read(text)
    if "not JSON: " not in message:
        with pytest.raises(TreebankError, match=r"rain\.jsonl:1: "):
            read(text, JSONL)


def test_a_file_of_several_lines_is_not_jsonl():
    with pytest.raises(TreebankError, match="one document over several lines ends in .json"):
        read(RAIN, JSONL)


def test_the_schema_is_one_and_knows_what_it_should_refuse():
    jsonschema.Draft202012Validator.check_schema(schema())
    VALIDATOR.validate(json.loads(RAIN))
    for wrong in ({}, {"id": "a"}, {"id": "a", "text": "", "edu": []}, {"id": "a", "text": "", "version": 2}):
        assert not VALIDATOR.is_valid(wrong)
    assert not VALIDATOR.is_valid(json.loads(in_sentence(splits=[[0, 1, 2, "XS", "x"]])))


@given(rich_documents())
def test_every_layer_is_read_back_the_same_and_fits_the_schema(document):
    assert not JSON.losses(document)
    VALIDATOR.validate(to_record(document))
    assert read(written(document)) == [document]
    assert read(written(document, JSONL), JSONL) == [document]


@given(documents({Layer.SENTENCES}).flatmap(lambda document: read_documents(document, digits=17)))
def test_written_again_what_was_read_is_the_same(document):
    text = written(document, JSONL)
    (again,) = read(text, JSONL)
    assert written(again, JSONL) == text
    assert [len(own) for own in again.readings] == [len(own) for own in document.readings]
    VALIDATOR.validate(to_record(document))


def test_edu_texts_are_written_on_request_and_checked_against_the_text():
    record = to_record(rain(), edu_texts=True)
    assert [sentence["edu_texts"] for sentence in record["sentences"]] == [
        ["It rained,", "so I stayed."],
        ["Good."],
    ]
    VALIDATOR.validate(record)
    assert from_record(record) == rain()
    record["sentences"][0]["edu_texts"][1] = "so he stayed."
    with pytest.raises(ValueError) as caught:
        from_record(record)
    assert str(caught.value) == (
        "sentences[0].edu_texts[1]: expected 'so I stayed.', the text of the EDU, found 'so he stayed.'"
    )


def test_edu_texts_of_a_document_without_sentences_stand_beside_its_edus():
    document = Document.from_edus(["It rained ,", "so I stayed ."], "rain")
    record = to_record(document, edu_texts=True)
    assert record["edu_texts"] == ["It rained ,", "so I stayed ."]
    VALIDATOR.validate(record)
    assert from_record(record) == document


@pytest.mark.parametrize("sentence", [{"tokens": ["Good"], "edu_texts": ["Good"]}])
def test_edu_texts_need_edus(sentence):
    for record in ({"id": "a", "sentences": [sentence]}, {"id": "a", **sentence}):
        assert not VALIDATOR.is_valid(record)
        with pytest.raises(ValueError, match="edu_texts: expected"):
            from_record(record)


@given(documents())
def test_a_document_becomes_a_dict_and_back(document):
    record = document.to_dict()
    assert record == to_record(document)
    assert Document.from_dict(json.loads(json.dumps(record))) == document
    assert Document.from_dict(document.to_dict(edu_texts=True)) == document


def test_a_tree_becomes_a_dict_and_back():
    tree = Tree((Split(0, 1, 2, "SN", "causal"),))
    assert tree.to_dict() == {"splits": [[0, 1, 2, "SN", "causal"]]}
    assert Tree.from_dict(tree.to_dict()) == tree
    with pytest.raises(ValueError, match=r"splits\[0\]: expected NS, SN or NN, found 'XX'"):
        Tree.from_dict({"splits": [[0, 1, 2, "XX", "causal"]]})
    with pytest.raises(ValueError, match="tree: the key 'splits' is missing"):
        Tree.from_dict({})
