"""Every limit has its own error, and a request that is refused costs nothing."""

import json
import logging
import sys
import threading

import pytest

from rhetree.serve.logs import JsonLines
from rhetree.serve.settings import ServeSettings
from support.serving import LONG, TEXT, HeldNetwork, client, error_of, parser_over, wait_until

JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def api():
    with client(body_bytes=5_000, text_characters=300, documents=3) as test_client:
        yield test_client


@pytest.mark.parametrize(
    ("body", "status", "code", "message"),
    [
        (
            {"text": "x" * 301},
            413,
            "text_too_long",
            "a text has 301 characters, the limit is 300; send it in parts",
        ),
        (
            {"documents": ["a"] * 4},
            413,
            "too_many_documents",
            "the request has 4 documents, the limit is 3; send several requests",
        ),
        (
            {"documents": ["a", {"id": "b", "text": "x" * 301}]},
            413,
            "text_too_long",
            "a text has 301 characters",
        ),
        ({"text": "x" * 6000}, 413, "body_too_large", "the body is larger than 5000 bytes, the limit"),
        ({}, 422, "bad_request", "expected exactly one of 'text', 'document', 'documents', found none"),
        ({"text": "a", "documents": []}, 422, "bad_request", "found 'text' and 'documents'"),
        ({"txet": "a"}, 422, "bad_request", "txet: Extra inputs are not permitted"),
        ({"text": 3}, 422, "bad_request", "text: Input should be a valid string"),
        (
            {"text": "a", "format": "xyz"},
            422,
            "bad_request",
            "no format is called 'xyz'; expected one of terminal",
        ),
        ([], 422, "bad_request", "expected a JSON object"),
    ],
)
def test_each_limit_and_mistake_has_its_own_error(api, body, status, code, message):
    found = error_of(api.post("/v1/parse", json=body))
    assert found[:2] == (status, code)
    assert message in found[2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"text": "a"', "Expecting ',' delimiter"),
        (b'{"text": "\\ud800"}', "half of a surrogate pair is not a character"),
        (b'{"document": {"text": "\\ud800"}}', "half of a surrogate pair is not a character"),
        (b'{"text": "a", "text": "b"}', "the key 'text' occurs twice"),
        (b'{"text": NaN}', "NaN is not JSON"),
        (b"[" * 2000, "nested too deeply" if sys.version_info < (3, 12) else "not JSON"),
        (b'{"text": ' + b"9" * 4900 + b"}", "4900 digits"),
        (b'{"text": "\xff"}', "the body is not UTF-8"),
    ],
)
def test_json_is_read_strictly(api, content, message):
    status, code, told = error_of(api.post("/v1/parse", content=content, headers=JSON))
    assert (status, code) == (400, "bad_json")
    assert message in told


def test_a_body_without_its_media_type_is_not_guessed(api):
    status, _, message = error_of(
        api.post("/v1/parse", content=b'{"text": "a"}', headers={"content-type": "text/plain"})
    )
    assert status == 422
    assert "Content-Type: application/json" in message


def test_a_body_of_unknown_length_is_cut_off(api):
    chunks = (b"x" * 1000 for _ in range(10))
    assert error_of(api.post("/v1/parse", content=chunks, headers=JSON))[:2] == (413, "body_too_large")


def test_segmenting_offers_no_format_with_trees(api):
    assert "rs3 needs trees" in error_of(api.post("/v1/segment", json={"text": "a", "format": "rs3"}))[2]


