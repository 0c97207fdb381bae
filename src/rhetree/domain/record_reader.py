"""Makes documents of records, and says where a record is wrong; ``record.py`` says what a record is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rhetree.domain.annotation import EmptyNode, FusedWord, SecondaryEdge, Signal, Syntax
from rhetree.domain.binarize import binarize
from rhetree.domain.blocks import BLOCK_KINDS, Block
from rhetree.domain.document import Document, Token, space_out
from rhetree.domain.markup import Markup
from rhetree.domain.nary import ROLES, NaryTree, Unit
from rhetree.domain.reading import LabelProbs, Reading, SplitProbs
from rhetree.domain.record import KEYS, NAME, SENTENCE_KEYS, VERSION, Record
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import NUCLEARITIES, Split, Tree
from rhetree.domain.values import (
    as_list,
    as_number,
    as_object,
    as_pair,
    as_real,
    as_span,
    as_string,
    as_strings,
    show,
)
from rhetree.errors import counted


def from_record(value: object) -> Document:
    """The document of a record; ``ValueError`` names the place in the record that is wrong.

    ``extra`` is no part of the document and is left out.
    """
    _check_version(value)
    record = as_object(value, "document", ("id",), KEYS)
    if not isinstance(record.get("extra", {}), dict):
        raise ValueError(f"extra: expected an object, found {show(record['extra'])}")
    name = as_string(record["id"], "id")
    text = as_string(record["text"], "text") if "text" in record else None
    tree, nary = _trees(record)
    words = _words(record, text is not None)
    edges = [
        _edge(edge, f"secondary_edges[{number}]")
        for number, edge in enumerate(as_list(record.get("secondary_edges", []), "secondary_edges"))
    ]
    signals = as_list(record.get("signals", []), "signals")
    text, tokens = words.layout(text)
    document = Document(
        name=name,
        text=text,
        tokens=tokens,
        sentences=spans_of_lengths(words.lengths),
        edus=tuple(words.edus),
        tree=tree,
        sentence_trees=tuple(words.trees),
        readings=tuple(words.readings),
        split_probs=_split_probs(record.get("split_probabilities", [])),
        nary=nary,
        secondary_edges=tuple(edges),
        signals=tuple(_signal(signal, edges, f"signals[{n}]") for n, signal in enumerate(signals)),
        syntax=_syntax(record["syntax"]) if "syntax" in record else None,
        metadata=_metadata(record.get("metadata", {})),
        markup=_markup(record.get("markup", [])),
        blocks=_blocks(record.get("blocks", [])),
    )
    words.check_texts(document)
    return document


def from_tree_record(value: object) -> Tree:
    """The tree of a record; ``ValueError`` names the place in the record that is wrong."""
    return _tree(as_object(value, "tree", ("splits",), ())["splits"], "splits")


# --- to a record -----------------------------------------------------------------------------


def _check_version(value: object) -> None:
    """Check this first: nothing else is known about a later version."""
    record = value if isinstance(value, dict) else {}
    if record.get("format", NAME) != NAME:
        raise ValueError(f"format: expected {NAME!r}, found {show(record['format'])}")
    version = as_number(record.get("version", VERSION), "version")
    if version > VERSION:
        raise ValueError(
            f"version: expected at most {VERSION}, found {show(version)}; a newer Rhetree reads it "
            "(pip install --upgrade rhetree)"
        )
    if version < 1:
        raise ValueError(f"version: expected {VERSION}, found {show(version)}")


class _Words:
    """Tokens, sentences and EDUs, gathered from a record."""

    def __init__(self) -> None:
        self.forms: list[str] = []
        self.offsets: list[tuple[int, int]] = []
        self.lengths: list[int] = []
        """Number of tokens in each sentence."""
        self.edus: list[Span] = []
        self.trees: list[Tree | None] = []
        self.readings: list[tuple[Reading, ...]] = []
        self.texts: list[tuple[int, list[str], str]] = []
        """Texts of EDUs, with the index of the first of them and their place in the record."""

    def add_tokens(self, tokens: object, offsets: object, where: str) -> None:
        forms = as_strings(tokens, f"{where}tokens")
        self.forms += forms
        if offsets is not None:
            pairs = as_list(offsets, f"{where}offsets", len(forms))
            self.offsets += [as_pair(pair, f"{where}offsets[{n}]") for n, pair in enumerate(pairs)]

    def add_sentence(self, tokens: object, offsets: object, where: str) -> None:
        first = len(self.forms)
        self.add_tokens(tokens, offsets, where)
        if len(self.forms) == first:
            raise ValueError(f"{where}tokens: expected at least one, found none")
        self.lengths.append(len(self.forms) - first)

    def add_edus(self, record: Record, where: str, first: int = 0) -> None:
        """Add the EDUs of a record, whose spans count tokens from ``first``."""
        spans = _spans(record["edus"], f"{where}edus")
        if "edu_texts" in record:
            place = f"{where}edu_texts"
            self.texts.append((len(self.edus), as_strings(record["edu_texts"], place, len(spans)), place))
        self.edus += [span.shift(first) for span in spans]

    def check_texts(self, document: Document) -> None:
        """Raise ``ValueError`` if the texts of EDUs are not those of the document."""
        known = document.edu_texts() if self.texts else []
        for first, texts, where in self.texts:
            for number, text in enumerate(texts):
                if text != known[first + number]:
                    what = f"expected {show(known[first + number])}, the text of the EDU, found {show(text)}"
                    raise ValueError(f"{where}[{number}]: {what}")

    def layout(self, text: str | None) -> tuple[str, tuple[Token, ...]]:
        """The text and its tokens, placed by their offsets, or, without offsets, found in order."""
        if text is None:
            return space_out(self.forms)
        offsets = self.offsets if self.offsets or not self.forms else _found(self.forms, text)
        pairs = zip(self.forms, offsets, strict=True)
        return text, tuple(Token(form, start, end) for form, (start, end) in pairs)


def _words(record: Record, has_text: bool) -> _Words:
    words = _Words()
    tokens = record.get("tokens")
    if "sentences" in record:
        _add_sentences(words, record)
    elif isinstance(tokens, list) and tokens and isinstance(tokens[0], list):
        _add_sentences(words, _with_sentences(record, tokens))
    elif tokens is not None:
        words.add_tokens(tokens, record.get("offsets"), "")
    elif "offsets" in record or not has_text:
        raise ValueError("document: expected a text, tokens or sentences, found none of them")
    if words.offsets and not has_text:
        raise ValueError("offsets: expected a text for them to point into, found none")
    if "edus" in record and not words.edus:
        words.add_edus(record, "")
    elif "edu_texts" in record:
        raise ValueError("edu_texts: expected them beside 'edus' that are spans of the document's tokens")
    return words


def _with_sentences(record: Record, tokens: list[Any]) -> Record:
    """The long form of a record whose ``tokens`` are a list per sentence.

    Its ``edus``, if it has any, are a list per sentence too, or spans of the document's tokens.
    """
    if "offsets" in record:
        raise ValueError("offsets: expected none beside a list of tokens per sentence; use 'sentences'")
    sentences: list[Record] = [
        {"tokens": as_strings(forms, f"tokens[{number}]")} for number, forms in enumerate(tokens)
    ]
    long = {key: value for key, value in record.items() if key != "tokens"} | {"sentences": sentences}
    edus = record.get("edus")
    first = edus[0] if isinstance(edus, list) and edus else None
    if isinstance(first, list) and first and isinstance(first[0], list):
        for number, own in enumerate(as_list(long.pop("edus"), "edus", len(sentences))):
            sentences[number]["edus"] = as_list(own, f"edus[{number}]")
    return long


def _add_sentences(words: _Words, record: Record) -> None:
    for key in ("tokens", "offsets"):
        if key in record:
            raise ValueError(f"{key}: expected it in the sentences, found it beside them")
    sentences = [
        as_object(sentence, f"sentences[{number}]", ("tokens",), SENTENCE_KEYS)
        for number, sentence in enumerate(as_list(record["sentences"], "sentences"))
    ]
    has_tree = "tree" in record or "nary" in record
    for key in ("offsets", "edus") if has_tree else ("offsets", "edus", "splits"):
        without = [number for number, sentence in enumerate(sentences) if key not in sentence]
        if without and len(without) < len(sentences):
            raise ValueError(f"sentences[{without[0]}]: the key {key!r} is missing, other sentences have it")
        if key == "edus" and not without and key in record:
            raise ValueError("edus: expected them in the sentences or beside them, found both")
    for number, sentence in enumerate(sentences):
        where = f"sentences[{number}]."
        first = len(words.forms)
        words.add_sentence(sentence["tokens"], sentence.get("offsets"), where)
        if "edus" in sentence:
            words.add_edus(sentence, where, first)
        elif "edu_texts" in sentence:
            raise ValueError(f"{where}edu_texts: expected 'edus' beside them, found none")
        if "splits" in sentence and not has_tree:
            splits = sentence["splits"]
            words.trees.append(None if splits is None else _tree(splits, f"{where}splits"))
        elif sentence.get("splits") is not None and "probabilities" not in sentence:
            raise ValueError(
                f"{where}splits: expected none, since the document has one tree for all of it; "
                "beside that, only a model's reading, with its 'probabilities', has splits of its own"
            )
        words.readings.append(_readings(sentence, f"sentences[{number}]"))


def _readings(sentence: Record, where: str) -> tuple[Reading, ...]:
    """The readings of a sentence: that of its own record, then the alternatives."""
    if "probabilities" not in sentence:
        if "alternatives" in sentence:
            raise ValueError(f"{where}.alternatives: expected 'probabilities' beside them, found none")
        return ()
    if "edus" not in sentence:
        raise ValueError(f"{where}.probabilities: expected 'edus' beside them, found none")
    places = {where: sentence}
    for number, other in enumerate(as_list(sentence.get("alternatives", []), f"{where}.alternatives")):
        place = f"{where}.alternatives[{number}]"
        places[place] = as_object(other, place, ("edus", "probabilities"), ("splits",))
    return tuple(_reading(record, place) for place, record in places.items())


def _reading(record: Record, where: str) -> Reading:
    edus = _spans(record["edus"], f"{where}.edus")
    splits = record.get("splits")
    tree = None if splits is None else _tree(splits, f"{where}.splits")
    where = f"{where}.probabilities"
    of_tree = () if tree is None else ("splits", "labels")
    probabilities = as_object(record["probabilities"], where, ("log_prob", "edus", *of_tree), ("fine",))
    labels = as_list(probabilities.get("labels", []), f"{where}.labels")
    log_prob = as_real(probabilities["log_prob"], f"{where}.log_prob")
    edu_probs = _reals(probabilities["edus"], f"{where}.edus")
    split_probs = _reals(probabilities.get("splits", []), f"{where}.splits")
    label_probs = tuple(_label_probs(own, f"{where}.labels[{number}]") for number, own in enumerate(labels))
    fine = _label_probs(probabilities.get("fine", []), f"{where}.fine")
    with _naming(where):
        return Reading(tuple(edus), tree, log_prob, edu_probs, split_probs, label_probs, fine)


def _split_probs(value: object) -> tuple[SplitProbs, ...]:
    found = []
    for number, item in enumerate(as_list(value, "split_probabilities")):
        where = f"split_probabilities[{number}]"
        record = as_object(item, where, ("edus", "probability", "labels"), ())
        edus = as_span(record["edus"], f"{where}.edus")
        prob = as_real(record["probability"], f"{where}.probability")
        labels = _label_probs(record["labels"], f"{where}.labels")
        with _naming(where):
            found.append(SplitProbs(edus, prob, labels))
    return tuple(found)


def _label_probs(value: object, where: str) -> LabelProbs:
    pairs = [as_list(pair, f"{where}[{number}]", 2) for number, pair in enumerate(as_list(value, where))]
    return tuple((as_string(label, where), as_real(prob, where)) for label, prob in pairs)


def _reals(value: object, where: str) -> tuple[float, ...]:
    return tuple(as_real(item, f"{where}[{number}]") for number, item in enumerate(as_list(value, where)))


def _spans(value: object, where: str) -> list[Span]:
    return [as_span(item, f"{where}[{number}]") for number, item in enumerate(as_list(value, where))]


def _found(forms: list[str], text: str) -> list[tuple[int, int]]:
    """The offsets of the tokens in a text with only white space between them."""
    offsets = []
    at = 0
    for number, form in enumerate(forms):
        while at < len(text) and text[at].isspace() and not text.startswith(form, at):
            at += 1
        if not text.startswith(form, at):
            raise ValueError(
                f"token {number}: expected {show(form)} in the text, found {show(text[at : at + 20])}"
            )
        offsets.append((at, at + len(form)))
        at += len(form)
    return offsets


def _trees(record: Record) -> tuple[Tree | None, NaryTree | None]:
    tree = _tree(record["tree"], "tree") if "tree" in record else None
    if "nary" not in record:
        return tree, None
    units = []
    for number, unit in enumerate(as_list(record["nary"], "nary")):
        where = f"nary[{number}]"
        start, end, role, relation = as_list(unit, where, 4)
        if role not in ROLES:
            raise ValueError(f"{where}: expected {', '.join(ROLES)}, found {show(role)}")
        if relation is not None:
            as_string(relation, where)
        with _naming(where):
            units.append(Unit(as_number(start, where), as_number(end, where), role, relation))
    with _naming("nary"):
        nary = NaryTree(tuple(units))
        return binarize(nary) if tree is None else tree, nary


def _tree(value: object, where: str) -> Tree:
    splits = []
    for number, split in enumerate(as_list(value, where)):
        place = f"{where}[{number}]"
        *edus, nuclearity, relation = as_list(split, place, 5)
        start, middle, end = (as_number(edu, place) for edu in edus)
        if nuclearity not in NUCLEARITIES:
            raise ValueError(f"{place}: expected NS, SN or NN, found {show(nuclearity)}")
        with _naming(place):
            splits.append(Split(start, middle, end, nuclearity, as_string(relation, place)))
    with _naming(where):
        return Tree(tuple(splits))


def _edge(value: object, where: str) -> SecondaryEdge:
    record = as_object(value, where, ("source", "target", "relation"), ())
    source = as_span(record["source"], f"{where}.source")
    target = as_span(record["target"], f"{where}.target")
    with _naming(where):
        return SecondaryEdge(source, target, as_string(record["relation"], f"{where}.relation"))


def _signal(value: object, edges: list[SecondaryEdge], where: str) -> Signal:
    optional = ("source", "secondary_edge", "tokens", "status")
    record = as_object(value, where, ("type", "subtype"), optional)
    if ("source" in record) == ("secondary_edge" in record):
        raise ValueError(f"{where}: expected either 'source' or 'secondary_edge'")
    source: Span | SecondaryEdge
    if "source" in record:
        source = as_span(record["source"], f"{where}.source")
    else:
        number = as_number(record["secondary_edge"], f"{where}.secondary_edge")
        if not 0 <= number < len(edges):
            raise ValueError(
                f"{where}.secondary_edge: expected one of {counted(len(edges), 'edge')}, found {show(number)}"
            )
        source = edges[number]
    tokens = as_list(record.get("tokens", []), f"{where}.tokens")
    return Signal(
        source,
        as_string(record["type"], f"{where}.type"),
        as_string(record["subtype"], f"{where}.subtype"),
        tuple(as_number(token, f"{where}.tokens") for token in tokens),
        as_string(record.get("status", ""), f"{where}.status"),
    )


def _syntax(value: object) -> Syntax:
    record = as_object(value, "syntax", ("columns",), ("comments", "fused", "empty_nodes"))
    rows = {
        key: [
            tuple(as_strings(row, f"syntax.{key}[{number}]"))
            for number, row in enumerate(as_list(record.get(key, []), f"syntax.{key}"))
        ]
        for key in ("columns", "comments")
    }
    fused = []
    for number, item in enumerate(as_list(record.get("fused", []), "syntax.fused")):
        where = f"syntax.fused[{number}]"
        word = as_object(item, where, ("tokens", "columns"), ())
        columns = as_strings(word["columns"], f"{where}.columns", 8)
        fused.append(FusedWord(as_span(word["tokens"], f"{where}.tokens"), tuple(columns)))
    empty_nodes = []
    for number, item in enumerate(as_list(record.get("empty_nodes", []), "syntax.empty_nodes")):
        where = f"syntax.empty_nodes[{number}]"
        node = as_object(item, where, ("after", "columns", "opens"), ())
        if not isinstance(node["opens"], bool):
            raise ValueError(f"{where}.opens: expected true or false, found {show(node['opens'])}")
        columns = as_strings(node["columns"], f"{where}.columns", 9)
        empty_nodes.append(
            EmptyNode(as_number(node["after"], f"{where}.after"), tuple(columns), node["opens"])
        )
    with _naming("syntax"):
        return Syntax(tuple(rows["columns"]), tuple(rows["comments"]), tuple(fused), tuple(empty_nodes))


def _markup(value: object) -> tuple[Markup, ...]:
    found = []
    for number, item in enumerate(as_list(value, "markup")):
        where = f"markup[{number}]"
        start, end, shown = as_list(item, where, 3)
        with _naming(where):
            found.append(Markup(as_number(start, where), as_number(end, where), as_string(shown, where)))
    return tuple(found)


def _blocks(value: object) -> tuple[Block, ...]:
    found = []
    for number, item in enumerate(as_list(value, "blocks")):
        where = f"blocks[{number}]"
        start, end, kind = as_list(item, where, 3)
        if kind not in BLOCK_KINDS:
            raise ValueError(f"{where}: expected {', '.join(BLOCK_KINDS)}, found {show(kind)}")
        with _naming(where):
            found.append(Block(as_number(start, where), as_number(end, where), kind))
    return tuple(found)


def _metadata(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"metadata: expected an object, found {show(value)}")
    return {key: as_string(text, f"metadata.{key}") for key, text in value.items()}


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Prefix the ``ValueError`` of a value that cannot be built with its place in the record."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
