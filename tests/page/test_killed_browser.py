"""A browser that is killed keeps the work, but for what it has not written to its disk yet."""

import os
import signal
import time
from pathlib import Path

import pytest

from support.browsing import BRIDGE, FLAGS, SECONDS, choose, find_browser, parse, saved, tree
from support.serving import on_a_port

WRITTEN = 15
"""Seconds after which Chromium has what a page keeps on its disk; it writes every five, and less often if there is much."""


def kill_all(profile):
    """Kill every process of the browser that has this profile."""
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and str(profile).encode() in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            pass  # it ended by itself


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes in /proc")
def test_a_killed_browser_has_the_old_work_or_the_new(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (extra dev)")
    profile = tmp_path / "profile"

    def opened(running):
        context = running.chromium.launch_persistent_context(
            profile, executable_path=find_browser(), args=list(FLAGS)
        )
        context.set_default_timeout(SECONDS * 1000)
        return context.new_page()

    with on_a_port() as (port, _), playwright.sync_playwright() as running:
        page = opened(running)
        page.goto(f"http://127.0.0.1:{port}/")
        page.evaluate("() => window.rhetree.ready")
        parse(page, BRIDGE)
        choose(page, 0, 4)
        page.keyboard.press("n")
        saved(page)
        old = tree(page)
        time.sleep(WRITTEN)
        page.keyboard.press("n")
        saved(page)
        new = tree(page)
        assert new != old
        kill_all(profile)
        page = opened(running)
        page.goto(f"http://127.0.0.1:{port}/")
        page.evaluate("() => window.rhetree.ready")
        work = page.locator("#works button").first
        if not page.locator(
            "svg.rst"
        ).count():  # a new tab lists earlier work, and does not take it up by itself
            page.locator("#more summary").click()
            work.click()
        page.wait_for_selector("svg.rst")
        assert tree(page) in (old, new)
