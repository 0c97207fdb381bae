"""The graphs on top of the word vectors: token states, decoder steps and labels.

Each is what torch's own exporter makes of the modules in ``rhetree.learning.networks``, so that no
formula is written twice. Only the BiGRU is given to it as one operator
(:mod:`rhetree.learning.export.bigru_operator`). Between the graphs,
:mod:`rhetree.runtime.onnx_network` looks up spans and compares queries with keys.
"""

from copy import deepcopy

import torch
from onnx import ModelProto
from torch import Tensor, nn

from rhetree.learning.export.bigru_operator import BiGruOperator
from rhetree.learning.export.graphs import trace
from rhetree.learning.networks.classifier import LabelClassifier
from rhetree.learning.networks.decoder import AttentionDecoder, Decoder
from rhetree.learning.networks.encoder import BiGRU
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.networks.parser import StackPointerParser
from rhetree.learning.networks.pointer import Pointer
from rhetree.learning.networks.segmenter import PointerSegmenter
from rhetree.runtime.model import LABELS, PARSER, SEGMENTER, STATES


def network_graphs(network: DiscourseNetwork) -> dict[str, ModelProto]:
    """All graphs but the encoder's, by their files."""
    files = {"segmenter": SEGMENTER, "parser": PARSER}
    graphs = {files[name]: graph for name, graph in step_graphs(network).items()}
    if network.classifier is not None:
        graphs[LABELS] = labels_graph(network.classifier)
    return {STATES: states_graph(network), **graphs}


def states_graph(network: DiscourseNetwork) -> ModelProto:
    """The graph from word vectors to token states and to all that decoders begin with.

    Inputs are ``vectors`` ``(batch, longest, width)`` and ``lengths`` ``(batch,)``. Outputs are ``states``
    ``(batch, longest, width)``, for each decoder its first state ``…_hidden`` ``(layers, batch, width)``,
    and ``…_keys`` ``(batch, longest, width)`` if the pointer needs weights to compute its keys.
    """
    states = _States(network)
    width = network.embedder.width
    examples = (_sentences([3, 5], width), _sentences([7, 1, 4], width))
    with torch.inference_mode():
        expected = states(**examples[1])
    layers = states.encoder.layers
    if isinstance(layers, BiGRU):
        layers.add_module("layers", BiGruOperator(layers.layers))
    return trace(states, *examples, expected)


def step_graphs(network: DiscourseNetwork) -> dict[str, ModelProto]:
    """For each decoder the graph of one step.

    Inputs are ``inputs`` ``(k, width)`` and ``hidden`` ``(layers, k, width)``. Outputs are the state
    ``after`` the step ``(layers, k, width)`` and what the pointer asks for
    (:meth:`~rhetree.learning.networks.pointer.Pointer.exported_step`).
    """
    graphs = {}
    for name, part in _decoders(network).items():
        decoder = part.decoder
        # A memory of steps has any length; a recurrent decoder's state always has its layers.
        sizes = (
            ((2, 4), (3, 6))
            if isinstance(decoder, AttentionDecoder)
            else ((2, decoder.layers), (3, decoder.layers))
        )
        examples = (
            {"inputs": _wave(k, decoder.input_width), "hidden": _wave(n, k, decoder.width)} for k, n in sizes
        )
        graphs[name] = trace(_Step(part.decoder, part.pointer), *examples)
    return graphs


def labels_graph(classifier: LabelClassifier) -> ModelProto:
    """The graph from the vectors of ``left`` and ``right`` spans ``(splits, width)`` to ``log_probs``."""
    width = classifier.label.left.in_features
    examples = ({"left": _wave(n, width), "right": -2 * _wave(n, width)} for n in (2, 3))
    return trace(_Labels(classifier), *examples)


class _States(nn.Module):
    def __init__(self, network: DiscourseNetwork) -> None:
        super().__init__()
        self.encoder = deepcopy(network.encoder)  # a layer of it is replaced
        self.decoders = _decoders(network)
        self.parts = nn.ModuleList(self.decoders.values())  # or torch would not know of them
        self.eval()

    def forward(self, vectors: Tensor, lengths: Tensor) -> dict[str, Tensor]:
        states = self.encoder(vectors, lengths)
        found = {"states": states.tokens}
        for name, part in self.decoders.items():
            found[f"{name}_hidden"] = part.decoder.start(states.final)
            found |= {f"{name}_{key}": own for key, own in part.pointer.exported_keys(states.tokens).items()}
        return found


class _Step(nn.Module):
    def __init__(self, decoder: Decoder | AttentionDecoder, pointer: Pointer) -> None:
        super().__init__()
        self.decoder = decoder
        self.pointer = pointer

    def forward(self, inputs: Tensor, hidden: Tensor) -> dict[str, Tensor]:
        outputs, after = self.decoder(inputs.unsqueeze(1), hidden)
        # Squeezing an axis whose size is not known would become a branch, which no model may have.
        output = outputs[:, 0] if isinstance(self.decoder, AttentionDecoder) else outputs.squeeze(1)
        return {"after": after, **self.pointer.exported_step(output)}


class _Labels(nn.Module):
    def __init__(self, classifier: LabelClassifier) -> None:
        super().__init__()
        self.classifier = classifier

    def forward(self, left: Tensor, right: Tensor) -> dict[str, Tensor]:
        return {"log_probs": self.classifier(left, right)}


def _decoders(network: DiscourseNetwork) -> dict[str, PointerSegmenter | StackPointerParser]:
    """The parts of a network that have a decoder and a pointer."""
    parts = {"segmenter": network.segmenter, "parser": network.parser}
    return {
        name: part for name, part in parts.items() if isinstance(part, PointerSegmenter | StackPointerParser)
    }


def _sentences(lengths: list[int], width: int) -> dict[str, Tensor]:
    """A padded batch to try a graph with."""
    vectors = _wave(len(lengths), max(lengths), width)
    for row, length in zip(vectors, lengths, strict=True):
        row[length:] = 0
    return {"vectors": vectors, "lengths": torch.tensor(lengths)}


def _wave(*shape: int) -> Tensor:
    """Numbers to try a graph with."""
    return torch.arange(float(torch.Size(shape).numel())).sin().reshape(shape)
