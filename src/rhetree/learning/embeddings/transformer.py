"""Any Hugging Face encoder as an embedder: frozen, with a learnt mix of layers, or trained further."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from rhetree.errors import EmbeddingError, ModelError
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.contextual import ContextualEmbedder, hash_of_weights
from rhetree.learning.embeddings.embedder import LayerMix
from rhetree.learning.embeddings.hugging_face import (
    attention_dropouts,
    build_encoder,
    can_run_apart,
    cut_layers,
    describe_encoder,
    facts_of,
    find_stack,
    read_encoder,
)
from rhetree.runtime.model import ENCODER, TOKENIZER
from rhetree.runtime.pieces import WordPieces, row_groups

if TYPE_CHECKING:
    from rhetree.learning.export.precision import Precision

_ENCODER_FILE = "encoder.json"
_TOKENIZER_FILE = "tokenizer.json"
_MASKS = ("[MASK]", "<mask>")
"""What encoders call the piece that stands for a hidden one."""


class TransformerEmbedder(ContextualEmbedder):
    """Words as the encoder's states at their pieces.

    All of the encoder's weights are in the state, those that are frozen too: a model stands alone.
    """

    def __init__(self, config: EmbeddingConfig, encoder: nn.Module, tokenizer: str) -> None:
        """Embed with this encoder; a ``ValueError`` says where settings, encoder and tokenizer do not fit.

        :param tokenizer: the text of its ``tokenizer.json``
        """
        super().__init__(config)
        if config.n_layers:
            cut_layers(encoder, config.n_layers)
        facts = facts_of(encoder)
        self.width = facts.width
        self.encoder = encoder
        self.tokenizer = tokenizer
        window = min(config.window, facts.max_length)
        try:
            self.pieces = WordPieces(
                tokenizer,
                pad_id=facts.pad_id,
                window=window,
                max_pieces=config.max_pieces,
                piece=config.piece,
            )
        except ValueError as error:
            raise ValueError(f"{_TOKENIZER_FILE}: {error}") from error
        if self.pieces.n_pieces > facts.n_pieces:
            raise ValueError(f"the tokenizer has {self.pieces.n_pieces} pieces, the encoder {facts.n_pieces}")
        self._mask_id = _mask_id(tokenizer) if config.hidden_pieces else None
        if config.tuning == "mix":
            n_layers: int = encoder.config.num_hidden_layers  # type: ignore[union-attr, assignment]  # not a tensor
            self.n_layers = 1 + n_layers  # the encoder's own embeddings are layer 0
            self.mix = LayerMix(self.n_layers)
        self._layers, self._above = find_stack(encoder) if config.tuning == "tuned" else ([], [])
        self._trained = _trained(encoder, self._layers, self._above, config)
        self.frozen_run_apart = config.from_layer > 1 and can_run_apart(encoder, config.from_layer)
        """Whether what the frozen layers give can be computed once, and handed to the others."""
        trained = {id(parameter) for module in self._trained for parameter in module.parameters()}
        for parameter in encoder.parameters():
            if id(parameter) not in trained:
                parameter.requires_grad_(False)
        for module in encoder.modules():
            if isinstance(module, nn.Dropout):
                module.p = config.encoder_dropout
        for module in attention_dropouts(encoder) if self._trained else ():
            module.p = config.attention_dropout
        self.train(self.training)

    @classmethod
    def create(
        cls,
        config: EmbeddingConfig,
        sentences: Iterable[Sequence[str]] = (),  # noqa: ARG003
    ) -> "TransformerEmbedder":
        """The encoder in the folder that the settings name."""
        encoder, tokenizer = read_encoder(config.folder)
        try:
            return cls(config, encoder, tokenizer)
        except ValueError as error:
            raise EmbeddingError(f"cannot be used: {error}", config.folder) from error

    @classmethod
    def from_assets(cls, config: EmbeddingConfig, folder: Path) -> "TransformerEmbedder":
        """The encoder of a saved model; its weights come with the model's state."""
        try:
            description = (folder / _ENCODER_FILE).read_text(encoding="utf-8")
            tokenizer = (folder / _TOKENIZER_FILE).read_text(encoding="utf-8")
        except OSError as error:
            raise ModelError(
                f"{error.filename}: cannot be read: {error.strerror}; is the model complete?"
            ) from error
        try:
            return cls(config, build_encoder(description), tokenizer)
        except (ValueError, KeyError) as error:
            raise ModelError(f"{folder}: its encoder cannot be built: {error}") from error

    def save_assets(self, folder: Path) -> None:
        """Write the encoder's configuration and tokenizer."""
        (folder / _ENCODER_FILE).write_text(describe_encoder(self.encoder), encoding="utf-8")
        (folder / _TOKENIZER_FILE).write_text(self.tokenizer, encoding="utf-8")

    def export(self, folder: Path, precision: "Precision") -> dict[str, Any]:
        """Write the encoder's graph and its tokenizer."""
        from rhetree.learning.export.encoder_graph import write_encoder

        write_encoder(self, folder / ENCODER, precision)
        (folder / TOKENIZER).write_text(self.tokenizer, encoding="utf-8")
        facts = facts_of(self.encoder)
        return {
            "kind": "pieces",
            "pad_id": facts.pad_id,
            "window": min(self.config.window, facts.max_length),
            "max_pieces": self.config.max_pieces,
            "piece": self.config.piece,
        }

    def depths(self) -> dict[str, int]:
        """For each parameter of the encoder that is trained, how many layers it lies below the last."""
        layers = self._layers
        depths = {id(parameter): 0 for module in self._above for parameter in module.parameters()}
        for number, layer in enumerate(layers, start=1):
            depths |= {id(parameter): len(layers) - number for parameter in layer.parameters()}
        # What else there is, the lowest layer reads: embeddings, or relative positions, which all attend by.
        return {
            name: depths.get(id(parameter), len(layers))
            for name, parameter in self.named_parameters()
            if name.startswith("encoder.") and parameter.requires_grad
        }

    def fingerprint(self) -> str:
        """A hash of the encoder, its tokenizer, and the settings that say how words are read off it."""
        config = self.config
        how = (config.tuning == "mix", config.piece, config.window, config.max_pieces)
        parts = (describe_encoder(self.encoder), self.tokenizer, repr(how), hash_of_weights(self.encoder))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def train(self, mode: bool = True) -> "TransformerEmbedder":
        """Set the mode; frozen layers have no dropout in training either."""
        super().train(mode)
        self.encoder.eval()
        for module in self._trained:
            module.train(mode)
        return self

    def layers(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """The encoder's states for each word, ``(batch, longest, n_layers, width)``, padded with zeros."""
        batch = self.pieces.batch(sentences)
        device = next(self.encoder.parameters()).device
        positions = torch.from_numpy(batch.positions).to(device)
        weights = torch.from_numpy(batch.weights).to(device)
        if not positions.numel():
            return weights.new_zeros(len(sentences), 0, self.n_layers, self.width)
        lengths = batch.mask.sum(axis=1)
        groups = row_groups(lengths)
        states = []
        for rows in groups:
            length = lengths[rows].max()
            ids = self.hide(torch.from_numpy(batch.ids[rows, :length])).to(device)
            mask = torch.from_numpy(batch.mask[rows, :length]).to(device)
            after = batch.ids.shape[1] - length
            states.append(functional.pad(self.encode_ids(ids, mask), (0, 0, 0, 0, 0, after)))
        in_order = torch.from_numpy(np.argsort(np.concatenate(groups))).to(device)
        return pick_words(torch.cat(states).index_select(0, in_order), positions, weights)

    def hide(self, ids: Tensor) -> Tensor:
        """In training, some of the pieces of words behind the mask piece; special pieces stay."""
        if self._mask_id is None or not self.training:
            return ids
        hidden = torch.rand(ids.shape) < self.config.hidden_pieces
        special = torch.isin(ids, torch.tensor(self.pieces.special_ids))
        return ids.masked_fill(hidden & ~special, self._mask_id)

    def encode_ids(self, ids: Tensor, mask: Tensor | None) -> Tensor:
        """The encoder's states, ``(rows, length, n_layers, width)``; tensors in and out, nothing else.

        :param ids: pieces, ``(rows, length)``
        :param mask: 1 at pieces and 0 at padding, ``(rows, length)``; None where there is no padding
        """
        in_half = self.training and self.config.training_dtype == "bfloat16"
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=in_half):
            output: Any = self.encoder(
                input_ids=ids,
                attention_mask=mask,
                output_hidden_states=self.mix is not None,
                return_dict=True,
            )
        if self.mix is None:
            states: Tensor = output.last_hidden_state.float()
            return states.unsqueeze(2)
        return torch.stack(output.hidden_states, dim=2)


