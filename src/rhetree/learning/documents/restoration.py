"""From an exported document model back to a network that can be trained (see ``learning.restoration``)."""

from pathlib import Path

from rhetree.learning.documents.export import document_graphs, score_tables
from rhetree.learning.documents.loading import load_network, recipe_of
from rhetree.learning.documents.network import DocumentNetwork
from rhetree.learning.export.encoder_graph import encoder_graph
from rhetree.learning.model import WEIGHTS
from rhetree.learning.restoration import Constants, constants_of, fill, misfit, read_graphs, restore_embedder
from rhetree.runtime.document_model import SCORES, expect_document_model, read_arrays
from rhetree.runtime.model import ENCODER, read_config


def load_trainable(folder: Path) -> DocumentNetwork:
    """The network in a directory as it was trained, or restored from its graphs if its weights are not there."""
    return load_network(folder)[0] if (folder / WEIGHTS).exists() else restore_network(folder)


def restore_network(folder: Path) -> DocumentNetwork:
    """A document network with the weights of an exported model's graphs."""
    expect_document_model(folder)
    config = read_config(folder)
    settings = recipe_of(folder, config).network
    graphs = read_graphs(folder, config)
    embedder = restore_embedder(folder, config, settings.embedding, graphs)
    try:
        network = DocumentNetwork(settings, embedder, config["labels"])
    except ValueError as error:
        raise misfit(folder, error) from error
    network.eval()

    def exported() -> Constants:
        graphs = {ENCODER: encoder_graph(embedder), **document_graphs(network)}
        tables = {name: table.numpy() for name, table in score_tables(network).items()}
        return {**constants_of(graphs, folder), SCORES: tables}

    stored = {**constants_of(graphs, folder), SCORES: read_arrays(folder / SCORES)}
    fill(network, stored, exported, folder)
    return network
