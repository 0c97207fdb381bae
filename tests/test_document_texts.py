"""The texts without annotation from which `english-document` learns, as a script prepares them."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import make_english_document

    yield make_english_document
    del sys.modules["make_english_document"], sys.modules["make_english"]


def sentence(number, before=""):
    return f"{before}# text = Go {number}\n1\tGo\t_\n2\t{number}\t_"


def test_long_documents_are_cut_and_short_ones_stay(script, monkeypatch):
    monkeypatch.setattr(script, "LONGEST", 2)
    text = "\n\n".join(
        [sentence(1), sentence(2), sentence(3), sentence(4, "# newdoc id = mail\n# newpar\n"), sentence(5)]
    )
    cut = script.cut_documents(text + "\n\n", "web")
    assert cut == (
        f"# newdoc id = web-1\n{sentence(1)}\n\n{sentence(2)}\n\n# newdoc id = web-2\n{sentence(3)}\n\n"
        f"# newdoc id = web-3\n# newpar\n{sentence(4)}\n\n{sentence(5)}\n\n"
    )
