"""XML parts with positions: the same tree as everywhere, and where in the bytes each element stands."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape

from workgym.documents.archive import STRICT, Element, parse
from workgym.errors import EditRefused


class Span(NamedTuple):
    """The bytes of an element."""

    start: int
    """First byte of its start tag."""
    inner: int
    """One past its start tag."""
    close: int
    """First byte of its end tag; equal to ``inner`` and ``end`` for an element like ``<v/>``."""
    end: int
    """One past its end tag."""


class Positions:
    """An XML part, parsed, with the span of each element."""

    def __init__(self, path: str, name: str, content: bytes) -> None:
        """Parse it. Raises :class:`workgym.errors.Unreadable`; EditRefused where it is not UTF-8."""
        self.content = content
        self.root = parse(path, name, content)
        if STRICT in content:
            raise EditRefused(f"{path} is in the strict form of Office files, which is read but not edited")
        declared = content[:120].partition(b"?>")[0].lower()
        if b"encoding" in declared and b"utf-8" not in declared and b"ascii" not in declared:
            raise EditRefused(f"{path}: part {name} is not in UTF-8")
        spans = self._scan()
        self._spans = dict(zip(map(id, self.root.iter()), spans, strict=True))

    def _scan(self) -> list[Span]:
        content = self.content
        parser = expat.ParserCreate()
        spans: list[Any] = []
        open_spans: list[int] = []

        def start(_name: str, _attributes: object) -> None:
            at = parser.CurrentByteIndex
            open_spans.append(len(spans))
            spans.append((at, _tag_end(content, at)))

        def end(_name: str) -> None:
            index = open_spans.pop()
            first, inner = spans[index]
            at = parser.CurrentByteIndex
            if content[inner - 2 : inner] == b"/>":
                spans[index] = Span(first, inner, inner, inner)
            else:
                spans[index] = Span(first, inner, at, content.index(b">", at) + 1)

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.Parse(content, True)
        return spans

    def span(self, element: Element) -> Span:
        """Where an element stands."""
        return self._spans[id(element)]

    def tag(self, element: Element) -> bytes:
        """The element's name as it is written, with its prefix."""
        span = self.span(element)
        name = self.content[span.start + 1 : span.inner].split(None, 1)[0]
        return name.rstrip(b"/>")

    def prefix(self, element: Element) -> bytes:
        """The prefix of the element's name with its colon, or nothing."""
        head, colon, _ = self.tag(element).rpartition(b":")
        return head + colon

    def start_tag(self, element: Element) -> bytes:
        """The start tag as it is written."""
        span = self.span(element)
        return self.content[span.start : span.inner]


def _tag_end(content: bytes, at: int) -> int:
    """One past the ``>`` of the tag that starts at ``at``; quoted attribute values may hold one."""
    quote = 0
    for index in range(at, len(content)):
        byte = content[index]
        if quote:
            if byte == quote:
                quote = 0
        elif byte in (34, 39):
            quote = byte
        elif byte == 62:
            return index + 1
    return len(content)


def encoded(text: str) -> bytes:
    """Character data as it is written. Raises :class:`EditRefused` for characters that XML cannot hold."""
    for char in text:
        if (char < " " and char not in "\t\n\r") or char in "\ufffe\uffff" or "\ud800" <= char <= "\udfff":
            raise EditRefused(f"{char!r} cannot be written in an Office file")
    return escape(text).encode()
