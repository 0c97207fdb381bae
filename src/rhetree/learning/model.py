"""A model on disk: a directory with settings, weights and whatever the embedder needs, and no pickle.

    config.json           format and version, settings, labels, where it came from, its scores
    weights.safetensors   every weight that a finished network keeps
    …                     the embedder's own: vocabulary or tokenizer, the encoder's configuration

A model directory stands alone: nothing of what it was trained from is needed to use it.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from rhetree.errors import ModelError, RhetreeError, SettingError
from rhetree.learning.embeddings import load_embedder
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.recipe import Recipe
from rhetree.learning.settings import as_dict, build
from rhetree.runtime.model import CONFIG, FORMAT, VERSION, read_config

WEIGHTS = "weights.safetensors"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A network with the recipe that made it and what is known of it."""

    network: DiscourseNetwork
    recipe: Recipe
    about: Mapping[str, Any]
    """Data, versions and dev scores, as they were saved."""


def save_model(folder: Path, network: DiscourseNetwork, recipe: Recipe, about: Mapping[str, Any]) -> None:
    """Write a model directory, in place of one that is there; whole or not at all.

    :param about: what else to say of it, such as ``scores`` and ``data``
    """
    config = {
        "format": FORMAT,
        "version": VERSION,
        "rhetree": metadata.version("rhetree"),
        "torch": torch.__version__,
        "labels": network.labels,
        "recipe": as_dict(recipe),
        **about,
    }
    with new_directory(folder) as temporary:
        network.embedder.save_assets(temporary)
        write_weights(temporary, network)
        write_config(temporary, config)


def write_weights(folder: Path, network: DiscourseNetwork) -> None:
    """Write every weight that a finished network keeps."""
    # Tied weights share memory, which safetensors refuses: each name gets its own copy.
    weights = {
        name: tensor.detach().cpu().clone().contiguous() for name, tensor in network.lasting_weights().items()
    }
    save_file(weights, folder / WEIGHTS)
    (folder / WEIGHTS).chmod(0o644)  # safetensors writes for the owner alone


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Write what is known of a model."""
    text = json.dumps(config, indent=2, ensure_ascii=False) + "\n"
    (folder / CONFIG).write_text(text, encoding="utf-8")


@contextmanager
def new_directory(folder: Path) -> Iterator[Path]:
    """A directory to fill with a model, which then takes the place of ``folder``; whole or not at all."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            yield temporary
            temporary.chmod(0o755)
            _put_in_place(temporary, folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except (OSError, SafetensorError) as error:
        raise RhetreeError(f"{folder}: the model cannot be written: {error}") from error


def load_recipe(folder: Path) -> Recipe:
    """The recipe that made the model of a directory."""
    try:
        return build(Recipe, read_config(folder)["recipe"])
    except SettingError as error:
        raise ModelError(f"{folder / CONFIG}: {error}") from error


def load_model(folder: Path) -> Model:
    """The model of a directory, ready to predict."""
    config = read_config(folder)
    recipe = load_recipe(folder)
    labels = config["labels"]
    if bool(labels) == (recipe.network.task == "segment"):
        raise ModelError(f"{folder / CONFIG}: {len(labels)} labels for the task {recipe.network.task!r}")
    try:
        weights = load_file(folder / WEIGHTS)
    except FileNotFoundError as error:
        raise ModelError(
            f"{folder}: has no {WEIGHTS}; it was exported without them, or is not complete"
        ) from error
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{folder / WEIGHTS}: cannot be read, it may be cut off: {error}") from error
    network = DiscourseNetwork(recipe.network, load_embedder(recipe.network.embedding, folder), labels)
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        first = " ".join(str(error).split())[:300]
        raise ModelError(f"{folder / WEIGHTS}: not the weights of {CONFIG} beside it: {first}") from error
    network.eval()
    about = {key: value for key, value in config.items() if key not in ("recipe", "labels")}
    return Model(network, recipe, about)


def _put_in_place(temporary: Path, folder: Path) -> None:
    """A directory cannot be replaced in one go: the old one steps aside until the new one is there."""
    if not folder.exists():
        os.replace(temporary, folder)
        return
    aside = temporary.with_name(temporary.name + ".old")
    os.replace(folder, aside)
    os.replace(temporary, folder)
    shutil.rmtree(aside, ignore_errors=True)