def test_another_method_is_told(api):
    answer = api.get("/v1/parse")
    assert error_of(answer)[:2] == (405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


def test_when_all_places_are_taken_the_next_request_is_refused_at_once():
    network = HeldNetwork()
    with client(parser_over(network), places=2) as api:
        answers = []
        threads = [
            threading.Thread(target=lambda: answers.append(api.post("/v1/parse", json={"text": TEXT})))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        wait_until(lambda: api.service.places.n_taken == 2)
        refused = api.post("/v1/parse", json={"text": TEXT})
        assert error_of(refused)[:2] == (503, "busy")
        assert refused.headers["retry-after"] == "1"
        assert api.get("/healthz").status_code == 200
        network.release()
        for thread in threads:
            thread.join()
        assert [answer.status_code for answer in answers] == [200, 200]
        assert api.service.places.n_taken == 0
        assert api.post("/v1/parse", json={"text": TEXT}).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_a_request_that_takes_too_long_is_ended(accept):
    network = HeldNetwork()
    with client(parser_over(network), seconds=0.3) as api:
        answer = api.post("/v1/parse", json={"documents": [LONG]}, headers={"accept": accept})
        assert error_of(answer)[:2] == (503, "time_limit")
        assert "longer than 0.3 seconds" in error_of(answer)[2]
        network.release()
        wait_until(lambda: api.service.pool.n_tasks == 0)


def test_a_stream_that_takes_too_long_ends_with_the_error():
    network = HeldNetwork()
    with client(parser_over(network), seconds=1.5, slice_tokens=4) as api:
        network.go.release()
        documents = [LONG[:33]] * 3
        answer = api.post(
            "/v1/parse", json={"documents": documents}, headers={"accept": "application/x-ndjson"}
        )
        found = [json.loads(line) for line in answer.text.splitlines()]
        network.release()
    assert answer.status_code == 200
    assert [sorted(item)[0] for item in found][-1] == "error"
    assert found[-1]["error"]["code"] == "time_limit"
    assert len(found) == 2


def test_a_fault_of_ours_is_a_500_that_says_nothing_of_the_text(caplog):
    with caplog.at_level(logging.INFO, "rhetree.serve"), client(parser_over(HeldNetwork(held=False))) as api:
        assert error_of(api.post("/v1/parse", json={"text": "A poison."}))[:2] == (500, "internal")
        assert api.post("/v1/parse", json={"text": "One."}).status_code == 200
    logged = "\n".join(JsonLines().format(record) for record in caplog.records)
    first = json.loads(logged.splitlines()[0])
    assert (first["level"], first["status"], first["error"]) == ("error", 500, "ArithmeticError")
    assert any("serving.py" in place for place in first["at"])
    assert "poison" not in logged
    assert "secret" not in logged


def test_the_log_has_no_text_name_path_or_key(caplog):
    with caplog.at_level(logging.DEBUG), client(api_key="open-sesame") as api:
        headers = {"x-api-key": "open-sesame", "x-request-id": "abc-1"}
        api.post("/v1/parse", json={"document": {"id": "hidden", "text": "Hidden words."}}, headers=headers)
        api.get("/hidden/path?hidden=1")
        api.post("/v1/parse", json={"document": {"hidden": 1}}, headers=headers)
    ours = [record for record in caplog.records if record.name.startswith("rhetree")]
    logged = [json.loads(JsonLines().format(record)) for record in ours]
    assert [line["status"] for line in logged] == [200, 404, 422]
    assert logged[0]["id"] == "abc-1"
    assert logged[2]["code"] == "bad_document"
    assert "hidden" not in json.dumps(logged).lower()
    assert "sesame" not in json.dumps(logged)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Basic open-sesame"}, 401),
        ({"x-api-key": "open-sesamé".encode()}, 401),
        ({"authorization": "Bearer open-sesame"}, 200),
        ({"x-api-key": "open-sesame"}, 200),
    ],
)
def test_a_key_is_asked_for_but_not_by_probes_and_pages(headers, status):
    with client(api_key="open-sesame") as api:
        assert api.get("/v1/models", headers=headers).status_code == status
        assert api.get("/metrics", headers=headers).status_code == status
        answer = api.post("/v1/parse", json={"text": "One."}, headers=headers)
        assert answer.status_code == status
        assert status == 200 or answer.headers["www-authenticate"] == "Bearer"
        for path in ("/healthz", "/readyz", "/", "/docs"):
            assert api.get(path).status_code == 200


