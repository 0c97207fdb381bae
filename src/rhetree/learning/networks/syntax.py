"""An extra task while training: the head and the dependency relation of each token.

EDUs are mostly clauses, so an encoder that has to find heads learns where clauses end. A finished
model keeps nothing of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from rhetree.learning.networks.pointer import Pointer
from rhetree.learning.padding import where_present

_WIDTH = 128
"""Size of the latent features of a dependent and of a head."""


@dataclass(frozen=True, slots=True, eq=False)
class SyntaxTargets:
    """The dependency trees of a batch."""

    heads: Tensor
    """The place of each token's head, the token's own for a root, ``(batch, longest)``."""
    relations: Tensor
    """The number of each token's relation, ``(batch, longest)``."""
    known: Tensor
    """Which tokens have a head and a relation to learn and are not padding, ``(batch, longest)``."""


class SyntaxReader(nn.Module):
    """Points from each token to its head, and names the relation between the two."""

    def __init__(self, state_width: int, relations: Sequence[str]) -> None:
        super().__init__()
        self.relations = tuple(relations)
        self.dependent = nn.Linear(state_width, _WIDTH)
        self.head = nn.Linear(state_width, _WIDTH)
        self.arc = Pointer("biaffine", _WIDTH, _WIDTH)
        self.relation = nn.Linear(state_width, len(self.relations))

    def log_probs(self, states: Tensor, lengths: Tensor, targets: SyntaxTargets) -> Tensor:
        """Log-probabilities of the gold head and relation of each known token, ``(known tokens,)``.

        :param states: of tokens, ``(batch, longest, width)``
        :param lengths: ``(batch,)``
        """
        inside = where_present(states, lengths).unsqueeze(1).expand(-1, states.shape[1], -1)
        dependents, heads = (nn.functional.elu(layer(states)) for layer in (self.dependent, self.head))
        arcs = self.arc(dependents, heads, inside).gather(2, targets.heads.unsqueeze(2))
        relations = self.relation(states).log_softmax(dim=-1).gather(2, targets.relations.unsqueeze(2))
        log_probs: Tensor = (arcs + relations).squeeze(2)[targets.known]
        return log_probs
