"""The small markdown of prose carriers: front matter, headings, paragraphs, lists, tables, rules, bold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from workgym.materialize.marks import Marked, Span

Align = Literal["left", "right", "center"]

_HEADING = re.compile(r"^(#{1,3})\s+")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|(\d+)[.)])\s+")
_FENCE = re.compile(r"^---+\s*$")
_PAGE = re.compile(r"^<!--\s*page\s*-->\s*$")
_RULER = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_FIELD = re.compile(r"^([A-Za-z][A-Za-z -]*):(?:\s+|$)")
_NUMBERED = re.compile(r"\d+(?:\.\d+)*[.)]?(?=\s)")


@dataclass(frozen=True, slots=True)
class Inline:
    """A text with its marks, and the stretches of it that are bold."""

    text: Marked
    bold: tuple[tuple[int, int], ...] = ()

    def runs(self) -> Iterator[tuple[str, bool]]:
        """Its stretches as people see them, with whether each is bold."""
        plain, last = self.text.plain, 0
        for start, end in self.bold:
            if last < start:
                yield plain[last:start], False
            yield plain[start:end], True
            last = end
        if last < len(plain):
            yield plain[last:], False


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a document."""

    kind: Literal["heading", "paragraph", "item", "table", "rule", "page"]
    text: Inline = Inline(Marked(""))
    level: int = 1
    """Of a heading 1 to 3; of an item 1 for the outer list."""
    number: int | None = None
    """The number of an item of a numbered list; None for a bullet."""
    rows: tuple[tuple[Inline, ...], ...] = ()
    """Of a table, the heading row first; all rows are equally long."""
    aligns: tuple[Align, ...] = ()
    """Of a table, one for each column."""


def inline(text: Marked) -> Inline:
    """Takes ``**`` away and keeps which stretches it made bold."""
    if "**" not in text.text:
        return Inline(text)
    parts, bold, last = Marked(""), [], 0
    for match in _BOLD.finditer(text.text):
        parts = parts + text.slice(last, match.start())
        start = len(parts.text)
        parts = parts + text.slice(*match.span(1))
        bold.append((start, len(parts.text)))
        last = match.end()
    return Inline(parts + text.slice(last, len(text.text)), tuple(bold))


def front(text: Marked) -> tuple[dict[str, Marked], Marked]:
    """The fields of the front matter by name, and the text after it; no fields where there is none."""
    lines = list(text.lines())
    if not lines or not _FENCE.match(lines[0].text):
        return {}, text
    fields: dict[str, Marked] = {}
    position = len(lines[0].text) + 1
    for line in lines[1:]:
        position += len(line.text) + 1
        if _FENCE.match(line.text):
            return fields, text.slice(position, len(text.text))
        if not line.text.strip() or line.text.startswith("#"):
            continue
        match = _FIELD.match(line.text)
        if match is None:
            raise ValueError(f"front matter: {line.plain!r} is no field: write `name: value`")
        fields[match[1]] = _unquoted(line.slice(match.end(), len(line.text)).strip())
    raise ValueError("the front matter has no closing ---")


def _unquoted(value: Marked) -> Marked:
    text = value.text
    return value.slice(1, len(text) - 1) if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else value


def joined(lines: list[Marked]) -> Marked:
    """Lines as one flowing text: a space between them, or a line break after a line that ends in ``\\``.

    A mark that goes on over the end of a line stays one mark.
    """
    result = Marked("")
    for number, line in enumerate(lines):
        line = line.strip()
        if number == 0:
            result = line
            continue
        breaks = result.text.endswith("\\")
        if breaks:
            result = result.slice(0, len(result.text) - 1).strip()
        size = len(result.text)
        following = result + Marked("\n" if breaks else " ") + line
        spans = list(following.spans)
        for left in [span for span in spans if span.end == size]:
            for right in [span for span in spans if span.start == size + 1]:
                if (left.kind, left.cells) == (right.kind, right.cells) and left in spans and right in spans:
                    spans.remove(left)
                    spans[spans.index(right)] = Span(left.start, right.end, left.kind, left.cells)
        result = Marked(following.text, tuple(sorted(spans, key=lambda span: (span.start, -span.end))))
    if result.text.endswith("\\"):
        result = result.slice(0, len(result.text) - 1)
    return result


