"""The page in a real browser: one browser and one service for all tests of a process."""

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")

from support.browsing import chromium, visiting
from support.serving import on_a_port


@pytest.fixture(scope="session")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def site(browser):
    """The address of a service with a model that needs no network."""
    with on_a_port() as (port, _):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def bench(browser, site):
    """The page for tests of its modules alone, which leave it as it was."""
    with visiting(browser, site) as opened:
        yield opened


@pytest.fixture
def page(browser, site):
    """The page, just opened."""
    with visiting(browser, site) as opened:
        yield opened
