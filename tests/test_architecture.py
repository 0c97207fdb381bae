"""The table of DESIGN.md: which room may import which. The failure names the line that breaks it."""

import ast
import re
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path

import rhetree

SOURCE = Path(rhetree.__file__).parent

MAY_IMPORT = {
    "errors": set(),
    "domain": set(),
    "text": {"domain"},
    "treebanks": {"domain"},
    "metrics": {"domain"},
    "draw": {"domain"},
    "runtime": {"domain", "text"},
    "learning": {"runtime", "metrics", "treebanks", "text", "domain"},
}
"""Besides itself and ``errors``. The command line may import anything, inside functions; nobody imports it."""

FREE = {"cli", "__init__", "__main__"}
STANDARD_LIBRARY_ONLY = {"errors", "domain"}


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
            elif room not in FREE and target not in MAY_IMPORT[room] | {room, "errors"}:
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
    assert rooms - {"__pycache__", "py.typed", "pretrained"} <= MAY_IMPORT.keys() | FREE


def test_public_names_are_sorted_and_importable():
    # Constants, then types, then functions, each in alphabetical order, as ruff holds them.
    assert rhetree.__all__ == sorted(rhetree.__all__, key=lambda name: (not name.isupper(), name))
    assert set(rhetree._HOMES) == set(rhetree.__all__)
    for name in rhetree.__all__:
        assert getattr(rhetree, name) is getattr(import_module(rhetree._HOMES[name]), name)


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
    assert "<svg" in tree._repr_html_()
    assert "elaboration" in rhetree.as_nary(tree)._repr_html_()
    document = rhetree.Document.from_edus(["He left ,", "sighing ."])
    assert "sighing" in document._repr_html_()


def test_the_version_is_that_of_the_installed_package():
    assert rhetree.__version__ == metadata.version("rhetree")
