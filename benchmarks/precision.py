"""Measures what lower precision in an encoder costs in scores and gains in speed and size.

    python benchmarks/precision.py RUN/model GUM [--ways fp32 int8 …] [--no-scores]

Each way converts the model's encoder differently; everything else stays in full precision. Scores are
those of ``rhetree evaluate`` on dev: F1 inside sentences, Full with gold EDUs, Full end to end. "Same" is
the share of sentences with the same EDUs and tree as in full precision. Speed is the encoder's, relative
to full precision, one sentence at a time on one thread; the ways take turns on each sentence, and the
best turn counts.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from rhetree.corpora.corpus import read_corpus
from rhetree.domain.document import Document
from rhetree.learning.export import export_model
from rhetree.learning.export.precision import lower_precision
from rhetree.learning.export.samples import SAMPLES
from rhetree.learning.scoring import score_pipeline
from rhetree.runtime.model import CONFIG, ENCODER, RuntimeModel, load_runtime
from rhetree.runtime.onnx_runtime import onnxruntime
from rhetree.runtime.pipeline import Pipeline

Rows = list[np.ndarray]
Way = Callable[[ModelProto, Rows], ModelProto]

SCORES = {"segmentation": "segmentation", "gold Full": "gold-full", "end to end Full": "full", "same": ""}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="a trained model's directory")
    parser.add_argument("gum", type=Path)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--scores", action=argparse.BooleanOptionalAction, default=True)
    args = parser.parse_args()
    documents = read_corpus(args.gum, split="dev").split_by_sentence().split("dev")
    with tempfile.TemporaryDirectory() as folder:
        models = {name: (model, size) for name, model, size in make(args.model, Path(folder), args.ways)}
        sentences = [list(one.forms_of(span)) for one in documents for span in one.sentences][::16]
        seconds = measure({name: model for name, (model, _) in models.items()}, sentences, args.turns)
        titles = ["encoder", "encoder.onnx, MB", "speed", *(SCORES if args.scores else ())]
        print(f"| {' | '.join(titles)} |\n|{' --- |' * len(titles)}")
        base: list[object] = []
        for name, (model, size) in models.items():
            cells = [name, f"{size / 1e6:.1f}", f"{seconds[args.ways[0]] / seconds[name]:.1f}"]
            if args.scores:
                results = score_pipeline(Pipeline(model.network, model.labels), documents)
                scores, found = results.named(), readings(results.predictions["auto"])
                base = base or found
                same = np.mean([one == other for one, other in zip(found, base, strict=True)])
                cells += [f"{scores[key]:.1f}" for key in SCORES.values() if key]
                cells.append(f"{100 * same:.1f} %")
            print(f"| {' | '.join(cells)} |", flush=True)


def make(source: Path, folder: Path, ways: list[str]) -> Iterator[tuple[str, RuntimeModel, int]]:
    """The model with each version of its encoder, and the encoder's size in bytes."""
    plain = folder / "plain"
    export_model(source, plain, precision="fp32")
    graph = onnx.load(plain / ENCODER)
    pieces = load_runtime(plain).network._words._pieces
    rows = [pieces.batch([sentence]).ids for sentence in SAMPLES]
    for number, name in enumerate(ways):
        own = folder / str(number)
        own.mkdir()
        for path in plain.iterdir():
            (own / path.name).write_bytes(path.read_bytes())
        onnx.save(WAYS[name](graph, rows), own / ENCODER)
        size = (own / ENCODER).stat().st_size
        config = json.loads((own / CONFIG).read_text(encoding="utf-8"))
        config["runtime"]["files"][ENCODER] = size
        (own / CONFIG).write_text(json.dumps(config), encoding="utf-8")
        yield name, load_runtime(own), size


def measure(models: dict[str, RuntimeModel], sentences: list[list[str]], turns: int) -> dict[str, float]:
    """Seconds that each encoder takes for these sentences, summing each sentence's best turn."""
    total = dict.fromkeys(models, 0.0)
    for sentence in sentences:
        best = dict.fromkeys(models, float("inf"))
        for _ in range(turns):
            for name, model in models.items():
                words = model.network._words
                ids = words._pieces.batch([sentence]).ids
                started = time.process_time()
                words._graph.run(None, {"ids": ids[:1]})
                best[name] = min(best[name], time.process_time() - started)
        for name, seconds in best.items():
            total[name] += seconds
    return total


def readings(documents: tuple[Document, ...]) -> list[object]:
    return [
        (document.edus[span.start : span.end], tree)
        for document in documents
        for span, tree in zip(document.sentence_edus(), document.sentence_trees, strict=True)
        if span is not None
    ]


