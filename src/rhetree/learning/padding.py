"""Sentences of different lengths in one tensor, padded at the end."""

import torch
from torch import Tensor


def where_present(vectors: Tensor, lengths: Tensor) -> Tensor:
    """Mask that is True for tokens and False for padding, ``(batch, longest)``.

    :param vectors: ``(batch, longest, ...)``
    :param lengths: number of tokens of each sentence, ``(batch,)``
    """
    return torch.arange(vectors.shape[1], device=vectors.device) < lengths.unsqueeze(1)


def turn_around(vectors: Tensor, lengths: Tensor) -> Tensor:
    """Reverse the tokens of each sentence; padding stays at the end.

    :param vectors: ``(batch, longest, width)``
    :param lengths: number of tokens of each sentence, ``(batch,)``
    """
    places = torch.arange(vectors.shape[1], device=vectors.device)
    order = torch.where(where_present(vectors, lengths), lengths.unsqueeze(1) - 1 - places, places)
    return vectors.gather(1, order.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))
