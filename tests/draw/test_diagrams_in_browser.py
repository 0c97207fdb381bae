"""Diagrams in a real browser, in a narrow and in a wide font: no words run into others, or into a line."""

from dataclasses import replace

import pytest

from rhetree.draw import svg
from rhetree.draw.difference import compare
from rhetree.draw.panel import document_panels
from rhetree.draw.theme import FONTS
from support.drawn_documents import (
    criss_crossed,
    drawn_nary,
    hebrew,
    long_list,
    right_branching,
    three_sentences,
    treasury,
    treasury_as_parsed,
)

OVERLAPS = """
const measured = (fonts) => {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `20px ${fonts}`;
  return context.measureText("mWi quick brown fox").width;
};
report.installed = ["serif", "monospace"].some((other) => measured(`FAMILY, ${other}`) !== measured(other));
report.overlaps = [];
report.n_texts = 0;
for (const picture of document.querySelectorAll("svg")) {
  const words = [...picture.querySelectorAll("text")]
    .flatMap((text) => (text.children.length ? [...text.children] : [text]))
    .filter((line) => line.textContent.trim())
    .map((line) => ({ text: line.textContent, box: line.getBoundingClientRect() }));
  report.n_texts += words.length;
  const paper = picture.querySelector(".paper").getBoundingClientRect();
  for (const { text, box } of words) {
    if (box.left < paper.left || box.right > paper.right || box.bottom > paper.bottom) report.overlaps.push([text, "edge of the picture"]);
  }
  words.forEach((a, at) => words.slice(at + 1).forEach((b) => {
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (across > 0.5 && down > 3) report.overlaps.push([a.text, b.text]);
  }));
  for (const line of picture.querySelectorAll("path")) {
    const around = line.getBoundingClientRect();
    const near = words.filter(({ box }) => around.right >= box.left && around.left <= box.right && around.bottom > box.top + 1 && around.top < box.bottom - 1);
    if (!near.length) continue;  // walking along a path takes long
    const matrix = line.getScreenCTM();
    const length = line.getTotalLength();
    for (let at = 0; at <= length; at += 3) {
      const point = line.getPointAtLength(at).matrixTransform(matrix);
      const hit = near.find(({ box }) => point.x > box.left && point.x < box.right && point.y > box.top + 1 && point.y < box.bottom - 1);
      if (hit) { report.overlaps.push([hit.text, line.getAttribute("class")]); break; }
    }
  }
}
"""


def drawn(document, **options):
    return svg.draw_panels(document_panels(document), **options)


def pictures():
    wide = treasury().map_relations(lambda relation: f"{relation}-in-other-words")
    titles = ("annotations/gold/treasury.rs3", "predictions/of-a-parser/treasury.rs3")
    return [
        drawn(drawn_nary()),
        drawn(right_branching(40)),
        drawn(long_list(12)),
        drawn(long_list(12), width=700),
        drawn(three_sentences()),
        drawn(hebrew()),
        drawn(criss_crossed(40), width=900),
        drawn(criss_crossed(37), width=0),
        drawn(wide),
        svg.draw_pairs(compare(treasury(), treasury_as_parsed()), titles=titles),
        svg.draw_pairs(compare(wide, replace(wide, tree=treasury().tree)), titles=titles, width=700),
    ]


@pytest.mark.parametrize("family", ["'Liberation Sans'", "'DejaVu Sans'"])
def test_no_words_run_into_others_or_into_a_line(visit, family):
    page = "<!DOCTYPE html><html><head><meta charset='utf-8'></head><body>%s</body></html>"
    source = page % "\n".join(pictures()).replace(FONTS, family)
    report = visit(source, OVERLAPS.replace("FAMILY", family))
    if not report["installed"]:
        pytest.skip(f"needs the font {family}")
    assert report["n_texts"] > 300
    assert report["overlaps"] == []
