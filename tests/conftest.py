import os
from pathlib import Path

import pytest
from hypothesis import settings

# Tests run side by side, a process for each core: more threads would only get into each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no failure.
settings.register_profile("rhetree", deadline=None)
settings.load_profile("rhetree")


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run the tests that take long")
    parser.addoption(
        "--regenerate", action="store_true", help="write the golden pictures anew; review them as a diff"
    )


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="takes long; run with --slow"))


@pytest.fixture(scope="session")
def gum() -> Path:
    """The GUM treebank, where RHETREE_GUM says that it is."""
    folder = os.environ.get("RHETREE_GUM")
    if not folder:
        pytest.skip("needs the GUM treebank: set RHETREE_GUM to its folder")
    return Path(folder)


@pytest.fixture
def golden(request):
    """Compares text with a file of tests/golden, which ``--regenerate`` writes instead."""

    def check(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--regenerate"):
            path.write_text(text, encoding="utf-8", newline="\n")
        assert text == path.read_text(encoding="utf-8")

    return check
