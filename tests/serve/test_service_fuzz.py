"""Whatever fits the service's own OpenAPI, and what does not, is answered without a 500."""

import pytest

schemathesis = pytest.importorskip("schemathesis", reason="needs the extra dev")

from hypothesis import HealthCheck, settings

from rhetree.serve.app import make_app
from support.fake_model import fake_parser
from support.serving import client

APP = make_app(fake_parser())
# Requests at the edges of the schema are worked out while each process collects tests: for long runs alone.
WITH_EDGES = settings.default.max_examples >= 200  # with --slow
CONFIG = schemathesis.Config.from_dict({"phases": {"coverage": {"enabled": WITH_EDGES}}})
SCHEMA = schemathesis.openapi.from_dict(APP.openapi(), config=CONFIG)


@pytest.fixture(scope="module")
def api():
    with client(seconds=20) as test_client:
        yield test_client


@SCHEMA.parametrize()
@settings(suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_request_is_our_fault(api, case):
    request = case.as_transport_kwargs(base_url="http://testserver")
    known = {name: request[name] for name in ("json", "headers", "params") if request.get(name) is not None}
    if isinstance(request.get("data"), str | bytes):
        known["content"] = request["data"]
    answer = api.request(request["method"], request["url"], **known)
    assert answer.status_code in (200, 400, 401, 404, 405, 408, 413, 422), answer.text
    if answer.status_code != 200:
        assert set(answer.json()) == {"error"}
