"""Each route gives what the library gives, for one document and for several."""

import asyncio
import base64
import json

import pytest

from rhetree.domain.document import Document
from rhetree.domain.record_reader import from_record
from rhetree.domain.record_writer import to_record
from rhetree.formats.json import decode
from rhetree.formats.rs3 import declare
from rhetree.jobs.encoding import ENCODINGS, encode
from rhetree.metrics.report import evaluate
from rhetree.serve.page import FOLDER
from support.drawn_documents import treasury
from support.fake_model import fake_parser
from support.serving import LONG, TEXT, HeldNetwork, client, error_of, parser_over
from support.written_documents import weather

TEXTS = [TEXT, "", "One.", LONG, "It rained because it was autumn.", "?!"]
NDJSON = {"accept": "application/x-ndjson"}


@pytest.fixture(scope="module")
def api():
    with client(slice_tokens=16) as test_client:
        yield test_client


@pytest.fixture(scope="module")
def joining():
    """A service that joins sentences, too."""
    with client(fake_parser(joins=True), slice_tokens=16) as test_client:
        yield test_client


def lines(response):
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines()]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_parsed_as_by_the_library(api, text):
    answer = api.post("/v1/parse", json={"text": text})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.text == encode(fake_parser().parse(text), "json")


@pytest.mark.parametrize("format", ENCODINGS)
def test_one_document_comes_back_as_the_file_that_the_command_line_writes(api, format):
    text = "He said that it rained."
    answer = api.post("/v1/parse", json={"text": text, "format": format})
    expected = fake_parser().parse(text)
    if format in ("rs3", "rs4"):
        assert answer.headers["content-type"] == "application/xml"
        assert '<rel name="joint" type="multinuc"/>' in answer.text
    else:
        expected = encode(expected, format)
        assert answer.content == (expected.encode() if isinstance(expected, str) else expected)


@pytest.mark.parametrize("route", ["parse", "segment"])
def test_several_texts_give_what_each_gives_alone_in_order(api, route):
    parser = fake_parser()
    expected = [to_record(getattr(parser, route)(text)) for text in TEXTS]
    answer = api.post(f"/v1/{route}", json={"documents": TEXTS})
    assert answer.json() == {"documents": json.loads(json.dumps(expected))}
    assert (
        lines(api.post(f"/v1/{route}", json={"documents": TEXTS}, headers=NDJSON))
        == answer.json()["documents"]
    )


def test_documents_keep_their_names_and_given_edus(api):
    tokens = [["He", "said", "it", "rained", "."], ["Good", "."]]
    edus = [[[0, 2], [2, 5]], [[0, 2]]]
    given = {"id": "rain", "tokens": tokens, "edus": edus}
    kept = api.post("/v1/parse", json={"document": given}).json()
    assert [kept["id"], *(sentence["edus"] for sentence in kept["sentences"])] == ["rain", *edus]
    library = fake_parser().parse_tokens(tokens, edus=edus, name="rain")
    assert from_record(kept).sentence_trees == library.sentence_trees
    new = api.post("/v1/parse", json={"document": given, "edus": "auto"}).json()
    assert from_record(new).edus == fake_parser().parse_tokens(tokens).edus
    mixed = api.post("/v1/parse", json={"documents": [given, TEXT, given]}).json()["documents"]
    assert [mixed[0], mixed[2]] == [kept, kept]
    assert mixed[1] == api.post("/v1/parse", json={"text": TEXT}).json()


def test_a_bad_document_fails_in_its_own_place(api):
    crossing = {"id": "b", "tokens": [["a", "b"], ["c"]], "edus": [[0, 1], [1, 3]]}
    documents = ["One.", {"id": "a", "text": "x", "txet": ""}, crossing, {"text": 3}, "Two."]
    found = api.post("/v1/parse", json={"documents": documents}).json()["documents"]
    assert [item.get("error", {}).get("code") for item in found] == [
        None,
        "bad_document",
        "mismatch",
        "bad_document",
        None,
    ]
    assert found[1] == {
        "id": "a",
        "error": {
            "code": "bad_document",
            "message": "document 2: document: unknown key 'txet'; did you mean 'text'?",
        },
    }
    assert "crosses the edge of sentence 1" in found[2]["error"]["message"]
    status, code, message = error_of(api.post("/v1/parse", json={"document": documents[1]}))
    assert (status, code) == (422, "bad_document")
    assert "did you mean 'text'?" in message
    assert lines(api.post("/v1/parse", json={"documents": documents}, headers=NDJSON)) == found


def test_formats_of_several_documents_are_strings_in_objects(api):
    items = api.post("/v1/parse", json={"documents": ["One.", ""], "format": "svg"}).json()["documents"]
    assert items[0]["format"] == "svg"
    assert items[0]["content"].startswith("<svg")
    assert items[1]["error"]["code"] == "unwritable"


