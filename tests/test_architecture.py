"""The table of DESIGN.md: which room may import which. The failure names the line that breaks it."""

import ast
import os
import re
import subprocess
import sys
from dataclasses import replace
from importlib import import_module, metadata
from operator import methodcaller
from pathlib import Path

import pytest

import rhetree

SOURCE = Path(rhetree.__file__).parent

MAY_IMPORT = {
    "errors": set(),
    "offline": set(),
    "domain": set(),
    "text": {"domain"},
    "formats": {"domain"},
    "corpora": {"formats", "text", "domain"},
    "metrics": {"domain"},
    "draw": {"domain"},
    "runtime": {"domain", "text"},
    "jobs": {"runtime", "corpora", "formats", "draw", "text", "domain"},
    "serve": {"jobs", "runtime", "metrics", "draw", "formats", "text", "domain"},
    "learning": {"runtime", "metrics", "corpora", "formats", "text", "domain"},
    "scale": {"jobs", "runtime", "formats", "text", "domain"},
    "integrations": {"jobs", "runtime", "metrics", "draw", "formats", "text", "domain"},
}
"""Besides itself, ``errors`` and ``offline``. The command line may import anything, inside functions; nobody imports it."""

FREE = {"cli", "__init__", "__main__"}
FOR_ALL = {"errors", "offline"}
STANDARD_LIBRARY_ONLY = FOR_ALL | {"domain"}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively; the table cannot see that"
            yield node.lineno, node.module


def test_rooms_import_only_what_the_table_allows():
    broken = []
    for path in sorted(SOURCE.rglob("*.py")):
        relative = path.relative_to(SOURCE)
        room = relative.parts[0].removesuffix(".py")
        for line, module in imports(path):
            top, _, rest = module.partition(".")
            target = rest.partition(".")[0]
            if top != "rhetree":
                if room in STANDARD_LIBRARY_ONLY and top not in sys.stdlib_module_names:
                    broken.append(f"{relative}:{line} may not import {module}")
            elif target == "cli" and room not in FREE:
                broken.append(f"{relative}:{line} may not import {module}: nobody imports the command line")
            elif room not in FREE and target not in MAY_IMPORT[room] | FOR_ALL | {room}:
                broken.append(f"{relative}:{line} may not import {module}")
    assert not broken, "\n".join(broken)


def test_torch_lives_in_the_room_of_learning_only():
    broken = [
        f"{path.relative_to(SOURCE)}:{line} may not import {module}"
        for path in sorted(SOURCE.rglob("*.py"))
        if "learning" not in path.relative_to(SOURCE).parts[:1]
        for line, module in imports(path)
        if module.partition(".")[0] == "torch"
    ]
    assert not broken, "\n".join(broken)


def test_the_table_is_that_of_the_design_page():
    page = (Path(__file__).parents[1] / "DESIGN.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z, ]+) \| (.+) \|$", page, flags=re.MULTILINE)
    words = {rooms: set(re.split(r"[,;.\s]+", allowed)) & MAY_IMPORT.keys() for rooms, allowed in rows[1:]}
    drawn = {room: allowed for rooms, allowed in words.items() for room in rooms.split(", ")}
    assert drawn.pop("cli") == set()
    assert drawn == MAY_IMPORT


def test_every_room_is_in_the_table():
    rooms = {
        path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()
    }
    assert rooms - {"__pycache__", "py.typed", "pretrained", "recipes"} <= MAY_IMPORT.keys() | FREE


def public_names():
    """Each name of the stub, with the module that it comes from."""
    for node in ast.parse((SOURCE / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                assert alias.asname == alias.name, f"{alias.name}: a stub exports only 'as' the same name"
                yield alias.name, f"rhetree.{node.module}"


def test_the_public_names_are_those_of_the_stub():
    names = dict(public_names())
    assert vars(rhetree)["__all__"] == sorted(names) == dir(rhetree)
    for name, home in names.items():
        assert getattr(rhetree, name) is getattr(import_module(home), name)


def test_a_type_checker_knows_the_public_names(tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(
        "import rhetree\n"
        "from rhetree import parse\n"
        "reveal_type(rhetree.load())\n"
        "reveal_type(parse(''))\n"
        "reveal_type(rhetree.__version__)\n"
        "rhetree.no_such_name\n"
    )
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(script)]
    environment = os.environ | {"MYPYPATH": str(SOURCE.parent)}
    shown = subprocess.run(mypy, cwd=tmp_path, env=environment, capture_output=True, text=True).stdout
    for kind in ("rhetree.runtime.parser.Parser", "rhetree.domain.document.Document", "str"):
        assert f'Revealed type is "{kind}"' in shown
    assert 'Module has no attribute "no_such_name"' in shown
    assert "Found 1 error" in shown


def test_importing_the_package_imports_none_of_its_rooms():
    code = "import sys, rhetree; print([name for name in sys.modules if name.startswith('rhetree.')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_an_unknown_public_name_is_an_attribute_error():
    assert not hasattr(rhetree, "no_such_name")


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from rhetree.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'torch', 'rich', 'matplotlib', 'onnxruntime', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_trees_and_documents_show_themselves_in_notebooks():
    tree = rhetree.Tree((rhetree.Split(0, 1, 2, "NS", "elaboration"),))
    show = methodcaller("_repr_html_")  # which the drawing gives them
    assert "<svg" in show(tree)
    assert "elaboration" in show(rhetree.as_nary(tree))
    document = rhetree.Document.from_edus(["He left ,", "sighing ."])
    assert "sighing" in show(document)


def test_trees_and_documents_are_drawn_when_they_are_printed():
    tree = rhetree.Tree((rhetree.Split(0, 1, 2, "NS", "elaboration"),))
    assert str(tree) == str(rhetree.as_nary(tree)) == "elaboration 1–2\n├─N 1\n└─S 2"
    assert str(rhetree.Tree()) == "1"
    document = rhetree.Document.from_edus(["He left ,", "sighing ."])
    assert str(document) == "1 He left ,\n2 sighing ."
    assert str(replace(document, tree=tree)) == "elaboration 1–2\n├─N 1 He left ,\n└─S 2 sighing ."
    sentence = rhetree.Document.from_sentences([["He", "left", ",", "sighing", "."]])
    edus = (rhetree.Span(0, 3), rhetree.Span(3, 5))
    assert str(replace(sentence, edus=edus, sentence_trees=(tree,))).startswith("(1) elaboration 1–2\n")
    assert str(rhetree.Document(text="Good.")) == "Good."


def test_the_version_is_that_of_the_installed_package():
    assert rhetree.__version__ == metadata.version("rhetree")
