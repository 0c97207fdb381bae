"""Mirrors diagrams for text that runs from right to left, so that the first EDU is on the right."""

from dataclasses import replace

from rhetree.draw.layout import Diagram


def mirrored(diagram: Diagram) -> Diagram:
    """The same diagram with left and right exchanged."""
    width = diagram.width
    return replace(
        diagram,
        bars=[replace(bar, left=width - bar.right, right=width - bar.left) for bar in diagram.bars],
        stems=[replace(stem, x=width - stem.x) for stem in diagram.stems],
        arcs=[
            replace(arc, satellite=width - arc.satellite, nucleus=width - arc.nucleus) for arc in diagram.arcs
        ],
        brackets=[
            replace(bracket, x=width - bracket.x, nuclei=tuple(width - x for x in reversed(bracket.nuclei)))
            for bracket in diagram.brackets
        ],
    )
