"""What turns words into vectors, as settings."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

_OWN = {
    "random": {"width", "lower_case", "min_count"},
    "static": {"path", "tuning", "n_extra"},
    "elmo": {"path", "features", "features_dtype"},
    "transformer": {
        "path",
        "tuning",
        "from_layer",
        "n_layers",
        "piece",
        "encoder_dropout",
        "window",
        "max_pieces",
        "features",
        "features_dtype",
    },
}
"""Which settings mean something to which kind; another that is set would do nothing, so it is refused."""
_TUNED = {"from_layer", "encoder_dropout"}
"""Those that mean something only while the encoder is trained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingConfig:
    """What turns words into vectors; a setting that its kind does not use keeps its default."""

    kind: Literal["random", "static", "elmo", "transformer"] = "random"
    """random: learnt from nothing. static: a file of vectors, such as GloVe's. elmo: its official
    options and weights. transformer: the folder of a Hugging Face encoder."""
    path: str = ""
    """static: a text file of vectors, a .npy file with vocab.txt beside it, or the folder of both.
    elmo: the folder of options.json and weights.hdf5. transformer: the folder of config.json,
    model.safetensors and tokenizer.json. A model that was saved needs it no more."""
    tuning: Literal["frozen", "mix", "tuned"] = "frozen"
    """frozen: nothing that was pretrained moves. mix (transformer): a learnt weighting of all layers,
    themselves frozen. tuned: pretrained weights are trained further. ELMo is always a mix."""

    width: int = 100
    """random: numbers per word."""
    lower_case: bool = True
    """random: words that differ only in case are the same. (static looks up the word as it is, then
    in lower case.)"""
    min_count: int = 2
    """random: a rarer word of the training data has the vector of unknown words, which so gets trained."""
    n_extra: int = 100_000
    """static: besides the words of the training data, so many of the first words of the file (mostly
    its commonest) are kept in the model, for text to come."""

    from_layer: int = 0
    """transformer, tuned: the lowest layer that is trained, counted from 1; 0 trains the encoder's own
    embeddings too."""
    n_layers: int = 0
    """transformer: how many layers to use, from below; 0 is all of them."""
    piece: Literal["last", "first", "mean"] = "last"
    """transformer: which of a word's pieces stands for it."""
    encoder_dropout: float = 0.1
    """transformer, tuned: dropout inside the trained layers. What is frozen has none."""
    window: int = 512
    """transformer: most pieces that the encoder sees at once, special ones included. A longer sentence
    goes through it in overlapping windows. An encoder made for fewer has its own limit."""
    max_pieces: int = 32
    """transformer: a word of more pieces is cut."""

    features: bool = True
    """elmo, and transformer unless tuned: compute what is frozen once and keep it on disk."""
    features_dtype: Literal["float32", "float16"] = "float32"
    """How features are kept. float16 halves the disk; vectors then have four digits, also where the
    finished model computes them anew."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name != "kind" and field.name not in _OWN[self.kind]:
                value = getattr(self, field.name)
                if value != field.default:
                    raise ValueError(f"{field.name} = {value!r} means nothing to {self.kind} embeddings")
        if self.kind != "random" and not self.path:
            raise ValueError(f"{self.kind} embeddings need a path")
        for name in ("width", "min_count", "max_pieces"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        for name in ("n_extra", "from_layer", "n_layers"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is at least 0, got {getattr(self, name)}")
        if self.window < 8:
            raise ValueError(f"window is at least 8 pieces, got {self.window}")
        if not 0 <= self.encoder_dropout < 1:
            raise ValueError(f"encoder_dropout is within 0 <= p < 1, got {self.encoder_dropout}")
        if self.kind == "static" and self.tuning == "mix":
            raise ValueError("static vectors have no layers to mix; tuning is frozen or tuned")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in _TUNED and self.tuning != "tuned" and value != field.default:
                raise ValueError(f"{field.name} = {value!r} means nothing while tuning is {self.tuning}")

    @property
    def folder(self) -> Path:
        """The path, with ``~`` resolved."""
        return Path(self.path).expanduser()

    @property
    def has_features(self) -> bool:
        """Whether what this computes can be kept on disk from epoch to epoch."""
        return self.features and (
            self.kind == "elmo" or (self.kind == "transformer" and self.tuning != "tuned")
        )

    @property
    def rounds_features(self) -> bool:
        """Whether what is kept is less exact than what was computed."""
        return self.has_features and self.features_dtype == "float16"
