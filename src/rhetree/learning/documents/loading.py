"""Reads a document network from a model directory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rhetree.errors import ModelError, SettingError
from rhetree.learning.documents.network import DocumentNetwork
from rhetree.learning.documents.recipe import DocumentRecipe
from rhetree.learning.embeddings import load_embedder
from rhetree.learning.model import fill, read_weights
from rhetree.learning.training.settings import build
from rhetree.runtime.document_model import expect_document_model
from rhetree.runtime.model import CONFIG, read_config


def load_network(folder: Path) -> tuple[DocumentNetwork, DocumentRecipe, dict[str, Any]]:
    """The network of a model directory, its recipe, and what else ``config.json`` says."""
    expect_document_model(folder)
    config = read_config(folder)
    weights = read_weights(folder)
    recipe = recipe_of(folder, config)
    embedder = load_embedder(recipe.network.embedding, folder)
    network = DocumentNetwork(recipe.network, embedder, config["labels"])  # type: ignore[arg-type]  # the settings allow no other kind
    fill(network, weights, folder)
    return network, recipe, {key: value for key, value in config.items() if key not in ("recipe", "labels")}


def recipe_of(folder: Path, config: Mapping[str, Any]) -> DocumentRecipe:
    """The recipe that the model in a directory was trained with, from its ``config.json``."""
    try:
        return build(DocumentRecipe, config["recipe"])
    except SettingError as error:
        raise ModelError(f"{folder / CONFIG}: {error}") from error
