"""What a release says of its parts, and that the same source gives the same wheel."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINE = re.compile(r"[a-z0-9._-]+(\[[a-z0-9,-]+\])?==[A-Za-z0-9.+!-]+( ; .+)?")


@pytest.fixture
def supply_chain(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import supply_chain

    yield supply_chain
    del sys.modules["supply_chain"]


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13"])
def test_constraints_are_names_and_versions_alone(version):
    first, *lines = (ROOT / "constraints" / f"{version}.txt").read_text(encoding="utf-8").splitlines()
    assert first == f"# python benchmarks/supply_chain.py constraints {version}"
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    names = {line.partition("==")[0].partition("[")[0] for line in lines}
    assert {"numpy", "onnxruntime", "pytest", "tokenizers"} <= names


def test_every_dependency_is_in_the_bill_of_materials_with_its_licence(supply_chain):
    bill = supply_chain.bill_of_materials()
    assert bill["metadata"]["component"]["name"] == "rhetree"
    parts = {part["name"]: part for part in bill["components"]}
    assert {"numpy", "onnxruntime", "safetensors", "syntok", "tokenizers"} <= parts.keys()
    assert "pytest" not in parts
    assert re.match("BSD|0BSD", parts["numpy"]["licenses"][0]["license"]["name"])
    listed = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    assert [name for name in ("numpy", "onnxruntime", "syntok") if f"| {name} |" not in listed] == []


def test_nothing_of_ours_runs_when_rhetree_is_installed():
    assert not (ROOT / "setup.py").exists()
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'build-backend = "hatchling.build"' in text
    assert "hooks" not in text


@pytest.mark.parametrize(
    ("report", "words", "code"),
    [
        ("ConnectionError: no route", "not audited: ", 1),
        ("No known vulnerabilities found", "audited, no known vulnerabilities", 0),
        ("Found 2 known vulnerabilities in 1 package", "Found 2 known", 1),
    ],
)
def test_what_cannot_be_audited_is_not_called_clean(supply_chain, report, words, code, monkeypatch, capsys):
    commands = []

    def run(command, **_):
        commands.append(command)
        return subprocess.CompletedProcess(command, code, report, "")

    monkeypatch.setattr(supply_chain.subprocess, "run", run)
    assert supply_chain.audit() == code
    names = [f"{version}.txt" for version in supply_chain.PYTHONS]
    assert [Path(command[-1]).name for command in commands] == names
    told = capsys.readouterr().out
    assert [name for name in names if f"{name}: {words}" not in told] == []


@pytest.mark.slow
def test_the_same_source_gives_the_same_wheel(tmp_path):
    pytest.importorskip("hatchling")
    contents = []
    for turn in ("one", "two"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / turn)]
        subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        (wheel,) = (tmp_path / turn).glob("*.whl")
        contents.append(wheel.read_bytes())
    assert contents[0] == contents[1]
