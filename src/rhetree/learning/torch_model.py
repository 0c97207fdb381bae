"""Running a trained model with torch, where it was not exported or cannot be: ELMo, the CRF tagger.

``rhetree.runtime.loading`` looks :func:`load_torch` up by its name.
"""

from pathlib import Path

import torch

from rhetree.errors import ModelError
from rhetree.learning.devices import choose_device
from rhetree.learning.model import load_model
from rhetree.learning.torch_network import TorchNetwork
from rhetree.runtime.identity import identify
from rhetree.runtime.model import RuntimeModel, read_config
from rhetree.runtime.trial import try_out


def load_torch(folder: Path, *, threads: int = 0, device: str | None = None) -> RuntimeModel:
    """The model of a folder, on a device.

    :param threads: number of threads; 0 for torch's own choice
    :param device: such as ``cuda``; None for a GPU if there is one, else the CPU
    """
    chosen = choose_device(device)
    torch.set_num_threads(threads or torch.get_num_threads())
    network = load_model(folder).network.to(chosen)
    config = read_config(folder)
    model = RuntimeModel(TorchNetwork(network), network.labels, config, folder, identify(folder, config))
    try:
        try_out(model.network, model.labels, model.task)
    except ModelError as error:
        raise ModelError(f"{folder}: {error}") from error
    return model
