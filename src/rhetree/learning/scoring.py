"""The scores that training selects by and evaluation reports, computed by the code that users run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rhetree.corpora.sentences import cut_at_sentences
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
"""Names of the scores of each task. ``segmentation`` is the F1 of boundaries inside sentences; the others
are RST-Parseval, with gold EDUs (``gold-``) or end to end. All are in percent."""

SELECT = {"segment": "segmentation", "parse": "gold-full", "joint": "full"}
"""The score that selects the best model if the recipe names none."""


@dataclass(frozen=True, slots=True)
class Results:
    """The scores of a network on some documents, and its predictions."""

    auto: Evaluation | None = None
    """Scores with predicted EDUs; None for a network that does not segment."""
    gold: Evaluation | None = None
    """Scores with gold EDUs; None for a network that does not parse."""
    predictions: Mapping[Edus, tuple[Document, ...]] = field(default_factory=dict, repr=False)
    """The predicted documents behind ``auto`` and ``gold``, under these names."""

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
    """Parse gold documents with predicted and with gold EDUs, and compare the results with gold."""
    # Imported here because exported networks are scored without torch.
    from rhetree.learning.torch_network import TorchNetwork

    return score_pipeline(
        Pipeline(TorchNetwork(network), network.labels), documents, task=network.config.task
    )


def score_pipeline(
    pipeline: Pipeline, documents: Sequence[Document], task: str = "joint", edus: Edus | None = None
) -> Results:
    """Score any pipeline in the same way, such as one of a segmenter and a parser.

    Documents may have EDUs that cross a sentence's edge. Such a sentence has no gold tree and does not
    count for parsing. Its inner boundaries count for segmentation, as the paper counts them.

    :param edus: score with gold EDUs only, or with predicted ones only; None for both
    """
    settings: list[Edus] = []
    settings += ["auto"] if task != "parse" and edus != "gold" else []
    settings += ["gold"] if task != "segment" and edus != "auto" else []
    # A sentence whose edge an EDU crosses has no gold tree, so how its parts are joined does not count.
    given = {"auto": documents, "gold": map(cut_at_sentences, documents)}
    predictions = {setting: tuple(pipeline.predict(given[setting], edus=setting)) for setting in settings}
    scored = {setting: evaluate(documents, found) for setting, found in predictions.items()}
    return Results(scored.get("auto"), scored.get("gold"), predictions)


def check_select(name: str, task: str) -> str:
    """Return the name of the score to select by: this one, or the task's default if it is empty."""
    if not name:
        return SELECT[task]
    if name not in SCORES[task]:
        raise SettingError(
            f"train.select must be one of {', '.join(SCORES[task])} for task {task!r}, got {name!r}"
        )
    return name
