import numpy as np
import pytest

from rhetree.learning.export.graphs import Graph
from rhetree.learning.export.precision import lower_precision
from rhetree.runtime.onnx_runtime import onnxruntime

WIDTH = 64
IDS = np.arange(9)[None] % 5


def run(model):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"ids": IDS})[0]


@pytest.mark.parametrize(
    ("operator", "n", "settings"), [("MultiHeadAttention", 3, {"num_heads": 4}), ("BiasGelu", 1, {})]
)
def test_whole_numbers_take_over_the_biases_of_other_operators(operator, n, settings):
    chance = np.random.default_rng(0)

    def weights(*shape):
        return chance.standard_normal(shape).astype(np.float32)

    graph = Graph({"ids": (np.int64, ["rows", "length"])})
    states = graph.add("Gather", graph.constant(weights(5, WIDTH)), "ids", axis=0)
    products = [graph.add("MatMul", states, graph.constant(weights(WIDTH, WIDTH) / 8)) for _ in range(n)]
    bias = graph.constant(weights(n * WIDTH))
    graph.add(operator, *products, bias, name="states", domain="com.microsoft", **settings)
    full = graph.finish({"states": ["rows", "length", WIDTH]})
    low = lower_precision(full, "int8", [IDS])
    np.testing.assert_allclose(run(low), run(full), atol=0.15)
    kinds = [node.op_type for node in low.graph.node]
    assert "BiasGelu" not in kinds
    assert "Add" not in kinds
    assert all(node.input[6] for node in low.graph.node if node.op_type == "MatMulIntegerToFloat")
