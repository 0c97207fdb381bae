"""What two documents need before their EDUs and trees can be compared.

Trees are compared over the same tokens. A tree of a sentence is never compared with a tree of a
whole document: that would score 0 and look like a result.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations

from rhetree.domain.document import Document
from rhetree.domain.retokenized import adopt_tokens
from rhetree.errors import MismatchError
from rhetree.metrics.parseval import Level

GOLD_AND_PREDICTED = ("gold", "the prediction")
"""What to call the two documents in messages."""


def adopt_sentences(gold: Document, predictions: Sequence[Document]) -> Document:
    """Gold itself or, if its sentences are not known, gold with those of its predictions, and with their tokens.

    ``MismatchError`` if nobody knows the sentences, or if the predictions differ about them: no
    system should be scored by the sentences of another.
    """
    if gold.sentences or not gold.tokens:
        return gold
    known = {prediction.sentences for prediction in predictions if prediction.sentences}
    if not known:
        check_has_sentences(gold, "gold")
    if len(known) > 1:
        raise MismatchError(
            f"{_name(gold)}: gold has no sentences, and the predictions differ about them; "
            "give gold its own, from Penn Treebank or CoNLL-U files, or predict on the same sentences"
        )
    knowing = next(prediction for prediction in predictions if prediction.sentences)
    # The comments of a CoNLL-U file belong to its own sentences.
    return replace(adopt_tokens(gold, knowing), sentences=knowing.sentences, syntax=None)


def default_level(gold: Iterable[Document], predictions: Iterable[Document]) -> Level:
    """The level at which to compare these documents unless someone asks for another.

    That is the sentence if sentences of gold are known, or if gold has a tree of a whole document
    and a prediction has trees of sentences only. Otherwise it is the document.
    """
    gold = list(gold)
    if any(document.sentences for document in gold):
        return "sentence"
    has_trees = any(map(_has_whole_tree, gold))
    return "sentence" if has_trees and any(map(_has_parts_only, predictions)) else "document"


def check_level(a: Document, b: Document, level: Level, whose: tuple[str, str] = GOLD_AND_PREDICTED) -> None:
    """Raise ``MismatchError`` if a whole document's tree would be compared with trees of sentences."""
    if level == "sentence":
        return
    for (part, parts_owner), (whole, whole_owner) in permutations(zip((a, b), whose, strict=True)):
        if _has_parts_only(part) and _has_whole_tree(whole):
            raise MismatchError(
                f"{_name(a)}: {whole_owner} has one tree for the whole document, {parts_owner} has a tree for "
                "each sentence; compare the trees of sentences (level 'sentence')"
            )


def check_same_tokens(a: Document, b: Document, whose: tuple[str, str] = GOLD_AND_PREDICTED) -> None:
    """Raise ``MismatchError`` at the first token that differs; ``whose`` says what to call the two.

    Texts that nobody has cut into tokens are compared as they are, white space aside.
    """
    forms, found_forms = [token.form for token in a.tokens], [token.form for token in b.tokens]
    name = a.name or b.name or "document"
    if forms == found_forms:
        if not forms and a.text.split() != b.text.split():
            raise MismatchError(
                f"{name}: the text in {whose[1]} is {b.text!r:.80}, expected {a.text!r:.80} as in {whose[0]}; "
                "trees are compared over the same text only"
            )
        return
    for number, (wanted, found) in enumerate(zip(forms, found_forms, strict=False), start=1):
        if wanted != found:
            raise MismatchError(
                f"{name}: token {number} is {found!r} in {whose[1]}, expected {wanted!r} as in {whose[0]}; "
                "trees are compared over the same tokens only"
            )
    common = min(len(forms), len(found_forms))
    longer, shorter = whose if len(forms) > common else whose[::-1]
    extra = max(forms, found_forms, key=len)[common]
    raise MismatchError(
        f"{name}: {shorter} ends after token {common}, expected token {common + 1}, {extra!r}, as in {longer}; "
        "trees are compared over the same tokens only"
    )


def check_has_edus(document: Document, whose: str) -> None:
    """Raise ``MismatchError`` if a document with tokens is not segmented."""
    if document.tokens and not document.edus:
        raise MismatchError(f"{_name(document)}: it has no EDUs in {whose}; expected some to compare")


def check_has_sentences(document: Document, whose: str) -> None:
    """Raise ``MismatchError`` if a document's sentences are not known."""
    if document.tokens and not document.sentences:
        raise MismatchError(
            f"{_name(document)}: it has no sentences in {whose}; compare trees of whole documents "
            "(level 'document'), or read it with its CoNLL-U file"
        )


def _has_whole_tree(document: Document) -> bool:
    if len(document.sentences) == 1 and document.sentence_trees:
        return document.sentence_trees[0] is not None
    return document.tree is not None


def _has_parts_only(document: Document) -> bool:
    return len(document.sentences) > 1 and any(tree is not None for tree in document.sentence_trees)


def _name(document: Document) -> str:
    return document.name or "document"
