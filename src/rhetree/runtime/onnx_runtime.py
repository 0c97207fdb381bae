"""ONNX Runtime, imported here and nowhere else, so that its reports are always turned off first.

A graph may come from a stranger: it is read only if it is whole in its file and has the inputs that we give it, and
whatever goes wrong while it runs is a :class:`ModelError`.
"""

import mmap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rhetree.errors import ModelError
from rhetree.offline import keep_offline
from rhetree.runtime.batch_graph import for_batches

keep_offline("onnxruntime")

import onnxruntime  # noqa: E402  # it reads the environment when it is imported

__all__ = ["Graph", "onnxruntime", "read_batch_graph", "read_graph"]

_EXTERNAL = b"\n\x08location"
"""How ONNX writes that a weight is in another file: the key of an entry of ``TensorProto.external_data``."""


class Graph:
    """A graph that runs in the thread that calls it: work is shared out by sentences, which costs less."""

    def __init__(self, path: Path, session: Any) -> None:
        self._path = path
        self._session = session

    def get_outputs(self) -> Sequence[Any]:
        """Names and shapes of what comes out, as ONNX Runtime describes them."""
        outputs: Sequence[Any] = self._session.get_outputs()
        return outputs

    def run(self, outputs: Sequence[str] | None, inputs: Mapping[str, Any]) -> list[Any]:
        """What comes out, in order.

        :param outputs: the names of those that are wanted; None is all
        """
        try:
            found: list[Any] = self._session.run(outputs, inputs)
        except Exception as error:  # each of the library's errors is a class of its own
            raise ModelError(f"{self._path}: the graph fails when it is run: {_in_a_line(error)}") from error
        return found


def read_graph(path: Path, inputs: Sequence[str]) -> Graph:
    """Read the graph of a file.

    :param inputs: the names of the inputs that it must have, and no others
    """
    _check_is_whole(path)
    try:
        session = _start(path)
    except Exception as error:  # each of the library's errors is a class of its own
        raise ModelError(
            f"{path}: ONNX Runtime {onnxruntime.__version__} cannot read it: {_in_a_line(error)}"
        ) from error
    found = [value.name for value in session.get_inputs()]
    if sorted(found) != sorted(inputs):
        raise ModelError(
            f"{path}: the graph has the inputs {', '.join(found) or 'none'}; expected {', '.join(inputs)}"
        )
    return Graph(path, session)


def read_batch_graph(path: Path) -> Graph | None:
    """The graph of an int8 encoder for sentences of equal length (:mod:`rhetree.runtime.batch_graph`).

    None if there is none: for other precisions, or if the file or ONNX Runtime does not let it be made. The graph
    that takes sentences one by one does the same.
    """
    try:
        model = for_batches(path.read_bytes())
        return None if model is None else Graph(path, _start(model))
    except Exception:  # each of ONNX Runtime's errors is a class of its own; nothing is lost but speed
        return None


def _start(model: Path | bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Graphs are optimised when they are exported; what is left to do is to unfold weights of half precision.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _check_is_whole(path: Path) -> None:
    """Weights in another file could be anywhere; ``rhetree export`` writes none."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            is_whole = content.find(_EXTERNAL) < 0
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}; is the model complete?") from error
    except ValueError as error:
        raise ModelError(f"{path}: the file is empty; copy it again") from error
    if not is_whole:
        raise ModelError(f"{path}: keeps weights in other files, which are not read; export the model again")


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
