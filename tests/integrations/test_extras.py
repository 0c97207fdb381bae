"""An integration whose tool is missing names the command that installs it."""

import subprocess
import sys
from pathlib import Path

import pytest

import rhetree
from rhetree.integrations.extras import needs

TOOLS = {
    "langchain": ("langchain_text_splitters", "import rhetree.integrations.langchain", "langchain"),
    "llama_index": ("llama_index", "import rhetree.integrations.llama_index", "llama-index"),
    "networkx": ("networkx", "import rhetree.integrations.networkx", "networkx"),
    "nltk": ("nltk", "import rhetree.integrations.nltk", "nltk"),
    "pandas": ("pandas", "import rhetree.integrations.pandas", "pandas"),
    "sklearn": ("sklearn", "import rhetree.integrations.sklearn", "sklearn"),
    "spacy": ("spacy", "import rhetree.integrations.spacy", "spacy"),
}
"""By module: the package that it needs, what a user runs, and the extra."""


@pytest.mark.parametrize("module", TOOLS)
def test_a_missing_extra_names_the_command_that_installs_it(module):
    package, use, extra = TOOLS[module]
    code = f"import sys; sys.modules[{package!r}] = None; {use}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stderr.splitlines()[-1].endswith(f"install them with: pip install 'rhetree[{extra}]'")


def test_every_integration_is_in_the_table():
    home = Path(rhetree.__file__).parent / "integrations"
    assert {path.stem for path in home.glob("*.py")} - {"__init__", "extras", "datasets"} == TOOLS.keys()


def test_another_package_that_is_missing_is_reported_as_it_is():
    with pytest.raises(ModuleNotFoundError, match="no_such_package"), needs("langchain_core", "langchain"):
        import no_such_package  # type: ignore[import-not-found]  # noqa: F401
