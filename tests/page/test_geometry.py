"""Diagrams on the page have the geometry of our SVG: the same numbers from both layouts."""

import pytest

from rhetree.draw.diagram import NARROW, WIDE, DiagramText
from rhetree.draw.layout import lay_out
from rhetree.draw.panel import document_panels
from rhetree.draw.text import clean, pixels, wrap, wrap_evenly
from rhetree.draw.theme import DARK, LIGHT
from support.browsing import module
from support.drawn_documents import drawn_nary, right_branching, three_sentences, treasury

TEXTS = [
    "The Treasury also said that noncompetitive tenders will be considered timely .",
    "a well-known state-of-the-art/no-nonsense Donaudampfschifffahrtsgesellschaftskapitän’s “quoted” words (… )",
    "日本語の文章は、どこでも改行できる。 mixed with Latin",
    "naïve café Zürich Ørsted Ωμέγα жизнь √2 ½ €100 — 99 %",
    "W" * 60,
    "",
    " two  spaces\tand\na line\x07",
]

LAID_OUT = """async (layout, { units, texts, limit, widest }) => {
  const { DiagramText } = await import("/js/diagram.js");
  const text = new DiagramText(texts, 0, (relation) => relation, widest);
  return layout.layOut(units, text, { limit: limit ?? Infinity });
}"""


def rounded(numbers):
    return [round(number, 6) for number in numbers]


def of_python(diagram):
    return {
        "size": rounded([diagram.width, diagram.height]),
        "bars": [
            [bar.edus.start, bar.edus.end, *rounded([bar.left, bar.right, bar.y]), bar.is_cut]
            for bar in diagram.bars
        ],
        "stems": [rounded([stem.x, stem.top, stem.bottom]) for stem in diagram.stems],
        "arcs": [
            [arc.relation, *rounded([arc.satellite, arc.nucleus, arc.y, arc.top]), arc.is_nearest]
            for arc in diagram.arcs
        ],
        "brackets": [
            [bracket.relation, *rounded([bracket.x, bracket.top, bracket.y, bracket.bottom, *bracket.nuclei])]
            for bracket in diagram.brackets
        ],
    }


def of_javascript(diagram):
    return {
        "size": rounded([diagram["width"], diagram["height"]]),
        "bars": [
            [
                bar["start"],
                bar["end"],
                *rounded([bar["left"], bar["right"], bar["y"]]),
                bool(bar.get("isCut")),
            ]
            for bar in diagram["bars"]
        ],
        "stems": [rounded([stem["x"], stem["top"], stem["bottom"]]) for stem in diagram["stems"]],
        "arcs": [
            [
                arc["relation"],
                *rounded([arc["satellite"], arc["nucleus"], arc["y"], arc["top"]]),
                arc["isNearest"],
            ]
            for arc in diagram["arcs"]
        ],
        "brackets": [
            [one["relation"], *rounded([one["x"], one["top"], one["y"], one["bottom"], *one["nuclei"]])]
            for one in diagram["brackets"]
        ],
    }


@pytest.mark.parametrize("widest", [WIDE, NARROW])
@pytest.mark.parametrize("limit", [None, 400])
@pytest.mark.parametrize("make", [treasury, three_sentences, drawn_nary, lambda: right_branching(24)])
def test_the_layout_is_that_of_the_svg(bench, make, limit, widest):
    for panel in document_panels(make()):
        if panel.tree is None:
            continue
        units = [
            {"start": unit.start, "end": unit.end, "role": unit.role, "relation": unit.relation}
            for unit in panel.tree.units
        ]
        first = panel.first or 0
        text = DiagramText(panel, {}, widest)
        ours = lay_out(panel.tree, text.measure(), **({} if limit is None else {"limit": limit}))
        argument = {"units": units, "texts": list(panel.texts), "limit": limit, "widest": widest}
        if first:
            continue  # numbers of EDUs are measured, too; the first panel of a document is enough
        theirs = module(bench, "layout", LAID_OUT, argument)
        assert list(map(of_javascript, theirs)) == list(map(of_python, ours))


def test_text_is_measured_and_broken_alike(bench):
    found = module(
        bench,
        "text",
        """(text, texts) => texts.map((one) => {
          const clean = text.clean(one);
          return [clean, text.pixels(clean, 12), text.wrap(clean, 90, 12), text.wrapEvenly(clean, 150, 12)];
        })""",
        TEXTS,
    )
    for original, (cleaned, width, lines, even) in zip(TEXTS, found, strict=True):
        assert cleaned == clean(original)
        assert width == pytest.approx(pixels(cleaned, 12.0))
        assert lines == wrap(cleaned, 90.0, lambda line: pixels(line, 12.0))
        assert even == wrap_evenly(cleaned, 150.0, lambda line: pixels(line, 12.0))


def brightness(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return sum(share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_text_stands_out_from_what_is_behind_it(bench):
    """The contrast that WCAG asks for, 4.5 to 1."""
    for theme in ("light", "dark"):
        bench.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        colours = bench.evaluate(
            """() => Object.fromEntries(["ink", "muted", "satellite", "nuclei", "mark", "decided", "paper", "tint", "lit"].map((name) =>
              [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()]))"""
        )
        light = {name: brightness(colour) for name, colour in colours.items()}
        pairs = [(text, "paper") for text in ("ink", "muted", "satellite", "nuclei", "mark", "decided")]
        pairs += [("ink", "tint"), ("ink", "lit"), ("muted", "tint")]
        for text, ground in pairs:
            high, low = sorted((light[text], light[ground]), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.4, (theme, text, ground)


def test_colours_are_those_of_the_svg(bench):
    for theme, colours in (("light", LIGHT), ("dark", DARK)):
        bench.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        found = bench.evaluate(
            "(names) => names.map((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim())",
            list(colours),
        )
        assert dict(zip(colours, found, strict=True)) == dict(colours)
