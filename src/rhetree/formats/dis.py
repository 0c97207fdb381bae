"""RST-DT's ``.dis``, also GUM's: nested brackets with one node a line, EDUs counted from 1.

Its quirks: ``<P>`` in a text ends a paragraph, ``//TT_ERR`` and the like are comments, a text may
hold brackets and even ``_!`` itself, and ``rel2par`` is ``span`` on the nucleus of a mononuclear
relation. Tokens are what white space separates. Nothing here recurses: depth is no error.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TextIO

from rhetree.domain.binarize import binarize
from rhetree.domain.document import Document, Token, space_out
from rhetree.domain.nary import NaryTree, Role, Unit
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Nuclearity, Split, Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.format import Format, Layer, complain, stem

_SUFFIXES = (".dis", ".out.dis")
_MAX_INDENT = 50
"""Levels of indentation. Without a limit the white space of a deep tree would grow quadratically."""

_ROLES: dict[str, Role] = {"Root": "root", "Nucleus": "nucleus", "Satellite": "satellite"}
_NAMES = {role: name for name, role in _ROLES.items()}

_PARAGRAPH = "<P>"
_BLANK_LINE = re.compile(r"\n\s*\n")

# A text ends at the first ``_!`` that a closing bracket follows, so that it may hold either alone.
_TEXT_START = re.compile(r"\(\s*text\s*_!")
_TEXT_END = re.compile(r"_!\s*\)")
_STEP = re.compile(
    rf"""
    \s*
    (?: \( \s* (Root|Nucleus|Satellite)
        \s* \( \s* (?: leaf \s+ ([0-9]{{1,9}}) | span \s+ ([0-9]{{1,9}}) \s+ ([0-9]{{1,9}}) ) \s* \)
        (?: \s* \( \s* rel2par \s ([^()]*) \) )?
        (?: \s* {_TEXT_START.pattern} (.*?) {_TEXT_END.pattern} \s* (\)?) )?
      | (\))
      | // [^\n]*
    )
    """,
    re.VERBOSE | re.DOTALL,
)
"""What comes next in a file: a leaf, another node as far as its children, its end, or a comment."""


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """The one document of a ``.dis`` file.

    ``lenient`` forgives, with a warning for each: numbers that do not add up (the brackets
    decide), nuclei of one node with different relations (the first that is not ``span`` holds),
    and a relation of the root or of a node's only nucleus (it is dropped).
    """
    parse = _Parse(source.read(), path, lenient)
    parse.run()
    text, tokens, lengths = _lay_out(parse.texts)
    nary = parse.nary_tree()
    yield Document(
        name=stem(path, _SUFFIXES),
        text=text,
        tokens=tokens,
        edus=spans_of_lengths(lengths),
        tree=parse.binary_tree() if nary is None else binarize(nary),
        nary=nary,
    )


def write(document: Document, sink: TextIO) -> None:
    """Write the document's tree as it was drawn; a blank line in its text becomes ``<P>``."""
    FORMAT.require(document)
    drawn = document.as_drawn()
    texts = _marked_texts(document)
    lines: list[str] = []
    open_ends: list[int] = []
    for unit in drawn.units if drawn else ():
        is_leaf = unit.end - unit.start == 1
        span = f"(leaf {unit.end})" if is_leaf else f"(span {unit.start + 1} {unit.end})"
        relation = "" if unit.role == "root" else f" (rel2par {_checked_relation(unit, document.name)})"
        text = f" (text _!{texts[unit.start]}_!) )" if is_leaf else ""
        lines.append(f"{_indent(open_ends)}( {_NAMES[unit.role]} {span}{relation}{text}\n")
        if not is_leaf:
            open_ends.append(unit.end)
        while is_leaf and open_ends and open_ends[-1] == unit.end:
            open_ends.pop()
            lines.append(f"{_indent(open_ends)})\n")
    sink.writelines(lines)


FORMAT = Format(
    name="dis",
    suffixes=_SUFFIXES,
    read=read,
    write=write,
    holds=frozenset({Layer.TEXT, Layer.TOKENS, Layer.EDUS, Layer.TREE, Layer.NARY}),
    needs=frozenset({Layer.TEXT, Layer.EDUS, Layer.TREE}),
)


# --- reading ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Node:
    role: Role
    relation: str | None
    first: int
    """First EDU by the numbers in the file, counted from 1; ``last`` is the last one."""
    last: int
    is_leaf: bool
    place: int
    """Offset in the file."""
    start: int
    """First EDU by counting leaves, from 0; ``end`` is the EDU after the last."""
    end: int = 0

    @property
    def span(self) -> str:
        return f"leaf {self.last}" if self.is_leaf else f"span ({self.first} {self.last})"

    def __str__(self) -> str:
        return f"{_NAMES[self.role]} {self.span}"


