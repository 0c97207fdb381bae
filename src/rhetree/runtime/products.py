"""Products of matrices that keep to the thread that asks for them.

NumPy gives them to a library with threads of its own, as many as there are cores. What decoders multiply
is small; where other programs use the cores too, most of the time goes into waiting for all of
those threads to have had one: 15 ms in place of 0.3 were seen, at each step. ONNX Runtime is here
anyway and does as it is told.
"""

from functools import cache
from typing import Any

import numpy as np

from rhetree.runtime.network import Floats

_FEW = 400_000
"""A row with a matrix of so many numbers takes NumPy no threads, and no graph is faster."""

GRAPH = bytes.fromhex(
    "08083a610a110a01610a016212016322064d61744d756c120770726f647563745a150a016112100a0e0801120a0a0312"
    "016d0a0312016b5a150a016212100a0e0801120a0a0312016b0a0312016e62150a016312100a0e0801120a0a0312016d"
    "0a0312016e42040a001011"
)
"""An ONNX model of one operator, ``c = a b``; a test makes it anew with the ``onnx`` package."""


def product(left: Floats, right: Floats) -> Floats:
    """``left @ right``, ``(m, k)`` and ``(k, n)``, on the thread that calls."""
    if len(left) == 1 and right.size <= _FEW:
        row: Floats = left @ right
        return row
    found: Floats = _session().run(None, {"a": np.ascontiguousarray(left), "b": right})[0]
    return found


@cache
def _session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(GRAPH, options, providers=["CPUExecutionProvider"])
