"""The page in a real browser: one browser and one service for the tests of a module.

Playwright keeps an event loop running in this thread as long as it is there, and tests elsewhere start their own: so
it ends with each module.
"""

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")

from support.browsing import chromium, visiting
from support.serving import on_a_port


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def site(browser):
    """The address of a service with a model that needs no network."""
    with on_a_port() as (port, _):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def bench(browser, site):
    """The page for tests of its modules alone, which leave it as it was."""
    with visiting(browser, site) as opened:
        yield opened


@pytest.fixture
def page(browser, site):
    """The page, just opened."""
    with visiting(browser, site) as opened:
        yield opened
