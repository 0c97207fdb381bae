"""What people call: a parser that is loaded once and takes text, EDUs, tokens or documents."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from numbers import Integral
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from rhetree.domain.document import Document
from rhetree.domain.levels import LEVELS, Level
from rhetree.domain.span import Span
from rhetree.errors import ModelError, counted
from rhetree.runtime.constraints import ConstraintsLike
from rhetree.runtime.document_joining import join_in_steps
from rhetree.runtime.installed import DOCUMENTS, find_model, installed_models
from rhetree.runtime.long_sentences import cut_long_sentences
from rhetree.runtime.pipeline import BATCH_COST, Edus, Pipeline, Relations
from rhetree.runtime.steps import Steps, finish
from rhetree.runtime.workers import MOST_THREADS

if TYPE_CHECKING:
    from rhetree.runtime.document_model import DocumentModel
    from rhetree.runtime.model import RuntimeModel

Progress = Callable[[int, int], None]
"""Is told, after each document, how many documents and sentences are done."""

SpanLike = Span | Sequence[int]

_loading = Lock()


def load(
    model: str | Path | None = None,
    *,
    threads: int = 0,
    beam: int = 1,
    batch_cost: int = BATCH_COST,
    device: str | None = None,
    document_model: str | Path | None = None,
    relations: Relations = "class",
    signals: bool = False,
) -> "Parser":
    """Load a model to parse with.

    :param model: the name of an installed model, or a model's folder; None is the default model
    :param threads: how many to use; 0 is one for each core
    :param beam: how many readings of a sentence to give; 1 is the best one alone
    :param batch_cost: most tokens in a batch, padding included: more takes more memory
    :param device: where torch runs a model that was not exported, such as ``cuda``; None is a GPU if there is one
    :param document_model: the name or folder of the model that joins sentences; None is the one that comes with
        Rhetree. It is loaded when it is first needed.
    :param relations: "class", or "fine" for trees of the finer relations below the classes
    :param signals: whether to find the words that signal each relation, as :attr:`Document.signals`
    """
    if relations not in ("class", "fine"):
        raise ValueError(f"relations are 'class' or 'fine', got {relations!r}")
    for name, value, least in (("threads", threads, 0), ("beam", beam, 1), ("batch_cost", batch_cost, 1)):
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name} is a whole number from {least} on, got {value!r}")
    if threads > MOST_THREADS:
        raise ValueError(f"threads is at most {MOST_THREADS}, got {threads}")
    from rhetree.runtime.loading import load_any

    found = load_any(find_model(model), threads=threads, device=device)
    return Parser(
        found,
        beam=beam,
        batch_cost=batch_cost,
        threads=threads,
        device=device,
        document_model=document_model,
        relations=relations,
        signals=signals,
    )


def parse(text: str, *, level: Level = "sentence") -> Document:
    """The EDUs and trees of a text, by the default model, which is loaded once.

    :param level: how far up trees go; see :meth:`Parser.parse_documents`
    """
    return _default_parser().parse(text, level=level)


def segment(text: str) -> Document:
    """The EDUs of a text, by the default model, which is loaded once."""
    return _default_parser().segment(text)


class Parser:
    """Finds EDUs and trees; several threads may share one.

    All methods give a :class:`~rhetree.Document` with one tree per sentence, or with one tree of all its
    EDUs where ``level`` asks for that. Which texts are parsed together changes nothing but the speed. A pickled parser is loaded again where it is
    unpickled: an installed model by its name, any other from its folder.
    """

    def __init__(
        self,
        model: "RuntimeModel",
        *,
        beam: int = 1,
        batch_cost: int = BATCH_COST,
        threads: int = 0,
        device: str | None = None,
        document_model: str | Path | None = None,
        relations: Relations = "class",
        signals: bool = False,
    ) -> None:
        """Parse with a model; :func:`load` explains the settings.

        :param threads: what the model was loaded with, as is ``device``; for a copy in another process
        """
        self.model = model
        self._settings: dict[str, Any] = {
            "threads": threads,
            "beam": beam,
            "batch_cost": batch_cost,
            "device": device,
            "document_model": document_model,
            "relations": relations,
            "signals": signals,
        }
        self._document_model: DocumentModel | None = None
        self.pipeline = Pipeline(
            model.network,
            model.labels,
            batch_cost=batch_cost,
            beam=beam,
            search=model.search,
            heads=model.heads,
            relations=relations,
            signals=signals,
        )

    def __repr__(self) -> str:
        return f"<Parser {str(self.model.folder)!r}>"

    def __reduce__(self) -> "tuple[Callable[..., Parser], tuple[str | Path, dict[str, Any]]]":
        folder = self.model.folder
        named = (name for name, installed in installed_models().items() if installed == folder)
        return _reload, (next(named, folder.resolve()), self._settings)

    # --- one text ---------------------------------------------------------------------------

    def parse(
        self,
        text: str,
        name: str = "",
        *,
        constraints: ConstraintsLike | None = None,
        level: Level = "sentence",
    ) -> Document:
        """The EDUs and trees of a text.

        :param constraints: what they have to agree with: :class:`~rhetree.Constraints`, or the same as a
            dictionary. :class:`~rhetree.ConstraintError` if nothing does.
        :param level: how far up trees go; see :meth:`parse_documents`
        """
        return next(self.parse_documents([_from_text(text, name)], constraints=[constraints], level=level))

    def segment(self, text: str, name: str = "", *, constraints: ConstraintsLike | None = None) -> Document:
        """The EDUs of a text, without trees.

        :param constraints: what they have to agree with, as in :meth:`parse`
        """
        return next(self.segment_documents([_from_text(text, name)], constraints=[constraints]))

    def parse_edus(self, edus: Iterable[str], name: str = "", *, level: Level = "sentence") -> Document:
        """The trees over EDUs that are known, given as their texts; no sentence ends inside an EDU.

        :param level: how far up trees go; see :meth:`parse_documents`
        """
        from rhetree.text import tokenize_edus

        document = tokenize_edus(_strings(edus, "edus", "EDU"), name)
        return next(self.parse_documents([document], edus="gold", level=level))

    def parse_tokens(
        self,
        sentences: Iterable[Sequence[str]],
        edus: Iterable[SpanLike] | Iterable[Iterable[SpanLike]] | None = None,
        name: str = "",
        *,
        level: Level = "sentence",
    ) -> Document:
        """The EDUs and trees of sentences that are already tokenised.

        :param edus: where they are known: for each sentence its EDUs as ``(start, end)`` of its
            tokens, or in one list the EDUs of all tokens of the document
        :param level: how far up trees go; see :meth:`parse_documents`
        """
        document = _from_tokens(sentences, name)
        if edus is None:
            return next(self.parse_documents([document], level=level))
        return next(self.parse_documents([_with_edus(document, edus)], edus="gold", level=level))

    # --- many -------------------------------------------------------------------------------

    def parse_many(
        self, texts: Iterable[str], *, progress: Progress | None = None, level: Level = "sentence"
    ) -> Iterator[Document]:
        """The EDUs and trees of each text, in order, as they are found.

        Texts are read as they are needed, some thousand sentences ahead, so that there may be any number.

        :param progress: is called after each document with the documents and sentences so far
        :param level: how far up trees go; see :meth:`parse_documents`
        """
        return _told(self.parse_documents(_from_texts(texts), level=level), progress)

    def segment_many(self, texts: Iterable[str], *, progress: Progress | None = None) -> Iterator[Document]:
        """The EDUs of each text, as :meth:`parse_many` gives them with trees."""
        return _told(self.segment_documents(_from_texts(texts)), progress)

    def parse_documents(
        self,
        documents: Iterable[Document],
        *,
        edus: Edus = "auto",
        constraints: Iterable[ConstraintsLike | None] | None = None,
        level: Level = "sentence",
    ) -> Iterator[Document]:
        """The documents with EDUs and trees of the model's in place of what they had, in order.

        A document of text alone is tokenised first.

        :param edus: "gold" keeps the EDUs that documents have; "auto" finds EDUs first
        :param constraints: for each document what its EDUs and trees have to agree with, or None
        :param level: "sentence" gives one tree for each sentence, "document" one tree over all EDUs, in which
            sentence trees are nodes; in that of "paragraph" each paragraph is a node as well
        """
        if edus not in ("auto", "gold"):
            raise ValueError(f"edus is 'auto' or 'gold', got {edus!r}")
        if level not in LEVELS:
            raise ValueError(f"level is one of {', '.join(map(repr, LEVELS))}, got {level!r}")
        self.require("parse", *(["segment"] if edus == "auto" else []))
        if level != "sentence":
            self.document_model()  # an error comes now, not with the first document
        parsed = self.pipeline.predict(map(self.prepare, documents), edus=edus, constraints=constraints)
        return parsed if level == "sentence" else (self.join(document, level=level) for document in parsed)

    def join(self, document: Document, *, level: Level = "document") -> Document:
        """The parsed document with one tree in place of its sentence trees."""
        return finish(self.join_in_steps(document, level=level))

    def join_in_steps(self, document: Document, *, level: Level = "document") -> Steps[Document]:
        """What :meth:`join` does, in short steps between which others may have their turn."""
        model = self.document_model()
        joined = yield from join_in_steps(
            document, model.network, model.labels, level=level, top_labels=self.pipeline.top_labels
        )
        return replace(joined, metadata={**joined.metadata, "document model": model.identity})

    def document_model(self) -> "DocumentModel":
        """The model that joins sentences, which is loaded once."""
        with _loading:
            if self._document_model is None:
                self._document_model = self._load_document_model()
            return self._document_model

    def _load_document_model(self) -> "DocumentModel":
        from rhetree.runtime.document_model import is_document_model, load_document_model
        from rhetree.runtime.model import read_config

        folder = find_model(self._settings["document_model"] or DOCUMENTS)
        abouts = (self.model.about, read_config(folder))
        own, other = (about.get("data", {}).get("relations") for about in abouts)
        if own != other and is_document_model(folder):
            raise ModelError(
                f"{folder}: joins sentences by the relations {other!r}, but {self.model.folder} has {own!r}; "
                "name a model for documents (document_model) that was trained on the same relations"
            )
        return load_document_model(folder, threads=self._settings["threads"])

    def labels(self, level: Level = "sentence") -> tuple[str, ...]:
        """Every label that trees of this level may have."""
        own = self.pipeline.all_labels
        return own if level == "sentence" else tuple(sorted({*own, *self.document_model().labels}))

    def segment_documents(
        self, documents: Iterable[Document], *, constraints: Iterable[ConstraintsLike | None] | None = None
    ) -> Iterator[Document]:
        """The documents with EDUs of the model's in place of EDUs and trees that they had, in order.

        :param constraints: for each document what its EDUs have to agree with, or None
        """
        self.require("segment")
        return self.pipeline.predict(map(self.prepare, documents), trees=False, constraints=constraints)

    def prepare(self, document: Document) -> Document:
        """The document with tokens and sentences, long ones cut, and with the model's name in its metadata."""
        from rhetree.text import tokenize

        metadata = {**document.metadata, "model": self.model.identity}
        if not document.tokens and document.text:
            document = tokenize(document.text, document.name, document.markup, document.blocks)
        return cut_long_sentences(replace(document, metadata=metadata))

    def require(self, *abilities: str) -> None:
        """Raise :class:`ModelError` if the model was not trained for one of these: "segment", "parse"."""
        task = self.model.task
        lacking = [ability for ability in abilities if task not in ("joint", ability)]
        if lacking:
            raise ModelError(f"{self.model.folder}: this model cannot {lacking[0]}, it can {task} alone")


