"""A model on disk: a directory of settings, weights and the embedder's files. No pickle.

    config.json           format and version, settings, labels, origin, scores
    weights.safetensors   every weight that prediction needs
    …                     the embedder's files: vocabulary or tokenizer, encoder configuration

A model directory is self-contained: using it needs nothing that it was trained from.
"""

import ctypes
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from rhetree.errors import ModelError, RhetreeError, SettingError
from rhetree.learning.embeddings import load_embedder
from rhetree.learning.embeddings.config import MOST_LAYERS
from rhetree.learning.networks.joint import DiscourseNetwork, NetworkConfig
from rhetree.learning.training.recipe import Recipe
from rhetree.learning.training.settings import as_dict, build, by_name
from rhetree.runtime.model import CONFIG, FORMAT, VERSION, read_config

if TYPE_CHECKING:
    from rhetree.learning.documents.network import DocumentNetwork
    from rhetree.learning.documents.recipe import DocumentRecipe

WEIGHTS = "weights.safetensors"

_HERE = -100
"""``AT_FDCWD`` of Linux: relative paths are those of this process."""
_RENAME_EXCHANGE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A network, the recipe it was trained with, and its metadata."""

    network: DiscourseNetwork
    recipe: Recipe
    about: Mapping[str, Any]
    """Metadata as saved: data, versions, dev scores."""


def save_model(
    folder: Path,
    network: "DiscourseNetwork | DocumentNetwork",
    recipe: "Recipe | DocumentRecipe",
    about: Mapping[str, Any],
) -> None:
    """Write a model directory atomically, replacing an existing one.

    :param about: further metadata, such as ``scores`` and ``data``
    """
    own = metadata.version("rhetree")
    config = {
        "format": FORMAT,
        "version": VERSION,
        "rhetree": own,
        "requires_rhetree": f">={own}",
        "torch": torch.__version__,
        "labels": network.labels,
        "recipe": as_dict(recipe),
        **about,
    }
    with new_directory(folder) as temporary:
        network.embedder.save_assets(temporary)
        write_weights(temporary, network)
        write_config(temporary, config)


def write_weights(folder: Path, network: "DiscourseNetwork | DocumentNetwork") -> None:
    """Write every weight that prediction needs."""
    # Tied weights share memory, which safetensors refuses, so each name gets its own copy.
    weights = {
        name: tensor.detach().cpu().clone().contiguous() for name, tensor in network.lasting_weights().items()
    }
    save_file(weights, folder / WEIGHTS)
    (folder / WEIGHTS).chmod(0o644)  # safetensors makes files readable by their owner only


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Write a model's ``config.json``."""
    text = json.dumps(config, indent=2, ensure_ascii=False) + "\n"
    (folder / CONFIG).write_text(text, encoding="utf-8")


@contextmanager
def new_directory(folder: Path) -> Iterator[Path]:
    """Yields a temporary directory to fill; once it is filled without error, it replaces ``folder``."""
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
        raise RhetreeError(f"{folder}: cannot write the model: {error}") from error


def load_recipe(folder: Path) -> Recipe:
    """The recipe that the model in a directory was trained with."""
    try:
        return build(Recipe, read_config(folder)["recipe"])
    except SettingError as error:
        raise ModelError(f"{folder / CONFIG}: {error}") from error


def load_model(folder: Path) -> Model:
    """Load the model in a directory, ready to predict."""
    config = read_config(folder)
    recipe = load_recipe(folder)
    labels = config["labels"]
    if bool(labels) == (recipe.network.task == "segment"):
        raise ModelError(f"{folder / CONFIG}: {len(labels)} labels for the task {recipe.network.task!r}")
    weights = read_weights(folder)
    _check_fit(folder, recipe.network, labels, weights)
    network = DiscourseNetwork(recipe.network, load_embedder(recipe.network.embedding, folder), labels)
    fill(network, weights, folder)
    about = {key: value for key, value in config.items() if key not in ("recipe", "labels")}
    return Model(network, recipe, about)


def _check_fit(
    folder: Path, config: NetworkConfig, labels: Sequence[str], weights: Mapping[str, torch.Tensor]
) -> None:
    """Raise :class:`ModelError` where the settings do not describe the network that the weights are of.

    The network is built without memory for weights first: settings of a stranger may ask for terabytes.
    """
    for name, value in by_name(config).items():
        if name.rpartition(".")[2] in ("layers", "n_layers") and value > MOST_LAYERS:
            raise ModelError(f"{folder / CONFIG}: network.{name} is at most {MOST_LAYERS}, got {value}")
    # What is trained of an encoder is found out by running it, which cannot be done without weights.
    outlined = replace(config, embedding=config.embedding.frozen())
    try:
        with torch.device("meta"):
            outline = DiscourseNetwork(outlined, load_embedder(outlined.embedding, folder), list(labels))
    except RhetreeError:
        raise
    except Exception as error:  # torch and transformers each raise their own
        told = " ".join(str(error).split())[:300]
        raise ModelError(f"{folder}: no network can be built of its settings: {told}") from error
    expected = {name: tuple(tensor.shape) for name, tensor in outline.lasting_weights().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            shapes = [
                "none" if shape is None else f"one of shape {shape}"
                for shape in (found.get(name), expected.get(name))
            ]
            raise ModelError(
                f"{folder / WEIGHTS}: these weights do not fit {CONFIG}: {name}: found {shapes[0]}, expected {shapes[1]}"
            )


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """The weights of a model directory."""
    try:
        return load_file(folder / WEIGHTS)
    except FileNotFoundError as error:
        raise ModelError(
            f"{folder}: there is no {WEIGHTS}; the model was exported without it, or is incomplete"
        ) from error
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{folder / WEIGHTS}: cannot be read, perhaps truncated: {error}") from error


def fill(network: torch.nn.Module, weights: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Give a network the weights of its model directory, ready to predict."""
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        first = " ".join(str(error).split())[:300]
        raise ModelError(f"{folder / WEIGHTS}: these weights do not fit {CONFIG}: {first}") from error
    network.eval()


def _exchange(one: Path, other: Path) -> bool:
    """Let two directories change names, so that at no moment either is missing; False if the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    names = os.fsencode(one), os.fsencode(other)
    return bool(rename(_HERE, names[0], _HERE, names[1], _RENAME_EXCHANGE) == 0)


def _put_in_place(temporary: Path, folder: Path) -> None:
    """Replace a directory, at once where the system can do that.

    Elsewhere it takes two renames, so the old one is moved aside first.
    """
    if not folder.exists():
        os.replace(temporary, folder)
        return
    if _exchange(temporary, folder):
        return  # what is called ``temporary`` now is the old one, which whoever made it removes
    aside = temporary.with_name(temporary.name + ".old")
    os.replace(folder, aside)
    os.replace(temporary, folder)
    shutil.rmtree(aside, ignore_errors=True)
