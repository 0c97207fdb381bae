"""A recipe for a network that joins sentences into documents: ``network.task`` is ``document``."""

from dataclasses import dataclass, field
from typing import Any

from rhetree.learning.documents.distillation import DocumentDistillationConfig
from rhetree.learning.documents.network import DocumentNetworkConfig
from rhetree.learning.training.loop import TrainConfig
from rhetree.learning.training.optimisation import OptimizerConfig
from rhetree.learning.training.recipe import DataConfig, fixed_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecipe:
    """Every setting of a training run."""

    data: DataConfig = field(default_factory=DataConfig)
    network: DocumentNetworkConfig = field(default_factory=DocumentNetworkConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    distillation: DocumentDistillationConfig = field(default_factory=DocumentDistillationConfig)

    def fixed(self) -> dict[str, Any]:
        """The settings that must not change when a run is resumed, by name."""
        return fixed_settings(self)
