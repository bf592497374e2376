"""Marks: how a text remembers which parts of it print a value.

A printed value is wrapped in two private-use characters, an opening one that carries the number of its
mark and a closing one. They are no letters, so ``upper``, ``join``, ``~`` and ``format`` leave them where
they are. Inside a value, characters that the small markdown would take for its own are shielded, one for
one, so that spans stay right and a ``|`` in a name does not open a table cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workgym.records import Anchor, AnchorKind, Cell, anchored

_FIRST, _LAST = 0xF0000, 0xFFFFD
CLOSE = "\ue001"
DECOR = chr(_FIRST)
"""The opening character of decor; cells take the ones after it."""
_MARK = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}{CLOSE}]")
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd]")
_SHIELD = 0xE100
_INLINE = {ord(char): _SHIELD + ord(char) for char in "|*^{}~\\\n\r"}
_OPEN = {_SHIELD + code: code for code in range(0x80)}
_TABS_STAY = {_SHIELD + ord(char): " " for char in "\n\r"}
_ONE_LINE = _TABS_STAY | {ord("\t"): " "}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_MARKUP = re.compile(r"[|*^{}~\\]")
_LINE_START = re.compile(r"[#>+:-]|\d+[.)]|<!")


class MarkError(ValueError):
    """A mark was cut, or a text holds characters that only marks may use."""


def shield(text: str) -> str:
    """``text`` as it may stand inside a mark. Raises MarkError where it holds private-use characters."""
    if _PRIVATE.search(text):
        raise MarkError(f"{text!r} holds a character of the private use area")
    shielded = text.translate(_INLINE)
    if _LINE_START.match(text):
        shielded = chr(_SHIELD + ord(text[0])) + shielded[1:]
    return shielded


def wrap(opening: str, text: str) -> str:
    """``text``, already shielded where it has to be, inside a mark."""
    return f"{opening}{text}{CLOSE}" if text else ""


def refuse_unprintable(texts: Sequence[str]) -> None:
    """Raises MarkError where one of these values holds what :func:`printed` refuses."""
    if "".join(texts).isprintable():
        return
    for text in texts:
        if not text.isprintable():
            _refuse_control(text)
            shield(text)


def standing(path: str, at: str, kind: AnchorKind, cells: tuple[Cell, ...], text: str) -> list[Anchor]:
    """The anchors of a text that is one value and stands alone: those of what :func:`printed` gives."""
    shown = text.strip()
    if len(shown) == len(text):
        return anchored(path, at, kind, cells, text) if text else []
    start = text.index(shown)
    return anchored(path, f"{at}[{start}:{start + len(shown)}]", kind, cells, shown) if shown else []


def printed(text: str, kind: AnchorKind, cells: tuple[Cell, ...]) -> Marked:
    """A text that is one printed value and stands alone, so that it needs no number in a registry. Raises MarkError."""
    if not text:
        return Marked("")
    if not text.isprintable() or _MARKUP.search(text):
        _refuse_control(text)
        text = shield(text)
    return Marked(text, (Span(0, len(text), kind, cells),))


def free_of_marks(text: str) -> bool:
    """Whether ``text`` holds no private-use character."""
    return _PRIVATE.search(text) is None


class Registry:
    """The marks of one carrier: numbers for what is printed."""

    def __init__(self) -> None:
        self._meanings: list[tuple[AnchorKind, tuple[Cell, ...]]] = [("decor", ())]
        self._numbers: dict[tuple[AnchorKind, tuple[Cell, ...]], int] = {("decor", ()): 0}

    def opening(self, kind: AnchorKind, cells: tuple[Cell, ...]) -> str:
        """The opening character for these cells. Raises MarkError beyond 65,000 different ones."""
        meaning = (kind, cells)
        number = self._numbers.get(meaning)
        if number is None:
            number = self._numbers[meaning] = len(self._meanings)
            self._meanings.append(meaning)
            if _FIRST + number > _LAST:
                raise MarkError("one carrier prints more than 65,000 values: split it")
        return chr(_FIRST + number)

    def read(self, text: str) -> Marked:
        """The text without marks, and where they were. Raises MarkError where one was cut."""
        _refuse_control(text)
        plain: list[str] = []
        spans: list[Span] = []
        stack: list[tuple[int, str]] = []
        length = last = 0
        for match in _MARK.finditer(text):
            plain.append(text[last : match.start()])
            length += match.start() - last
            last = match.end()
            if match[0] != CLOSE:
                stack.append((length, match[0]))
                continue
            if not stack:
                raise MarkError("a printed value was cut: filters may not take a part of it")
            start, opening = stack.pop()
            kind, cells = self._meanings[ord(opening) - _FIRST]
            spans.append(Span(start, length, kind, cells))
        if stack:
            raise MarkError("a printed value was cut: filters may not take a part of it")
        plain.append(text[last:])
        return Marked("".join(plain), tuple(sorted(spans, key=lambda span: (span.start, -span.end))))


def _refuse_control(text: str) -> None:
    control = _CONTROL.search(text)
    if control is not None:
        raise MarkError(f"{control[0]!r} is a character that no document can hold")


class Span(NamedTuple):
    """Characters ``start`` to ``end`` of a text, and what they print."""

    start: int
    end: int
    kind: AnchorKind
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A text (values in it still shielded) with its marks."""

    text: str
    spans: tuple[Span, ...] = ()

    @property
    def plain(self) -> str:
        """The text as people see it."""
        return self.text if self.text.isascii() else self.text.translate(_OPEN)

    def __bool__(self) -> bool:
        return bool(self.text)

    def __add__(self, other: Marked) -> Marked:
        shift = len(self.text)
        moved = tuple(Span(s.start + shift, s.end + shift, s.kind, s.cells) for s in other.spans)
        return Marked(self.text + other.text, self.spans + moved)

    def slice(self, start: int, end: int) -> Marked:
        """Characters ``start`` to ``end``; marks are clipped, and those without a visible character left out.

        A part of a value is not the value: it is a state, a text that depends on it.
        """
        text = self.text[start:end]
        if not self.spans:
            return Marked(text)
        kept = []
        for span in self.spans:
            left, right = max(span.start, start) - start, min(span.end, end) - start
            if left < right and not text[left:right].isspace():
                whole = span.kind != "value" or right - left == span.end - span.start
                kept.append(Span(left, right, span.kind if whole else "state", span.cells))
        return Marked(text, tuple(kept))

    def strip(self) -> Marked:
        """Without white space at both ends."""
        start = len(self.text) - len(self.text.lstrip())
        return self.slice(start, max(start, len(self.text.rstrip())))

    def flowing(self, *, tabs: bool = False) -> Marked:
        """With a space for each line break inside a value, and for each tab unless ``tabs`` stay: as running text."""
        return Marked(self.text.translate(_TABS_STAY if tabs else _ONE_LINE), self.spans)

    def lines(self) -> Iterator[Marked]:
        """Its lines, without their ends."""
        start, at, near = 0, 0, list[Span]()
        for line in self.text.split("\n"):
            end = start + len(line)
            near = [span for span in near if span.end > start]
            while at < len(self.spans) and self.spans[at].start < end:
                near.append(self.spans[at])
                at += 1
            yield Marked(self.text, tuple(near)).slice(start, end)
            start = end + 1

    def decorated(self, start: int, end: int) -> Marked:
        """The same with ``start`` to ``end`` declared as decor."""
        spans = (*self.spans, Span(start, end, "decor", ()))
        return Marked(self.text, tuple(sorted(spans, key=lambda span: (span.start, -span.end))))

    def anchors(self, path: str, at: str | Callable[[Span], str]) -> list[Anchor]:
        """An anchor for each cell of each mark; ``at`` is the place of the whole text, or gives it for a span."""
        plain, found = self.plain, list[Anchor]()
        for span in self.spans:
            start, end, kind, cells = span
            printed = plain[start:end].strip()
            if not printed:
                continue
            start = plain.index(printed, start)
            end = start + len(printed)
            if not isinstance(at, str):
                where = at(Span(start, end, kind, cells))
            else:
                where = at if len(printed) == len(plain) else f"{at}[{start}:{end}]"
            found += anchored(path, where, kind, cells, printed)
        return found
