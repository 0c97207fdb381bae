import os
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run the tests that take long")


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
