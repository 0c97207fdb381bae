"""ONNX Runtime, imported here and nowhere else, so that its reports are always turned off first.

A graph may come from a stranger: it is read only if it is whole in its file, has no loops
(:mod:`rhetree.runtime.graph_files`) and has the inputs that we give it, and whatever goes wrong while it runs is a
:class:`ModelError`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rhetree.errors import ModelError
from rhetree.offline import keep_offline
from rhetree.runtime.batch_graph import for_batches
from rhetree.runtime.graph_files import check_graph

keep_offline("onnxruntime")

import onnxruntime  # noqa: E402  # it reads the environment when it is imported

__all__ = ["Graph", "onnxruntime", "read_batch_graph", "read_graph"]


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
    check_graph(path)
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
    # Its own format is told by a few bytes, and would not have been checked.
    options.add_session_config_entry("session.load_model_format", "ONNX")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
