"""The settings of embeddings, and the kinds of embeddings that there are."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of embeddings."""

    home: str
    """Where its :class:`~rhetree.learning.embeddings.embedder.Embedder` is, as ``module:Class``."""
    settings: frozenset[str]
    """The settings that it uses; setting another would do nothing, so that is refused."""


MOST_LAYERS = 1000
"""No encoder has more; one that claims to would be built for hours."""
MOST_PIECES = 2**17
"""Longest window, and most pieces of a word: what exported models are held to as well."""

_HERE = "rhetree.learning.embeddings"
_TUNED = frozenset({"from_layer", "encoder_dropout", "attention_dropout", "hidden_pieces", "training_dtype"})
"""The settings that mean something only while the encoder is trained."""
_FEATURES = frozenset({"features", "features_dtype"})
_PIECES = frozenset({"n_layers", "piece", "window", "max_pieces"})

KINDS = {
    "random": Kind(f"{_HERE}.random:RandomEmbedder", frozenset({"width", "lower_case", "min_count"})),
    "static": Kind(f"{_HERE}.static:StaticEmbedder", frozenset({"path", "tuning", "n_extra"})),
    "elmo": Kind(f"{_HERE}.elmo:ElmoEmbedder", frozenset({"path", "dropout", "batch_norm"}) | _FEATURES),
    "transformer": Kind(
        f"{_HERE}.transformer:TransformerEmbedder",
        frozenset({"path", "tuning"}) | _TUNED | _PIECES | _FEATURES,
    ),
}
"""The kinds of embeddings by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingConfig:
    """How words become vectors; settings that the chosen kind does not use keep their defaults."""

    kind: str = "random"
    """random: learnt from the training data alone. static: a file of vectors, such as GloVe's. elmo: its
    official options and weights. transformer: the folder of a Hugging Face encoder."""
    path: str = ""
    """static: a text file of vectors, a .npy file with vocab.txt beside it, or the folder of both.
    elmo: the folder of options.json and weights.hdf5. transformer: the folder of config.json,
    model.safetensors and tokenizer.json. Needed for training only: a saved model holds its own copy."""
    tuning: Literal["frozen", "mix", "tuned"] = "frozen"
    """frozen: pretrained weights stay as they are. mix (transformer): so do the layers, but a weighting of
    them is learnt. tuned: pretrained weights are trained further. ELMo is always a mix."""

    width: int = 100
    """random: size of the vectors."""
    lower_case: bool = True
    """random: whether words that differ only in case share a vector. (static looks up the word as it is,
    then in lower case.)"""
    min_count: int = 2
    """random: words that are rarer than this in the training data share the vector of unknown words, which
    is trained in this way."""
    n_extra: int = 100_000
    """static: number of words that the model keeps besides those of the training data: the first ones of
    the file, which are mostly the most frequent."""

    from_layer: int = 0
    """transformer, tuned: the lowest layer to train, counted from 1; 0 also trains the encoder's own
    embeddings."""
    n_layers: int = 0
    """transformer: number of layers to use, counted from the lowest; 0 for all."""
    piece: Literal["last", "first", "mean"] = "last"
    """transformer: which of a word's pieces represents it."""
    encoder_dropout: float = 0.1
    """transformer, tuned: dropout inside the trained layers, but for attention weights. Frozen layers have none."""
    attention_dropout: float = 0.1
    """transformer, tuned: dropout on the attention weights of the trained layers, in encoders that have a module for it,
    as BERT and its relatives do. On a CPU it takes about half of the time of a step over windows of 512 pieces; 0 saves
    that."""
    hidden_pieces: float = 0.0
    """transformer, tuned: share of the pieces of words that the encoder's mask piece replaces in training, drawn
    anew at each step. The network learns to do without single words, which helps most on texts unlike its own."""
    training_dtype: Literal["float32", "bfloat16"] = "float32"
    """transformer, tuned: number format of the encoder's computations in training; weights stay in float32.
    bfloat16 takes about 0.6 of the time on AMD processors with AVX512-BF16, but 1.6 times as long on Intel ones with
    AVX512-BF16 and without AMX: compare the first steps of both."""
    window: int = 512
    """transformer: the most pieces that the encoder reads at once, special ones included; less if the
    encoder's own limit is lower. A longer sentence is read in overlapping windows."""
    max_pieces: int = 32
    """transformer: the most pieces of a word; the rest is cut off."""

    dropout: float = 0.0
    """elmo: dropout on the mixed layers; the paper's is 0.5."""
    batch_norm: bool = False
    """elmo: give each dimension of the mixed layers mean 0 and variance 1, over the words of a batch in training
    and by a running estimate of these afterwards, so that no sentence depends on others."""

    features: bool = True
    """elmo, and transformer unless tuned: compute the frozen layers once and keep them on disk."""
    features_dtype: Literal["float32", "float16"] = "float32"
    """Number format of features on disk. float16 takes half the space; vectors then have about three
    significant digits, also when the finished model computes them anew."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind is one of {', '.join(map(repr, KINDS))}, got {self.kind!r}")
        own = KINDS[self.kind].settings
        for field in fields(self):
            if field.name != "kind" and field.name not in own:
                value = getattr(self, field.name)
                if value != field.default:
                    raise ValueError(f"{field.name} = {value!r} means nothing to {self.kind} embeddings")
        if "path" in own and not self.path:
            raise ValueError(f"{self.kind} embeddings need a path")
        for name in ("width", "min_count", "max_pieces"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        for name in ("n_extra", "from_layer", "n_layers"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is at least 0, got {getattr(self, name)}")
        if self.window < 8:
            raise ValueError(f"window is at least 8 pieces, got {self.window}")
        for name in ("window", "max_pieces"):
            if getattr(self, name) > MOST_PIECES:
                raise ValueError(f"{name} is at most {MOST_PIECES}, got {getattr(self, name)}")
        for name in ("dropout", "encoder_dropout", "attention_dropout", "hidden_pieces"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is within 0 <= p < 1, got {getattr(self, name)}")
        if self.tuning == "mix" and "n_layers" not in own:
            raise ValueError(f"{self.kind} vectors have no layers to mix; tuning is frozen or tuned")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in _TUNED and self.tuning != "tuned" and value != field.default:
                raise ValueError(f"{field.name} = {value!r} means nothing while tuning is {self.tuning}")

    @property
    def folder(self) -> Path:
        """The path, with ``~`` resolved."""
        return Path(self.path).expanduser()

    def frozen(self) -> "EmbeddingConfig":
        """The same embeddings with nothing of an encoder to be trained; they have the same weights."""
        if self.tuning != "tuned" or self.kind != "transformer":
            return self
        defaults = {field.name: field.default for field in fields(self) if field.name in _TUNED}
        return replace(self, tuning="frozen", **defaults)  # type: ignore[arg-type]  # each the kind of its field

    @property
    def has_features(self) -> bool:
        """Whether what the encoder computes is kept on disk from epoch to epoch."""
        return self.features and "features" in KINDS[self.kind].settings and self.tuning != "tuned"

    @property
    def rounds_features(self) -> bool:
        """Whether features on disk are less exact than what the encoder computes."""
        return self.has_features and self.features_dtype == "float16"