class _Parse:
    """One pass over a file. Collects its nodes in pre-order, and the texts of its EDUs."""

    def __init__(self, source: str, path: Path, lenient: bool) -> None:
        self.source = source
        self.path = path
        self.lenient = lenient
        self.nodes: list[_Node] = []
        self.families: list[tuple[_Node, list[_Node]]] = []
        """The open nodes, each with its children so far."""
        self.pairs: list[tuple[_Node, _Node]] = []
        """The children of each closed node that has two."""
        self.texts: list[str] = []
        self.numbers_hold = True
        """Whether the file's own numbers have added up so far."""

    def nary_tree(self) -> NaryTree | None:
        """The tree as drawn, or None if it is binary: most are, and the splits are made without it."""
        if len(self.nodes) == 2 * len(self.texts) - 1:
            return None
        return NaryTree(tuple(Unit(node.start, node.end, node.role, node.relation) for node in self.nodes))

    def binary_tree(self) -> Tree:
        return Tree.from_splits(
            Split(left.start, right.start, right.end, *_label(left, right)) for left, right in self.pairs
        )

    def run(self) -> None:
        at = 0
        step = _STEP.match
        while found := step(self.source, at):
            role, leaf, first, last, relation, text, end_of_leaf, closing = found.groups()
            if not self.families and (closing or (role and self.nodes)):
                break
            at = found.end()
            if role:
                node = self.add(role, int(leaf or first), int(leaf or last), relation, found)
                if leaf:
                    self.end_leaf(node, text, end_of_leaf, at)
                elif text is not None:
                    self.fail(f"expected the children of {node}, found (text _!", node.place)
                else:
                    self.families.append((node, []))
            elif closing:
                self.close(*self.families.pop())
        self.finish(at)

    def add(self, name: str, first: int, last: int, relation: str | None, found: re.Match[str]) -> _Node:
        role = _ROLES[name]
        relation = relation.strip() if relation else None
        start = len(self.texts)
        node = _Node(
            role, None if relation == "span" else relation, first, last, bool(found[2]), found.start(), start
        )
        if (role == "root") == bool(self.families):
            expected = "Nucleus or Satellite" if self.families else "Root"
            self.fail(f"expected {expected}, found {name}", node.place)
        if role == "root":
            if relation:
                self.complain(f"expected no relation of the root, found {relation}", node.place)
            node.relation = None
        elif not relation:
            after = self.source.index(")", found.end(2 if node.is_leaf else 4)) + 1
            self.fail(f"{node} needs (rel2par NAME), found {self.found(after)}", after)
        elif role == "satellite" and relation == "span":
            self.fail(f"{node} needs a relation, found span", node.place)
        else:
            self.families[-1][1].append(node)
        self.nodes.append(node)
        if first != start + 1 and self.numbers_hold:
            self.miscounted(f"expected EDU {start + 1} next, found {node.span}; is a leaf missing?", node)
        return node

    def end_leaf(self, node: _Node, text: str | None, end: str | None, at: int) -> None:
        if text is None:
            if _TEXT_START.match(self.source, self.skip(at)):
                self.fail(f"the text of {node} has no end; expected _!) after it", at)
            self.fail(f"{node} needs (text _!…_!), found {self.found(at)}", at)
        if "_!" in text and _TEXT_START.search(text):
            self.fail(f"the text of {node} runs into the next; expected _!) after it", node.place)
        if not text.replace(_PARAGRAPH, "").strip():
            self.fail(f"the text of {node} is empty", node.place)
        if not end:
            self.fail(f"expected a closing bracket after {node}, found {self.found(at)}", at)
        self.texts.append(text)
        node.end = len(self.texts)

    def close(self, node: _Node, children: list[_Node]) -> None:
        node.end = len(self.texts)
        if node.end != node.last and self.numbers_hold:
            n_edus, n_told = node.end - node.start, node.last - node.start
            doubt = "is a leaf missing?" if n_edus < n_told else "is a bracket out of place?"
            self.miscounted(f"{node.span} holds {n_edus} EDUs, not {n_told}; {doubt}", node)
        if len(children) < 2:
            self.fail(f"{node} needs two children or more, found {len(children)}", node.place)
        self.check_nuclei(node, [child for child in children if child.role == "nucleus"])
        if len(children) == 2:
            self.pairs.append((children[0], children[1]))

    def check_nuclei(self, node: _Node, nuclei: list[_Node]) -> None:
        names = [nucleus.relation for nucleus in nuclei]
        relation = next((name for name in names if name), None)
        if not nuclei:
            self.fail(f"{node} needs a nucleus, found only satellites", node.place)
        if len(nuclei) == 1:
            if relation:
                self.complain(
                    f"{nuclei[0]} is the only nucleus, expected (rel2par span), found {relation}",
                    nuclei[0].place,
                )
            nuclei[0].relation = None
        elif relation is None:
            self.fail(f"the {len(nuclei)} nuclei of {node} need a relation, found span", node.place)
        elif names.count(relation) < len(names):
            found = ", ".join(dict.fromkeys(name or "span" for name in names))
            self.complain(f"the nuclei of {node} need one relation, found {found}", node.place)
            for nucleus in nuclei:
                nucleus.relation = relation

    def finish(self, at: int) -> None:
        """Raise an error where no pattern matches, unless the whole tree ends there."""
        at = self.skip(at)
        at_end = at == len(self.source)
        if not self.nodes and at_end:
            raise TreebankError("no tree in it; expected ( Root (span 1 N) …", self.path)
        if self.families and at_end:
            innermost = self.families[-1][0]
            self.fail(f"no closing bracket for {innermost}; is the file cut off?", innermost.place)
        if self.nodes and not self.families:
            if not at_end:
                self.fail(f"expected nothing after the tree, found {self.found(at)}", at)
            return
        expected = "Nucleus or Satellite" if self.nodes else "Root"
        opening = re.compile(r"\(\s*(\w+)").match(self.source, at)
        if opening is None:
            self.fail(f"expected a bracket and {expected}, found {self.found(at)}", at)
        if opening[1] not in _ROLES:
            self.fail(f"expected {expected}, found {opening[1][:40]}", at)
        self.fail(f"{opening[1]} needs (leaf N) or (span N M), found {self.found(opening.end())}", at)

    def miscounted(self, what: str, node: _Node) -> None:
        self.complain(what, node.place)
        self.numbers_hold = False  # one that is off throws off all that follow

    def complain(self, what: str, place: int) -> None:
        complain(what, self.path, self.line(place), lenient=self.lenient)

    def fail(self, what: str, place: int) -> NoReturn:
        raise TreebankError(what, self.path, self.line(place))

    def line(self, place: int) -> int:
        return self.source.count("\n", 0, self.skip(place)) + 1

    def skip(self, place: int) -> int:
        """The place of the next character that is not white space, or the end."""
        space = re.compile(r"\s*").match(self.source, place)
        return space.end() if space else place

    def found(self, place: int) -> str:
        rest = self.source[self.skip(place) :][:40].split("\n")[0]
        return repr(rest) if rest else "the end of the file"


