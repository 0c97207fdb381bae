"""Trying a network out on a few words, so that one that cannot run is found when it is loaded."""

from collections.abc import Sequence

import numpy as np

from rhetree.domain.span import Span
from rhetree.errors import ModelError
from rhetree.runtime.heads import Heads
from rhetree.runtime.network import Network
from rhetree.runtime.pipeline import Pipeline

_SENTENCES = (("Yes",), ("He", "left", ",", "xylographically", "."))
"""One without a split and one with several; the second has a word that few vocabularies know."""


def try_out(network: Network, labels: Sequence[str], task: str, heads: Heads | None = None) -> None:
    """Raise :class:`ModelError` where a network cannot do what it was trained for, or has other labels.

    :param task: segment, parse or joint
    """
    signals = heads is not None and heads.signals is not None
    pipeline = Pipeline(network, labels, heads=heads, signals=signals)
    try:
        if task != "parse":
            pipeline.analyse(_SENTENCES, trees=False)
        if task != "segment":
            n_found = network.label(network.encode(_SENTENCES), np.array([1]), np.array([[0, 2, 5]])).shape[1]
            if n_found != len(labels):
                raise ModelError(f"the network tells {n_found} labels apart, and {len(labels)} have a name")
            pipeline.analyse(_SENTENCES, [[Span(i, i + 1) for i in range(len(s))] for s in _SENTENCES])
    except (ArithmeticError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        raise ModelError(f"the network cannot be run: {' '.join(str(error).split())[:300]}") from error
