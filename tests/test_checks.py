"""The hooks of pre-commit are the checks of CI, which looks at types everywhere; no test breaks without torch."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUN = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
TRAIN = {"torch", "transformers", "onnx", "h5py", "filelock", "stanza", "rst2dep"}
"""Modules that the extra test does not bring."""
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")


def test_every_check_of_ci_is_a_hook():
    floor = re.search(r"--fail-under=(\d+)", RUN)
    assert floor is not None
    checks = re.findall(r'^ *part "(?:style|lint|types)" (.+)$', RUN, flags=re.MULTILINE)
    assert len(checks) == 3
    assert re.findall(r"^ +entry: (.+)$", HOOKS, flags=re.MULTILINE) == [
        *checks,
        f"pytest --cov-fail-under={floor[1]}",
    ]


@pytest.mark.parametrize(
    ("extra", "torch"), [("train", ["torch>=2.4,<3"]), ("dev", ["torch==2.13.0"]), ("test", [])]
)
def test_torch_is_pinned_for_developers_alone(extra, torch):
    tomllib = pytest.importorskip("tomllib", reason="comes with Python 3.11")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line for line in project["optional-dependencies"][extra] if line.startswith("torch")] == torch


def test_types_of_tests_are_checked_and_those_of_the_package_strictly():
    tomllib = pytest.importorskip("tomllib", reason="comes with Python 3.11")
    mypy = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert mypy["files"] == ["src", "tests"]
    (package,) = (override for override in mypy["overrides"] if override["module"] == ["rhetree.*"])
    switched_off = {name for name, value in mypy.items() if value is False}
    assert {name for name, value in package.items() if value is True} == switched_off
    assert package["enable_error_code"] == mypy["disable_error_code"]


def unguarded_imports(path):
    """What a module imports on top, up to its first statement that is no import, such as pytest.importorskip."""
    docstring, *body = ast.parse(path.read_text(encoding="utf-8")).body
    for node in body if isinstance(docstring, ast.Expr) else [docstring, *body]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        else:
            return


def needs_train(module, support):
    return module.startswith("rhetree.learning") or module.partition(".")[0] in TRAIN or module in support


def test_modules_that_need_torch_are_skipped_without_it():
    support: set[str] = set()
    for _ in range(3):  # a helper may need torch through another
        for path in (ROOT / "tests" / "support").glob("*.py"):
            if any(needs_train(module, support) for module in unguarded_imports(path)):
                support.add(f"support.{path.stem}")
    assert "support.networks" in support
    broken = [
        f"{path.relative_to(ROOT)} imports {module}: put pytest.importorskip('torch') above it"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path.parent.name != "learning"
        for module in unguarded_imports(path)
        if needs_train(module, support)
    ]
    assert not broken, "\n".join(broken)
