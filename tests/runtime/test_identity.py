"""What tells one model from another."""

import json
import shutil

import pytest

from rhetree.errors import ModelError
from rhetree.runtime.identity import identify


@pytest.fixture
def folder(tmp_path):
    """The files of a model, as far as its identity goes."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"labels": ["cause-NS"]}), encoding="utf-8")
    (folder / "labels.onnx").write_bytes(b"graph")
    return folder


CONFIG = {"runtime": {"files": {"labels.onnx": 5}}}


def test_a_copy_has_the_hash_of_the_model_and_its_own_name(folder):
    name, _, digits = identify(folder, CONFIG).rpartition(" ")
    assert name == "small"
    assert len(digits) == 12
    copy = folder.with_name("my copy")
    shutil.copytree(folder, copy)
    (copy / "notes.txt").write_text("mine", encoding="utf-8")
    assert identify(copy, CONFIG) == f"my copy {digits}"


@pytest.mark.parametrize("name", ["config.json", "labels.onnx"])
def test_a_changed_file_changes_the_hash(name, folder):
    before = identify(folder, CONFIG)
    (folder / name).write_bytes(b"grapf")
    assert identify(folder, CONFIG) != before


def test_a_trained_model_is_told_by_its_weights(folder):
    (folder / "weights.safetensors").write_bytes(b"one")
    before = identify(folder, {})
    (folder / "weights.safetensors").write_bytes(b"two")
    assert identify(folder, {}) != before


def test_a_file_that_is_missing_is_named(folder):
    (folder / "labels.onnx").unlink()
    with pytest.raises(ModelError, match="labels.onnx: No such file"):
        identify(folder, CONFIG)
