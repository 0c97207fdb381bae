"""From documents to CoNLL-U lines, with all that their syntax keeps."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NoReturn, TextIO

from rhetree.domain.annotation import EmptyNode, FusedWord
from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.errors import UnwritableError
from rhetree.formats.conllu import misc
from rhetree.formats.conllu.blocks import starts_paragraph
from rhetree.formats.conllu.conventions import (
    BLANK,
    EDUS_KEY,
    implied_gaps,
    metadata_comments,
    one_line,
    ranges,
    sentence_text,
    usual_comments,
)
from rhetree.formats.conllu.discourse import plain_fields, tells, understand
from rhetree.formats.conllu.paragraphs import kinds_in, kinds_of, usual_lines, without_paragraph


def write(document: Document, sink: TextIO) -> None:
    """Append a document, EDUs labelled as in the file it came from, or as DISRPT does from 2024 on.

    The document's tree stands in ``Discourse`` fields, as in GUM.
    """
    if not document.sentences:
        raise UnwritableError("its sentences are not known; .tok needs none", document.name, "conllu")
    for line in _Lines(document, "conllu").all():
        sink.write(f"{line}\n")


def write_tok(document: Document, sink: TextIO) -> None:
    """Append a document as one block of numbered words."""
    for line in _Lines(replace(document.without_trees(), syntax=None, sentences=()), "tok").all():
        sink.write(f"{line}\n")


@dataclass(slots=True)
class _Unit:
    """One written word: a token, or several that are fused."""

    sentence: int
    tokens: Span
    fused: FusedWord | None


class _Lines:
    """The lines of one document."""

    def __init__(self, document: Document, format: str) -> None:
        self.document = document
        self.format = format
        n_tokens = len(document.tokens)
        if not n_tokens:
            self.refuse("it has no tokens")
        self.sentences = document.sentences or (Span(0, n_tokens),)
        syntax = document.syntax
        self.columns = syntax.columns if syntax else (BLANK,) * n_tokens
        self.fused = {word.tokens.start: word for word in syntax.fused} if syntax else {}
        self.empty_nodes: dict[tuple[int, bool], list[EmptyNode]] = {}
        for node in syntax.empty_nodes if syntax else ():
            place = (node.after, node.opens or node.after == 0)
            self.empty_nodes.setdefault(place, []).append(node)
        self.starts = {edu.start for edu in document.edus}
        self.discourse = self._discourse()
        self.convention = self._convention()

    def refuse(self, what: str) -> NoReturn:
        raise UnwritableError(what, self.document.name, self.format)

    def all(self) -> Iterator[str]:
        document = self.document
        units = self._units()
        comments = self._comments()
        n_units = [0] * len(self.sentences)
        for unit in units:
            n_units[unit.sentence] += 1
        implied = implied_gaps(n_units, [any(map(starts_paragraph, lines)) for lines in comments])
        starts = [document.tokens[unit.tokens.start].start for unit in units]
        opening = document.text[: starts[0]]
        rows: list[list[str]] = [self._empty_rows(sentence.start, True) for sentence in self.sentences]
        texts: list[list[str]] = [[] for _ in self.sentences]
        gaps: list[list[str]] = [[] for _ in self.sentences]
        for unit, default, following in zip(units, implied, [*starts[1:], len(document.text)], strict=True):
            text = document.text_of(unit.tokens)
            gap = document.text[document.tokens[unit.tokens.end - 1].end : following]
            rows[unit.sentence] += self._rows(unit, text, gap, default, opening)
            texts[unit.sentence].append(text)
            gaps[unit.sentence].append(gap)
            opening = ""
        if self.empty_nodes:
            self.refuse("an empty node opens a sentence where none starts")
        yield from map(self._comment, self._document_comments())
        for number, lines in enumerate(comments):
            text = f"# text = {sentence_text(texts[number], gaps[number])}"
            for line in lines:
                yield text if line == "# text" else self._comment(line)
            yield from rows[number]
            yield ""

    # --- comments ---------------------------------------------------------------------------

    def _document_comments(self) -> Iterator[str]:
        yield f"# newdoc id = {self.document.name}" if self.document.name else "# newdoc"
        for key, value in self.document.metadata.items():
            if key == EDUS_KEY:
                continue
            if "=" in key or key != key.strip() or not key:
                self.refuse(f"metadata {key!r} has a name that a comment cannot have")
            yield from metadata_comments(key, value)

    def _comments(self) -> list[tuple[str, ...]]:
        document = self.document
        if not document.sentences:
            return [()]
        kept = (document.syntax.comments if document.syntax else ()) or ((),) * len(self.sentences)
        kinds = kinds_in(document)
        usual = usual_lines(kinds)
        comments = [
            own or tuple(usual_comments(document.name, number, usual[number]))
            for number, own in enumerate(kept)
        ]
        if kinds_of(comments) == kinds:
            return comments
        return [
            (*paragraph, *without_paragraph(lines)) for paragraph, lines in zip(usual, comments, strict=True)
        ]

    def _comment(self, line: str) -> str:
        if not line.startswith("#") or "\n" in line or "\r" in line:
            self.refuse(f"a comment is one line that starts with #, got {line!r}")
        return line

    # --- rows -------------------------------------------------------------------------------

    def _units(self) -> list[_Unit]:
        units: list[_Unit] = []
        for number, sentence in enumerate(self.sentences):
            at = sentence.start
            while at < sentence.end:
                fused = self.fused.get(at)
                span = fused.tokens if fused else Span(at, at + 1)
                if span.end > sentence.end:
                    self.refuse(f"the fused word {span} goes beyond its sentence {sentence}")
                units.append(_Unit(number, span, fused))
                at = span.end
        return units

    def _rows(self, unit: _Unit, text: str, gap: str, implied: str, opening: str) -> list[str]:
        tokens = self.document.tokens[unit.tokens.start : unit.tokens.end]
        offset = self.sentences[unit.sentence].start
        rows: list[str] = []
        if unit.fused:
            wanted = [(token.start - tokens[0].start, token.end - tokens[0].start) for token in tokens]
            if wanted != ranges(text, [token.form for token in tokens]):
                self.refuse(
                    f"the words of the fused word {text!r} stand elsewhere in it than CoNLL-U can say"
                )
            fields = misc.fields_of(unit.fused.columns[-1])
            fields = _with_spacing(fields, one_line(text), text, gap, implied, opening)
            identity = f"{unit.tokens.start - offset + 1}-{unit.tokens.end - offset}"
            rows.append(self._row(identity, one_line(text), *unit.fused.columns[:-1], misc.misc_of(fields)))
        for number, token in zip(unit.tokens.indices(), tokens, strict=True):
            fields = misc.fields_of(self.columns[number][-1])
            if not unit.fused:
                fields = _with_spacing(fields, token.form, text, gap, implied, opening)
            fields = self._with_label(fields, number)
            cells = (token.form, *self.columns[number][:-1], misc.misc_of(fields))
            rows.append(self._row(f"{number - offset + 1}", *cells))
            rows += self._empty_rows(number + 1, False, number - offset + 1)
        return rows

    def _empty_rows(self, after: int, opens: bool, number: int = 0) -> list[str]:
        nodes = self.empty_nodes.pop((after, opens), [])
        return [self._row(f"{number}.{place}", *node.columns) for place, node in enumerate(nodes, start=1)]

    def _row(self, *cells: str) -> str:
        for cell in cells:
            if not cell or "\t" in cell or "\n" in cell or "\r" in cell:
                self.refuse(f"word {cells[0]} has a column that is empty or has tabs or line ends: {cell!r}")
        return "\t".join(cells)

    # --- labels -----------------------------------------------------------------------------

    def _discourse(self) -> dict[int, str]:
        """By word the ``Discourse`` fields to write.

        Those that the document was read with say more than its tree. They stay if they still tell its
        tree, or if they are of another kind and it has the same EDUs and no tree.
        """
        found = {
            number: field
            for number, columns in enumerate(self.columns)
            for field in misc.fields_of(columns[-1])
            if misc.name_of(field) == misc.DISCOURSE
        }
        tree = self.document.as_drawn() if self.format == "conllu" else None
        if tree is None:
            is_kept = found.keys() == self.starts and not any(map(understand, found.values()))
            return found if is_kept else {}
        starts = (edu.start for edu in self.document.edus)
        plain = dict(zip(starts, plain_fields(tree, self.document.name), strict=True))
        fields = [found.get(start, field) for start, field in plain.items()]
        is_kept = found.keys() <= plain.keys() and tells(fields, tree)
        return dict(zip(plain, fields, strict=True)) if is_kept else plain

    def _convention(self) -> str | None:
        """How to say where EDUs start; None if there are none."""
        wanted = self.document.metadata.get(EDUS_KEY, misc.SEG)
        if wanted not in misc.CONVENTIONS:
            self.refuse(f"metadata {EDUS_KEY} is {wanted!r}, expected one of {', '.join(misc.CONVENTIONS)}")
        if not self.starts:
            return None
        return misc.SEG if wanted == misc.DISCOURSE and not self.discourse else wanted

    def _with_label(self, fields: tuple[str, ...], number: int) -> tuple[str, ...]:
        own = self.discourse.get(number)
        labels = [] if own is None or own in fields else [own]
        stale = [name for name in misc.CONVENTIONS if name != misc.DISCOURSE or own is None or labels]
        if self.convention is not None:
            labels += misc.edu_label(number in self.starts, self.convention)
        return misc.added(misc.without(fields, stale), labels)


def _with_spacing(
    fields: tuple[str, ...], form: str, text: str, gap: str, implied: str, opening: str
) -> tuple[str, ...]:
    """The fields, and those that say what text stands before, in and after a written word."""
    fields = misc.without(fields, ["SpacesBefore"])
    more = [f"SpacesBefore={misc.escape(opening)}"] if opening else []
    if misc.text_of(form, fields) != text:
        fields = misc.without(fields, ["SpacesInToken"])
        more += misc.text_field(form, text)
    if misc.gap_after(fields, implied) != gap:
        fields = misc.without(fields, ["SpaceAfter", "SpacesAfter"])
        more += misc.gap_field(gap, implied)
    return misc.added(fields, more)
