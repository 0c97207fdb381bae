"""All that Rhetree knows of the ``transformers`` library: encoders from folders, never from the network."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from rhetree.errors import EmbeddingError
from rhetree.learning.embeddings.config import MOST_LAYERS
from rhetree.offline import keep_offline

keep_offline("huggingface_hub")

# They read the environment when they are imported.
import huggingface_hub.constants  # noqa: E402
import transformers  # noqa: E402
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES  # noqa: E402
from transformers.utils import logging  # noqa: E402

# Half of this library is typed; strict checking of calls into the other half would say nothing.
_auto: Any = transformers.AutoModel
_logging: Any = logging

_FILES = ("config.json", "tokenizer.json")
_ATTENTION_DROPOUTS = ("attention_probs_dropout_prob", "attention_dropout")
"""What configurations call the share of attention weights that are dropped."""
_MARK = 0.4375
"""A share that no configuration has by itself."""


@dataclass(frozen=True, slots=True)
class EncoderFacts:
    """What an embedder needs to know about an encoder."""

    width: int
    pad_id: int
    n_pieces: int
    """The size of its vocabulary."""
    max_length: int
    """Most pieces in a row, special ones included."""
    layers: nn.ModuleList | None
    """Its layers from below; None where it has no list of them, such as one layer used many times."""


def read_encoder(folder: Path) -> tuple[nn.Module, str]:
    """The encoder in a folder, and the text of its ``tokenizer.json``."""
    if not folder.is_dir():
        raise EmbeddingError("is not a folder; expected that of a Hugging Face encoder", folder)
    for name in _FILES:
        if not (folder / name).is_file():
            raise EmbeddingError(f"has no {name}; {_ADVICE[name]}", folder)
    if not any(folder.glob("*.safetensors")):
        raise EmbeddingError(f"has no weights in a .safetensors file; {_ADVICE['model.safetensors']}", folder)
    config = _read_config(folder / "config.json")
    try:
        with _offline_and_quiet():
            encoder, report = _auto.from_pretrained(
                folder,
                config=config,
                dtype=torch.float32,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # we tell of them ourselves
            )
    except Exception as error:  # safetensors, torch and transformers each raise their own
        raise EmbeddingError(f"its weights cannot be read: {_in_a_line(error)}", folder) from error
    if report["mismatched_keys"]:
        name, found, expected = min(report["mismatched_keys"])
        raise EmbeddingError(
            f"its weights do not fit its config.json: {name} has the shape {tuple(found)}, "
            f"expected {tuple(expected)}",
            folder,
        )
    # Heads that we do not use are left out of many files, and are not used here.
    missing = sorted(name for name in report["missing_keys"] if not name.startswith("pooler."))
    if missing:
        raise EmbeddingError(
            f"its weights lack {len(missing)} of the encoder's parameters, the first is {missing[0]}", folder
        )
    text = (folder / "tokenizer.json").read_text(encoding="utf-8")
    return _without_pooler(encoder), text


def build_encoder(description: str) -> nn.Module:
    """The encoder that :func:`describe_encoder` described, with weights that mean nothing yet."""
    config = _known_config(description, Path("encoder.json"))
    with _offline_and_quiet():
        encoder = _auto.from_config(config, dtype=torch.float32, trust_remote_code=False)
    return _without_pooler(encoder)


def describe_encoder(encoder: nn.Module) -> str:
    """The configuration of an encoder as JSON."""
    config: Any = encoder.config
    settings = json.loads(config.to_json_string(use_diff=True))
    settings.pop("_name_or_path", None)  # the folder that it came from
    return json.dumps(settings, indent=2)


def facts_of(encoder: nn.Module) -> EncoderFacts:
    """Find out what an embedder needs to know about this encoder."""
    config: Any = encoder.config
    max_length = int(getattr(config, "max_position_embeddings", None) or 512)
    positions = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
    if positions is not None and getattr(positions, "padding_idx", None) is not None:
        max_length -= positions.padding_idx + 1  # RoBERTa and its like count positions from there
    n_layers = config.num_hidden_layers
    lists = (module for module in encoder.modules() if isinstance(module, nn.ModuleList))
    return EncoderFacts(
        width=int(config.hidden_size),
        pad_id=int(getattr(config, "pad_token_id", None) or 0),
        n_pieces=int(config.vocab_size),
        max_length=max_length,
        layers=next((layers for layers in lists if len(layers) == n_layers), None),
    )


def cut_layers(encoder: nn.Module, n_layers: int) -> None:
    """Drop the layers above the first ``n_layers``; ``ValueError`` where that cannot be."""
    layers = facts_of(encoder).layers
    if layers is None:
        raise ValueError("the encoder has no list of layers to take some of; n_layers is 0 for it")
    if n_layers > len(layers):
        raise ValueError(f"n_layers = {n_layers}, but the encoder has {len(layers)}")
    del layers[n_layers:]
    config: Any = encoder.config
    config.num_hidden_layers = n_layers


def find_stack(encoder: nn.Module) -> tuple[list[nn.Module], list[nn.Module]]:
    """The layers from below and what stands above them; neither where no list has layers one above the other."""
    layers = list(facts_of(encoder).layers or ())
    above = _above(encoder, layers[-1]) if layers else []
    inside = {id(module) for layer in layers for module in layer.modules()}
    # FlauBERT's list has attentions alone: what is between them stands beside the last one.
    return ([], []) if any(id(module) in inside for module in above) else (layers, above)


def run_below(encoder: nn.Module, first: int, ids: Tensor) -> Tensor:
    """The states that an encoder's lowest layers hand to layer ``first``, counted from 1 and at least 2."""
    found: list[Tensor] = []
    layers = _stacked(encoder)[: first - 1]

    def keep(_layer: nn.Module, _inputs: Any, output: Any) -> None:
        found.append(output[0] if isinstance(output, tuple) else output)

    with _some_layers(encoder, layers), _hooked(layers[-1].register_forward_hook(keep)):
        encoder(input_ids=ids)
    return found[-1]


