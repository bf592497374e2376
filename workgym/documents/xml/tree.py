"""XML data files with positions: elements, attributes and texts, and where in the bytes each stands.

Parsed by expat without document types, hence without entities of a file's own. Names stay as they are written, with
their prefixes. Positions are those of the text in UTF-8, whatever the file's own encoding is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.parsers import expat

from workgym.documents.decoding import Text, decode
from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

BLANK = " \t\r\n"
"""The characters that XML takes for white space."""
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_CODECS = re.compile(
    r"utf-8|us-ascii|ascii|iso-8859-\d+|latin-?1|windows-125\d|cp125\d|shift_jis|euc-(?:jp|kr)|gbk?|big5"
)
_ATTRIBUTE = re.compile(rb"""\s([^\s=<>/"']+)\s*=\s*("[^"]*"|'[^']*')""")


class Attribute(NamedTuple):
    """An attribute of an element."""

    name: str
    """Its name as it is written."""
    text: str
    """What it says."""
    start: int
    """First byte of the value, behind the quote."""
    end: int
    """Its closing quote."""

    @property
    def technical(self) -> bool:
        """Whether it is about the file: namespaces, white space, language."""
        return self.name == "xmlns" or self.name.startswith(("xmlns:", "xml:"))


class Piece(NamedTuple):
    """A stretch of text between tags."""

    text: str
    """What it says, references resolved."""
    start: int
    """Its first byte, the beginning of a CDATA section included."""
    end: int
    """One past its last byte."""


class Remark(NamedTuple):
    """A comment or a processing instruction."""

    kind: str
    """``comment`` or ``instruction``."""
    text: str
    """What it says."""
    line: int
    """Its line."""
    start: int
    """Its first byte."""


@dataclass(slots=True, eq=False)
class Node:
    """An element."""

    name: str
    """Its name as it is written."""
    attributes: list[Attribute]
    """Its attributes, in order."""
    start: int
    """First byte of its start tag."""
    inner: int
    """One past its start tag."""
    close: int = 0
    """First byte of its end tag; equal to ``inner`` and ``end`` for an element like ``<v/>``."""
    end: int = 0
    """One past its end tag."""
    content: list[Node | Piece] = field(default_factory=list)
    """Elements and texts in it, in order."""
    at: str = ""
    """Its place: ``/orders/order[2]``."""
    repeats: bool = False
    """Whether it has siblings of its name, here or where the same path stands elsewhere in the file."""
    preserved: bool = False
    """Whether white space around its text is meant (``xml:space``)."""

    @property
    def elements(self) -> list[Node]:
        """The elements in it."""
        return [part for part in self.content if isinstance(part, Node)]

    @property
    def pieces(self) -> list[Piece]:
        """Its texts that are not blank."""
        return [part for part in self.content if isinstance(part, Piece) and part.text.strip(BLANK)]

    @property
    def plain(self) -> bool:
        """Whether it holds no elements: text, or nothing."""
        return not any(isinstance(part, Node) for part in self.content)

    @property
    def local(self) -> str:
        """Its name without a prefix."""
        return self.name.rpartition(":")[2]

    def shown(self, text: str) -> str:
        """A text in it without white space that only lays the file out: such as breaks its line."""
        bare = text.strip(BLANK)
        ends = text[: len(text) - len(text.lstrip(BLANK))] + text[len(text.rstrip(BLANK)) :]
        return text if self.preserved or not ("\n" in ends or "\r" in ends) else bare

    @property
    def text(self) -> str:
        """What a plain element says."""
        pieces = [part.text for part in self.content if isinstance(part, Piece)]
        return self.shown("".join(pieces)) if self.pieces else ""

    def walk(self) -> Iterator[Node]:
        """Itself and all elements in it, in order."""
        yield self
        for child in self.elements:
            yield from child.walk()


def decoded(path: str, content: bytes) -> Text:
    """The text, by its byte order mark or what it declares. Raises :class:`Unreadable`."""
    check(path, len(content), LIMITS.file_bytes, "bytes")
    declared = _DECLARED.match(content[:256])
    name = declared[1].decode().lower() if declared else "utf-8"
    if content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return decode(path, content)
    if not _CODECS.fullmatch(name):
        raise Unreadable(path, "corrupt", f"its encoding {name} is not read")
    try:
        body = content.decode(name)
    except (UnicodeDecodeError, LookupError) as error:
        raise Unreadable(path, "corrupt", f"it is not in {name}, as it says") from error
    check(path, len(body), LIMITS.characters, "characters")
    return Text(body, name, b"")


class Tree:
    """A parsed file."""

    def __init__(self, path: str, content: bytes) -> None:
        """Parse it. Raises :class:`Unreadable`."""
        self.path = path
        self.source = decoded(path, content)
        self.body = self.source.body.encode()
        self.remarks: list[Remark] = []
        self._open: list[Node] = []
        self._roots: list[Node] = []
        self._piece: tuple[int, list[str]] | None = None
        self._count = self._size = 0
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartCdataSectionHandler = lambda: self._text("")
        parser.CommentHandler = lambda text: self._remark("comment", text)
        parser.ProcessingInstructionHandler = lambda target, data: self._remark("instruction", f"{target} {data}")
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(self.body, True)
        except expat.ExpatError as error:
            ended = error.code in (expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],)
            reason = "truncated" if ended and not self.body.strip() else "corrupt"
            raise Unreadable(path, reason, f"it is not well-formed XML ({error})") from error
        self.root = self._roots[0]
        self.root.at = f"/{self.root.name}"
        repeated: set[str] = set()
        placed = list(self._placed(self.root, self.root.at, repeated))
        for node, way in placed:
            node.repeats = way in repeated

    def _doctype(self, *_: object) -> None:
        raise Unreadable(self.path, "corrupt", "it declares a document type, which is not read")

    def _start(self, name: str, attributes: list[str]) -> None:
        self._flush()
        self._count += 1 + len(attributes) // 2
        check(self.path, self._count, LIMITS.cells, "elements and attributes")
        check(self.path, len(self._open), LIMITS.depth, "levels of nesting")
        start = self._parser.CurrentByteIndex
        found: list[Attribute] = []
        inner = start
        if attributes:
            inner = start + 1 + len(name.encode())
            for known, text in zip(attributes[::2], attributes[1::2], strict=True):
                match = _ATTRIBUTE.match(self.body, self._blank(inner) - 1)
                assert match is not None  # expat has read them in this order
                found.append(Attribute(known, text, match.start(2) + 1, match.end(2) - 1))
                inner = match.end()
        node = Node(name, found, start, self.body.index(b">", inner) + 1)
        node.preserved = bool(self._open) and self._open[-1].preserved
        for attribute in found:
            if attribute.name == "xml:space":
                node.preserved = attribute.text == "preserve"
        if self._open:
            self._open[-1].content.append(node)
        else:
            self._roots.append(node)
        self._open.append(node)

    def _blank(self, at: int) -> int:
        while self.body[at : at + 1].isspace():
            at += 1
        return at

    def _end(self, _: str) -> None:
        self._flush()
        node = self._open.pop()
        node.close, node.end = node.inner, node.inner
        if self.body[node.inner - 2 : node.inner] != b"/>":
            node.close = self._parser.CurrentByteIndex
            node.end = self.body.index(b">", node.close) + 1

    def _text(self, text: str) -> None:
        if self._piece is None:
            self._piece = (self._parser.CurrentByteIndex, [])
        self._piece[1].append(text)

    def _flush(self) -> None:
        if self._piece is not None and self._open:
            start, parts = self._piece
            self._open[-1].content.append(Piece("".join(parts), start, self._parser.CurrentByteIndex))
        self._piece = None

    def _remark(self, kind: str, text: str) -> None:
        self._flush()
        check(self.path, len(self.remarks), LIMITS.lines, "comments")
        self.remarks.append(Remark(kind, text, self._parser.CurrentLineNumber, self._parser.CurrentByteIndex))

    def _placed(self, node: Node, names: str, repeated: set[str]) -> Iterator[tuple[Node, str]]:
        """Gives the elements below ``node`` their places; each with the names on the way to it, without indices."""
        counts = Counter(child.name for child in node.elements)
        seen: Counter[str] = Counter()
        for child in node.elements:
            seen[child.name] += 1
            child.at, way = f"{node.at}/{child.name}", f"{names}/{child.name}"
            self._size += len(child.at)
            check(self.path, self._size, 4 * LIMITS.characters, "characters in the paths to its elements")
            if counts[child.name] > 1:
                child.at += f"[{seen[child.name]}]"
                repeated.add(way)
            yield child, way
            yield from self._placed(child, way, repeated)


def records(node: Node) -> dict[str, list[Node]]:
    """The elements in ``node`` that are the rows of tables, by name.

    They have attributes or elements, and repeat, or are the only ones in a list that is named after them.
    """
    found: dict[str, list[Node]] = {}
    for child in node.elements:
        found.setdefault(child.name, []).append(child)
    return {
        name: rows
        for name, rows in found.items()
        if any(row.elements or any(not one.technical for one in row.attributes) for row in rows)
        and (rows[0].repeats or (len(rows) == len(found) == 1 and _plural(node.local, rows[0].local)))
    }


def _plural(of: str, one: str) -> bool:
    return len(of) > len(one) and of.lower().startswith(one.lower()[: max(3, len(one) - 1)])
