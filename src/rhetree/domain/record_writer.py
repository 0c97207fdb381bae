"""Makes records of documents; ``record.py`` says what a record is."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from rhetree.domain.annotation import SecondaryEdge, Signal, Syntax
from rhetree.domain.document import Document, Token
from rhetree.domain.reading import LabelProbs, Reading, SplitProbs
from rhetree.domain.record import NAME, VERSION, Record
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree


def to_record(
    document: Document, extra: Mapping[str, Any] | None = None, *, edu_texts: bool = False
) -> Record:
    """The whole document, with keys in the order in which they are written.

    :param extra: fields that are no part of the document, values that JSON can hold
    :param edu_texts: whether to add the text of each EDU, which readers could also find in the text
    """
    record: Record = {"format": NAME, "version": VERSION, "id": document.name}
    if document.metadata:
        record["metadata"] = dict(document.metadata)
    if extra:
        record["extra"] = dict(extra)
    record["text"] = document.text
    if document.markup:
        record["markup"] = [[one.start, one.end, one.shown] for one in document.markup]
    if document.blocks:
        record["blocks"] = [[block.start, block.end, block.kind] for block in document.blocks]
    edus_by_sentence = _edus_by_sentence(document)
    if document.sentences:
        record["sentences"] = [
            _sentence_record(document, number, edus) for number, edus in enumerate(edus_by_sentence)
        ]
        if edu_texts and None not in edus_by_sentence:
            _add_edu_texts(record["sentences"], document)
    elif document.tokens:
        record |= _token_records(document.tokens)
    else:
        record["sentences"] = []
    if document.edus and None in edus_by_sentence:
        record["edus"] = list(map(_pair, document.edus))
        if edu_texts:
            record["edu_texts"] = document.edu_texts()
    if document.tree is not None:
        record["tree"] = _split_records(document.tree)
    if document.nary is not None:
        record["nary"] = [[unit.start, unit.end, unit.role, unit.relation] for unit in document.nary.units]
    if document.split_probs:
        record["split_probabilities"] = list(map(_split_probs_record, document.split_probs))
    if document.secondary_edges:
        record["secondary_edges"] = list(map(_edge_record, document.secondary_edges))
    if document.signals:
        numbers = {edge: number for number, edge in enumerate(document.secondary_edges)}
        record["signals"] = [_signal_record(signal, numbers) for signal in document.signals]
    if document.syntax is not None:
        record["syntax"] = _syntax_record(document.syntax)
    return record


def to_tree_record(tree: Tree) -> Record:
    """A tree alone, with its splits as a sentence's record has them."""
    return {"splits": _split_records(tree)}


def _edus_by_sentence(document: Document) -> list[list[list[int]] | None]:
    """The EDUs of each sentence, counted from its first token; None for all if an EDU crosses sentences.

    A document without sentences counts as one sentence without EDUs of its own.
    """
    spans = document.sentence_edus()
    if not spans or None in spans or not document.edus:
        return [None] * max(1, len(spans))
    return [
        [_pair(edu.shift(-sentence.start)) for edu in document.edus[span.start : span.end]]
        for sentence, span in zip(document.sentences, spans, strict=True)
        if span is not None
    ]


def _add_edu_texts(sentences: list[Record], document: Document) -> None:
    texts = iter(document.edu_texts())
    for sentence in sentences:
        sentence["edu_texts"] = list(islice(texts, len(sentence["edus"])))


def _sentence_record(document: Document, number: int, edus: list[list[int]] | None) -> Record:
    sentence = document.sentences[number]
    record = _token_records(document.tokens[sentence.start : sentence.end])
    if edus is not None:
        record["edus"] = edus
    if document.sentence_trees:
        tree = document.sentence_trees[number]
        record["splits"] = None if tree is None else _split_records(tree)
    if document.readings and (readings := document.readings[number]):
        if document.tree is not None and readings[0].tree is not None:
            record["splits"] = _split_records(readings[0].tree)
        record["probabilities"] = _probabilities_record(readings[0])
        if len(readings) > 1:
            record["alternatives"] = list(map(_alternative_record, readings[1:]))
    return record


def _alternative_record(reading: Reading) -> Record:
    record: Record = {"edus": list(map(_pair, reading.edus))}
    if reading.tree is not None:
        record["splits"] = _split_records(reading.tree)
    return record | {"probabilities": _probabilities_record(reading)}


def _probabilities_record(reading: Reading) -> Record:
    record: Record = {
        "log_prob": _rounded(reading.log_prob),
        "edus": list(map(_rounded, reading.edu_probs)),
    }
    if reading.tree is not None:
        record["splits"] = list(map(_rounded, reading.split_probs))
        record["labels"] = list(map(_label_records, reading.label_probs))
    if reading.fine:
        record["fine"] = _label_records(reading.fine)
    return record


def _split_probs_record(probs: SplitProbs) -> Record:
    return {
        "edus": _pair(probs.edus),
        "probability": _rounded(probs.prob),
        "labels": _label_records(probs.labels),
    }


def _label_records(labels: LabelProbs) -> list[list[Any]]:
    return [[label, _rounded(prob)] for label, prob in labels]


def _rounded(number: float) -> float:
    return float(f"{number:.6g}")


def _token_records(tokens: Sequence[Token]) -> Record:
    return {
        "tokens": [token.form for token in tokens],
        "offsets": [[token.start, token.end] for token in tokens],
    }


def _split_records(tree: Tree) -> list[list[Any]]:
    return [[s.start, s.split, s.end, s.nuclearity, s.relation] for s in tree.splits]


def _edge_record(edge: SecondaryEdge) -> Record:
    return {"source": _pair(edge.source), "target": _pair(edge.target), "relation": edge.relation}


def _signal_record(signal: Signal, numbers: dict[SecondaryEdge, int]) -> Record:
    if isinstance(signal.source, SecondaryEdge):
        record: Record = {"secondary_edge": numbers[signal.source]}
    else:
        record = {"source": _pair(signal.source)}
    record |= {"type": signal.type, "subtype": signal.subtype, "tokens": list(signal.tokens)}
    return record | {"status": signal.status} if signal.status else record


def _syntax_record(syntax: Syntax) -> Record:
    record: Record = {"columns": list(map(list, syntax.columns))}
    if syntax.comments:
        record["comments"] = list(map(list, syntax.comments))
    if syntax.fused:
        record["fused"] = [
            {"tokens": _pair(word.tokens), "columns": list(word.columns)} for word in syntax.fused
        ]
    if syntax.empty_nodes:
        record["empty_nodes"] = [
            {"after": node.after, "columns": list(node.columns), "opens": node.opens}
            for node in syntax.empty_nodes
        ]
    return record


def _pair(span: Span) -> list[int]:
    return [span.start, span.end]
