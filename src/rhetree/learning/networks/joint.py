"""The whole network: one encoder, a segmenter and a parser on top of it, and the losses of a batch."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.embedder import Embedder
from rhetree.learning.networks.choices import fit
from rhetree.learning.networks.classifier import ClassifierConfig, LabelClassifier
from rhetree.learning.networks.crf import CrfTagger
from rhetree.learning.networks.encoder import Encoder, EncoderConfig, States, check_share
from rhetree.learning.networks.parser import ParserConfig, StackPointerParser
from rhetree.learning.networks.segmenter import PointerSegmenter, SegmenterConfig
from rhetree.learning.networks.spans import SpanRepresentation
from rhetree.learning.networks.syntax import SyntaxReader
from rhetree.learning.targets import Batch, SentenceExample, make_batch


@dataclass(frozen=True, slots=True, kw_only=True)
class LossConfig:
    """The loss to minimise: the weighted sum of the losses of segmentation, structure and labels."""

    segmentation: float = 1.0
    """Weight of the loss of EDU ends."""
    structure: float = 1.0
    """Weight of the loss of split points."""
    label: float = 1.0
    """Weight of the loss of labels."""
    label_smoothing: float = 0.0
    """Share of the gold label's probability that is spread over all labels (Szegedy et al. 2016)."""
    syntax: float = 0.0
    """Weight of an extra loss, that of the head and dependency relation of each token; for corpora of
    CoNLL-U files that have them."""
    reduction: Literal["steps", "sentences"] = "steps"
    """steps: a batch's loss is the mean over its steps (EDUs; spans of more than two EDUs; splits).
    sentences: it is their sum divided by the number of sentences. A step of a CRF or of syntax is a token."""

    def __post_init__(self) -> None:
        for name in ("segmentation", "structure", "label", "syntax"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is at least 0, got {getattr(self, name)}")
        check_share("label_smoothing", self.label_smoothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig:
    """What the network is; the sections ``train`` and ``optimizer`` say how it learns."""

    task: Literal["segment", "parse", "joint"] = "joint"
    """segment: EDUs only. parse: trees of given EDUs. joint: both, with one encoder."""
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    segmenter: SegmenterConfig = field(default_factory=SegmenterConfig)
    """Not used by a network that only parses."""
    parser: ParserConfig = field(default_factory=ParserConfig)
    """Not used by a network that only segments."""
    classifier: ClassifierConfig = field(default_factory=ClassifierConfig)
    """Not used by a network that only segments."""
    loss: LossConfig = field(default_factory=LossConfig)

    def __post_init__(self) -> None:
        reads_words = self.segmenter.kind == "crf" and self.segmenter.input == "embedding"
        if self.task == "segment" and reads_words and self.encoder.kind != "none" and not self.loss.syntax:
            raise ValueError(
                f"encoder.kind is 'none' for a tagger that reads word vectors, got {self.encoder.kind!r}: "
                "nothing would read the encoder's states"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """A batch of sentences after embedder and encoder."""

    lengths: Tensor
    """Tokens in each sentence, ``(batch,)``."""
    embeddings: Tensor
    """``(batch, longest, embedding width)``"""
    states: States


class DiscourseNetwork(nn.Module):
    """Segmenter, parser or both, on one encoder."""

    def __init__(
        self,
        config: NetworkConfig,
        embedder: Embedder,
        labels: Sequence[str] = (),
        dependency_relations: Sequence[str] = (),
    ) -> None:
        """Build the network with random weights, but for what the embedder brings.

        :param labels: of splits, such as ``elaboration-NS``; none where trees are not learnt
        :param dependency_relations: such as ``advcl``; none where dependencies are not learnt
        """
        super().__init__()
        self.config = config
        self.embedder = embedder
        self.encoder = Encoder(config.encoder, embedder.width)
        self.segmenter: PointerSegmenter | CrfTagger | None = None
        self.parser: StackPointerParser | None = None
        self.classifier: LabelClassifier | None = None
        if config.task != "parse":
            segmenter = CrfTagger if config.segmenter.kind == "crf" else PointerSegmenter
            self.segmenter = segmenter(config.segmenter, self.encoder, embedder.width)
        if config.task != "segment":
            if not labels:
                raise ValueError("a network that parses needs labels")
            self.parser = StackPointerParser(config.parser, self.encoder)
            kind = config.parser.span if config.classifier.span == "as-decoder" else config.classifier.span
            spans = SpanRepresentation(kind, self.encoder.width)
            self.classifier = LabelClassifier(config.classifier, labels, spans)
        self.syntax: SyntaxReader | None = None
        if dependency_relations:
            self.syntax = SyntaxReader(self.encoder.width, dependency_relations)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of what :class:`LabelClassifier` gives probabilities to, in its order."""
        return () if self.classifier is None else self.classifier.labels

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def pretrained_depths(self) -> dict[str, int]:
        """For each pretrained parameter that is trained, how many layers it lies below the last."""
        return {f"embedder.{name}": depth for name, depth in self.embedder.depths().items()}

    def lasting_weights(self) -> dict[str, Tensor]:
        """What a finished model keeps, by name: all weights but those of the extra task."""
        return {name: tensor for name, tensor in self.state_dict().items() if not name.startswith("syntax.")}

    def encode(self, sentences: Sequence[Sequence[str]]) -> Encoding:
        """Embed and encode sentences of one token or more."""
        embeddings = self.embedder(sentences)
        lengths = torch.tensor([len(sentence) for sentence in sentences], device=embeddings.device)
        return Encoding(lengths, embeddings, self.encoder(embeddings, lengths))

    def forward(self, examples: Sequence[SentenceExample]) -> dict[str, Tensor]:
        """The weighted losses of a batch by name; what is to be made small is their sum."""
        numbers = {label: number for number, label in enumerate(self.labels)} if self.parser else None
        relations = None
        if self.syntax is not None:
            relations = {relation: number for number, relation in enumerate(self.syntax.relations)}
        return self.losses(make_batch(examples, numbers, self.device, relations))

    def losses(self, batch: Batch) -> dict[str, Tensor]:
        """The weighted losses of a batch by name, of segmentation, structure, labels and syntax."""
        encoding = self.encode(batch.sentences)
        weights = self.config.loss
        losses = {}
        if self.segmenter is not None:
            losses["segmentation"] = weights.segmentation * self._segmentation(encoding, batch)
        if self.parser is not None and self.classifier is not None:
            units = self.parser.represent.prepare(encoding.states.tokens)
            losses["structure"] = weights.structure * self._structure(self.parser, encoding, units, batch)
            losses["label"] = weights.label * self._label(self.classifier, encoding, batch)
        if self.syntax is not None:
            losses["syntax"] = weights.syntax * self._syntax(self.syntax, encoding, batch)
        return losses

    def _segmentation(self, encoding: Encoding, batch: Batch) -> Tensor:
        inputs = (encoding.embeddings, encoding.states, encoding.lengths)
        if isinstance(self.segmenter, CrfTagger):
            log_probs = self.segmenter.log_likelihood(*inputs, batch.begins)
            return self._reduce(log_probs, int(encoding.lengths.sum()), batch)
        if self.segmenter is None:
            raise ValueError("this network does not segment")
        log_probs = self.segmenter.log_probs(*inputs, batch.segments)
        return self._reduce(log_probs, len(log_probs), batch)

    def _structure(
        self, parser: StackPointerParser, encoding: Encoding, units: Tensor, batch: Batch
    ) -> Tensor:
        if batch.parses is None:
            return self._nothing()
        log_probs = parser.log_probs(encoding.states, units, batch.parses)
        return self._reduce(log_probs, len(log_probs), batch)

    def _label(self, classifier: LabelClassifier, encoding: Encoding, batch: Batch) -> Tensor:
        splits = batch.splits
        if splits is None:
            return self._nothing()
        units = classifier.spans.prepare(encoding.states.tokens)
        left, right = (classifier.spans(units, splits.rows, part) for part in (splits.left, splits.right))
        all_log_probs = classifier(left, right)
        right_ones = fit(all_log_probs, splits.labels, splits.soft)
        # Teachers' distributions are smooth already.
        smoothing = self.config.loss.label_smoothing if splits.soft is None else 0.0
        log_probs = torch.lerp(right_ones, all_log_probs.mean(dim=1), smoothing)
        return self._reduce(log_probs, len(log_probs), batch)

    def _syntax(self, syntax: SyntaxReader, encoding: Encoding, batch: Batch) -> Tensor:
        if batch.syntax is None:
            return self._nothing()
        log_probs = syntax.log_probs(encoding.states.tokens, encoding.lengths, batch.syntax)
        return self._reduce(log_probs, len(log_probs), batch)

    def _reduce(self, log_probs: Tensor, n_steps: int, batch: Batch) -> Tensor:
        n = n_steps if self.config.loss.reduction == "steps" else batch.n_sentences
        return -log_probs.sum() / n

    def _nothing(self) -> Tensor:
        """The loss of nothing. It reaches all parameters: processes that train together expect all gradients."""
        return torch.stack([weight.sum() for weight in self.parameters() if weight.requires_grad]).sum() * 0
