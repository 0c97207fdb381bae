"""The documentation site: it builds without a warning, no link is broken, and nothing is loaded from elsewhere."""

import ast
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

for module in ("sphinx", "furo", "myst_parser", "torch"):
    pytest.importorskip(module, reason="needs the extras docs and train")

import rhetree

ROOT = Path(__file__).parents[1]


class Page(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        own = dict(attributes)
        self.anchors |= {own[name] for name in ("id", "name") if own.get(name)}
        if tag == "a" and "href" in own:
            self.links.append(own["href"])
        self.loaded += [own[name] for name in ("src", "data", "srcset", "poster") if own.get(name)]
        if tag == "link" and own.get("rel") not in ("canonical", "index", "search", "next", "prev"):
            self.loaded.append(own["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", folder / "state"]
    built = subprocess.run(
        [*map(str, command), str(ROOT / "docs"), str(folder / "html")],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert built.returncode == 0, built.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_no_link_is_broken(site, pages):
    assert len(pages) > 30
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchors = pages[target].anchors if target in pages else set()
            if not target.exists() or (parts.fragment and unquote(parts.fragment) not in anchors):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken


def test_nothing_is_loaded_from_elsewhere(site, pages):
    outside = re.compile(r"^(https?:)?//")
    loaded = {(path.name, source) for path, page in pages.items() for source in page.loaded}
    assert loaded
    assert not [one for one in loaded if outside.match(one[1])]
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)]*", text), sheet


def test_every_public_name_is_in_the_reference(site):
    text = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert not [name for name in dir(rhetree) if f'id="rhetree.{name}"' not in text]


def test_the_reference_has_every_command_route_and_setting(site):
    from rhetree.cli.main import COMMANDS
    from rhetree.learning.training.recipe import Recipe
    from rhetree.learning.training.settings import by_name

    commands = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    assert not [name for name in COMMANDS if f"rhetree {name}" not in commands]
    assert "--resume" in commands
    routes = (site / "reference" / "http.html").read_text(encoding="utf-8")
    for route in ("/v1/parse", "/v1/draw", "/healthz", "constraints"):
        assert route in routes
    settings = (site / "reference" / "settings.html").read_text(encoding="utf-8")
    assert not [name for name in by_name(Recipe()) if f">{name.rpartition('.')[2]}<" not in settings]


def test_the_notebooks_are_shown_with_their_pictures(site):
    text = (site / "notebooks" / "text-to-tree.html").read_text(encoding="utf-8").partition("<article")[2]
    told = [
        "nothing from the network",
        "<svg",
        "How sure is the model?",
        "Correct it,",
        "90.0",
        "Writing goes by",
    ]
    places = [text.index(part) for part in told]
    assert places == sorted(places)


def test_what_the_site_runs_is_valid_on_every_python():
    for path in sorted((ROOT / "docs").glob("*.py")):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