def is_table(line: Marked) -> bool:
    """Whether a line is a row of a table."""
    return line.text.lstrip().startswith("|")


def numbered(line: Marked) -> Marked:
    """A line of text whose list number or heading number is declared as decor."""
    item = _ITEM.match(line.text)
    if item is not None and item[2]:
        return line.decorated(item.start(2), item.end(2))
    heading = _HEADING.match(line.text)
    return _heading_number(line, heading.end()) if heading is not None else line


def _heading_number(line: Marked, start: int) -> Marked:
    match = _NUMBERED.match(line.text, start)
    return line if match is None else line.decorated(match.start(), match.end())


def table(lines: list[Marked]) -> Block:
    """A table from its lines. Raises ValueError where rows differ in length."""
    rows: list[tuple[Inline, ...]] = []
    aligns: tuple[Align, ...] = ()
    for line in lines:
        if len(rows) == 1 and not aligns and _RULER.match(line.text):
            aligns = _aligns(line)[: len(rows[0])]
            continue
        rows.append(tuple(inline(cell) for cell in _cells(line)))
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise ValueError(f"table: row {number} has {len(row)} cells, the first one has {width}")
    missing: list[Align] = ["left"] * (width - len(aligns))
    return Block("table", rows=tuple(rows), aligns=(*aligns, *missing))


def _aligns(line: Marked) -> tuple[Align, ...]:
    found: list[Align] = []
    for ruler in line.text.strip().strip("|").split("|"):
        right, left = ruler.strip().endswith(":"), ruler.strip().startswith(":")
        align: Align = "right" if right else "left"
        found.append("center" if right and left else align)
    return tuple(found)


def _cells(line: Marked) -> list[Marked]:
    line = line.strip()
    if len(line.text) > 1 and line.text.endswith("|"):
        line = line.slice(0, len(line.text) - 1)
    bars = [at for at, char in enumerate(line.text) if char == "|"]
    return [line.slice(start + 1, end).strip() for start, end in zip(bars, [*bars[1:], len(line.text)], strict=True)]


def parse(text: Marked) -> tuple[Block, ...]:
    """The blocks of a text. Raises ValueError for a table whose rows differ in length."""
    return tuple(_blocks([*text.lines()]))


def _blocks(lines: list[Marked]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        line = lines[at]
        heading, item = _HEADING.match(line.text), _ITEM.match(line.text)
        if not line.text.strip():
            at += 1
        elif heading is not None:
            words = _heading_number(line, heading.end()).slice(heading.end(), len(line.text)).strip()
            yield Block("heading", inline(words), level=len(heading[1]))
            at += 1
        elif _FENCE.match(line.text) or _PAGE.match(line.text):
            yield Block("rule" if _FENCE.match(line.text) else "page")
            at += 1
        elif is_table(line):
            end = _end(lines, at, lambda other: is_table(other))
            yield table(lines[at:end])
            at = end
        elif item is not None:
            end = _end(lines, at, lambda other: not _starts(other))
            words = joined([line.slice(item.end(), len(line.text)), *lines[at + 1 : end]])
            level = 2 if len(item[1].expandtabs(4)) >= 2 else 1
            yield Block("item", inline(words), level=level, number=int(item[2]) if item[2] else None)
            at = end
        else:
            end = _end(lines, at, lambda other: not _starts(other))
            yield Block("paragraph", inline(joined(lines[at:end])))
            at = end


def _end(lines: list[Marked], start: int, goes_on: Callable[[Marked], bool]) -> int:
    at = start + 1
    while at < len(lines) and goes_on(lines[at]):
        at += 1
    return at


def _starts(line: Marked) -> bool:
    """Whether a line ends the paragraph before it."""
    text = line.text
    return not text.strip() or is_table(line) or any(form.match(text) for form in (_HEADING, _ITEM, _FENCE, _PAGE))
