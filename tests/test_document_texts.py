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
    for name in ("make_english_document", "make_english", "data_sizes", "pages"):
        del sys.modules[name]


def sentence(number, before=""):
    return f"{before}# text = Go {number}\n1\tGo\t_\n2\t{number}\t_"


def test_long_documents_are_cut_and_short_ones_left_out(script, monkeypatch):
    monkeypatch.setattr(script, "FEWEST", 2)
    monkeypatch.setattr(script, "LONGEST", 2)
    mail = sentence(4, "# newdoc id = mail\n# newpar\n")
    text = "\n\n".join([sentence(1), sentence(2), sentence(3), mail, sentence(5)])
    assert script.cut_documents(text + "\n\n", "web") == (
        f"# newdoc id = web-1\n{sentence(1)}\n\n{sentence(2)}\n\n"
        f"# newdoc id = web-2\n# newpar\n{sentence(4)}\n\n{sentence(5)}\n\n"
    )
