"""Draws trees as one self-contained HTML page: an outline with foldable subtrees.

The text is in plain elements, so the page can be read, printed and searched without its script.
The page's security policy allows that one script, by its hash, and no other.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence, Set
from hashlib import sha256
from html import escape
from importlib.resources import files

from rhetree.domain.dependencies import heads as unit_heads
from rhetree.domain.span import Span
from rhetree.draw.difference import SAME, Mark, Marks, Pair, Tally, tally
from rhetree.draw.outline import Row, outline
from rhetree.draw.panel import Panel
from rhetree.draw.text import clean, is_right_to_left
from rhetree.draw.theme import DARK, FONTS, LIGHT, THEMES, Theme
from rhetree.errors import counted

_DEEPEST = 30
"""The deepest level that is indented; deeper rows show their level as a number."""

_MANY_EDUS = 100
"""A tree of more EDUs than this starts with its paragraphs folded."""

_PARAGRAPH_BUTTON = '<button id="paragraphs" type="button" aria-pressed="false">Fold paragraphs</button>\n'
_DIFFERENCE_BUTTONS = """<button id="previous" type="button" aria-keyshortcuts="Shift+N">Previous difference</button>
<button id="next" type="button" aria-keyshortcuts="N">Next difference</button>
"""
_DIFFERENCE_HELP = " N goes to the next difference, Shift+N to the one before."


def draw_panels(panels: Sequence[Panel], *, title: str = "", theme: Theme = "auto") -> str:
    """Draw panels one below the other."""
    page = _Page(clean(title))
    for panel in panels:
        name = page.title if panel.sentence is None else f"Sentence {panel.sentence + 1}"
        page.add_section(panel, [page.tree([panel], {}, name, folds=True)])
    n_edus = sum(panel.n_edus for panel in panels)
    page.starts_folded = n_edus > _MANY_EDUS
    counts = counted(n_edus, "EDU")
    if panels[0].sentence is not None:
        counts += f", {counted(len(panels), 'sentence')}"
    return page.html(theme, counts)


def draw_pairs(
    pairs: Sequence[Pair], *, titles: tuple[str, str], title: str = "", theme: Theme = "auto"
) -> str:
    """Draw two analyses in two columns, with differences marked in words and by colour."""
    left, right = clean(titles[0]), clean(titles[1])
    page = _Page(clean(title))
    headings = "".join(f'<h2 dir="{_direction(name)}">{escape(name)}</h2>' for name in (left, right))
    page.sections.append(f"<section><div></div>{headings}</section>")
    for pair in pairs:
        units = _tokens(pair.left) | _tokens(pair.right)
        columns = [
            page.tree(pair.left, pair.left_marks, left, units),
            page.tree(pair.right, pair.right_marks, right, units),
        ]
        page.add_section(pair.left[0], columns)
    return page.html(theme, _summary(tally(pairs), left, right), is_comparison=True)


class _Page:
    """Collects the sections of a page."""

    def __init__(self, title: str) -> None:
        self.title = title or "Discourse tree"
        self.is_right_to_left = False
        self.sections: list[str] = []
        self.starts_folded = False
        self._depth = 1
        self._has_paragraphs = False

    def add_section(self, panel: Panel, columns: Sequence[str]) -> None:
        number = "" if panel.sentence is None else f"({panel.sentence + 1})"
        self.sections.append(
            f'<section><div class="sentence">{number}</div>\n' + "\n".join(columns) + "\n</section>"
        )

    def tree(
        self,
        panels: Sequence[Panel],
        marks: Marks,
        name: str,
        units: Set[Span] = frozenset(),
        *,
        folds: bool = False,
    ) -> str:
        """The rows of some panels as one tree, with a gap for each of ``units`` that they lack.

        :param folds: whether the largest units inside a paragraph can be folded all at once
        """
        cells: dict[Span, str] = {}
        for panel in panels:
            self.is_right_to_left = self.is_right_to_left or panel.is_right_to_left
            notes = panel.notes()
            gists = _gists(panel) if folds else {}
            self._has_paragraphs = self._has_paragraphs or bool(gists)
            for row in outline(panel):
                self._depth = max(self._depth, row.depth + 1)
                gist = gists.get(row.unit.span)
                cell = _row(panel, row, marks, notes.get(row.unit.span, ()), gist, is_first=not cells)
                cells[panel.tokens_of(row.unit.span)] = cell
        order = sorted(cells.keys() | units, key=lambda tokens: (tokens.start, -tokens.end))
        gap = '<div class="gap" role="presentation" data-level="1000000"></div>'
        inside = "\n".join(cells.get(tokens, gap) for tokens in order)
        return f'<div role="tree" aria-label="{escape(name)}">\n{inside}\n</div>'

    def html(self, theme: Theme, counts: str, is_comparison: bool = False) -> str:
        """The whole page."""
        script = _file("page.js")
        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"
        options = "".join(
            f'<option value="{name}"{" selected" if name == theme else ""}>{name}</option>' for name in THEMES
        )
        return f"""<!DOCTYPE html>