@contextmanager
def run_above(encoder: nn.Module, first: int, states: Tensor) -> Iterator[None]:
    """Let an encoder run layer ``first``, counted from 1, and those above it alone, on these states."""
    layers = _stacked(encoder)[first - 1 :]

    def give(_layer: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return (states, *inputs[1:])

    with _some_layers(encoder, layers), _hooked(layers[0].register_forward_pre_hook(give)):
        yield


def can_run_apart(encoder: nn.Module, first: int) -> bool:
    """Whether an encoder's layers below ``first`` and the others can run one after the other.

    Not where a layer reads more than the one below it gives, as in DeBERTa with a convolution beside its first layer.
    """
    ids = torch.zeros(1, 3, dtype=torch.long)
    was_training = encoder.training
    encoder.eval()
    with torch.no_grad():
        whole = encoder(input_ids=ids).last_hidden_state
        with run_above(encoder, first, run_below(encoder, first, ids)):
            in_parts = encoder(input_ids=ids).last_hidden_state
    encoder.train(was_training)
    return torch.equal(whole, in_parts)


def _stacked(encoder: nn.Module) -> list[nn.Module]:
    return list(facts_of(encoder).layers or ())


@contextmanager
def _some_layers(encoder: nn.Module, layers: list[nn.Module]) -> Iterator[None]:
    """Have an encoder run these of its layers alone."""
    everything = facts_of(encoder).layers
    name = next(name for name, module in encoder.named_modules() if module is everything)
    parent, _, own = name.rpartition(".")
    setattr(encoder.get_submodule(parent), own, nn.ModuleList(layers))
    try:
        yield
    finally:
        setattr(encoder.get_submodule(parent), own, everything)


@contextmanager
def _hooked(hook: RemovableHandle) -> Iterator[None]:
    try:
        yield
    finally:
        hook.remove()


def attention_dropouts(encoder: nn.Module) -> list[nn.Dropout]:
    """What drops attention weights in an encoder.

    Architectures name these modules differently, and some name others alike. So a copy without weights is built, in which
    only these have a certain share.
    """
    config: Any = deepcopy(encoder.config)
    for name in _ATTENTION_DROPOUTS:
        if hasattr(config, name):
            setattr(config, name, _MARK)
    with torch.device("meta"):
        copy = type(encoder)(config)
    modules: dict[str, Any] = dict(encoder.named_modules())
    return [
        modules[name]
        for name, module in copy.named_modules()
        if isinstance(module, nn.Dropout) and module.p == _MARK
    ]


def _above(encoder: nn.Module, last: nn.Module) -> list[nn.Module]:
    """What changes the states of the last layer afterwards, such as a last normalisation.

    Neither names nor order tell it from what layers read, such as embeddings of relative positions;
    gradients do, where they end at the last layer.
    """

    def cut(_layer: nn.Module, _inputs: Any, output: Any) -> Any:
        states, *rest = output if isinstance(output, tuple) else (output,)
        states = states.detach().requires_grad_()
        return (states, *rest) if isinstance(output, tuple) else states

    parameters = [parameter for parameter in encoder.parameters() if parameter.requires_grad]
    ids = torch.zeros(1, 2, dtype=torch.long)
    was_training = encoder.training
    hook = last.register_forward_hook(cut)
    try:
        with torch.enable_grad():
            states = encoder.eval()(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
            gradients = torch.autograd.grad(states.sum(), parameters, allow_unused=True)
    finally:
        hook.remove()
        encoder.train(was_training)
    above = {id(one) for one, gradient in zip(parameters, gradients, strict=True) if gradient is not None}
    return [
        module
        for module in encoder.modules()
        if any(id(parameter) in above for parameter in module.parameters(recurse=False))
    ]


_ADVICE = {
    "config.json": "is this the folder of a Hugging Face encoder?",
    "tokenizer.json": (
        "have transformers write it: AutoTokenizer.from_pretrained(folder).save_pretrained(folder)"
    ),
    "model.safetensors": "have transformers write it: AutoModel.from_pretrained(folder).save_pretrained(folder)",
}


def _read_config(path: Path) -> Any:
    try:
        return _known_config(path.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise EmbeddingError(f"cannot be read: {error}", path) from error


def _known_config(text: str, path: Path) -> Any:
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise EmbeddingError(f"not JSON: {error}", path) from error
    except RecursionError as error:
        raise EmbeddingError("its JSON is nested too deeply", path) from error
    if not isinstance(settings, dict) or "model_type" not in settings:
        raise EmbeddingError("has no model_type; is this the folder of a Hugging Face encoder?", path)
    for name, value in settings.items():
        if name.endswith("layers") and isinstance(value, int) and value > MOST_LAYERS:
            raise EmbeddingError(f"{name} is at most {MOST_LAYERS}, got {value}", path)
    return _config_of(settings, path)


def _config_of(settings: dict[str, Any], path: Path) -> Any:
    kind = settings["model_type"]
    # What has a masked language model is an encoder that sees both sides of a word.
    if kind not in MODEL_FOR_MASKED_LM_MAPPING_NAMES or settings.get("is_encoder_decoder"):
        raise EmbeddingError(
            f"{kind!r} is not an encoder that this version of transformers ({transformers.__version__}) "
            "knows; use one such as bert, roberta, mpnet, electra or deberta-v2",
            path,
        )
    try:
        config = transformers.AutoConfig.for_model(**settings)
    except Exception as error:  # each configuration checks its values in its own way
        raise EmbeddingError(f"not a configuration of {kind!r}: {_in_a_line(error)}", path) from error
    if config.is_encoder_decoder or getattr(config, "is_decoder", False):
        raise EmbeddingError(f"{kind!r} with a decoder; only encoders give words a vector", path)
    return config


def _without_pooler(encoder: Any) -> nn.Module:
    """A pooler sees only the first piece, is not used, and would be parameters without a gradient."""
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None
    module: nn.Module = encoder
    return module


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


@contextmanager
def _offline_and_quiet() -> Iterator[None]:
    """No request leaves the machine and nothing is printed, whatever the library is set to."""
    was_offline = huggingface_hub.constants.HF_HUB_OFFLINE
    had_bars = _logging.is_progress_bar_enabled()
    verbosity = _logging.get_verbosity()
    huggingface_hub.constants.HF_HUB_OFFLINE = True
    _logging.disable_progress_bar()
    _logging.set_verbosity_error()
    try:
        yield
    finally:
        huggingface_hub.constants.HF_HUB_OFFLINE = was_offline
        if had_bars:
            _logging.enable_progress_bar()
        _logging.set_verbosity(verbosity)
