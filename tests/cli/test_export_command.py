"""``rhetree export`` turns the model of a run into one that needs no torch."""

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from rhetree.cli.main import main
from rhetree.runtime.model import is_exported
from support.exported import saved, transformer_model
from support.tiny_encoders import save_encoder


def test_the_command_exports_and_evaluation_uses_the_graphs(tmp_path, capsys):
    saved(transformer_model(save_encoder(tmp_path / "encoder")), tmp_path / "trained")
    assert not is_exported(tmp_path / "trained")
    (tmp_path / "card.md").write_text("# Card\n", encoding="utf-8")
    arguments = ["--precision", "fp32", "--card", str(tmp_path / "card.md")]
    assert main(["export", str(tmp_path / "trained"), "-o", str(tmp_path / "ready"), *arguments]) == 0
    size = sum(path.stat().st_size for path in (tmp_path / "ready").iterdir())
    assert f"{size:,} bytes" in capsys.readouterr().out
    assert is_exported(tmp_path / "ready")
    assert main(["export", str(tmp_path / "nothing"), "-o", str(tmp_path / "out")]) == 2
    assert main(["export", str(tmp_path / "trained"), "-o", str(tmp_path / "out"), "--card", "no"]) == 2
