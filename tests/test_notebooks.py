"""The notebooks of the documentation show what their code does."""

import json
from pathlib import Path

import pytest

from support.notebooks import run_notebook

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))
FORMAT = 4


def shown(notebook):
    """What people see below each cell: text, and pictures of ours."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            yield "".join(output.get("text") or data["text/plain"])
            picture = "".join(data.get("text/html", ()))
            if "<svg" in picture:
                yield picture


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_code_does(path, request):
    if "pandas" in path.stem:
        pytest.importorskip("pandas", reason="needs the extra pandas")
    now = run_notebook(read(path))
    if request.config.getoption("--regenerate"):
        path.write_text(json.dumps(now, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert list(shown(read(path))) == list(shown(now))
    assert list(shown(now))


def test_there_are_notebooks_from_text_to_scores_and_to_pandas():
    assert [path.stem for path in NOTEBOOKS] == ["parses-to-pandas", "text-to-tree"]
    for path in NOTEBOOKS:
        assert read(path)["nbformat"] == FORMAT


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_jupyter_shows_the_same(path):
    nbformat = pytest.importorskip("nbformat", reason="needs Jupyter: pip install nbclient ipykernel")
    nbclient = pytest.importorskip("nbclient", reason="needs Jupyter: pip install nbclient ipykernel")
    notebook = nbformat.read(path, as_version=FORMAT)
    nbformat.validate(notebook)
    before = list(shown(notebook))
    nbclient.NotebookClient(notebook, timeout=120).execute()
    assert list(shown(notebook)) == before