def test_keys_are_compared_in_constant_time(monkeypatch):
    compared = []

    def compare(*pair):
        compared.append(pair)
        return False

    monkeypatch.setattr("hmac.compare_digest", compare)
    with client(api_key="open-sesame") as api:
        assert api.get("/v1/models", headers={"x-api-key": "open-sesame"}).status_code == 401
    assert compared == [(b"open-sesame", b"open-sesame")]


def test_other_origins_may_use_it_if_the_operator_says_so():
    ask = {"origin": "https://example.org", "access-control-request-method": "POST"}
    with client() as api:
        assert "access-control-allow-origin" not in api.options("/v1/parse", headers=ask).headers
    with client(cors=("https://example.org",), api_key="open-sesame") as api:
        assert (
            api.options("/v1/parse", headers=ask).headers["access-control-allow-origin"]
            == "https://example.org"
        )
        refused = api.post("/v1/parse", json={}, headers={"origin": "https://example.org"})
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == "https://example.org"
        other = api.post("/v1/parse", json={}, headers={"origin": "https://example.com"})
        assert "access-control-allow-origin" not in other.headers


def test_every_answer_has_the_security_headers(api):
    for answer in (api.get("/"), api.get("/none"), api.post("/v1/parse", json={}), api.get("/healthz")):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "wrong",
    [{"workers": 0}, {"places": "2"}, {"seconds": 0}, {"seconds": float("nan")}, {"api_key": "short"}],
)
def test_settings_are_checked(wrong):
    with pytest.raises(ValueError, match=r"is a (whole )?number|8 or more"):
        ServeSettings(**wrong)


def test_an_application_that_was_not_started_is_not_ready():
    from starlette.testclient import TestClient

    from rhetree.serve.app import make_app
    from support.fake_model import fake_parser

    api = TestClient(make_app(fake_parser()), raise_server_exceptions=False)
    assert error_of(api.get("/readyz"))[:2] == (503, "stopping")
    assert error_of(api.get("/healthz"))[:2] == (503, "stopping")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"documents": ["One.", "A poison."]}, "internal"),
        ({"documents": ["One.", "x" * 99]}, "text_too_long"),
    ],
)
def test_a_stream_that_fails_ends_with_the_error(body, code):
    lines = {"accept": "application/x-ndjson"}
    with client(parser_over(HeldNetwork(held=False)), slice_tokens=1, text_characters=40) as api:
        answer = api.post("/v1/parse", json=body, headers=lines)
        found = [json.loads(line) for line in answer.text.splitlines()]
        if code == "internal":
            assert answer.status_code == 200
            assert found[0]["text"] == "One."
        else:
            assert answer.status_code == 413
        assert found[-1]["error"]["code"] == code
        file = {"content": "One.", "format": "edus"}
        pictures = {"documents": [file, {**file, "content": "x" * 99}]}
        answer = api.post("/v1/draw", json=pictures, headers=lines)
        assert [next(iter(json.loads(line))) for line in answer.text.splitlines()] == ["id", "error"]


def test_formats_and_inventories_that_do_not_exist_are_told(api):
    record = {"text": "a"}
    assert (
        "no format is called 'x'"
        in error_of(api.post("/v1/convert", json={"document": record, "to": "x"}))[2]
    )
    wrong = {"document": record, "to": "json", "relations": "x"}
    assert (
        "relations: expected one of gum, rst-dt, found 'x'"
        in error_of(api.post("/v1/convert", json=wrong))[2]
    )
    file = {"document": {"content": 3, "format": "rs3"}, "to": "json"}
    assert "a file has 'content', 'format'" in error_of(api.post("/v1/convert", json=file))[2]
    uneven = {"gold": [record], "predicted": record}
    assert "one document each, or a list each" in error_of(api.post("/v1/score", json=uneven))[2]
