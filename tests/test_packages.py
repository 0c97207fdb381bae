"""The wheel and the source package can be built, and the wheel parses in an environment that has nothing else of ours."""

import os
import site
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="needs the extra dev")

ROOT = Path(__file__).parents[1]
MEGABYTE = 1_000_000
PARSE = """
import sys, rhetree
assert sys.prefix in rhetree.__file__, rhetree.__file__
print(*rhetree.parse("He left early because it rained.").edu_texts(), sep="\\n")
"""


def run(*command, cwd):
    """What a command prints; nothing of this environment's settings reaches it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the source package."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=ROOT)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


def test_packages_hold_what_runs_and_nothing_else(built):
    wheel, source = built
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "pretrained/english/encoder.onnx",
        "recipes/english.toml",
        "serve/page/index.html",
        "draw/page/page.js",
        "py.typed",
    ):
        assert f"rhetree/{needed}" in names
    assert not [name for name in names if not name.startswith(("rhetree/", "rhetree-"))]
    with tarfile.open(source) as packed:
        tops = {Path(name).parts[1] for name in packed.getnames() if len(Path(name).parts) > 1}
    assert {"src", "tests", "docs", "README.md", "LICENSE", "pyproject.toml"} <= tops
    for package in built:
        size = package.stat().st_size / MEGABYTE
        print(f"{package.name}: {size:.1f} MB")
        assert size < 95


@pytest.mark.parametrize("dependencies", ["borrowed", pytest.param("installed", marks=pytest.mark.slow)])
def test_the_wheel_parses_in_a_fresh_environment(built, dependencies, tmp_path):
    home = tmp_path / "environment"
    venv.create(home, symlinks=os.name != "nt")
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    options = ["--no-deps"] if dependencies == "borrowed" else []
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", *options, built[0], cwd=tmp_path)
    if dependencies == "borrowed":
        # A path of packages alone: an installation of ours that is linked there is not seen.
        own = Path(
            run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip()
        )
        (own / "borrowed.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    assert run(python, "-c", PARSE, cwd=tmp_path) == "He left early\nbecause it rained.\n"
    drawn = run(python, "-m", "rhetree", "parse", "He left early because it rained.", cwd=tmp_path)
    assert "causal" in drawn
