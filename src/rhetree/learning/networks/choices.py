"""How well a network's distributions fit what is right: one choice, or a distribution over choices."""

from torch import Tensor


def fit(log_probs: Tensor, chosen: Tensor, soft: Tensor | None) -> Tensor:
    """The log-probability of the right choices, ``(...)``; its negative is the cross-entropy.

    :param log_probs: of all choices, ``(..., n)``
    :param chosen: the number of the right one, ``(...)``
    :param soft: in its place, how right each choice is, ``(..., n)``, summing to 1
    """
    if soft is None:
        return log_probs.gather(-1, chosen.unsqueeze(-1)).squeeze(-1)
    # What is not allowed has -inf, and a share of 0 in the targets.
    return (log_probs.masked_fill(soft == 0, 0.0) * soft).sum(dim=-1)
