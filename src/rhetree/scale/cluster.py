"""Ray, imported here and nowhere else, so that its reports are always turned off first."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rhetree.errors import MissingExtraError, RhetreeError
from rhetree.offline import keep_offline

keep_offline("ray")

try:
    import ray
    import ray.data
except ModuleNotFoundError as error:
    raise MissingExtraError("the engine ray", "ray") from error

__all__ = ["Dataset", "connected", "failing_as_one", "n_cpus", "ray", "small_blocks"]

Dataset = ray.data.Dataset

_OBJECT_STORE = 200 << 20
"""Bytes of shared memory on a machine of our own: shards on their way from readers to workers."""


@contextmanager
def connected(address: str | None, n_workers: int | None) -> Iterator[None]:
    """A connection to a cluster, or a cluster of this machine alone that ends with the block.

    :param address: ``HOST:PORT``, ``ray://HOST:PORT`` or ``auto``; None is what ``RAY_ADDRESS`` says, or this machine
    :param n_workers: how many processors a cluster of this machine is to have; None is all
    """
    if ray.is_initialized():
        yield
        return
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    settings: dict[str, Any] = {}
    if address == "local":
        settings = {
            "num_cpus": n_workers,
            "include_dashboard": False,
            "object_store_memory": _OBJECT_STORE,
        }
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **settings)
    except Exception as error:  # ConnectionError, ValueError, RuntimeError: each way to fail has its own
        raise RhetreeError(f"no Ray cluster at {address}: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


def n_cpus() -> int:
    """Number of processors in the cluster."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


@contextmanager
def small_blocks() -> Iterator[None]:
    """Datasets that are made here hand on each row by itself: a row is a whole shard."""
    context = ray.data.DataContext.get_current()
    names = ("target_max_block_size", "target_min_block_size", "enable_progress_bars")
    before = {name: getattr(context, name) for name in names}
    for name, value in zip(names, (1, 1, False), strict=True):
        setattr(context, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(context, name, value)


@contextmanager
def failing_as_one() -> Iterator[None]:
    """Whatever fails in the cluster becomes one of our errors: the last line says what happened."""
    try:
        yield
    except (ray.exceptions.RayError, ray.exceptions.UserCodeException) as error:
        lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        what = f"the cluster failed: {lines[-1].strip()}; what is finished is kept: resume the run"
        raise RhetreeError(what) from error