class Rewriter:
    """Replaces products with a constant matrix in a graph."""

    def __init__(self, model: ModelProto, rows: Rows) -> None:
        self.model = ModelProto()
        self.model.CopyFrom(lower_tables(model, rows))
        self.constants = {tensor.name: tensor for tensor in self.model.graph.initializer}
        self.nodes: list[NodeProto] = []
        self.inputs: dict[str, tuple[str, str, str]] = {}

    def run(self, replace: Callable[["Rewriter", str, str, str], None]) -> ModelProto:
        graph = self.model.graph
        for node in list(graph.node):
            if node.op_type == "MatMul" and node.input[1] in self.constants:
                replace(self, node.input[0], node.input[1], node.output[0])
                del self.constants[node.input[1]]
            else:
                self.nodes.append(node)
        del graph.node[:], graph.initializer[:]
        graph.node.extend(self.nodes)
        graph.initializer.extend(self.constants.values())
        if all(opset.domain != "com.microsoft" for opset in self.model.opset_import):
            self.model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        return self.model

    def weight(self, name: str) -> np.ndarray:
        return numpy_helper.to_array(self.constants[name])

    def constant(self, name: str, value: object) -> str:
        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def add(self, kind: str, inputs: list[str], outputs: list[str], **settings: object) -> None:
        self.nodes.append(helper.make_node(kind, inputs, outputs, **settings))


def lower_tables(model: ModelProto, rows: Rows) -> ModelProto:
    """Convert only the embedding table to int8, as in all ways except fp32 and fp16."""
    lowered = lower_precision(model, "int8", rows)
    tables = {name: node for node in lowered.graph.node for name in node.output}
    mixed = ModelProto()
    mixed.CopyFrom(model)
    gather = next(node for node in mixed.graph.node if node.op_type == "Gather")
    needed, names = [], [gather.output[0]]
    while names:
        node = tables.get(names.pop())
        if node is not None:
            needed.insert(0, node)
            names += node.input
    used = {name for node in needed for name in node.input}
    mixed.graph.initializer.extend(one for one in lowered.graph.initializer if one.name in used)
    large = next(one for one in mixed.graph.initializer if one.name == gather.input[0])
    mixed.graph.initializer.remove(large)
    at = list(mixed.graph.node).index(gather)
    rest = [*list(mixed.graph.node)[:at], *needed, *list(mixed.graph.node)[at + 1 :]]
    del mixed.graph.node[:]
    mixed.graph.node.extend(rest)
    return mixed


def activations(model: ModelProto, rows: Rows) -> dict[str, np.ndarray]:
    """Inputs of the products for the sample sentences, ``(pieces, width)``."""
    watched = ModelProto()
    watched.CopyFrom(model)
    constants = {tensor.name for tensor in model.graph.initializer}
    names = list(
        {
            node.input[0]: 0
            for node in model.graph.node
            if node.op_type == "MatMul" and node.input[1] in constants
        }
    )
    watched.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names
    )
    session = onnxruntime.InferenceSession(watched.SerializeToString())
    found = [session.run(names, {"ids": ids}) for ids in rows]
    return {
        name: np.concatenate([values[number][0] for values in found]) for number, name in enumerate(names)
    }


def quantise(weight: np.ndarray, largest: int) -> tuple[np.ndarray, np.ndarray]:
    scale = np.abs(weight).max(axis=0) / np.float32(largest)
    scale[scale == 0] = 1
    return np.rint(weight / scale).astype(np.int8), scale


def weights_alone(model: ModelProto, rows: Rows) -> ModelProto:
    """8-bit weights, products in full precision."""

    def replace(graph: Rewriter, x: str, name: str, output: str) -> None:
        whole, scale = quantise(graph.weight(name), 127)
        graph.constant(f"{name}.whole", whole)
        graph.constant(f"{name}.scale", scale)
        graph.add("Cast", [f"{name}.whole"], [f"{name}.number"], to=TensorProto.FLOAT)
        graph.add("Mul", [f"{name}.number", f"{name}.scale"], [f"{name}.weight"])
        graph.add("MatMul", [x, f"{name}.weight"], [output])

    return Rewriter(model, rows).run(replace)


