"""``rhetree serve``: arguments in, settings out; what runs then is tested in tests/serve."""

import sys
from typing import Any

import pytest

from rhetree.cli.main import main
from support.fake_model import fake_parser


@pytest.fixture
def served(model, monkeypatch):
    """What the command would have served."""
    found: dict[str, Any] = {}

    def run(app, listening, settings):
        found.update(app=app, address=listening.getsockname()[:2], settings=settings)
        listening.close()

    monkeypatch.setattr("rhetree.serve.server.run", run)
    monkeypatch.delenv("RHETREE_API_KEY", raising=False)
    return found


def test_it_listens_on_this_machine_and_says_where(served, capsys):
    assert main(["serve", "--port", "0"]) == 0
    host, port = served["address"]
    assert host == "127.0.0.1"
    assert served["settings"].api_key is None
    assert capsys.readouterr().err == (
        f"rhetree: serving fake on http://127.0.0.1:{port} (API: http://127.0.0.1:{port}/docs)\n"
    )


def test_it_opens_the_page_or_says_how(served, capsys, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("threading.Thread.start", lambda self: self.run())
    assert main(["serve", "--port", "0", "--open"]) == 0
    assert opened == [f"http://127.0.0.1:{served['address'][1]}"]
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(["serve", "--port", "0"]) == 0
    assert "--open does so by itself" in capsys.readouterr().err
    assert len(opened) == 1


def test_options_are_settings(served, model):
    options = (
        "--port 0 --workers 3 --places 5 --body-bytes 999 --text-characters 77 --documents 4 --seconds 1.5"
    )
    more = (
        "--slice-tokens 64 --drain-seconds 2 --cors https://a.org --cors https://b.org --beam 2 --threads 1"
    )
    assert main(["serve", *options.split(), *more.split(), "--api-key", "open-sesame"]) == 0
    settings = served["settings"]
    assert (settings.workers, settings.places, settings.body_bytes, settings.text_characters) == (
        3,
        5,
        999,
        77,
    )
    assert (settings.documents, settings.seconds, settings.slice_tokens) == (4, 1.5, 64)
    assert (settings.drain_seconds, settings.cors) == (2.0, ("https://a.org", "https://b.org"))
    assert settings.api_key == "open-sesame"
    assert (model["beam"], model["threads"]) == (2, 1)


def test_signals_need_a_model_that_finds_them(served, capsys):
    assert main(["serve", "--port", "0", "--signals"]) == 2
    assert "this model does not find signals" in capsys.readouterr().err
    assert served == {}


def test_a_model_for_documents_that_is_named_has_to_fit(served, model, capsys, monkeypatch):
    assert main(["serve", "--port", "0", "--document-model", "mine"]) == 0
    assert model["document_model"] == "mine"
    parser = fake_parser(document_model="no-such-model")
    monkeypatch.setattr("rhetree.runtime.parser.load", lambda *_, **__: parser)
    served.clear()
    assert main(["serve", "--port", "0", "--document-model", "no-such-model"]) == 2
    assert "no model is called 'no-such-model'" in capsys.readouterr().err
    assert served == {}


def test_the_key_may_come_from_the_environment(served, monkeypatch):
    monkeypatch.setenv("RHETREE_API_KEY", "from-outside")
    assert main(["serve", "--port", "0"]) == 0
    assert served["settings"].api_key == "from-outside"


def test_a_service_that_is_open_to_all_is_told(served, capsys):
    assert main(["serve", "--host", "0.0.0.0", "--port", "0"]) == 0
    assert "everyone who reaches 0.0.0.0 can use the service; --api-key" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--workers", "0"], "workers is a whole number from 1 on, got 0"),
        (["--api-key", "short"], "an API key has 8 or more ASCII characters"),
        (["--port", "70000"], "cannot listen on port 70000: ports are numbers from 0 to 65535"),
    ],
)
def test_wrong_options_are_one_line(served, capsys, arguments, message):
    assert main(["serve", *arguments]) == 2
    assert capsys.readouterr().err == f"rhetree: {message}\n"


def test_a_missing_extra_names_the_command_that_installs_it(model, capsys, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("rhetree.serve.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    told = "rhetree: the service needs more packages; install them with: pip install 'rhetree[serve]'\n"
    assert capsys.readouterr().err == told
