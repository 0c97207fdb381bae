import math
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import pytest

from rhetree.errors import SettingError
from rhetree.learning.training.settings import as_dict, as_toml, build, by_name, override, read_toml


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """What is inside."""

    width: int = 64
    """Of each direction."""
    merge: Literal["sum", "concatenate"] = "sum"

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"width is at least 1, got {self.width}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """What is outside."""

    corpus: str
    """Where to read."""
    patience: int = 10
    rate: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.99)
    shuffle: bool = True
    inner: Inner = field(default_factory=Inner)


def test_what_a_table_leaves_out_has_its_default():
    settings = build(Outer, {"corpus": "gum", "inner": {"width": 8}, "rate": 1})
    assert settings == Outer(corpus="gum", inner=Inner(width=8), rate=1.0)
    assert isinstance(settings.rate, float)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"corpus": "x", "patiense": 3}, "unknown setting patiense; did you mean patience?"),
        ({"corpus": "x", "zzz": 3}, "unknown setting zzz; expected one of betas, corpus"),
        ({"corpus": "x", "inner": {"widht": 3}}, "unknown setting inner.widht; did you mean width?"),
        ({}, "setting corpus is missing"),
        ({"corpus": 3}, "corpus must be a string, got 3; write it in double quotes"),
        ({"corpus": "x", "patience": True}, "patience must be a whole number, got True"),
        ({"corpus": "x", "inner": 3}, "inner must be a section, got 3"),
        (
            {"corpus": "x", "inner": {"merge": "max"}},
            "inner.merge must be one of 'sum', 'concatenate', got 'max'",
        ),
        ({"corpus": "x", "inner": {"width": 0}}, "inner: width is at least 1, got 0"),
        ({"corpus": "x", "betas": [0.9]}, "betas must be a list of 2 values, got 1"),
        ({"corpus": "x", "betas": "a"}, "betas must be a list, got 'a'"),
        ({"corpus": "x", "rate": math.inf}, "rate must be a finite number, got inf"),
        ({"corpus": "x", "rate": math.nan}, "rate must be a finite number, got nan"),
        ({"corpus": "x", "rate": 10**400}, "rate must be a finite number, got inf"),
        ({"corpus": "x", "patience": 10**30}, "patience must be a whole number of at most 63 bits"),
        ({"corpus": date(2024, 1, 1)}, "corpus must be a string, got datetime.date(2024, 1, 1); write it"),
    ],
)
def test_a_wrong_setting_is_named(table, message):
    with pytest.raises(SettingError) as caught:
        build(Outer, table)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("assignment", "expected"),
    [
        ("patience=3", {"patience": 3}),
        ("inner.width=8", {"inner": {"width": 8}}),
        ("corpus=../gum", {"corpus": "../gum"}),
        ('corpus="a b"', {"corpus": "a b"}),
        ("betas=[0.9, 0.9]", {"betas": [0.9, 0.9]}),
        ("shuffle=false", {"shuffle": False}),
    ],
)
def test_the_command_line_overrides_tables(assignment, expected):
    table: dict[str, Any] = {}
    override(table, assignment)
    assert table == expected


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("patience", "expected section.key=value"),
        (".x=1", "expected section"),
        ("corpus.x=1", "not a section"),
    ],
)
def test_a_wrong_override_is_refused(assignment, message):
    with pytest.raises(SettingError, match=message):
        override({"corpus": "x"}, assignment)


def test_toml_has_every_setting_below_its_description_and_reads_back(tmp_path):
    settings = Outer(corpus='a "quoted" name, \x7f', betas=(0.5, 0.25), inner=Inner(merge="concatenate"))
    text = as_toml(settings)
    assert "# Of each direction.\nwidth = 64" in text
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    assert build(Outer, read_toml(path)) == settings
    assert build(Outer, as_dict(settings)) == settings


def test_values_have_full_names():
    values = by_name(Outer(corpus="gum", inner=Inner(width=8)))
    assert values["corpus"] == "gum"
    assert values["inner.width"] == 8
    assert values["betas"] == [0.9, 0.99]
    assert "inner" not in values


def test_a_file_that_is_not_toml_is_named(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text("a = = 3", encoding="utf-8")
    with pytest.raises(SettingError, match=r"recipe.toml: not TOML: .*line 1"):
        read_toml(path)
    path.write_text(f"epochs = 1{'0' * 5000}", encoding="utf-8")
    with pytest.raises(SettingError, match=r"recipe.toml: not TOML: .*digits"):
        read_toml(path)
    with pytest.raises(SettingError, match="absent.toml: cannot be read"):
        read_toml(tmp_path / "absent.toml")
