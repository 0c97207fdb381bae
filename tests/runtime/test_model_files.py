"""Models from strangers: whatever is wrong with one is a :class:`ModelError` when it is loaded."""

import json
import os
import pickle
import shutil
from hashlib import sha256

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")

import onnx
from onnx import TensorProto, helper
from safetensors.numpy import save_file

from rhetree.cli.main import main
from rhetree.errors import ModelError
from rhetree.learning.export import export_model
from rhetree.learning.model import WEIGHTS, save_model
from rhetree.runtime.loading import load_any
from rhetree.runtime.model import (
    CONFIG,
    ENCODER,
    LABELS,
    SEGMENTER,
    STATES,
    TABLE,
    TOKENIZER,
    VECTORS,
    WORDS,
    _read_table,
    load_runtime,
    read_config,
)
from rhetree.runtime.model_files import MOST_CONFIG_BYTES
from support.exported import make_model, transformer_model
from support.tiny_encoders import save_encoder


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """One model with a table of words, one with an encoder."""
    folder = tmp_path_factory.mktemp("models")
    export_model(make_model(steps=1), folder / "table", precision="fp32")
    encoder = save_encoder(folder / "encoder")
    export_model(transformer_model(encoder), folder / "pieces", precision="fp32")
    return folder


@pytest.fixture(params=["table", "pieces"])
def any_model(originals, tmp_path, request):
    return shutil.copytree(originals / request.param, tmp_path / "model")


@pytest.fixture
def table(originals, tmp_path):
    return shutil.copytree(originals / "table", tmp_path / "model")


@pytest.fixture
def pieces(originals, tmp_path):
    return shutil.copytree(originals / "pieces", tmp_path / "model")