def test_no_documents_are_no_answers(api):
    assert api.post("/v1/parse", json={"documents": []}).json() == {"documents": []}
    assert api.post("/v1/parse", json={"documents": []}, headers=NDJSON).text == ""


def test_constraints_hold_for_their_document(api):
    parser = fake_parser()
    asked = {"edus": [[0, 14]], "spans": [{"start": 0, "end": 32, "relation": "joint"}]}
    text = "He left early because it rained."
    answer = api.post("/v1/parse", json={"text": text, "constraints": asked})
    assert answer.text == encode(parser.parse(text, constraints=asked), "json")
    tokens = {"id": "b", "tokens": [["He", "left", "."]], "edus": [[[0, 2], [2, 3]]]}
    crossing = [{"start": 0, "end": 13}, {"start": 8, "end": 32}]
    constraints = [asked, None, {"spans": crossing}, {"spans": [{"start": 0, "end": 9, "nuclearity": "SN"}]}]
    several = api.post(
        "/v1/parse", json={"documents": [text, text, text, tokens], "constraints": constraints}
    )
    first, second, third, fourth = several.json()["documents"]
    assert first == answer.json()
    assert second == json.loads(encode(parser.parse(text), "json"))
    message = (
        "the text: span 0..13 and span 8..32 cross: in a tree two spans lie apart, or one inside the other"
    )
    assert third == {"id": "", "error": {"code": "bad_constraints", "message": message}}
    assert fourth["sentences"][0]["splits"] == [[0, 1, 2, "SN", "attribution"]]
    alone = api.post("/v1/parse", json={"text": text, "constraints": {"spans": crossing}})
    assert error_of(alone) == (422, "bad_constraints", message)


