"""The small markdown of prose carriers: headings, paragraphs, lists, tables, rules, bold, footnotes, tracked changes.

Footnotes: :func:`parse` takes ``[^label]`` out of a text and leaves a :class:`Reference` in its ``Inline``; what the
notes say comes as blocks of kind ``note`` behind all others, in the order of their numbers. Each note is referred to
once. A format that has footnotes of its own writes both as it likes (``Inline.stretches``); one that has none calls
:func:`endnotes`, and gets ``[1]`` in the text and a numbered list at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from workgym.materialize.critic import Change, accepted
from workgym.materialize.marks import Marked, Span

Align = Literal["left", "right", "center"]

NOTE = re.compile(r"\[\^([\w-]{1,30})\]")
"""The mark of a footnote; also before what it says."""

_HEADING = re.compile(r"^(#{1,3})\s+")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|(\d+)[.)])\s+")
_FENCE = re.compile(r"^---+\s*$")
_PAGE = re.compile(r"^<!--\s*(page|landscape|portrait)\s*-->\s*$")
_RULER = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_NOTED = re.compile(r"^\[\^([\w-]{1,30})\]:\s+")
_NUMBERED = re.compile(r"\d+(?:\.\d+)*[.)]?(?=\s)")
_STARTS = (_HEADING, _ITEM, _FENCE, _PAGE, _NOTED)


@dataclass(frozen=True, slots=True)
class Reference:
    """A footnote's mark in a text."""

    at: int
    """The character of the text before which it stands."""
    label: str
    """What the template calls it."""
    number: int = 0
    """Its number in the document, from 1 in the order of the references; 0 before they are counted."""