def pick_words(states: Tensor, positions: Tensor, weights: Tensor) -> Tensor:
    """Words as the weighted sum of their pieces, ``(batch, longest, n_layers, width)``.

    :param states: ``(rows, length, n_layers, width)``
    :param positions: pieces of each word, counted through all rows, ``(batch, longest, k)``
    :param weights: of these pieces, ``(batch, longest, k)``
    """
    picked = states.flatten(0, 1).index_select(0, positions.flatten())
    picked = picked.view(*positions.shape, *states.shape[2:])  # (batch, longest, k, n_layers, width)
    return (picked * weights[..., None, None]).sum(dim=2)


def _mask_id(tokenizer: str) -> int:
    """The piece that stands for a hidden one."""
    for token in json.loads(tokenizer).get("added_tokens", ()):
        if token["content"] in _MASKS:
            return int(token["id"])
    raise ValueError(
        f"{_TOKENIZER_FILE} has no mask piece ({' or '.join(_MASKS)}), so hidden_pieces is 0 for it"
    )


def _trained(
    encoder: nn.Module, layers: Sequence[nn.Module], above: Sequence[nn.Module], config: EmbeddingConfig
) -> list[nn.Module]:
    """Those modules of the encoder that the settings train."""
    if config.tuning != "tuned":
        return []
    if not config.from_layer:
        return [encoder]
    if not layers:
        raise ValueError("the encoder has no list of layers to train some of; from_layer is 0 for it")
    if config.from_layer > len(layers):
        raise ValueError(f"from_layer = {config.from_layer}, but the encoder has {len(layers)} layers")
    return [*layers[config.from_layer - 1 :], *above]
