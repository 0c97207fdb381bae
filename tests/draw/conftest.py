"""A real browser, for the tests of pictures."""

import json
import re
import subprocess
from base64 import b64encode
from hashlib import sha256
from html import unescape

import pytest

from support.browsing import FLAGS as COMMON
from support.browsing import find_browser

FLAGS = (
    "--headless",
    *COMMON,
    "--disable-quic",
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


@pytest.fixture(scope="session")
def browser():
    return find_browser()


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