@dataclass(frozen=True, slots=True)
class Inline:
    """A text with its marks, and the stretches of it that are bold."""

    text: Marked
    bold: tuple[tuple[int, int], ...] = ()
    notes: tuple[Reference, ...] = ()
    """Where footnotes are referred to, from the left."""
    changes: tuple[Change, ...] = ()
    """Tracked changes and remarks; the text is what stands when all changes are accepted."""

    def runs(self) -> Iterator[tuple[str, bool]]:
        """Its stretches as people see them, with whether each is bold; without its references."""
        for part in replace(self, notes=()).stretches():
            if not isinstance(part, Reference):
                yield part

    def stretches(self) -> Iterator[tuple[str, bool] | Reference]:
        """Its stretches as people see them, with whether each is bold, and between them its references."""
        plain, last, notes = self.text.plain, 0, list(self.notes)
        edges = {at for stretch in self.bold for at in stretch} | {note.at for note in notes} | {len(plain)}
        for end in sorted(edges):
            if last < end:
                yield plain[last:end], any(start <= last < stop for start, stop in self.bold)
                last = end
            while notes and notes[0].at == end:
                yield notes.pop(0)

    def labelled(self) -> Inline:
        """The same with ``[1]`` in the text, as decor, for each reference."""
        if not self.notes:
            return self
        parts, last = Marked(""), 0
        for note in self.notes:
            parts = parts + self.text.slice(last, note.at)
            label = f"[{note.number}]"
            parts, last = parts + Marked(label).decorated(1, len(label) - 1), note.at
        text = parts + self.text.slice(last, len(self.text.text))

        def shift(at: int) -> int:
            return at + sum(len(str(note.number)) + 2 for note in self.notes if note.at < at)

        return Inline(text, tuple((shift(start + 1) - 1, shift(end)) for start, end in self.bold))


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a document."""

    kind: Literal["heading", "paragraph", "item", "table", "rule", "page", "note"]
    text: Inline = Inline(Marked(""))
    level: int = 1
    """Of a heading 1 to 3; of an item 1 to 3, the outer list being 1."""
    number: int | None = None
    """The number of an item of a numbered list (None for a bullet), or of a footnote."""
    rows: tuple[tuple[Inline, ...], ...] = ()
    """Of a table, the heading row first; all rows are equally long."""
    aligns: tuple[Align, ...] = ()
    """Of a table, one for each column."""
    label: str = ""
    """Of a footnote, what the template calls it; of a page break ``page``, ``landscape`` or ``portrait``."""
    merged: frozenset[tuple[int, int]] = frozenset()
    """Of a table, row and column, from 0, of each cell that is one with the cell to its left; its text is empty."""
    heads: int = 1
    """Of a table, how many rows are heading rows: 1 or 2."""

    def texts(self) -> Iterator[Inline]:
        """Its text, or the texts of its cells."""
        if self.kind == "table":
            yield from (cell for row in self.rows for cell in row)
        else:
            yield self.text

    def mapped(self, change: Callable[[Inline], Inline]) -> Block:
        """The same with another text in each place."""
        rows = tuple(tuple(change(cell) for cell in row) for row in self.rows)
        return replace(self, text=change(self.text), rows=rows)


def inline(text: Marked) -> Inline:
    """Takes all marks away, and keeps which stretches are bold, where footnotes are referred to, and what changed."""
    text, changes = accepted(text)
    found = [*_BOLD.finditer(text.text)] if "**" in text.text else []
    gone = [cut for match in found for cut in ((match.start(), match.start(1)), (match.end(1), match.end()))]
    marks = [*NOTE.finditer(text.text)] if "[^" in text.text else []
    gone = sorted([*gone, *(match.span() for match in marks)])
    if not gone:
        return Inline(text, changes=tuple(replace(one, text=inline(one.text).text) for one in changes))
    parts, last = Marked(""), 0
    for start, end in gone:
        parts, last = parts + text.slice(last, start), end

    def moved(at: int) -> int:
        return at - sum(end - start for start, end in gone if end <= at)

    return Inline(
        parts + text.slice(last, len(text.text)),
        tuple((moved(match.start(1)), moved(match.end(1))) for match in found),
        tuple(Reference(moved(match.start()), match[1]) for match in marks),
        tuple(replace(one, start=moved(one.start), end=moved(one.end), text=inline(one.text).text) for one in changes),
    )


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
    """A line of text whose list number, heading number and labels of footnotes are declared as decor."""
    for match in NOTE.finditer(line.text):
        line = line.decorated(*match.span(1))
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
    heads, merged = 1, set[tuple[int, int]]()
    for line in lines:
        if not aligns and (len(rows) == 1 or (len(rows) == 2 and "--" in line.text)) and _RULER.match(line.text):
            aligns, heads = _aligns(line)[: len(rows[0])], len(rows)
            continue
        cells = _cells(line)
        if len(rows) < 2 and not aligns:
            merged |= {(len(rows), at) for at, cell in enumerate(cells) if at and cell == Marked("<")}
        rows.append(tuple(inline(cell) for cell in cells))
    width = len(rows[0])
    merged = {(row, column) for row, column in merged if row < heads}
    for number, column in merged:
        rows[number] = tuple(Inline(Marked("")) if at == column else cell for at, cell in enumerate(rows[number]))
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise ValueError(f"table: row {number} has {len(row)} cells, the first one has {width}")
    missing: list[Align] = ["left"] * (width - len(aligns))
    return Block("table", rows=tuple(rows), aligns=(*aligns, *missing), merged=frozenset(merged), heads=heads)


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
    """The blocks of a text, footnotes last.

    Raises ValueError for a table whose rows differ in length, and for a footnote that is not said and referred to once.
    """
    blocks = [*_blocks([*text.lines()])]
    notes = {block.label: block for block in blocks if block.kind == "note"}
    flow = [block for block in blocks if block.kind != "note"]
    if len(flow) + len(notes) < len(blocks):
        raise ValueError("two footnotes have the same label")
    if any(block.text.notes for block in notes.values()):
        raise ValueError("a footnote refers to another footnote")
    numbers: dict[str, int] = {}
    for note in [note for block in flow for words in block.texts() for note in words.notes]:
        if note.label not in notes:
            raise ValueError(f"footnote [^{note.label}] says nothing: write `[^{note.label}]: its text` on a line")
        if note.label in numbers:
            raise ValueError(f"footnote [^{note.label}] is referred to twice: give each its own")
        numbers[note.label] = len(numbers) + 1
    for label in [label for label in notes if label not in numbers]:
        raise ValueError(f"footnote [^{label}] is referred to nowhere: put [^{label}] into the text")
    said = [replace(notes[label], number=number) for label, number in numbers.items()]
    return (*(block.mapped(lambda words: _counted(words, numbers)) for block in flow), *said)


def _counted(words: Inline, numbers: Mapping[str, int]) -> Inline:
    if not words.notes:
        return words
    return replace(words, notes=tuple(replace(note, number=numbers[note.label]) for note in words.notes))


def endnotes(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """For formats without footnotes: ``[1]`` in the text, and after a rule a numbered list of what the notes say."""
    labelled = [block.mapped(Inline.labelled) for block in blocks]
    flow = [block for block in labelled if block.kind != "note"]
    said = [replace(block, kind="item") for block in labelled if block.kind == "note"]
    return (*flow, *([Block("rule")] if said else []), *said)


def _blocks(lines: list[Marked]) -> Iterator[Block]:
    at, depths = 0, list[int]()
    while at < len(lines):
        line = lines[at]
        heading, item, note, page = (form.match(line.text) for form in (_HEADING, _ITEM, _NOTED, _PAGE))
        depths = depths if item is not None or not line.text.strip() else []
        if not line.text.strip():
            at += 1
        elif heading is not None:
            words = _heading_number(line, heading.end()).slice(heading.end(), len(line.text)).strip()
            yield Block("heading", inline(words), level=len(heading[1]))
            at += 1
        elif _FENCE.match(line.text):
            yield Block("rule")
            at += 1
        elif page is not None:
            yield Block("page", label=page[1])
            at += 1
        elif is_table(line):
            end = _end(lines, at, lambda other: is_table(other))
            yield table(lines[at:end])
            at = end
        elif item is not None:
            end = _end(lines, at, lambda other: not _starts(other))
            words = joined([line.slice(item.end(), len(line.text)), *lines[at + 1 : end]])
            depths = _depths(depths, len(item[1].expandtabs(4)))
            yield Block("item", inline(words), level=min(len(depths), 3), number=int(item[2]) if item[2] else None)
            at = end
        elif note is not None:
            end = _end(lines, at, lambda other: not _starts(other))
            words = joined([line.slice(note.end(), len(line.text)), *lines[at + 1 : end]])
            yield Block("note", inline(words), label=note[1])
            at = end
        else:
            end = _end(lines, at, lambda other: not _starts(other))
            yield Block("paragraph", inline(joined(lines[at:end])))
            at = end


def _depths(outer: list[int], indent: int) -> list[int]:
    """The indents of an item and of those around it: an item is within the last one that stands left of it."""
    around = [depth for depth in outer if depth <= indent - 2] or ([0] if indent >= 2 else [])
    return [*around, indent]


def _end(lines: list[Marked], start: int, goes_on: Callable[[Marked], bool]) -> int:
    at = start + 1
    while at < len(lines) and goes_on(lines[at]):
        at += 1
    return at


def _starts(line: Marked) -> bool:
    """Whether a line ends the paragraph before it."""
    text = line.text
    return not text.strip() or is_table(line) or any(form.match(text) for form in _STARTS)
