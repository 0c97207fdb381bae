"""The page in a real browser: it folds, highlights, loads nothing, and has no error."""

import json
import os
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html import unescape

import pytest

from drawn_documents import drawn_nary, hostile, right_branching, treasury, treasury_as_parsed
from rhetree.draw import html, svg
from rhetree.draw.difference import compare
from rhetree.draw.panel import document_panels

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,900",
    "--virtual-time-budget=3000",
    "--dump-dom",
)

WATCH = """
window.errors = [];
addEventListener("error", (event) => errors.push(event.message));
addEventListener("securitypolicyviolation", (event) => errors.push(event.violatedDirective + " " + event.blockedURI));
console.error = (...what) => errors.push(what.join(" "));
"""

REPORT = """
function focusOn(row) {
  row.focus();
  // A window that is still starting has no focus, and then elements get it without the event.
  if (!document.hasFocus()) row.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
}
function press(row, key) {
  focusOn(row);
  row.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}
const rows = [...document.querySelectorAll("[role=treeitem]")];
const shown = () => rows.filter((row) => row.offsetParent !== null).length;
const report = {};
try { %s } catch (error) { errors.push(String(error)); }
report.errors = errors;
report.requests = performance.getEntriesByType("resource").map((entry) => entry.name);
document.title = "report";
const out = document.createElement("pre");
out.id = "report";
out.textContent = JSON.stringify(report);
document.body.append(out);
"""


@pytest.fixture(scope="module")
def browser():
    path = os.environ.get("RHETREE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("needs Chromium: none of " + ", ".join(NAMES) + " is on the path")
    return path


@pytest.fixture
def visit(browser, tmp_path):
    """What a script that runs on the page reports."""

    def run(source, script):
        # The page lets in no script but its own, which is named by its hash; so must the test's be.
        extra = REPORT % script
        digest = b64encode(sha256(extra.encode()).digest()).decode()
        source = source.replace("script-src ", f"script-src 'sha256-{digest}' ")
        source = source.replace("<head>", f"<head><script>{WATCH}</script>")
        source = source.replace("</body>", f"<script>{extra}</script></body>")
        page = tmp_path / "page.html"
        page.write_text(source, encoding="utf-8")
        command = [browser, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()]
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=True
        )
        found = re.search('<pre id="report">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found is not None, done.stdout[-2000:] + done.stderr[-2000:]
        report = json.loads(unescape(found[1]))
        assert report.pop("errors") == []
        assert report.pop("requests") == []
        return report

    return run


def page(document):
    return html.draw_panels(document_panels(document), title=document.name)


def test_a_subtree_folds_by_click_and_by_key(visit):
    report = visit(
        page(treasury()),
        """
        report.all = shown();
        rows[1].querySelector(".fold").click();
        report.clicked = shown();
        report.expanded = rows[1].getAttribute("aria-expanded");
        press(rows[1], "ArrowRight");
        report.opened = shown();
        press(rows[0], "ArrowLeft");
        report.folded = shown();
        press(rows[0], " ");
        report.again = shown();
        """,
    )
    assert report == {"all": 7, "clicked": 5, "expanded": "false", "opened": 7, "folded": 1, "again": 7}


def test_the_path_of_an_edu_is_highlighted_on_hover_focus_and_click(visit):
    report = visit(
        page(treasury()),
        """
        const lit = () => rows.map((row, at) => (row.matches(".path, .here") ? at : -1)).filter((at) => at >= 0);
        rows[3].dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        report.hover = lit();
        report.path = document.getElementById("path").textContent;
        focusOn(rows[6]);
        report.focus = lit();
        rows[2].click();
        rows[6].dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        report.pinned = lit();
        press(rows[2], "Escape");
        report.after = lit();
        """,
    )
    assert report["hover"] == [0, 1, 3]
    assert report["path"] == "Condition 1–4 › nucleus Attribution 1–2 › nucleus 2"
    assert report["focus"] == [0, 4, 6]
    assert report["pinned"] == [0, 1, 2]
    assert report["after"] == []


def test_arrow_keys_walk_over_what_is_shown(visit):
    report = visit(
        page(treasury()),
        """
        const at = () => rows.indexOf(document.activeElement);
        const walk = (keys) => keys.map((key) => { press(document.activeElement, key); return at(); });
        focusOn(rows[0]);
        report.walk = walk(["ArrowDown", "ArrowLeft", "ArrowDown", "ArrowRight", "End", "ArrowLeft", "ArrowLeft", "ArrowUp", "Home"]);
        report.stops = rows.filter((row) => row.tabIndex === 0).length;
        """,
    )
    assert report == {"walk": [1, 1, 4, 5, 6, 4, 4, 1, 0], "stops": 1}


def test_levels_fold_everything_below_and_themes_change_the_colours(visit):
    report = visit(
        page(right_branching(40)),
        """
        const levels = document.getElementById("levels");
        levels.value = 3;
        levels.dispatchEvent(new Event("input"));
        report.shown = shown();
        const theme = document.getElementById("theme");
        const paper = () => getComputedStyle(document.body).backgroundColor;
        report.papers = ["light", "dark"].map((name) => {
          theme.value = name;
          theme.dispatchEvent(new Event("change"));
          return paper();
        });
        report.badge = getComputedStyle(document.querySelector(".role.n")).backgroundColor;
        """,
    )
    papers = ["rgb(255, 255, 255)", "rgb(21, 24, 29)"]
    assert report == {"shown": 5, "papers": papers, "badge": "rgb(184, 192, 202)"}


def test_sides_of_a_comparison_fold_and_light_up_together(visit):
    pairs = compare(treasury(), treasury_as_parsed())
    report = visit(
        html.draw_pairs(pairs, titles=("gold", "predicted"), title="treasury"),
        """
        const top = (text) => rows.filter((row) => row.textContent.includes(text)).map((row) => Math.round(row.getBoundingClientRect().top));
        report.level = new Set(top("also said")).size;
        focusOn(rows.find((row) => row.textContent.includes("also said")));
        report.lit = document.querySelectorAll(".here").length;
        press(rows[0], "ArrowLeft");
        report.shown = shown();
        """,
    )
    assert report == {"level": 1, "lit": 2, "shown": 2}


@pytest.mark.parametrize("document", [hostile(), drawn_nary()], ids=["hostile", "annotated"])
def test_no_text_runs_as_a_script(visit, document):
    assert visit(page(document), "report.scripts = document.querySelectorAll('script').length;") == {
        "scripts": 3
    }


def test_words_of_a_diagram_do_not_overlap_in_the_browsers_font(visit):
    picture = svg.draw_panels([*document_panels(drawn_nary()), *document_panels(right_branching(60))])
    report = visit(
        f"<!DOCTYPE html><html><head><meta charset='utf-8'></head><body>{picture}</body></html>",
        """
        const boxes = [...document.querySelectorAll("text")]
          .flatMap((text) => (text.children.length ? [...text.children] : [text]))
          .map((line) => line.getBoundingClientRect());
        report.overlapping = 0;
        boxes.forEach((a, at) => boxes.slice(at + 1).forEach((b) => {
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          if (across > 0.5 && down > 3) report.overlapping += 1;
        }));
        """,
    )
    assert report == {"overlapping": 0}
