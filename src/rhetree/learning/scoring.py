"""The scores that training watches and evaluation reports, made by the code that users run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rhetree.domain.document import Document
from rhetree.errors import SettingError
from rhetree.metrics.report import Evaluation, evaluate
from rhetree.runtime.pipeline import Edus, Pipeline

if TYPE_CHECKING:
    from rhetree.learning.networks.joint import DiscourseNetwork

_PARTS = ("span", "nuclearity", "relation", "full")

SCORES = {
    "segment": ("segmentation",),
    "parse": tuple(f"gold-{part}" for part in _PARTS),
    "joint": ("segmentation", *(f"gold-{part}" for part in _PARTS), *_PARTS),
}
"""By task: F1 of inner boundaries; with gold EDUs; end to end. RST-Parseval, in percent."""

SELECT = {"segment": "segmentation", "parse": "gold-full", "joint": "full"}
"""The score that chooses a model where the recipe names none."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a network scores on some documents."""

    auto: Evaluation | None = None
    """With the EDUs that the network found; None for one that does not segment."""
    gold: Evaluation | None = None
    """With gold EDUs; None for a network that does not parse."""
    predictions: Mapping[Edus, tuple[Document, ...]] = field(default_factory=dict, repr=False)
    """The documents of ``auto`` and of ``gold``, under these names."""

    def named(self) -> dict[str, float]:
        """The scores of :data:`SCORES`, in percent."""
        scores = {}
        if self.auto is not None:
            scores["segmentation"] = self.auto.total.f1("segmentation.inner")
        for prefix, evaluation in (("gold-", self.gold), ("", self.auto if self.gold else None)):
            if evaluation is not None:
                for part in _PARTS:
                    scores[prefix + part] = evaluation.total.f1(f"parseval.rst.{part}")
        return {name: round(100 * score, 4) for name, score in scores.items() if score is not None}


def score(network: "DiscourseNetwork", documents: Sequence[Document]) -> Results:
    """Predict gold documents with and without their EDUs, and compare."""
    # Here and not above: pipelines of exported networks are scored where there is no torch.
    from rhetree.learning.torch_network import TorchNetwork

    return score_pipeline(
        Pipeline(TorchNetwork(network), network.labels), documents, task=network.config.task
    )


def score_pipeline(
    pipeline: Pipeline, documents: Sequence[Document], task: str = "joint", edus: Edus | None = None
) -> Results:
    """The same for any pipeline, such as one of two networks.

    :param edus: only with gold EDUs, or only with the pipeline's own; None for both
    """
    settings: list[Edus] = []
    settings += ["auto"] if task != "parse" and edus != "gold" else []
    settings += ["gold"] if task != "segment" and edus != "auto" else []
    predictions = {setting: tuple(pipeline.predict(documents, edus=setting)) for setting in settings}
    scored = {setting: evaluate(documents, found) for setting, found in predictions.items()}
    return Results(scored.get("auto"), scored.get("gold"), predictions)


def check_select(name: str, task: str) -> str:
    """The name of the score to choose by, or the task's own where it is empty."""
    if not name:
        return SELECT[task]
    if name not in SCORES[task]:
        raise SettingError(
            f"train.select is one of {', '.join(SCORES[task])} for task {task!r}, got {name!r}"
        )
    return name
