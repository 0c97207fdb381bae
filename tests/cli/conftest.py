"""What tests of ``rhetree parse`` and ``rhetree segment`` stand on."""

import pytest

from fake_model import fake_parser
from parse_commands import STORY


@pytest.fixture
def model(monkeypatch):
    """Every command gets the fake parser; what it was asked for is kept."""
    asked = {}

    def load(model=None, *, threads=0, beam=1, batch_cost=4096):
        asked.update(model=model, threads=threads, beam=beam, batch_cost=batch_cost)
        return fake_parser(beam=beam, batch_cost=batch_cost)

    monkeypatch.setattr("rhetree.runtime.parser.load", load)
    return asked


@pytest.fixture
def story(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text(STORY, encoding="utf-8", newline="")
    return path
