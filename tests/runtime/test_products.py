import numpy as np
import pytest

from rhetree.runtime.products import GRAPH, product


@pytest.mark.parametrize("shape", [(1, 3, 5), (1, 700, 700), (2, 3, 5), (7, 64, 1), (3, 1, 4)])
def test_a_product_is_that_of_numpy(shape):
    m, k, n = shape
    chance = np.random.default_rng(0)
    left = chance.standard_normal((m, k), dtype=np.float32)
    right = chance.standard_normal((k, n), dtype=np.float32)
    np.testing.assert_allclose(product(left, right), left @ right, rtol=1e-4, atol=1e-4)


def test_a_product_takes_any_view_of_rows():
    chance = np.random.default_rng(0)
    left = chance.standard_normal((4, 6, 8), dtype=np.float32)[:, 2, ::2]
    right = chance.standard_normal((4, 3), dtype=np.float32)
    np.testing.assert_allclose(product(left, right), left @ right, rtol=1e-5, atol=1e-5)


def test_the_graph_is_a_product_and_nothing_else():
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    def value(name, *axes):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, axes)

    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["c"])],
        "product",
        [value("a", "m", "k"), value("b", "k", "n")],
        [value("c", "m", "n")],
    )
    opsets = [helper.make_opsetid("", 17)]
    assert onnx.load_from_string(GRAPH) == helper.make_model(graph, opset_imports=opsets, ir_version=8)
