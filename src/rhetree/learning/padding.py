"""Sentences of different lengths in one tensor, with padding behind them."""

import torch
from torch import Tensor


def where_present(vectors: Tensor, lengths: Tensor) -> Tensor:
    """Where there are tokens and not padding, ``(batch, longest)``.

    :param vectors: ``(batch, longest, ...)``
    :param lengths: tokens in each sentence, ``(batch,)``
    """
    return torch.arange(vectors.shape[1], device=vectors.device) < lengths.unsqueeze(1)


def turn_around(vectors: Tensor, lengths: Tensor) -> Tensor:
    """Each sentence from its last token to its first, in its own place: padding stays behind it.

    :param vectors: ``(batch, longest, width)``
    :param lengths: tokens in each sentence, ``(batch,)``
    """
    places = torch.arange(vectors.shape[1], device=vectors.device)
    order = torch.where(where_present(vectors, lengths), lengths.unsqueeze(1) - 1 - places, places)
    return vectors.gather(1, order.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))
