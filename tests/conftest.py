import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests run side by side, a process for each core: more threads would only get into each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

EXAMPLES = {False: 25, True: 200}
"""How many examples Hypothesis draws for each property, without and with --slow."""

LONG = {"test_cluster.py", "test_kill.py", "test_packages.py", "test_shipped_model.py", "test_site.py"}
"""Modules of tests that take long, or of which the first takes long."""

HAS_TORCH = find_spec("torch") is not None
LEARNING = Path(__file__).parent / "learning"


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run the tests that take long")
    parser.addoption(
        "--regenerate",
        action="store_true",
        help="write golden files and the comments of recipes again; review them as a diff",
    )

    parser.addoption("--examples", type=int, help="how many examples Hypothesis draws for each property")


def pytest_configure(config):
    # A shell that starts the tests in the background has them ignore what the tests of interrupts send.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    n_examples = config.getoption("--examples") or EXAMPLES[config.getoption("--slow")]
    settings.register_profile(
        "rhetree",
        max_examples=n_examples,
        # A busy machine is no failure.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("rhetree")


def pytest_report_header():
    if not HAS_TORCH:
        return "without torch: the tests of learning are left out; install the extra dev to run them"
    return None


def pytest_ignore_collect(collection_path):
    # These modules import torch on top. Elsewhere, a module that needs it calls pytest.importorskip.
    return True if collection_path == LEARNING and not HAS_TORCH else None


def pytest_collection_modifyitems(config, items):
    # Tests that take long come first, so that no process is left with them at the end; and in one go, so that one
    # process has them all and builds only once what they share.
    items.sort(key=lambda item: item.path.name not in LONG)
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="takes long; run with --slow"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Runs GUM, and what is marked as large, untraced: tracing makes them several times slower."""
    if not (item.get_closest_marker("large") or "gum" in item.fixturenames):
        return (yield)
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


@pytest.fixture(scope="session")
def gum() -> Path:
    """The GUM treebank, where RHETREE_GUM says that it is."""
    folder = os.environ.get("RHETREE_GUM")
    if not folder:
        pytest.skip("needs the GUM treebank: set RHETREE_GUM to its folder")
    return Path(folder)


@pytest.fixture
def gum_files(gum, request):
    """Finds files of GUM, such as ``rs4/*.rs4``: all of them with --slow, and every eighth without."""
    step = 1 if request.config.getoption("--slow") else 8

    def find(pattern: str) -> list[Path]:
        paths = sorted(gum.glob(pattern))
        assert len(paths) == 237
        return paths[::step]

    return find


@pytest.fixture
def golden(request):
    """Compares text with a file of tests/golden, which ``--regenerate`` writes instead."""

    def check(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--regenerate"):
            path.write_text(text, encoding="utf-8", newline="\n")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture
def corpus(tmp_path):
    """A small treebank to train on."""
    from support.training_runs import write_corpus

    return write_corpus(tmp_path / "corpus")