@pytest.mark.parametrize("format", ENCODINGS)
@pytest.mark.parametrize("level", ["paragraph", "document"])
def test_sentences_are_joined_as_by_the_library(joining, level, format):
    answer = joining.post("/v1/parse", json={"text": TEXT, "level": level, "format": format})
    parser = fake_parser(joins=True)
    (expected,) = parser.parse_documents([Document(text=TEXT)], level=level)
    assert expected.metadata["document model"] == "fake-document 0"
    if format in ("rs3", "rs4"):
        expected = declare(expected, parser.labels(level))
    content = encode(expected, format)
    assert answer.content == (content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("level", ["paragraph", "document"])
def test_several_documents_are_joined_each_for_itself(joining, level):
    tokens = {"id": "rain", "tokens": [["He", "said", "it", "rained", "."], ["Good", "."]]}
    given = {**tokens, "edus": [[[0, 2], [2, 5]], [[0, 2]]]}
    asked = {"edus": [[0, 14]]}
    text = "He left early because it rained. Good."
    body = {"documents": [*TEXTS, given, text], "level": level}
    constraints = [None] * (len(TEXTS) + 1) + [asked]
    answer = joining.post("/v1/parse", json={**body, "constraints": constraints}).json()["documents"]
    parser = fake_parser(joins=True)
    expected = [
        *(parser.parse(one, level=level) for one in TEXTS),
        parser.parse_tokens(given["tokens"], edus=given["edus"], name="rain", level=level),
        parser.parse(text, constraints=asked, level=level),
    ]
    assert answer == json.loads(json.dumps([to_record(document) for document in expected]))
    streamed = joining.post("/v1/parse", json={**body, "constraints": constraints}, headers=NDJSON)
    assert lines(streamed) == answer


def test_a_model_without_one_for_documents_refuses_before_any_work():
    network = HeldNetwork(held=False)
    with client(parser_over(network)) as api:
        body = {"documents": [TEXT, {"id": 3}], "level": "document"}
        for headers in ({}, NDJSON):
            status, code, message = error_of(api.post("/v1/parse", json=body, headers=headers))
            assert (status, code) == (422, "model_cannot")
            assert "trained on the same relations" in message
        assert network.batches == []
        assert api.get("/v1/models").json()["models"][0]["levels"] == ["sentence"]
    with client(fake_parser("segment", joins=True)) as api:
        assert "it can segment alone" in error_of(api.post("/v1/parse", json={**body, "edus": "gold"}))[2]
        assert api.get("/v1/models").json()["models"][0]["levels"] == []


def test_levels_are_those_of_the_library(joining):
    assert joining.get("/v1/models").json()["models"][0]["levels"] == ["sentence", "paragraph", "document"]
    described = joining.get("/openapi.json").json()["components"]["schemas"]["ParseBody"]["properties"][
        "level"
    ]
    assert described["enum"] == ["sentence", "paragraph", "document"]
    assert described["default"] == "sentence"
    assert "one tree over all EDUs" in described["description"]
    for route, level in (("parse", "chapter"), ("segment", "document")):
        wrong = error_of(joining.post(f"/v1/{route}", json={"text": TEXT, "level": level}))
        assert wrong[:2] == (422, "bad_request")
        assert wrong[2].startswith("level: ")


def test_the_model_for_documents_is_loaded_once_and_not_in_the_event_loop(monkeypatch):
    loops = []
    parser, model = fake_parser(), fake_parser(joins=True)._document_model

    def load():
        loops.append(asyncio._get_running_loop())
        return model

    monkeypatch.setattr(parser, "_load_document_model", load)
    with client(parser) as api:
        for _ in range(2):
            assert api.post("/v1/parse", json={"text": TEXT, "level": "document"}).status_code == 200
    assert loops == [None]


@pytest.mark.parametrize(
    "body", [{"text": "a", "constraints": []}, {"documents": ["a"], "constraints": [None, None]}]
)
def test_constraints_are_for_one_document_or_for_each(api, body):
    status, code, message = error_of(api.post("/v1/parse", json=body))
    assert (status, code) == (422, "bad_request")
    assert "'constraints' is an object for one document, or a list with an item for each" in message


def test_converting_gives_the_content_and_what_is_lost(api):
    record = to_record(weather())
    answer = api.post("/v1/convert", json={"document": record, "to": "edus"}).json()
    assert (answer["id"], answer["format"]) == (weather().name, "edus")
    assert answer["losses"]
    file = {"content": answer["content"], "format": "edus", "name": "weather.edus"}
    back = api.post("/v1/convert", json={"documents": [file, {"id": 3}], "to": "json"}).json()["documents"]
    assert decode(back[0]["content"])["id"] == "weather"
    assert back[1]["error"]["code"] == "bad_document"


def test_what_a_format_holds_in_its_own_way_is_not_lost(api):
    content = "( Root (leaf 1) (text _!It rained .<P>_!) )\n"
    file = {"content": content, "format": "dis", "name": "rain.dis"}
    answer = api.post("/v1/convert", json={"document": file, "to": "dis"}).json()
    assert (answer["content"].split(), answer["losses"]) == (content.split(), [])


def test_converting_to_csv_gives_a_row_for_each_edu(api):
    record = to_record(weather())
    answer = api.post("/v1/convert", json={"document": record, "to": "csv"}).json()
    header, *rows = answer["content"].splitlines()
    assert header.startswith("document,sentence,edu,")
    assert len(rows) == len(weather().edus)
    assert "EDUs" not in answer["losses"]
    assert answer["losses"]
    both_lines = "".join(f"{json.dumps(to_record(weather()))}\n" for _ in range(2))
    file = {"content": both_lines, "format": "jsonl"}
    both = api.post("/v1/convert", json={"document": file, "to": "csv"}).json()
    assert both["content"].splitlines() == [header, *rows, *rows]
    assert "no format is called" in error_of(api.post("/v1/convert", json={"document": record, "to": "x"}))[2]


def test_a_mistake_in_a_file_has_its_line(api):
    file = {"content": "( Root (span 1 2)\n  ( Nucleus", "format": "dis", "name": "../../etc/passwd"}
    status, code, message = error_of(api.post("/v1/convert", json={"document": file, "to": "json"}))
    assert (status, code) == (422, "bad_document")
    assert message.startswith("__.._etc_passwd.dis:") or message.startswith("_")
    empty = {"content": "", "format": "jsonl"}
    assert "no document in it" in error_of(api.post("/v1/convert", json={"document": empty, "to": "json"}))[2]


def test_files_of_several_documents_go_into_formats_that_hold_several(api):
    content = "".join(
        str(encode(fake_parser().parse(text, name), "jsonl")) for name, text in (("a", "One."), ("b", "Two."))
    )
    body = {"document": {"content": content, "format": "jsonl"}}
    assert (
        api.post("/v1/convert", json={**body, "to": "edus"}).json()["content"].replace("\n", "") == "One.Two."
    )
    assert "there are 2" in error_of(api.post("/v1/convert", json={**body, "to": "json"}))[2]
    assert "one document, found 2" in error_of(api.post("/v1/draw", json=body))[2]


def test_trees_are_drawn(api):
    record = to_record(treasury())
    answer = api.post("/v1/draw", json={"document": record, "format": "svg", "theme": "dark"})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<svg")
    text = api.post("/v1/draw", json={"document": record, "format": "txt"})
    assert text.headers["content-type"].startswith("text/plain")
    both = api.post("/v1/draw", json={"documents": [record], "against": [record], "format": "html"}).json()
    assert "units the same" in both["documents"][0]["content"]
    assert (
        error_of(api.post("/v1/draw", json={"document": record, "format": "txt", "width": 3}))[1]
        == "bad_request"
    )
    assert "one for each" in error_of(api.post("/v1/draw", json={"document": record, "against": []}))[
        2
    ].replace("document for each", "for each")


def test_a_table_of_bytes_is_base64_among_others(api):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    alone = api.post("/v1/parse", json={"text": "It rained.", "format": "parquet"})
    assert alone.headers["content-type"] == "application/vnd.apache.parquet"
    (item,) = api.post("/v1/parse", json={"documents": ["It rained."], "format": "parquet"}).json()[
        "documents"
    ]
    assert base64.b64decode(item["content"]).startswith(b"PAR1")


def test_a_png_is_bytes_alone_and_base64_among_others(api):
    pytest.importorskip("resvg_py", reason="needs the extra png")
    from rhetree.draw import png

    if not png.has_fonts():
        pytest.skip("this machine has no fonts")
    record = to_record(treasury())
    alone = api.post("/v1/draw", json={"document": record, "format": "png"})
    assert alone.headers["content-type"] == "image/png"
    (item,) = api.post("/v1/draw", json={"documents": [record], "format": "png"}).json()["documents"]
    assert item["encoding"] == "base64"
    assert base64.b64decode(item["content"]) == alone.content


def test_text_in_pictures_is_escaped(api):
    answer = api.post("/v1/parse", json={"text": "<script>alert(1)</script> left.", "format": "svg"})
    assert "<script" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_scores_are_those_of_the_library(api):
    parser = fake_parser()
    gold, predicted = (
        parser.parse(TEXT, "rain"),
        fake_parser().parse_edus(parser.parse(TEXT).edu_texts(), "rain"),
    )
    own = api.post("/v1/score", json={"gold": to_record(gold), "predicted": to_record(gold)}).json()
    assert own == json.loads(json.dumps(evaluate([gold], [gold]).to_dict()))
    other = {"gold": [to_record(gold)], "predicted": [to_record(predicted)], "per_document": True}
    assert [one["name"] for one in api.post("/v1/score", json=other).json()["per_document"]] == ["rain"]
    nobody = {"gold": [to_record(gold)], "predicted": []}
    assert error_of(api.post("/v1/score", json=nobody))[:2] == (422, "mismatch")
    bare = {"gold": {"text": "He left."}, "predicted": {"text": "She stayed."}}
    assert error_of(api.post("/v1/score", json=bare))[:2] == (422, "mismatch")
    odd = to_record(gold.map_relations(lambda _: "odd"))
    unknown = {"gold": odd, "predicted": odd, "relations": "rst-dt"}
    assert error_of(api.post("/v1/score", json=unknown))[:2] == (422, "mismatch")


def test_the_model_is_described_without_its_folder(api):
    answer = api.get("/v1/models").json()
    assert answer["models"][0]["name"] == "fake"
    assert answer["models"][0]["abilities"] == ["segment", "parse"]
    assert "folder" not in answer["models"][0]


def test_a_model_that_cannot_parse_says_so():
    with client(fake_parser("segment")) as api:
        assert api.post("/v1/segment", json={"text": TEXT}).status_code == 200
        status, code, message = error_of(api.post("/v1/parse", json={"text": TEXT}))
    assert (status, code) == (422, "model_cannot")
    assert "it can segment alone" in message


def test_states_and_counters(api):
    assert api.get("/healthz").json() == {"status": "ok"}
    assert api.get("/readyz").json() == {"status": "ready"}
    api.post("/v1/parse", json={"text": "One."})
    text = api.get("/metrics").text
    assert 'rhetree_requests_total{route="/v1/parse",status="200"}' in text
    assert "rhetree_places_taken 0.0" in text


def test_pages_come_from_the_package_and_load_nothing_else(api):
    modules = [f"/js/{path.name}" for path in (FOLDER / "js").iterdir()]
    for path in ("/", "/docs", "/index.html", "/docs.js", "/style.css", "/page.css", *modules):
        answer = api.get(path)
        assert answer.status_code == 200
        assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")  # a name, no address
        assert "https://" not in answer.text
        tag = {"if-none-match": answer.headers["etag"]}
        assert api.get(path, headers=tag).status_code == 304
    for path, script in (("/docs", "<script src="), ("/", '<script type="module" src=')):
        page = api.get(path).text
        assert script in page
        assert "style=" not in page
    assert set(api.get("/openapi.json").json()["paths"]) >= {
        "/v1/parse",
        "/v1/segment",
        "/v1/score",
        "/metrics",
    }


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/%2e%2e/app.py", "/page/index.html", "/v1/none", "//etc/passwd"]
)
def test_no_other_path_leads_anywhere(api, path):
    assert error_of(api.get(path)) == (404, "not_found", "no such address; /docs lists them")
