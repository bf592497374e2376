"""Edits as replaced ranges of the original: what is not in a range cannot change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import AnyStr, Literal, NamedTuple

from workgym.errors import EditRefused
from workgym.records import Place, Record, Scalar


class TextEdit(Record):
    """A change of what one place of a file says."""

    at: str
    """The place, in the form of the file's format; with a span where only a part of the text changes."""
    expected: str
    """What stands there now (in the span, if there is one); the edit is refused where it does not."""
    replacement: str | None
    """What shall stand there; None with the other modes."""
    value: Scalar = None
    """What a workbook's cell or JSON shall store: a number, decimal text or ISO date; None follows from the text.
    In a workbook, a text that begins with ``=`` is a formula, and the replacement is not looked at."""
    mode: Literal["set", "clear", "remove_row", "insert_row"] = "set"
    """``clear`` empties the place or span; ``remove_row`` removes the row, line, array element or event around;
    ``insert_row`` puts another one of its kind behind it."""
    cells: tuple[Scalar, ...] = ()
    """With ``insert_row``: what the new row holds, from the first column of the grid on (None leaves one empty, a text
    that begins with ``=`` is a formula in a workbook); a single text where the place is a line or a paragraph."""


class Target(NamedTuple):
    """A :class:`TextEdit` with its place taken apart."""

    edit: TextEdit
    """The edit."""
    base: str
    """The place without its span."""
    span: tuple[int, int] | None
    """The span, or None for all of the text."""

    def check(self, path: str, text: str | None) -> str:
        """The whole text as it stands. Raises :class:`EditRefused` where the place is missing or says otherwise."""
        if text is None:
            raise EditRefused(f"{path} has no place {self.base}")
        start, end = self.span or (0, len(text))
        if end > len(text) or start > end:
            raise EditRefused(f"{path} {self.base} has {len(text)} characters, and the edit means {start} to {end}")
        if text[start:end] != self.edit.expected:
            raise EditRefused(f"{path} {self.edit.at} says {_short(text[start:end])}, not {_short(self.edit.expected)}")
        return text

    def change(self, text: str) -> tuple[int, int, str]:
        """The smallest change: characters ``start`` to ``end`` of the text become the new ones."""
        start, end = self.span or (0, len(text))
        new = self.edit.replacement or "" if self.edit.mode == "set" else ""
        while start < end and new and text[start] == new[0]:
            start, new = start + 1, new[1:]
        while start < end and new and text[end - 1] == new[-1]:
            end, new = end - 1, new[:-1]
        return start, end, new

    def new_text(self, text: str) -> str:
        """The whole text after the edit."""
        start, end, new = self.change(text)
        return text[:start] + new + text[end:]

    @property
    def whole(self) -> bool:
        """Whether the edit empties the place as a whole."""
        return self.edit.mode == "clear" and self.span is None


class Patch(NamedTuple):
    """Characters or bytes ``start`` to ``end`` become ``new``."""

    start: int
    """First one that goes."""
    end: int
    """One past the last that goes."""
    new: str | bytes
    """What comes."""


def targets(edits: Iterable[TextEdit]) -> list[Target]:
    """The edits with their places taken apart. Raises :class:`EditRefused` where mode and replacement contradict."""
    found = []
    for edit in edits:
        if (edit.replacement is None) != (edit.mode != "set"):
            raise EditRefused(f"{edit.at}: a replacement belongs to mode 'set', and only there")
        if bool(edit.cells) != (edit.mode == "insert_row"):
            raise EditRefused(f"{edit.at}: cells belong to mode 'insert_row', and only there")
        place = Place(path="", at=edit.at)
        found.append(Target(edit, place.base, place.span))
    return found


def said(cell: Scalar) -> str:
    """A cell of a new row as text formats have it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if cell is None else str(cell)


def apply(path: str, content: AnyStr, patches: Iterable[Patch]) -> AnyStr:
    """``content`` with all patches applied. Raises :class:`EditRefused` where two of them touch the same characters."""
    parts: list[AnyStr] = []
    done = 0
    for start, end, new in sorted(patches, key=lambda patch: patch[:2]):
        if start < done:
            raise EditRefused(f"{path}: two edits change the same text")
        parts += [content[done:start], new]  # type: ignore[list-item]  # patches of text are text, of bytes bytes
        done = end
    parts.append(content[done:])
    return content[:0].join(parts)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
