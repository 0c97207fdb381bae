"""Files that readers take, and how a file comes to harm."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.formats import format_of, write

GOLDEN = Path(__file__).parents[1] / "golden"

STRUCTURE = [
    *(
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"}",
        b"<",
        b">",
        b'"',
        b"'",
        b"\\",
        b"/",
        b"//",
        b"_!",
        b"|",
        b"=",
        b":",
        b",",
    ),
    *(
        b"#",
        b"_",
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b" ",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xc3",
        b"\xed\xa0\x80",
    ),
    *(b"0", b"1", b"-1", b"99999999999999999999", b"1.5", b"1e999", b"NaN", b"null", b"true", b"\\ud800"),
    *(
        b"span",
        b"leaf",
        b"Root",
        b"Nucleus",
        b"Satellite",
        b"text",
        b"rel2par",
        b"parent",
        b"multinuc",
        b"NONE",
    ),
    *(
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
        b"&b;",
        b"&#0;",
        b"&#xD800;",
        b"]]>",
        b"<![CDATA[",
        b"<!--",
        b"<?x?>",
    ),
    *("\u2028".encode(), "\u00a0".encode(), "\ufeff".encode(), "é".encode("latin-1"), "\U0001f327".encode()),
]
"""Bytes that mean something to one reader or another."""


def storm():
    """Four EDUs in two sentences, three of them nuclei of one unit, and all that can stand beside a tree."""
    sentences = [
        ["The", "storm", "came", ",", "trees", "fell"],
        ["(", "we", "hid", ")", "&", "it", "went", "."],
    ]
    document = replace(Document.from_sentences(sentences, "storm"), edus=spans_of_lengths([4, 2, 5, 3]))
    units = [Unit(0, 4, "root"), Unit(0, 1, "satellite", "context-background"), Unit(1, 4, "nucleus")]
    units += [Unit(number, number + 1, "nucleus", "joint-sequence") for number in range(1, 4)]
    edge = SecondaryEdge(Span(0, 1), Span(2, 3), "causal-cause")
    return replace(
        document.with_nary(NaryTree(tuple(units))),
        secondary_edges=(edge,),
        signals=(Signal(edge, "dm", "and", (10,), "gold"), Signal(Span(1, 2), "orphan", "layout")),
        metadata={"genre": "story"},
    )


def valid_files(format, folder):
    """The bytes of files that the format's reader takes."""
    path = folder / f"valid{format.suffixes[0]}"
    documents = [storm(), storm()] if format.many else storm()
    write(documents, path)
    yield path.read_bytes()
    for golden in sorted(GOLDEN.glob("*")):
        if golden.is_file() and golden.name.endswith(format.suffixes) and format_of(golden) is format:
            yield golden.read_bytes()


def mutations(seeds: list[bytes], seed: int) -> Iterator[bytes]:
    """Files without end that are nearly one of these, each with a few changes; the same for the same seed."""
    source = random.Random(seed)
    while True:
        data = source.choice(seeds)
        for _ in range(source.randint(1, 5)):
            data = _changed(data, source)
        yield data


def _changed(data: bytes, source: random.Random) -> bytes:
    start = source.randint(0, len(data))
    end = min(len(data), start + source.choice([0, 1, 2, 5, 20, 200]))
    kind = source.randrange(7)
    if kind == 0:
        return data[:start] + data[end:]
    if kind == 1:
        return data[:start] + source.choice(STRUCTURE) + data[end:]
    if kind == 2:
        return data[:start] + source.choice(STRUCTURE) + data[start:]
    if kind == 3:
        return data[:end] + data[start:end] * source.randint(1, 3) + data[end:]
    if kind == 4:
        return data[:start] + source.randbytes(end - start) + data[end:]
    if kind == 5:
        other = source.randint(0, len(data))
        return data[:start] + data[other : other + end - start] + data[end:]
    return data[:start] if source.random() < 0.2 else data