<html lang="en" data-theme="{theme}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(self.title)}</title>
<link rel="icon" href="data:,">
<style>
{_variables()}{_file("page.css")}</style>
</head>
<body>
<header>
<h1 dir="{_direction(self.title)}">{escape(self.title)}</h1>
<span class="count">{escape(counts)}</span>
<div class="tools">
{_PARAGRAPH_BUTTON if self._has_paragraphs else ""}{_DIFFERENCE_BUTTONS if is_comparison else ""}<label>Levels <input id="levels" type="range" min="1" max="{self._depth}" value="{self._depth}"></label>
<label>Theme <select id="theme">{options}</select></label>
</div>
</header>
<main class="{"compare" if is_comparison else ""}"{' data-folded="paragraphs"' if self.starts_folded else ""} dir="{"rtl" if self.is_right_to_left else "ltr"}">
{chr(10).join(self.sections)}
</main>
<footer class="help">Arrow keys move and fold, Space folds, Enter keeps a path highlighted, Escape lets go.{_DIFFERENCE_HELP if is_comparison else ""}</footer>
<div id="path" role="status"></div>
<script>{script}</script>
</body>
</html>
"""


def _gists(panel: Panel) -> dict[Span, str]:
    """For the largest units inside a paragraph the text of their head, which is shown in their place when folded."""
    if panel.tree is None or not panel.blocks:
        return {}
    units = panel.tree.units
    found = {}
    heads = [edu for edu, _ in unit_heads(panel.tree)]
    for number, family in enumerate(panel.tree.child_numbers()):
        for child in [0, *family] if number == 0 else family:
            parent = None if child == 0 else units[number].span
            if panel.is_paragraph(units[child].span, parent):
                found[units[child].span] = panel.texts[heads[child]]
    return found


def _row(panel: Panel, row: Row, marks: Marks, notes: Sequence[str], gist: str | None, is_first: bool) -> str:
    tokens = panel.tokens_of(row.unit.span)
    mark = marks.get(tokens, SAME)
    is_edu = not row.relation
    kinds = ["row", *(["edu"] if is_edu else []), *(["only"] if mark.only_here else [])]
    if mark.sign:
        kinds.append("differs")
    letter = row.letter.lower()
    attributes = {
        "role": "treeitem",
        "class": " ".join(kinds),
        "aria-level": row.depth + 1,
        "aria-setsize": row.n_siblings,
        "aria-posinset": row.place + 1,
        **({} if is_edu else {"aria-expanded": "true"}),
        "tabindex": 0 if is_first else -1,
        "style": f"--d:{min(row.depth, _DEEPEST)}",
        "data-tokens": f"{tokens.start}-{tokens.end}",
        "data-role": letter,
        **({} if gist is None else {"data-paragraph": ""}),
    }
    parts = ['<span class="fold" aria-hidden="true"></span>']
    if row.depth > _DEEPEST:
        parts.append(f'<span class="level">level {row.depth + 1}</span>')
    if letter:
        name = {"n": "nucleus", "s": "satellite"}[letter]
        parts.append(f'<abbr class="role {letter}" title="{name}">{row.letter}</abbr>')
    if is_edu and row.numbers:
        parts.append(f'<span class="number">{row.numbers}</span>')
    body = list(_body(row, mark))
    if gist is not None:
        body.append(f'<span class="gist" dir="{_direction(gist)}">{escape(gist)} …</span>')
    parts.append(f'<div class="body">{" ".join(body)}{_listed(notes)}</div>')
    written = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<div {written}>{''.join(parts)}</div>"


def _body(row: Row, mark: Mark) -> Iterator[str]:
    if row.own_relation:
        yield f'<span class="relation" dir="{_direction(row.own_relation)}">{escape(row.own_relation)}:</span>'
    if row.relation:
        nuclei = " nuclei" if row.n_nuclei > 1 else ""
        yield f'<span class="relation{nuclei}" dir="{_direction(row.relation)}">{escape(row.relation)}</span>'
        yield f'<span class="number">{row.numbers}</span>'
    if row.text:
        yield f'<span class="text" dir="{_direction(row.text)}">{escape(row.text)}</span>'
    if mark:
        yield f'<span class="mark">{_in_words(mark)}</span>'


def _listed(notes: Sequence[str]) -> str:
    items = "".join(f'<li dir="{_direction(note)}">{escape(note)}</li>' for note in notes)
    return f'<ul class="notes">{items}</ul>' if items else ""


def _direction(text: str) -> str:
    """The direction of a text. The browser's own guess is that of the first letter, as in "RST" before Hebrew."""
    return "rtl" if is_right_to_left(text) else "ltr"


def _in_words(mark: Mark) -> str:
    if mark.only_here:
        return "◆ only here"
    differing = [
        *(["nuclearity"] if mark.nuclearity else []),
        *(["relation"] if mark.relation else []),
    ]
    return f"≠ {' and '.join(differing)}"


def _summary(counts: Tally, left: str, right: str) -> str:
    return (
        f"{counted(counts.same, 'unit')} the same, {counts.only_left} only in {left}, {counts.only_right} only in "
        f"{right}, {counts.nuclearity} differ in nuclearity, {counts.relation} differ in relation"
    )


def _tokens(panels: Sequence[Panel]) -> set[Span]:
    return {panel.tokens_of(unit.span) for panel in panels for unit in panel.units()}


def _variables() -> str:
    """CSS variables of the colours, for the system's theme and for one chosen on the page."""
    light, dark = _declarations(LIGHT), _declarations(DARK)
    return (
        f":root{{--fonts:{FONTS};{light}}}\n"
        f"@media (prefers-color-scheme:dark){{html[data-theme=auto]{{{dark}}}}}\n"
        f"html[data-theme=dark]{{{dark}}}\n"
        f"@media print{{html[data-theme]{{{light}}}}}\n"
    )


def _declarations(colours: Mapping[str, str]) -> str:
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())


def _file(name: str) -> str:
    return (files("rhetree.draw") / "page" / name).read_text(encoding="utf-8")
