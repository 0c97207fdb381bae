"""A recipe: everything that decides what a training run makes, in one TOML file."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rhetree.errors import SettingError
from rhetree.learning.loop import TrainConfig
from rhetree.learning.networks.joint import NetworkConfig
from rhetree.learning.optimisation import OptimizerConfig
from rhetree.learning.settings import build, by_name, override, read_toml
from rhetree.treebanks.corpus import DEV

_MAY_CHANGE = ("optimizer.", "train.epochs", "train.patience", "train.checkpoint_steps", "train.threads")
"""What a resumed run may have otherwise. All else would make it neither the old run nor a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataConfig:
    """What to learn from."""

    corpus: str = ""
    """The folder of a treebank (see docs/corpora.md)."""
    train: str = "train"
    """The split to learn from."""
    dev: str = "dev"
    """The split to choose on."""
    dev_share: float = 0.0
    """For a corpus without a split dev: this random share of the training documents is it; 0 for none."""
    seed: int = 1
    """Of the random share."""
    sentences: str = ""
    """For RST-DT: a folder of Penn Treebank or CoNLL-U files with its sentences; empty for a rule."""
    relations: str = ""
    """Relation classes: gum, rst-dt, none, or a file; empty for those of the corpus."""
    unseen_labels: Literal["refuse", "ignore"] = "refuse"
    """What to do where dev has labels that train has not, and so no model could be right."""

    def __post_init__(self) -> None:
        if not 0 <= self.dev_share < 1:
            raise ValueError(f"dev_share is a share, 0 <= dev_share < 1, got {self.dev_share}")
        if self.dev_share and self.dev != DEV:
            raise ValueError(f"with dev_share the split to choose on is {DEV!r}, got dev = {self.dev!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that decides what a training run makes."""

    data: DataConfig = field(default_factory=DataConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    train: TrainConfig = field(default_factory=TrainConfig)

    def fixed(self) -> dict[str, Any]:
        """The settings that a resumed run may not change, by name."""
        return {name: value for name, value in by_name(self).items() if not name.startswith(_MAY_CHANGE)}


def read_recipe(path: Path | None, assignments: Sequence[str] = ()) -> Recipe:
    """The recipe of a TOML file, or of defaults, changed by ``section.key=value`` assignments."""
    table = {} if path is None else read_toml(path)
    own = deepcopy(table)
    for assignment in assignments:
        override(table, assignment)
    try:
        return build(Recipe, table)
    except SettingError as error:
        raise SettingError(f"{path}: {error}" if _says(own, str(error)) else str(error)) from error


def _says(table: Mapping[str, Any], what: str) -> bool:
    """Whether the settings of a file are wrong by themselves, and in this way."""
    try:
        build(Recipe, table)
    except SettingError as error:
        return str(error) == what
    return False
