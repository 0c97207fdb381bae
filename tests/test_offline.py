"""Offline means offline: parsing writes nothing into the home, opens no socket, and says nothing about it."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rhetree
from rhetree.offline import SETTINGS, keep_offline

SOURCE = Path(rhetree.__file__).parent
TOP = Path(__file__).parents[1]

DOORS = {
    "onnxruntime": SOURCE / "runtime" / "onnx_runtime.py",
    "huggingface_hub": SOURCE / "learning" / "embeddings" / "hugging_face.py",
    "langchain_core": SOURCE / "integrations" / "langchain.py",
    "ray": SOURCE / "scale" / "cluster.py",
}
"""The one file that imports each library that reports."""

PARSE = "import rhetree; assert rhetree.parse('It rained, so we left.').edus"
EXPORT = """
import sys
from pathlib import Path
from rhetree.learning.export import export_model
from support.exported import transformer_model
folder = Path(sys.argv[1])
export_model(transformer_model(folder), folder / "model")
"""
REPORT_AFTER = 12
"""Seconds that a process lives: with its reports on, ONNX Runtime looks up its host after nine."""


def environment(home, **settings):
    """A user's environment whose home is this; nothing of ours says that reports are off, or that this is a test."""
    for_reports = {name for variables in SETTINGS.values() for name in variables}
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in for_reports | {"CI", "GITHUB_ACTIONS", "TF_BUILD", "ORT_RUNNING_UNIT_TESTS"}
        and not name.startswith(("XDG_", "PYTEST_", "HF_"))
    }
    path = os.pathsep.join([str(SOURCE.parent), str(TOP / "tests")])
    return kept | {"HOME": str(home), "PYTHONPATH": path} | settings


@pytest.fixture
def encoder(tmp_path):
    pytest.importorskip("torch", reason="needs the extra train")
    from support.tiny_encoders import save_encoder

    return save_encoder(tmp_path / "encoder")


def run(code, home, argument="", **settings):
    return subprocess.run(
        [sys.executable, "-c", code, str(argument)],
        env=environment(home, **settings),
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("code", [PARSE, EXPORT], ids=["parse", "export"])
def test_an_empty_home_is_empty_afterwards(tmp_path, encoder, code):
    home = tmp_path / "home"
    home.mkdir()
    finished = run(code, home, argument=encoder)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert list(home.iterdir()) == []


def test_folders_of_a_desktop_are_empty_afterwards(tmp_path):
    folders = {
        f"XDG_{name}_HOME": tmp_path / name.lower() for name in ("CACHE", "CONFIG", "DATA", "STATE")
    } | {"XDG_RUNTIME_DIR": tmp_path / "runtime"}
    for folder in folders.values():
        folder.mkdir()
    finished = run(PARSE, tmp_path / "none", **{name: str(folder) for name, folder in folders.items()})
    assert (finished.returncode, finished.stderr) == (0, "")
    assert [path for folder in folders.values() for path in folder.iterdir()] == []


def test_a_home_that_cannot_be_is_not_spoken_of():
    finished = run(PARSE, "/dev/null/home")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")


def test_no_socket_is_opened(tmp_path, encoder):
    if shutil.which("strace") is None:
        pytest.skip("needs strace, which watches the system calls")
    programs = {"parse": f"{PARSE}\nimport time; time.sleep({REPORT_AFTER})", "export": EXPORT}
    # Side by side, since one of them only waits.
    watched = {name: watch(code, tmp_path, name, encoder) for name, code in programs.items()}
    errors = {name: process.communicate()[1] for name, process in watched.items()}
    for name, process in watched.items():
        if process.returncode and "ptrace" in errors[name]:
            pytest.skip(f"strace may not watch here: {errors[name].strip()}")
        assert process.returncode == 0, errors[name]
        calls = (tmp_path / name).read_text(encoding="utf-8")
        assert "exited with 0" in calls
        assert re.findall(r"socket\(AF_(?!UNIX).*", calls) == []


def watch(code, folder, name, argument):
    """Start a program under strace, which writes its network calls to a file with this name."""
    # With seccomp, only the calls that are watched stop the program.
    strace = ["strace", "-f", "--seccomp-bpf", "-e", "trace=network", "-o", str(folder / name)]
    return subprocess.Popen(
        [*strace, sys.executable, "-c", code, str(argument)],
        env=environment(folder / "home"),
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("library", SETTINGS)
def test_what_the_user_has_set_stays(library, monkeypatch):
    for name, value in SETTINGS[library].items():
        monkeypatch.delenv(name, raising=False)
        keep_offline(library)
        assert os.environ[name] == value
        monkeypatch.setenv(name, "0")
        keep_offline(library)
        assert os.environ[name] == "0"


def test_each_library_that_reports_is_imported_in_one_place():
    libraries = DOORS.keys() | {"transformers"}
    found = set()
    for folder in (SOURCE, TOP / "benchmarks"):
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                found |= {
                    (name.partition(".")[0], path) for name in names if name.partition(".")[0] in libraries
                }
    assert found == {*DOORS.items(), ("transformers", DOORS["huggingface_hub"])}


@pytest.mark.parametrize("library", DOORS)
def test_reports_are_off_before_the_library_is_imported(library):
    lines = DOORS[library].read_text(encoding="utf-8").splitlines()
    off = lines.index(f'keep_offline("{library}")')
    imports = [
        number
        for number, line in enumerate(lines)
        if re.match(rf"\s*(import|from) ({library}|transformers)\b", line)
    ]
    assert imports
    assert off < min(imports)
