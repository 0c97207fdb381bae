"""Training in several processes, started by ``torchrun``; each takes a share of every batch."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import distributed, nn

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True, slots=True)
class Processes:
    """The rank of this process, and the number of processes."""

    rank: int = 0
    n: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this is the process that evaluates and writes."""
        return self.rank == 0

    def wrap(self, network: nn.Module) -> nn.Module:
        """The network with gradients averaged over the processes."""
        if self.n == 1:
            return network
        # Every parameter needs a gradient, so a loss that a share of a batch lacks is a zero connected to them all.
        return nn.parallel.DistributedDataParallel(network)

    def share_out(self, items: Sequence[In], compute: Callable[[list[In]], list[Out]]) -> list[Out]:
        """One result for each item, in order. All processes must call this: each computes its share, and gets all results.

        :param compute: from some of the items to one result for each of them
        """
        own = compute(list(items[self.rank :: self.n]))
        if self.n == 1:
            return own
        shares: list[list[Out]] = [[]] * self.n
        distributed.all_gather_object(shares, own)
        return [shares[number % self.n][number // self.n] for number in range(len(items))]

    def agree(self, value: float) -> float:
        """The first process's value, in every process. All processes must call this; it waits for them."""
        if self.n == 1:
            return value
        said = torch.tensor(value, dtype=torch.float64)
        distributed.broadcast(said, src=0)
        return float(said)


@contextmanager
def started() -> Iterator[Processes]:
    """The process group that ``torchrun`` started, or this process alone."""
    if "WORLD_SIZE" not in os.environ:
        yield Processes()
        return
    distributed.init_process_group("gloo")
    try:
        yield Processes(distributed.get_rank(), distributed.get_world_size())
        distributed.barrier()  # nobody leaves while another still evaluates
    finally:
        distributed.destroy_process_group()
