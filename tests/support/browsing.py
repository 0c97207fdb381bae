"""A real browser, and the service's page in it."""

import os
import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
BRIDGE = "They closed the old bridge because the river had risen, and nobody could cross it."
"""A sentence in which the fake model finds four EDUs."""
SECONDS = 60
"""How long to wait for anything: a busy machine is no failure."""


def find_browser():
    """The path of a browser; skips the test without one."""
    path = os.environ.get("RHETREE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("needs Chromium: none of " + ", ".join(NAMES) + " is on the path")
    return path


@contextmanager
def chromium():
    """A browser that tests share; each opens a context of its own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (extra dev)")
    path = find_browser()
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def visiting(browser, site, fragment="", **context):
    """A page of the service in a fresh context. It may have no error and ask nobody else for anything."""
    faults: list[str] = []

    def note(is_fault, what):
        if is_fault:
            faults.append(what)

    visit = browser.new_context(**{"viewport": {"width": 1200, "height": 800}, **context})
    visit.set_default_timeout(SECONDS * 1000)
    visit.on("request", lambda sent: note(not sent.url.startswith((site, "blob:", "data:")), sent.url))
    page = visit.new_page()
    page.on("pageerror", lambda error: note(True, str(error)))
    page.on("console", lambda told: note(told.type == "error", told.text))
    page.faults = faults
    page.goto(f"{site}/{fragment}")
    page.evaluate("() => window.rhetree.ready")
    yield page
    visit.close()
    assert faults == []


def parse(page, text):
    """Parse a text on the page."""
    page.fill("#text", text)
    page.click("#parse")
    page.wait_for_function("() => !document.body.classList.contains('busy') && window.rhetree.document")


def module(page, name, function, argument=None):
    """The value of a JavaScript function that takes one of the page's modules and an argument."""
    return page.evaluate(
        f"async (argument) => ({function})(await import('/js/{name}.js'), argument)", argument
    )


def open_file(page, path):
    """Open a file on the page."""
    before = page.evaluate("() => window.rhetree.store.key")
    page.set_input_files("#file", path)
    page.wait_for_function(
        "(before) => !document.body.classList.contains('busy') && (window.rhetree.store.key !== before || document.querySelector('#status.error'))",
        arg=before,
    )


def show(page, document):
    """Show a document, or the record of one, on the page, without a file."""
    record = document if isinstance(document, dict) else document.to_dict()
    page.evaluate("(record) => window.rhetree.start(record, 'test')", record)


def saved_as(page, format):
    """The bytes of the file that "Save as" gives."""
    page.click("#save > summary")
    with page.expect_download() as download:
        page.click(f"#save [data-format={format}]")
    return download.value.path().read_bytes()


def tree(page, panel=0):
    """The splits of a panel, as lists."""
    return page.evaluate(
        "(panel) => window.rhetree.document.panels[panel].splits.map(({ start, split, end, nuclearity, relation }) => [start, split, end, nuclearity, relation])",
        panel,
    )


def choose(page, start, end):
    """Give a unit the focus."""
    page.evaluate("([start, end]) => window.rhetree.choose({ number: 0, start, end }, true)", [start, end])


def saved(page):
    """Wait until the work is kept."""
    page.wait_for_function("() => window.rhetree.saving === 0")