def _reload(model: str | Path, settings: dict[str, Any]) -> Parser:
    return load(model, **settings)


@lru_cache(maxsize=1)
def _load_default() -> Parser:
    return load()


def _default_parser() -> Parser:
    with _loading:  # two threads at once would load it twice
        return _load_default()


# --- what comes in --------------------------------------------------------------------------


def _from_text(text: str, name: str) -> Document:
    return Document(name=name, text=_string(text, "the text"))


def _from_texts(texts: Iterable[str]) -> Iterator[Document]:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"texts are expected, got one {type(texts).__name__}; parse takes a single text")
    return (_from_text(text, "") for text in texts)


def _from_tokens(sentences: Iterable[Sequence[str]], name: str) -> Document:
    if isinstance(sentences, (str, bytes)):
        raise TypeError(
            f"sentences are lists of tokens, got one {type(sentences).__name__}; parse takes a text"
        )
    checked = [
        _strings(sentence, f"sentence {number}", "token")
        for number, sentence in enumerate(sentences, start=1)
    ]
    for number, sentence in enumerate(checked, start=1):
        if not sentence or "" in sentence:
            what = "an empty token" if sentence else "no tokens"
            raise ValueError(f"sentence {number} has {what}")
    return Document.from_sentences(checked, name)


def _with_edus(document: Document, edus: Iterable[SpanLike] | Iterable[Iterable[SpanLike]]) -> Document:
    items = [item if isinstance(item, Span) else list(item) for item in edus]
    if items and not any(isinstance(item, Span) or _is_pair(item) for item in items):
        if len(items) != len(document.sentences):
            raise ValueError(
                f"EDUs of {counted(len(items), 'sentence')}, but there are {len(document.sentences)}"
            )
        spans = [
            _span(pair).shift(sentence.start)
            for sentence, pairs in zip(document.sentences, items, strict=True)
            for pair in pairs  # type: ignore[union-attr]  # no span is among them, as was just seen
        ]
    else:
        spans = [_span(item) for item in items]
    return replace(document, edus=tuple(spans))


def _span(item: object) -> Span:
    if isinstance(item, Span):
        return item
    if not isinstance(item, Sequence) or not _is_pair(item):
        raise TypeError(f"an EDU is (start, end) of its tokens, got {item!r}")
    return Span(*map(int, item))  # NumPy's numbers among them


def _is_pair(item: Sequence[object]) -> bool:
    return len(item) == 2 and all(isinstance(number, Integral) for number in item)


def _string(value: object, what: str) -> str:
    if isinstance(value, bytes):
        raise TypeError(f"{what} is a string, got bytes; decode them first, mostly as UTF-8")
    if not isinstance(value, str):
        raise TypeError(f"{what} is a string, got {type(value).__name__}")
    return value


def _strings(values: Iterable[str], what: str, item: str) -> list[str]:
    """A list of strings; one string would pass for a list of its letters."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{what}: a list of {item}s is expected, got {type(values).__name__}")
    return [_string(value, f"{what}: each {item}") for value in values]


def _told(documents: Iterator[Document], progress: Progress | None) -> Iterator[Document]:
    n_sentences = 0
    for n_documents, document in enumerate(documents, start=1):
        n_sentences += len(document.sentences)
        if progress is not None:
            progress(n_documents, n_sentences)
        yield document
