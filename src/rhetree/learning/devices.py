"""Where torch computes: the CPU, or a GPU."""

import os

import torch

from rhetree.errors import SettingError


def choose_device(name: str | None = None) -> torch.device:
    """The device with this name; without a name, a CUDA GPU if there is one, else the CPU.

    Of several processes that ``torchrun`` started, each takes a GPU of its own.
    """
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise SettingError(f"device must be cpu, cuda, cuda:1 or mps, for example, got {name!r}") from error
    n_there = _n_devices(device.type)
    if (device.index or 0) >= n_there:
        there = f"only {n_there} of them" if n_there else "none"
        raise SettingError(
            f"device {name!r} cannot be used: torch {torch.__version__} finds {there} here; "
            "leave the device out to take what there is"
        )
    if device == torch.device("cuda"):
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % n_there)
    return device


def _n_devices(kind: str) -> int:
    if kind == "cuda":
        return torch.cuda.device_count() if torch.cuda.is_available() else 0
    if kind == "mps":
        return int(torch.backends.mps.is_available())
    return int(kind == "cpu")