def _label(left: _Node, right: _Node) -> tuple[Nuclearity, str]:
    relation = right.relation or left.relation or ""
    if left.role == right.role:
        return "NN", relation
    return ("NS" if left.role == "nucleus" else "SN"), relation


def _lay_out(texts: list[str]) -> tuple[str, tuple[Token, ...], list[int]]:
    """The text of a document, its tokens, and the number of tokens in each EDU."""
    lengths: list[int] = []
    forms: list[str] = []
    breaks: set[int] = set()
    for text in texts:
        n_before = len(forms)
        paragraphs = text.split(_PARAGRAPH)
        forms += paragraphs[0].split()
        for paragraph in paragraphs[1:]:
            breaks.add(len(forms))
            forms += paragraph.split()
        lengths.append(len(forms) - n_before)
    text, tokens = _break_before(forms, breaks) if breaks else space_out(forms)
    return text, tokens, lengths


def _break_before(forms: list[str], breaks: set[int]) -> tuple[str, tuple[Token, ...]]:
    """Join tokens with spaces, or with a blank line before the tokens in ``breaks``."""
    pieces: list[str] = []
    tokens: list[Token] = []
    at = 0
    for number, form in enumerate(forms):
        gap = "\n\n" if number in breaks else " " if number else ""
        pieces += (gap, form)
        at += len(gap) + len(form)
        tokens.append(Token(form, at - len(form), at))
    if len(forms) in breaks:
        pieces.append("\n\n")
    return "".join(pieces), tuple(tokens)


# --- writing ------------------------------------------------------------------------------------


def _indent(open_units: list[int]) -> str:
    return "  " * min(len(open_units), _MAX_INDENT)


def _checked_relation(unit: Unit, name: str) -> str:
    if unit.relation is None:
        return "span"
    if unit.relation == "span" or unit.relation != unit.relation.strip() or re.search(r"[()]", unit.relation):
        raise UnwritableError(f"it has a relation called {unit.relation!r}", name, FORMAT.name)
    return unit.relation


def _marked_texts(document: Document) -> list[str]:
    texts = [_marked_text(document, edu) for edu in document.edus]
    if texts and _BLANK_LINE.search(document.text[: document.tokens[0].start]):
        texts[0] = _PARAGRAPH + texts[0]
    for number, text in enumerate(texts, start=1):
        words = text.replace(_PARAGRAPH, " ").strip()
        if not words:
            raise UnwritableError(f"EDU {number} is white space", document.name, FORMAT.name)
        if _TEXT_END.search(text) or _TEXT_START.search(text):
            raise UnwritableError(
                f"EDU {number} holds what ends or starts a text there: {text!r}", document.name, FORMAT.name
            )
    return texts


def _marked_text(document: Document, edu: Span) -> str:
    """The tokens of an EDU, with a mark after each token that ends a paragraph."""
    pieces: list[str] = []
    for number in edu.indices():
        token = document.tokens[number]
        if _PARAGRAPH in token.form:
            raise UnwritableError(
                f"token {token.form!r} holds {_PARAGRAPH}, which ends a paragraph there",
                document.name,
                FORMAT.name,
            )
        following = document.tokens[number + 1].start if number + 1 < len(document.tokens) else None
        ends_paragraph = _BLANK_LINE.search(document.text[token.end : following])
        pieces += (token.form, _PARAGRAPH if ends_paragraph else "", " ")
    return "".join(pieces[:-1])
