"""The elements of an .rs3 or .rs4 file, each with its line, and how they are spelled when written.

What they mean is told in the files beside this one. The XML goes through defusedxml: a DOCTYPE,
entities and references to other files are refused.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml.common import DefusedXmlException

from rhetree.errors import TreebankError, UnwritableError

if TYPE_CHECKING:
    from defusedxml.expatreader import DefusedExpatParser

_LOG = logging.getLogger("rhetree.formats")

PLACES = {
    "rst": {"header", "body"},
    "header": {"relations", "sigtypes", "sentences"},
    "relations": {"rel"},
    "sigtypes": {"sig"},
    "body": {"segment", "group", "secedges", "signals"},
    "secedges": {"secedge"},
    "signals": {"signal"},
}
"""Which elements stand in which. Those that hold no other carry the content of a file."""

_BEYOND_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element that holds no other; white space in its attributes is made plain."""

    tag: str
    attributes: Mapping[str, str]
    text: str
    line: int

    def get(self, name: str) -> str:
        """An attribute's value, empty where it is not there."""
        return self.attributes.get(name, "")

    def require(self, name: str, path: Path) -> str:
        """An attribute's value; an error where it is missing or empty."""
        value = self.get(name)
        if not value:
            raise TreebankError(f'a <{self.tag}> without {name}; expected {name}="…"', path, self.line)
        return value


def parse(source: TextIO, path: Path, *, lenient: bool) -> dict[str, list[Element]]:
    """The file's elements by tag, each kind in the order of the file.

    Elements that the format does not know are skipped in the header, where tools keep notes, and
    refused in the body, as is text outside segments; ``lenient`` skips those too.
    """
    # Here and not above: it brings half of the standard library's network code.
    from defusedxml.expatreader import DefusedExpatParser

    text = source.read()
    if not text.strip():
        raise TreebankError("the file is empty; expected an <rst> element", path, 1)
    parser = DefusedExpatParser(forbid_dtd=True)
    collector = _Collector(parser, path, lenient)
    parser.setContentHandler(collector)
    try:
        parser.feed(text)
        parser.close()
    except DefusedXmlException as error:
        raise TreebankError(
            "a DOCTYPE or an entity, which could reach outside the file; remove it", path, collector.line
        ) from error
    except SAXParseException as error:
        what = f"not well-formed XML: {error.getMessage()}"
        raise TreebankError(what, path, error.getLineNumber()) from error
    return collector.elements


def spell(tag: str, attributes: Mapping[str, str], text: str | None = None) -> str:
    """The element as it is written, with its attributes in the order given."""
    inner = "".join(f' {name}="{_quote(value)}"' for name, value in attributes.items())
    return f"<{tag}{inner}/>" if text is None else f"<{tag}{inner}>{escape(text, quote=False)}</{tag}>"


def check_characters(text: str, document: str, format: str) -> None:
    """Raise :class:`UnwritableError` where a character is one that XML 1.0 cannot hold."""
    bad = _BEYOND_XML.search(text)
    if bad:
        line = text[text.rfind("\n", 0, bad.start()) + 1 :].partition("\n")[0]
        word = next(word for word in re.split(r'[ <>"]', line) if bad[0] in word)
        what = f"XML has no place for the character U+{ord(bad[0]):04X} in {word!r}"
        raise UnwritableError(what, document, format)


class _Collector(ContentHandler):
    """Gathers elements while the parser, which knows the line, reads."""

    def __init__(self, parser: "DefusedExpatParser", path: Path, lenient: bool) -> None:
        super().__init__()
        self.parser = parser
        self.path = path
        self.lenient = lenient
        self.elements: dict[str, list[Element]] = {
            tag: [] for inner in PLACES.values() for tag in inner if tag not in PLACES
        }
        self._open: list[str] = []
        self._n_unknown = 0  # how many elements that the format does not know are open
        self._attributes: dict[str, str] = {}
        self._start_line = 0
        self._text: list[str] = []

    @property
    def line(self) -> int:
        return self.parser.getLineNumber() or 1

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 (SAX calls it so)
        if self._n_unknown:
            self._n_unknown += 1
            return
        if not self._open and name != "rst":
            raise TreebankError(f"found <{name}>; expected <rst> around the whole file", self.path, self.line)
        if self._open and name not in PLACES.get(self._open[-1], ()):
            self._skip(f"<{name}> in <{self._open[-1]}>")
            self._n_unknown = 1
            return
        self._open.append(name)
        if name not in PLACES:
            self._attributes = {key: " ".join(value.split()) for key, value in attrs.items()}
            self._start_line = self.line
            self._text = []

    def characters(self, content: str) -> None:
        if self._open and self._open[-1] not in PLACES:
            self._text.append(content)
        elif content.strip() and self._open and not self._n_unknown:
            self._skip(f"text outside a segment, {content.strip()[:30]!r}")

    def endElement(self, name: str) -> None:  # noqa: N802
        if self._n_unknown:
            self._n_unknown -= 1
            return
        self._open.pop()
        if name not in PLACES:
            element = Element(name, self._attributes, "".join(self._text), self._start_line)
            self.elements[name].append(element)

    def _skip(self, what: str) -> None:
        if "header" not in self._open and not self.lenient:
            raise TreebankError(f"unexpected {what}; remove it, or read leniently", self.path, self.line)
        _LOG.log(
            logging.INFO if "header" in self._open else logging.WARNING,
            "%s:%d: skipped %s",
            self.path,
            self.line,
            what,
        )


def _quote(value: str) -> str:
    quoted = escape(value, quote=False).replace('"', "&quot;")
    return quoted.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")