def change(folder, *keys, to):
    """Another value in the model's config."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    section = config
    for key in keys[:-1]:
        section = section[key]
    section[keys[-1]] = to
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")


def put(folder, name, content):
    """Another file, of which the config tells the right size and hash."""
    if isinstance(content, onnx.ModelProto):
        content = content.SerializeToString()
    (folder / name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    change(folder, "runtime", "files", name, to=(folder / name).stat().st_size)
    change(folder, "runtime", "sha256", name, to=sha256((folder / name).read_bytes()).hexdigest())


def graph(nodes, inputs, outputs, initializers=()):
    """A small graph; values are floats unless told otherwise, of any shape."""
    typed = [
        [helper.make_tensor_value_info(name, kind, axes) for name, (kind, axes) in values.items()]
        for values in (inputs, outputs)
    ]
    made = helper.make_graph(nodes, "stranger", typed[0], typed[1], list(initializers))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def refused(folder, message):
    with pytest.raises(ModelError, match=message) as caught:
        load_runtime(folder, threads=1)
    assert len(str(caught.value)) < 1000


def test_both_models_load_as_they_are(any_model):
    load_runtime(any_model, threads=1)


# --- the folder -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "..", "", "a/b", "a\\b", "a\0b"])
def test_a_file_outside_the_folder_is_not_looked_at(name, table):
    change(table, "runtime", "files", to={name: 1})
    refused(table, "runtime.files has .*; expected names of files in this folder")


@pytest.mark.parametrize("name", [CONFIG, STATES, WORDS])
def test_a_pipe_is_not_waited_for(name, table):
    (table / name).unlink()
    os.mkfifo(table / name)
    refused(table, f"{name}: is not a plain file")
    with pytest.raises(ModelError, match="is not a plain file"):
        read_config(table)


@pytest.mark.parametrize("name", [CONFIG, WORDS, "MODEL_CARD.md"])
def test_a_link_that_leaves_the_folder_is_not_followed(name, table, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("secret", encoding="utf-8")
    (table / name).unlink(missing_ok=True)
    (table / name).symlink_to(outside)
    refused(table, f"{name}: is a link that leaves the model's folder; put a copy")
    assert main(["info", str(table)]) == 2


def test_links_inside_the_folder_and_to_it_are_followed(table, tmp_path):
    (table / WORDS).rename(table / "own.json")
    (table / WORDS).symlink_to("own.json")
    (tmp_path / "link").symlink_to(table)
    load_runtime(tmp_path / "link", threads=1)


def test_a_link_to_itself_is_no_file(table):
    (table / WORDS).unlink()
    (table / WORDS).symlink_to(WORDS)
    refused(table, "cannot be read|No such file|Too many levels")


def test_a_name_that_no_folder_can_have_is_no_model(capsys):
    assert main(["info", "x" * 5000]) == 2
    assert "no model is called" in capsys.readouterr().err


# --- the config -----------------------------------------------------------------------------


def test_a_config_nested_deeply_is_refused(table):
    (table / CONFIG).write_text("[" * 200_000 + "]" * 200_000, encoding="utf-8")
    refused(table, "config.json: its JSON is nested too deeply")


def test_a_config_that_is_huge_is_not_read(table):
    with (table / CONFIG).open("ab") as file:
        file.truncate(MOST_CONFIG_BYTES + 1)
    refused(table, rf"config.json: has \d+ bytes; at most {MOST_CONFIG_BYTES} are read")


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("window",), 10**9, "words.window: expected a whole number from 8 to 131072, got 1000000000"),
        (("window",), -1, "words.window: expected a whole number"),
        (("window",), 512.0, "words.window: expected a whole number .* got 512.0"),
        (("window",), True, "words.window: expected a whole number"),
        (("max_pieces",), -3, "words.max_pieces: expected a whole number from 1 .* got -3"),
        (("max_pieces",), 10**9, "words.max_pieces: expected a whole number"),
        (("pad_id",), -1, "words.pad_id: expected a whole number"),
        (("pad_id",), 10**6, "encoder.onnx: the graph fails when it is run"),
        (("piece",), "lst", "words.piece: expected one of first, last, mean, got 'lst'"),
        (("kind",), "words", "words.kind: expected one of table, pieces, got 'words'"),
        (("kind",), ["table"], "words.kind: expected one of"),
    ],
)
def test_absurd_settings_of_words_are_refused(keys, value, message, pieces):
    change(pieces, "runtime", "words", *keys, to=value)
    refused(pieces, message)


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("runtime",), 3, "runtime: expected a section of settings, got 3"),
        (("runtime", "words"), [], r"runtime.words: expected a section of settings, got \[\]"),
        (("runtime", "words", "lower_case"), "yes", "words.lower_case: expected true or false, got 'yes'"),
        (("runtime", "parser", "span"), "Last", "parser.span: expected one of last, mean, both-ends"),
        (("runtime", "parser", "boundary"), "both", "parser.boundary: expected one of last, both-sides"),
        (("runtime", "parser", "partial_tree"), 1, "partial_tree: expected one of attention, average, none"),
        (("runtime", "segmenter", "input"), None, "segmenter.input: expected one of state, embedding"),
        (("runtime", "segmenter"), None, "the network cannot be run"),
        (("runtime", "parser"), None, "the network cannot be run"),
        (("recipe", "network"), None, 'sections of settings under "recipe"'),
        (("recipe", "network", "embedding"), "x" * 5000, "recipe.network.embedding: expected a section"),
        (("scores",), {"dev": [1]}, "scores.dev: expected a section of settings"),
        (("scores",), {"dev": {"full": "good"}}, "scores.dev.full: expected a number, got 'good'"),
        (("versions",), "new", "versions: expected a section"),
        (("labels",), ["joint-NN", "cause\ud800-NS"], "expected labels such as cause-NS"),
        (("labels",), {"joint-NN": 1}, "labels apart|expected labels"),
        (("labels",), ["joint-NN", "joint-NN"], "each label is there once"),
    ],
)
def test_settings_of_another_kind_are_refused(keys, value, message, table):
    change(table, *keys, to=value)
    refused(table, message)


def test_a_number_of_thousands_of_digits_is_refused(pieces):
    text = (pieces / CONFIG).read_text(encoding="utf-8")
    (pieces / CONFIG).write_text(text.replace('"window": ', f'"window": 1{"0" * 4400}'), encoding="utf-8")
    refused(pieces, "config.json: not JSON: .*digits")


def test_what_info_shows_is_checked_too(table, capsys):
    for keys, value in ((("runtime",), None), (("scores",), {"dev": 1}), (("versions",), 1)):
        change(table, *keys, to=value)
        assert main(["info", str(table)]) == 2
        assert "expected a section of settings" in capsys.readouterr().err


# --- files beside it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 200_000, "tokenizer.json: .*nested too deeply|recursion"),
        ("{}", "tokenizer.json: not a tokenizer"),
        ("[]", "tokenizer.json: not a tokenizer"),
        ("\ufffe", "tokenizer.json: "),
    ],
)
def test_a_spoilt_tokenizer_is_refused(text, message, pieces):
    put(pieces, TOKENIZER, text)
    refused(pieces, message)


def test_pieces_that_the_encoder_does_not_know_are_refused(pieces):
    tokenizer = json.loads((pieces / TOKENIZER).read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["stranger"] = 10**6
    put(pieces, TOKENIZER, json.dumps(tokenizer))
    refused(pieces, "encoder.onnx: the graph fails when it is run: .*")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("{", "words.json: not JSON"),
        ("[" * 200_000, "words.json: its JSON is nested too deeply"),
        ('{"a": 1}', "words.json: expected a list of words"),
        ("[1, 2]", "words.json: expected a list of words"),
        (
            '["a"]',
            r"words.safetensors: has the shape .*; expected 3 vectors, 2 more than words.json has words",
        ),
    ],
)
def test_a_spoilt_list_of_words_is_refused(words, message, table):
    put(table, WORDS, words)
    refused(table, message)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"other": np.zeros((2, 2), np.float32)}, "words.safetensors: there are no 'vectors'"),
        ({TABLE: np.zeros(3, np.float32)}, r"words.safetensors: has the shape \(3,\)"),
        (None, "words.safetensors: cannot be read"),
    ],
)
def test_a_spoilt_table_of_vectors_is_refused(tensors, message, table):
    if tensors is None:
        put(table, VECTORS, b"12345678")
    else:
        save_file(tensors, table / VECTORS)
        put(table, VECTORS, (table / VECTORS).read_bytes())
    refused(table, message)


def test_vectors_of_another_width_are_refused(table):
    words = json.loads((table / WORDS).read_text(encoding="utf-8"))
    save_file({TABLE: np.zeros((2 + len(words), 3), np.float32)}, table / VECTORS)
    put(table, VECTORS, (table / VECTORS).read_bytes())
    refused(table, "states.onnx: the graph fails when it is run: .*Got invalid dimensions")


# --- graphs ---------------------------------------------------------------------------------

FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64
SPLITS = {"left": (FLOAT, ["k", None]), "right": (FLOAT, ["k", None])}


def test_a_graph_with_other_inputs_is_refused(table):
    other = graph([helper.make_node("Neg", ["x"], ["y"])], {"x": (FLOAT, None)}, {"y": (FLOAT, None)})
    put(table, LABELS, other)
    refused(table, "labels.onnx: the graph has the inputs x; expected left, right")


def test_a_graph_that_fails_when_run_is_refused(table, capfd):
    nodes = [
        helper.make_node("Constant", [], ["shape"], value=helper.make_tensor("s", INT, [2], [7, 13])),
        helper.make_node("Reshape", ["left", "shape"], ["log_probs"]),
    ]
    put(table, LABELS, graph(nodes, SPLITS, {"log_probs": (FLOAT, None)}))
    refused(table, "labels.onnx: the graph fails when it is run: .*")
    assert capfd.readouterr() == ("", "")  # ONNX Runtime says nothing by itself


def test_a_graph_with_other_outputs_is_refused(table):
    nodes = [helper.make_node("Neg", ["left"], ["a"]), helper.make_node("Neg", ["right"], ["b"])]
    put(table, LABELS, graph(nodes, SPLITS, {"a": (FLOAT, None), "b": (FLOAT, None)}))
    refused(table, "do not fit")


def test_a_step_without_a_query_is_refused(table):
    inputs = {"inputs": (FLOAT, ["k", None]), "hidden": (FLOAT, [None, "k", None])}
    put(
        table,
        SEGMENTER,
        graph([helper.make_node("Neg", ["hidden"], ["after"])], inputs, {"after": (FLOAT, None)}),
    )
    refused(table, "the network cannot be run")


def test_states_without_what_decoders_begin_with_are_refused(table):
    inputs = {"vectors": (FLOAT, ["b", "n", None]), "lengths": (INT, ["b"])}
    put(
        table,
        STATES,
        graph([helper.make_node("Neg", ["vectors"], ["states"])], inputs, {"states": (FLOAT, None)}),
    )
    refused(table, "the network cannot be run: 'segmenter_hidden'")


def test_a_graph_that_gives_nan_is_refused(table):
    model = onnx.load(table / LABELS)
    for tensor in model.graph.initializer:
        if tensor.data_type == FLOAT:
            tensor.raw_data = np.full(tuple(tensor.dims), np.nan, np.float32).tobytes()
            tensor.ClearField("float_data")
    put(table, LABELS, model)
    refused(table, "do not fit: its probabilities are not finite numbers")


@pytest.mark.parametrize("location", ["../weights.bin", "/dev/zero", "weights.bin"])
def test_weights_in_other_files_are_not_read(location, table):
    weight = TensorProto(name="w", data_type=FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", "0"), ("length", "4")):
        weight.external_data.add(key=key, value=value)
    (table / "weights.bin").write_bytes(b"1234")
    nodes = [
        helper.make_node("Add", ["left", "w"], ["sum"]),
        helper.make_node("Add", ["sum", "right"], ["y"]),
    ]
    put(table, LABELS, graph(nodes, SPLITS, {"y": (FLOAT, None)}, [weight]))
    refused(table, "labels.onnx: keeps weights in other files, which are not read; export the model again")


def test_weights_in_other_files_are_found_however_they_are_written(table):
    """Protocol Buffers can write the same message in several ways."""
    text = (table / LABELS).read_bytes()
    # graph { initializer { external_data { key: "location" } } }, with lengths of more bytes than they need
    key = b"\x0a\x88\x00location"
    entry = bytes([0x6A, 0x80 | len(key), 0x00]) + key
    tensor = bytes([0x2A, 0x80 | len(entry), 0x00]) + entry
    put(table, LABELS, text + bytes([0x3A, 0x80 | len(tensor), 0x00]) + tensor)
    refused(table, "labels.onnx: keeps weights in other files")
    location = bytes([0x2A, 2, 0x70, 1])  # initializer { data_location: EXTERNAL }
    put(table, LABELS, text + bytes([0x3A, len(location)]) + location)
    refused(table, "labels.onnx: keeps weights in other files")


def endless(kind):
    """A graph of the inputs that labels have, which runs for ever or might."""
    value = helper.make_tensor_value_info
    if kind == "Loop":
        body = helper.make_graph(
            [
                helper.make_node("Identity", ["going"], ["goes_on"]),
                helper.make_node("Add", ["x", "x"], ["y"]),
            ],
            "body",
            [value("i", INT, []), value("going", TensorProto.BOOL, []), value("x", FLOAT, None)],
            [value("goes_on", TensorProto.BOOL, []), value("y", FLOAT, None)],
        )
        true = helper.make_tensor("true", TensorProto.BOOL, [], [True])
        nodes = [
            helper.make_node("Add", ["left", "right"], ["sum"]),
            helper.make_node("Loop", ["", "true", "sum"], ["log_probs"], body=body),
        ]
        return graph(nodes, SPLITS, {"log_probs": (FLOAT, None)}, [true])
    model = graph(
        [helper.make_node("Twice", ["left", "right"], ["y"], domain="own")], SPLITS, {"y": (FLOAT, None)}
    )
    model.functions.append(
        helper.make_function(
            "own",
            "Twice",
            ["a", "b"],
            ["c"],
            [helper.make_node("Twice", ["a", "b"], ["c"], domain="own")],
            [helper.make_opsetid("own", 1)],
        )
    )
    return model


@pytest.mark.parametrize("kind", ["Loop", "function"])
def test_a_graph_that_may_never_end_is_refused(kind, table):
    put(table, LABELS, endless(kind))
    refused(table, "labels.onnx: has loops, branches or functions, so that it may never end")


def test_the_other_format_of_the_library_is_not_read(table):
    put(table, LABELS, b"\x08\x00\x00\x00ORTM" + (table / LABELS).read_bytes())
    refused(table, "labels.onnx: (is no ONNX graph|ONNX Runtime .* cannot read it)")


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 100, b"\xff" * 100, b"\x3a\x80", b"\x3a\x05a", b"\x0d\x00"]
)
def test_bytes_that_are_no_graph_are_refused(content, pieces):
    put(pieces, ENCODER, content)
    refused(
        pieces,
        "encoder.onnx: (the file is empty|is no ONNX graph|ONNX Runtime .* cannot read it|the graph has the inputs none)",
    )


def test_a_graph_that_is_cut_off_is_refused(pieces):
    put(pieces, ENCODER, (pieces / ENCODER).read_bytes()[:-10])
    refused(pieces, "encoder.onnx: is no ONNX graph, or is cut off; copy it again")


# --- weights --------------------------------------------------------------------------------


class _Trap:
    folder = ""

    def __reduce__(self):
        return os.mkdir, (_Trap.folder,)


def test_a_pickle_that_poses_as_weights_is_not_run(table, tmp_path):
    _Trap.folder = str(tmp_path / "sprung")
    put(table, VECTORS, pickle.dumps(_Trap()))
    refused(table, "words.safetensors: cannot be read")
    assert not (tmp_path / "sprung").exists()


def test_a_header_of_two_gigabytes_is_not_read(table):
    with (table / VECTORS).open("wb") as file:  # of holes, so that it takes no room on the disk
        file.write((2**31).to_bytes(8, "little"))
        file.truncate(8 + 2**31)
    change(table, "runtime", "files", VECTORS, to=8 + 2**31)
    change(table, "runtime", "sha256", to={})
    with pytest.raises(ModelError, match="words.safetensors: .*header too large"):
        _read_table(table / VECTORS)


def test_weights_to_train_further_are_no_pickle_and_have_a_small_header(tmp_path):
    _Trap.folder = str(tmp_path / "sprung")
    folder = tmp_path / "model"
    model = make_model(steps=1)
    save_model(folder, model.network, model.recipe, model.about)
    for content in (pickle.dumps(_Trap()), (2**31).to_bytes(8, "little") + b"{}"):
        (folder / WEIGHTS).write_bytes(content)
        with pytest.raises(ModelError, match="weights.safetensors: "):
            load_any(folder)
    assert not (tmp_path / "sprung").exists()


# --- hashes ---------------------------------------------------------------------------------


def test_a_file_that_was_changed_is_refused(table):
    content = bytearray((table / LABELS).read_bytes())
    content[len(content) // 2] ^= 1
    (table / LABELS).write_bytes(content)
    refused(
        table,
        "labels.onnx: is not the file that the model was exported with: its SHA-256 is .*; copy it again",
    )


def test_a_model_that_lists_no_hashes_is_read(table):
    config = json.loads((table / CONFIG).read_text(encoding="utf-8"))
    del config["runtime"]["sha256"]
    (table / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    load_runtime(table, threads=1)


def test_hashes_of_another_kind_are_refused(table):
    change(table, "runtime", "sha256", to=["abc"])
    refused(table, "runtime.sha256: expected a section of settings")
