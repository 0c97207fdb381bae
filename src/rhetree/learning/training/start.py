"""Training that starts from a model's weights instead of from a pretrained encoder alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from rhetree.domain.relations import INVENTORIES, label_parts
from rhetree.errors import SettingError, counted
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.embedder import Embedder
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.model import Model
from rhetree.learning.networks.classifier import LabelClassifier
from rhetree.learning.networks.joint import DiscourseNetwork, NetworkConfig
from rhetree.learning.training.settings import by_name
from rhetree.runtime.installed import find_model
from rhetree.runtime.model import read_config

if TYPE_CHECKING:
    from rhetree.learning.documents.network import DocumentNetworkConfig

_MAY_DIFFER = (
    "task",
    "loss.",
    "embedding.path",
    "embedding.from_layer",
    "embedding.encoder_dropout",
    "embedding.attention_dropout",
    "embedding.hidden_pieces",
    "embedding.training_dtype",
    "embedding.features",
)
"""Settings of a network that do not say what its weights are. Neither does any dropout."""
_BY_CLASS = {
    "classifier.label.both": 1,
    "classifier.label.left_alone.weight": 0,
    "classifier.label.right_alone.weight": 0,
    "classifier.label.right_alone.bias": 0,
}
"""The weights of a network that belong to one of its classifier's classes, and the axis of the classes."""


@dataclass(frozen=True, slots=True)
class Start:
    """The model that a run starts from."""

    name: str
    folder: Path
    config: Mapping[str, Any]
    """Its ``config.json``."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the model knows."""
        return tuple(self.config["labels"])

    @property
    def texts(self) -> list[str]:
        """Hashes of the texts that the model was trained on."""
        return list(self.config.get("data", {}).get("texts", ()))

    def labels_for(self, labels: Sequence[str]) -> tuple[str, ...]:
        """The labels of the new model: the old model's if it knows all of these, otherwise these."""
        return self.labels if set(labels) <= set(self.labels) else tuple(labels)

    def notes(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Tell which of a corpus's labels the model does not know, and which of its own are dropped for that."""
        new = [label for label in labels if label not in self.labels]
        if not new:
            return ()
        notes = [
            f"{counted(len(new), 'label')} {'is' if len(new) == 1 else 'are'} new to {self.name}, "
            f"to be learnt from nothing: {', '.join(new)}"
        ]
        dropped = [label for label in self.labels if label not in labels]
        if dropped:
            notes.append(f"labels of {self.name} that train lacks are dropped: {', '.join(dropped)}")
        finer = [label for label in new if self._knows_class_of(label)]
        if finer:
            notes.append(
                f"new labels with a class that {self.name} knows: {len(finer)}; "
                f"to learn by these classes set data.relations={self.relations}"
            )
        return tuple(notes)

    @property
    def relations(self) -> object:
        """The relations that the model was trained on: the name of an inventory, or ``none``; None if it does not say."""
        return self.config.get("data", {}).get("relations")

    def _knows_class_of(self, label: str) -> bool:
        """Whether a label would be one of the model's if its relation were a class."""
        inventory = INVENTORIES.get(self.relations) if isinstance(self.relations, str) else None
        if inventory is None:
            return False
        relation, nuclearity = label_parts(label)
        try:
            return f"{inventory.class_of(relation)}-{nuclearity}" in self.labels
        except ValueError:  # this inventory has no such relation
            return False

    def load(self, config: NetworkConfig) -> Model:
        """The model itself, after a look at whether a network of these settings can start from it."""
        from rhetree.learning.restoration import load_trainable  # which needs the library onnx

        model = load_trainable(self.folder)
        check_fit(config, model.recipe.network, self.name)
        return model


def open_start(model: str) -> Start:
    """Find the model to start from, by the name of an installed one or by its folder."""
    folder = find_model(model)
    return Start(model, folder, read_config(folder))


def check_fit(
    new: "NetworkConfig | DocumentNetworkConfig", old: "NetworkConfig | DocumentNetworkConfig", name: str
) -> None:
    """Refuse settings of a network that would have other weights than the model to start from."""
    if old.task not in ("joint", new.task):
        raise SettingError(f"network.task is {new.task!r}, but {name}, to start from, can only {old.task}")
    before = by_name(old)
    for setting, value in sorted(by_name(new).items()):
        if (
            setting.startswith(_MAY_DIFFER)
            or setting.endswith(".dropout")
            or _is_of_other_task(setting, new.task)
        ):
            continue
        if value != before[setting]:
            raise SettingError(
                f"network.{setting} is {value!r}, but {name}, to start from, has {before[setting]!r}; "
                "leave it out of the recipe, or train without train.start"
            )


def _is_of_other_task(setting: str, task: str) -> bool:
    parts = {"segment": ("parser.", "classifier."), "parse": ("segmenter.",)}
    return setting.startswith(parts.get(task, ("no setting",)))


def started_embedder(config: EmbeddingConfig, embedder: Embedder) -> Embedder:
    """The embedder of the model to start from, trained as the new settings say."""
    if not isinstance(embedder, TransformerEmbedder):
        return embedder
    for parameter in embedder.encoder.parameters():
        parameter.requires_grad_(True)
    return TransformerEmbedder(config, embedder.encoder, embedder.tokenizer)


def start_from(network: DiscourseNetwork, model: Model) -> None:
    """Give a new network the weights of a model. What belongs to labels that the model lacks stays as it is."""
    by_class = {} if network.classifier is None else _BY_CLASS
    old = model.network
    copy_weights(network, old, by_class, _classes(network.classifier), _classes(old.classifier))


@torch.no_grad()
def copy_weights(
    new: nn.Module,
    old: nn.Module,
    by_class: Mapping[str, int],
    classes: Sequence[str],
    old_classes: Sequence[str],
) -> None:
    """Give a new network the weights of an old one, class by class where they belong to one.

    :param by_class: the weights that belong to a class each, and the axis of the classes
    """
    before = old.state_dict()
    known = {name: number for number, name in enumerate(old_classes)}
    for name, weight in new.state_dict().items():
        if name in by_class:
            axis = by_class[name]
            for number, one in enumerate(classes):
                if one in known:
                    weight.select(axis, number).copy_(before[name].select(axis, known[one]))
        elif name in before:
            weight.copy_(before[name])


def _classes(classifier: LabelClassifier | None) -> tuple[str, ...]:
    """What a classifier's last layer tells apart: labels, or relations where nuclearity is apart."""
    if classifier is None:
        return ()
    if classifier.nuclearity is None:
        return classifier.labels
    return tuple(dict.fromkeys(label_parts(label)[0] for label in classifier.labels))