def whole_numbers(scales: str, *, largest: int = 127, evenness: float = 0) -> Way:
    """Integer products.

    :param scales: scales of the inputs: computed per "sentence" or per "row", or "calibrated" in advance
    :param largest: largest absolute value of a quantised weight
    :param evenness: input columns are divided by their largest absolute value to this power
    """

    def way(model: ModelProto, rows: Rows) -> ModelProto:
        seen = activations(model, rows)

        def enter(graph: Rewriter, x: str, even: np.ndarray) -> tuple[str, str, str]:
            value, names = x, (f"{x}.whole", f"{x}.scale", f"{x}.zero")
            if evenness:
                value = f"{x}.even"
                graph.add("Mul", [x, graph.constant(f"{x}.shares", 1 / even)], [value])
            if scales == "sentence":
                graph.add("DynamicQuantizeLinear", [value], list(names))
            elif scales == "calibrated":
                low, high = (seen[x] / even).min(), (seen[x] / even).max()
                graph.constant(names[1], np.float32((high - low) / 255))
                graph.constant(names[2], np.uint8(round(-low / (high - low) * 255)))
                graph.add("QuantizeLinear", [value, *names[1:]], [names[0]])
            else:
                graph.constant(names[1], np.float32(1 / 127))
                graph.constant(names[2], np.uint8(128))
                graph.add("Abs", [value], [f"{x}.abs"])
                graph.add("ReduceMax", [f"{x}.abs"], [f"{x}.max"], axes=[-1], keepdims=1)
                graph.add("Div", [value, f"{x}.max"], [f"{x}.unit"])
                graph.add("QuantizeLinear", [f"{x}.unit", *names[1:]], [names[0]])
            return names

        def replace(graph: Rewriter, x: str, name: str, output: str) -> None:
            even = (np.maximum(np.abs(seen[x]).max(axis=0), 1e-5) ** evenness).astype(np.float32)
            if x not in graph.inputs:
                graph.inputs[x] = enter(graph, x, even)
            value, scale, zero = graph.inputs[x]
            whole, own = quantise(graph.weight(name) * even[:, None], largest)
            graph.constant(f"{name}.whole", whole)
            graph.constant(f"{name}.scale", own)
            inputs = [value, f"{name}.whole", scale, f"{name}.scale", zero]
            result = f"{output}.unit" if scales == "row" else output
            graph.add("MatMulIntegerToFloat", inputs, [result], domain="com.microsoft")
            if scales == "row":
                graph.add("Mul", [result, f"{x}.max"], [output])

        return Rewriter(model, rows).run(replace)

    return way


def blocks(bits: int) -> Way:
    """ONNX Runtime's ``MatMulNBits``: one scale per 32 numbers, for weights and inputs."""

    def replace(graph: Rewriter, x: str, name: str, output: str) -> None:
        weight = graph.weight(name)
        height, width = weight.shape
        n_blocks, half = -(-height // 32), 2 ** (bits - 1)
        padded = np.zeros((width, n_blocks * 32), dtype=np.float32)
        padded[:, :height] = weight.T
        parts = padded.reshape(width, n_blocks, 32)
        scale = np.maximum(np.abs(parts).max(axis=2) / np.float32(half - 1), 1e-9)
        whole = (np.rint(parts / scale[:, :, None]) + half).astype(np.uint8)
        if bits == 4:
            whole = whole[:, :, ::2] | (whole[:, :, 1::2] << 4)
        graph.constant(f"{name}.whole", whole)
        graph.constant(f"{name}.scale", scale)
        inputs = [x, f"{name}.whole", f"{name}.scale"]
        sizes = {"K": height, "N": width, "bits": bits, "block_size": 32, "accuracy_level": 4}
        graph.add("MatMulNBits", inputs, [output], domain="com.microsoft", **sizes)

    return lambda model, rows: Rewriter(model, rows).run(replace)


WAYS: dict[str, Way] = {
    "fp32": lambda model, rows: lower_precision(model, "fp32", rows),
    "fp16": lambda model, rows: lower_precision(model, "fp16", rows),
    "int8": lambda model, rows: lower_precision(model, "int8", rows),
    "weights of 8 bits alone": weights_alone,
    "calibrated scales": whole_numbers("calibrated"),
    "calibrated scales, evened": whole_numbers("calibrated", evenness=0.5),
    "a sentence's scales": whole_numbers("sentence"),
    "a sentence's scales, evened": whole_numbers("sentence", evenness=0.5),
    "a row's scales": whole_numbers("row"),
    "a row's scales, evened": whole_numbers("row", evenness=0.35),
    "blocks of 8 bits": blocks(8),
    "blocks of 4 bits": blocks(4),
}

if __name__ == "__main__":
    main()
