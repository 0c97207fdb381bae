"""Small models to save or export, and what a pipeline makes of sentences, to compare."""

from dataclasses import replace

import numpy as np
import torch

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.learning.embeddings import make_embedder
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.random import RandomEmbedder
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.model import Model, save_model
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.training.recipe import Recipe
from rhetree.runtime.pipeline import Pipeline
from support.networks import EXAMPLES, LABELS, SENTENCES, SMALL, overfit
from support.tiny_encoders import write_elmo

EDUS = [spans_of_lengths(example.edu_lengths) for example in EXAMPLES]
RANDOM = EmbeddingConfig(kind="random", width=16, min_count=1)


def make_model(config=SMALL, embedder=None, steps=3):
    """A network that was trained for a moment, so that it has opinions."""
    torch.manual_seed(7)
    if embedder is None:
        config = replace(config, embedding=RANDOM)
        embedder = RandomEmbedder.create(RANDOM, SENTENCES)
    network = DiscourseNetwork(config, embedder, LABELS if config.task != "segment" else ())
    overfit(network, steps=steps)
    about = {"torch": torch.__version__, "scores": {"dev": {}}}
    return Model(network.eval(), Recipe(network=config), about)


def transformer_model(folder, config=SMALL, **settings):
    """A model on the tiny encoder of this folder."""
    embedding = EmbeddingConfig(kind="transformer", path=str(folder), **settings)
    embedder = TransformerEmbedder.create(embedding)
    return make_model(replace(config, embedding=embedding), embedder)


def elmo_model(folder):
    """A joint model on a small ELMo, which is written into this folder."""
    embedding = EmbeddingConfig(kind="elmo", path=str(write_elmo(folder)), features=False)
    return make_model(replace(SMALL, embedding=embedding), make_embedder(embedding, SENTENCES))


def saved(model, folder):
    """Save the model there, and return the folder."""
    save_model(folder, model.network, model.recipe, {})
    return folder


def gold_document():
    """The sentences that networks learn, with their trees."""
    examples = [example for example in EXAMPLES if example.tree is not None]
    return replace(
        Document.from_sentences([example.tokens for example in examples], name="one"),
        edus=spans_of_lengths([length for example in examples for length in example.edu_lengths]),
        sentence_trees=tuple(example.tree for example in examples),
    )


def analyse(network, labels, sentences=SENTENCES, *, gold=False, **settings):
    """EDUs and trees of sentences, and all probabilities in one row."""
    found = Pipeline(network, labels, **settings).analyse(sentences, EDUS if gold else None)
    answers = [(one.edus, one.tree) for (one, *_) in found]
    numbers = [
        np.array(
            [one.log_prob, *one.edu_probs, *one.split_probs, *(p for top in one.label_probs for _, p in top)]
        )
        for (one, *_) in found
    ]
    return answers, numbers


def assert_same(one, other, tolerance=2e-4):
    assert one[0] == other[0]
    for left, right in zip(one[1], other[1], strict=True):
        np.testing.assert_allclose(left, right, atol=tolerance)
