"""A recipe: every setting of a training run, in one TOML file."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rhetree.corpora.splits import DEV
from rhetree.errors import SettingError
from rhetree.learning.networks.joint import NetworkConfig
from rhetree.learning.training.distillation import DistillationConfig
from rhetree.learning.training.loop import TrainConfig
from rhetree.learning.training.optimisation import OptimizerConfig
from rhetree.learning.training.settings import build, by_name, override, read_toml
from rhetree.runtime.installed import find_model
from rhetree.runtime.model import read_config

if TYPE_CHECKING:
    from rhetree.learning.documents.recipe import DocumentRecipe

_MAY_CHANGE = ("optimizer.", "train.epochs", "train.patience", "train.checkpoint_steps", "train.threads")
"""Settings that may change when a run is resumed. Changing any other would mix two different runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataConfig:
    """The data to learn from."""

    corpus: str = ""
    """Folder of a treebank (see docs/corpora.md)."""
    train: str = "train"
    """Split to learn from."""
    dev: str = "dev"
    """Split to select the best model on."""
    dev_share: float = 0.0
    """Share of the training documents, drawn at random, to use as dev in a corpus that has none; 0 for none."""
    seed: int = 1
    """Random seed of dev_share."""
    trees: str = ""
    """Folder inside the corpus with the trees, if there are several, such as rst/rstweb; empty for the first."""
    sentences: str = ""
    """RST-DT: folder of Penn Treebank or CoNLL-U files with its sentences; empty to guess them by rule."""
    relations: str = ""
    """Relation classes: gum, rst-dt, none, or a file; empty for the corpus's own."""
    lenient: bool = False
    """Leave out bad documents and go on, and forgive small mistakes, as rhetree corpus --lenient does."""
    unseen_labels: Literal["refuse", "ignore"] = "refuse"
    """What to do if dev has labels that train lacks, which no model could predict."""

    def __post_init__(self) -> None:
        if not 0 <= self.dev_share < 1:
            raise ValueError(f"dev_share must be a share, 0 <= dev_share < 1, got {self.dev_share}")
        if self.dev_share and self.dev != DEV:
            raise ValueError(f"with dev_share, dev must be {DEV!r}, got {self.dev!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Every setting of a training run."""

    data: DataConfig = field(default_factory=DataConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    distillation: DistillationConfig = field(default_factory=DistillationConfig)

    def fixed(self) -> dict[str, Any]:
        """The settings that must not change when a run is resumed, by name."""
        return fixed_settings(self)


def fixed_settings(recipe: object) -> dict[str, Any]:
    """The settings of a recipe that must not change when a run is resumed, by name."""
    return {name: value for name, value in by_name(recipe).items() if not name.startswith(_MAY_CHANGE)}


def read_recipe(path: Path | None, assignments: Sequence[str] = ()) -> "Recipe | DocumentRecipe":
    """Read a recipe from a TOML file, or take the defaults; then apply ``section.key=value`` assignments.

    With ``train.start``, the settings of network that are left out are those of that model.
    """
    table = {} if path is None else read_toml(path)
    own = deepcopy(table)
    for assignment in assignments:
        override(table, assignment)
    _complete(table)
    try:
        return build_recipe(table)
    except SettingError as error:
        raise SettingError(f"{path}: {error}" if _says(own, str(error)) else str(error)) from error


def _complete(table: dict[str, Any]) -> None:
    """Take the settings of network that are left out from the model that training starts from, if any."""
    train = table.get("train")
    start = train.get("start") if isinstance(train, dict) else None
    if start and isinstance(start, str):
        known = read_config(find_model(start))["recipe"].get("network", {})
        table["network"] = _merged(known, table.get("network", {}))


def _merged(old: Mapping[str, Any], new: Any) -> Any:
    if not isinstance(new, Mapping):
        return new  # which is a mistake that is told later
    inner = {key: _merged(old[key], new.get(key, {})) for key in old if isinstance(old[key], Mapping)}
    return {**old, **new, **inner}


def build_recipe(table: Mapping[str, Any]) -> "Recipe | DocumentRecipe":
    """The recipe of nested tables: of documents if that is their ``network.task``, else of sentences."""
    network = table.get("network")
    if isinstance(network, Mapping) and network.get("task") == "document":
        from rhetree.learning.documents.recipe import DocumentRecipe

        return build(DocumentRecipe, table)
    return build(Recipe, table)


def _says(table: Mapping[str, Any], what: str) -> bool:
    """Whether a file's own settings, without assignments, give this error."""
    try:
        build_recipe(table)
    except SettingError as error:
        return str(error) == what
    return False
