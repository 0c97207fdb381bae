"""The spaCy component ``rhetree`` (extra ``spacy``): ``nlp.add_pipe("rhetree")``, with no import of ours.

It sets ``doc.spans["edus"]``, ``doc._.rst`` (a :class:`rhetree.Document`) and ``sent._.rst`` (the tree of a sentence).
What it found is kept in ``doc.user_data`` as a string, because spaCy stores and sends documents as plain data.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree
from rhetree.integrations.extras import needs, shared_parser

with needs("spacy", "spacy"):
    import spacy.tokens
    from spacy.language import Language
    from spacy.pipeline import Pipe
    from spacy.util import minibatch

if TYPE_CHECKING:
    from rhetree.runtime.parser import Parser

_KEY = "rhetree"
"""Where ``user_data`` has what was found."""


class RhetoricalParser(Pipe):
    """Finds the EDUs and trees of spaCy's documents, with spaCy's own tokens, and its sentences if they are set."""

    def __init__(self, name: str, model: str | None, spans_key: str) -> None:
        self.name = name
        self.model = model
        self.spans_key = spans_key

    @property
    def parser(self) -> "Parser":
        """The parser, loaded when it is first used: once in each process."""
        return shared_parser(self.model)

    def __call__(self, doc: spacy.tokens.Doc) -> spacy.tokens.Doc:
        """Parse one document."""
        return next(self._parse([doc]))

    def pipe(
        self, stream: Iterable[spacy.tokens.Doc], *, batch_size: int = 128
    ) -> Iterator[spacy.tokens.Doc]:
        """Parse many documents, ``batch_size`` at a time."""
        handle: Callable[..., None] = self.get_error_handler()
        for batch in minibatch(stream, size=batch_size):
            try:
                done = list(self._parse(batch))
            except Exception as error:  # spaCy's handler decides: by default it raises
                handle(self.name, self, batch, error)
            else:
                yield from done

    def _parse(self, docs: Iterable[spacy.tokens.Doc]) -> Iterator[spacy.tokens.Doc]:
        docs = list(docs)
        for doc in docs:
            if len(doc) and not doc.has_annotation("SENT_START"):
                _set_sentences(doc)
        for doc, document in zip(docs, self.parser.parse_documents(map(_document, docs)), strict=True):
            words = [token.i for token in doc if not token.is_space]
            doc.spans[self.spans_key] = [
                spacy.tokens.Span(doc, words[edu.start], words[edu.end - 1] + 1) for edu in document.edus
            ]
            doc.user_data[_KEY] = json.dumps(document.to_dict(), ensure_ascii=False)
            yield doc


@Language.factory(
    "rhetree",
    default_config={"model": None, "spans_key": "edus"},
    assigns=["doc.spans", "doc._.rst", "span._.rst"],
)
def make_rhetree(nlp: Language, name: str, model: str | None, spans_key: str) -> RhetoricalParser:  # noqa: ARG001  # spaCy passes it
    """The component of a pipeline.

    :param model: the name or folder of a Rhetree model; None is the default one
    :param spans_key: the group of ``doc.spans`` that holds the EDUs
    """
    return RhetoricalParser(name, model, spans_key)


def _document(doc: spacy.tokens.Doc) -> Document:
    """Text, tokens and sentences of a spaCy document; tokens of white space are left out."""
    tokens: list[Token] = []
    sentences = []
    for sentence in doc.sents if len(doc) else ():
        start = len(tokens)
        tokens += [
            Token(token.text, token.idx, token.idx + len(token)) for token in sentence if not token.is_space
        ]
        if len(tokens) > start:
            sentences.append(Span(start, len(tokens)))
    return Document(text=doc.text, tokens=tuple(tokens), sentences=tuple(sentences))


def _set_sentences(doc: spacy.tokens.Doc) -> None:
    """Mark where sentences start in a document that does not say so."""
    from rhetree.text import tokenize

    found = tokenize(doc.text)
    later = deque(found.tokens[sentence.start].start for sentence in found.sentences[1:])
    for token in doc:
        token.is_sent_start = token.i == 0
        # A token of spaCy's may hold the start of more than one sentence.
        while later and later[0] < token.idx + len(token):
            later.popleft()
            token.is_sent_start = True


@lru_cache(maxsize=256)
def _read(record: str) -> tuple[Document, dict[tuple[int, int], Tree | None]]:
    """The document of a record, and the tree of each sentence by its first and last character."""
    document = Document.from_dict(json.loads(record))
    places = [
        (document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end)
        for sentence in document.sentences
    ]
    return document, dict(zip(places, document.trees_by_sentence(), strict=True))


def _of_doc(doc: spacy.tokens.Doc) -> Document | None:
    record: Any = doc.user_data.get(_KEY)
    return None if record is None else _read(record)[0]


def _of_sentence(span: spacy.tokens.Span) -> Tree | None:
    record: Any = span.doc.user_data.get(_KEY)
    words = [token for token in span if not token.is_space]
    if record is None or not words:
        return None
    place = (words[0].idx, words[-1].idx + len(words[-1]))
    return _read(record)[1].get(place)


spacy.tokens.Doc.set_extension("rst", getter=_of_doc, force=True)
spacy.tokens.Span.set_extension("rst", getter=_of_sentence, force=True)
