"""What tests of ``rhetree parse`` and ``rhetree segment`` stand on."""

from typing import Any

import pytest

from support.fake_model import fake_parser
from support.parse_commands import STORY


@pytest.fixture
def model(monkeypatch):
    """Every command gets the fake parser; what it was asked for is kept."""
    asked: dict[str, Any] = {}

    def load(model=None, *, threads=0, beam=1, batch_cost=4096, device=None, document_model=None, **heads):
        asked.update(model=model, threads=threads, beam=beam, batch_cost=batch_cost, device=device)
        asked.update(document_model=document_model)
        return fake_parser(beam=beam, batch_cost=batch_cost, joins=True, **heads)

    monkeypatch.setattr("rhetree.runtime.parser.load", load)
    return asked


@pytest.fixture
def story(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text(STORY, encoding="utf-8", newline="")
    return path


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """The folder of a model that knows nothing, but is all there."""
    pytest.importorskip("torch", reason="needs the extra train")
    from rhetree.learning.export import export_model
    from support.exported import make_model

    folder = tmp_path_factory.mktemp("tiny") / "model"
    export_model(make_model(), folder, precision="fp32")
    return folder
