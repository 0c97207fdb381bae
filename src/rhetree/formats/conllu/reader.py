"""From blocks of CoNLL-U lines to documents: text, tokens, sentences, EDUs, and the rest as syntax."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from rhetree.domain.annotation import EmptyNode, FusedWord, Syntax
from rhetree.domain.binarize import binarize
from rhetree.domain.document import Document, Token
from rhetree.domain.nary import NaryTree
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.errors import TreebankError
from rhetree.formats.conllu import misc
from rhetree.formats.conllu.blocks import (
    Block,
    Unit,
    Word,
    key_of,
    read_blocks,
    starts_document,
    value_of,
)
from rhetree.formats.conllu.conventions import (
    BLANK,
    EDUS_KEY,
    implied_gaps,
    metadata_key,
    ranges,
    sentence_text,
    usual_comments,
)
from rhetree.formats.conllu.discourse import plain_fields, read_tree
from rhetree.formats.conllu.paragraphs import Kinds, blocks_of, kinds_of, usual_lines
from rhetree.formats.format import blame, complain, stem


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """The documents of a CoNLL-U file.

    ``lenient`` forgives, with a warning for each: a ``# text`` that is not what the tokens say (the
    tokens count), a first word that starts no EDU (it does), ``Discourse`` fields that make no tree
    (there is none then), and comments without words (they are left out).
    """
    blocks: list[Block] = []
    number = 1
    for block in read_blocks(source, path, lenient=lenient):
        if blocks and block.starts_document:
            yield _document(blocks, _name(blocks[0], path, number), path, lenient=lenient)
            number += 1
            blocks = []
        blocks.append(block)
    if blocks:
        yield _document(blocks, _name(blocks[0], path, number), path, lenient=lenient)


def read_tok(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """The documents of a DISRPT ``.tok`` file, one a block; leniency is that of :func:`read`."""
    for number, block in enumerate(read_blocks(source, path, lenient=lenient), start=1):
        if number > 1 and not block.starts_document:
            raise TreebankError(
                "found a blank line inside a document, expected '# newdoc id = NAME' after it; "
                "a file with sentences is a .conllu file",
                path,
                block.line,
            )
        name = _name(block, path, number)
        document = _document([block], name, path, lenient=lenient, has_sentences=False)
        yield document


def _name(block: Block, path: Path, number: int) -> str:
    said = [value_of(comment).strip() for _, comment in block.comments if starts_document(comment)]
    if said and said[0]:
        return said[0]
    own = stem(path, (".conllu", ".tok"))
    return own if number == 1 else f"{own}-{number}"


def _document(
    blocks: list[Block], name: str, path: Path, *, lenient: bool, has_sentences: bool = True
) -> Document:
    units = [unit for block in blocks for unit in block.units]
    words = [word for unit in units for word in unit.words]
    implied = implied_gaps(
        [len(block.units) for block in blocks], [block.starts_paragraph for block in blocks]
    )
    opening, gaps = _gaps(units, implied)
    if has_sentences:
        _check_texts(blocks, gaps, path, lenient)
    convention = misc.convention_of(word.fields for word in words)
    metadata = _metadata(blocks[0])
    if convention in (misc.BEGIN_SEG, misc.DISCOURSE):
        metadata[EDUS_KEY] = convention
    text, tokens = _layout(units, opening, gaps)
    edus = _edus(words, convention, path, lenient)
    tree = _tree(words, edus, path, lenient)
    plain = (
        {} if tree is None else dict(zip((edu.start for edu in edus), plain_fields(tree, name), strict=True))
    )
    columns, fused = _columns(units, implied, gaps, convention, plain)
    kinds = kinds_of([line for _, line in block.comments] for block in blocks)
    comments, empty_nodes = _beside_words(blocks, kinds, name if has_sentences else None)
    sentences = spans_of_lengths(block.n_words for block in blocks) if has_sentences else ()
    says_more = any(row != BLANK for row in columns) or fused or comments or empty_nodes
    with blame(path, blocks[0].line):
        return Document(
            name=name,
            text=text,
            tokens=tuple(tokens),
            sentences=sentences,
            blocks=blocks_of(kinds, sentences, tokens) if has_sentences else (),
            edus=edus,
            tree=None if tree is None else binarize(tree),
            nary=None if tree is None or tree.is_binary() else tree,
            syntax=Syntax(columns, comments, fused, empty_nodes) if says_more else None,
            metadata=metadata,
        )


def _metadata(block: Block) -> dict[str, str]:
    metadata: dict[str, str] = {}
    for _, comment in block.comments:
        key = metadata_key(comment)
        if key in metadata:
            metadata[key] += f"\n{value_of(comment)}"
        elif key is not None:
            metadata[key] = value_of(comment)
    return metadata


# --- text and tokens -------------------------------------------------------------------------


def _gaps(units: list[Unit], implied: list[str]) -> tuple[str, list[str]]:
    """The text before the first written word, and after each."""
    before = [misc.value_of(unit.whole.fields, "SpacesBefore") or "" for unit in units]
    after = [misc.gap_after(unit.whole.fields, gap) for unit, gap in zip(units, implied, strict=True)]
    return before[0], [gap + more for gap, more in zip(after, [*before[1:], ""], strict=True)]


def _layout(units: list[Unit], opening: str, gaps: list[str]) -> tuple[str, list[Token]]:
    tokens: list[Token] = []
    parts = [opening]
    at = len(opening)
    for unit, gap in zip(units, gaps, strict=True):
        text = unit.text
        forms = [word.form for word in unit.words]
        for form, (start, end) in zip(forms, ranges(text, forms), strict=True):
            tokens.append(Token(form, at + start, at + end))
        parts += [text, gap]
        at += len(text) + len(gap)
    return "".join(parts), tokens


def _check_texts(blocks: list[Block], gaps: list[str], path: Path, lenient: bool) -> None:
    at = 0
    for block in blocks:
        here = gaps[at : at + len(block.units)]
        at += len(block.units)
        comments = [(line, comment) for line, comment in block.comments if key_of(comment) == "text"]
        if len(comments) > 1:
            complain("found a second # text in one sentence", path, comments[1][0], lenient=lenient)
        for line, comment in comments:
            said = value_of(comment).strip()
            expected = sentence_text([unit.text for unit in block.units], here)
            if said != expected:
                complain(_difference(said, expected), path, line, lenient=lenient)


def _difference(said: str, expected: str) -> str:
    same = [a == b for a, b in zip(said, expected, strict=False)]
    where = max(0, (same.index(False) if False in same else len(same)) - 10)
    return (
        f"# text is not what the tokens say: found {said[where : where + 30]!r}, "
        f"expected {expected[where : where + 30]!r} from its character {where} on"
    )


def _edus(words: list[Word], convention: str | None, path: Path, lenient: bool) -> tuple[Span, ...]:
    if convention is None:
        return ()
    starts = []
    for number, word in enumerate(words):
        with blame(path, word.line):
            if misc.starts_edu(word.fields, convention):
                starts.append(number)
    if not starts or starts[0] != 0:
        what = f"the document's first word starts no EDU, expected its MISC to say so with {convention}="
        complain(what, path, words[0].line, lenient=lenient)
        starts.insert(0, 0)
    return tuple(Span(start, end) for start, end in zip(starts, [*starts[1:], len(words)], strict=True))


def _tree(words: list[Word], edus: Sequence[Span], path: Path, lenient: bool) -> NaryTree | None:
    """The tree of the ``Discourse`` fields, None where these are not those of the EDUs."""
    starts = {edu.start for edu in edus}
    found = {
        number: field
        for number, word in enumerate(words)
        for field in word.fields
        if misc.name_of(field) == misc.DISCOURSE
    }
    if not found or found.keys() != starts:
        return None
    return read_tree(list(found.values()), [words[start].line for start in found], path, lenient=lenient)


# --- all else --------------------------------------------------------------------------------


def _columns(
    units: list[Unit],
    implied: list[str],
    gaps: list[str],
    convention: str | None,
    plain: Mapping[int, str],
) -> tuple[tuple[tuple[str, ...], ...], tuple[FusedWord, ...]]:
    """LEMMA to MISC of each word, and the lines of fused words.

    :param plain: by word, a ``Discourse`` field that says nothing beyond the document's tree
    """
    columns: list[tuple[str, ...]] = []
    fused: list[FusedWord] = []
    for unit, default, gap in zip(units, implied, gaps, strict=True):
        spacing = [*misc.gap_field(gap, default), *misc.text_field(unit.whole.form, unit.text)]
        if unit.is_fused:
            span = Span(len(columns), len(columns) + len(unit.words))
            fused.append(FusedWord(span, _kept(unit.whole, None, spacing)))
            columns += [
                _kept(word, convention, [plain.get(number, "")])
                for number, word in enumerate(unit.words, start=len(columns))
            ]
        else:
            columns.append(_kept(unit.whole, convention, [*spacing, plain.get(len(columns), "")]))
    return tuple(columns), tuple(fused)


def _kept(word: Word, convention: str | None, known: list[str]) -> tuple[str, ...]:
    """LEMMA to MISC without the fields that the document says itself, such as these."""
    if not word.fields:
        return word.columns
    fields = misc.without(misc.without_label(word.fields, convention), ["SpacesBefore"])
    return (*word.columns[:-1], misc.misc_of(field for field in fields if field not in known))


def _beside_words(
    blocks: list[Block], kinds: Kinds, name: str | None
) -> tuple[tuple[tuple[str, ...], ...], tuple[EmptyNode, ...]]:
    """Each sentence's comments, where they are not the usual ones, and the empty nodes.

    :param kinds: the paragraph that each block opens
    :param name: the document's, None where it has no sentences and so no usual comments
    """
    comments: list[tuple[str, ...]] = []
    empty_nodes: list[EmptyNode] = []
    n_words = 0
    for number, (block, paragraph) in enumerate(zip(blocks, usual_lines(kinds), strict=True)):
        own = _own_comments(block, is_first=number == 0)
        usual = [] if name is None else usual_comments(name, number, paragraph)
        comments.append(() if own == usual else tuple(own))
        for node in block.empty_nodes:
            empty_nodes.append(replace(node, after=n_words + node.after, opens=node.after == 0))
        n_words += block.n_words
    return tuple(comments) if any(comments) else (), tuple(empty_nodes)


def _own_comments(block: Block, *, is_first: bool) -> list[str]:
    """The comments that are about the sentence, not the document; ``# text`` without its value."""
    own: list[str] = []
    for _, comment in block.comments:
        if not starts_document(comment) and not (is_first and metadata_key(comment)):
            own.append("# text" if key_of(comment) == "text" else comment)
    return own
