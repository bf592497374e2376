"""Facts in tables: each value in the row of its key, under its heading.

A value column is one with the label asked for over it, or, in a pivot, one headed by a part of the key with the label
above, in a title or as the sheet's name. Tables turned on their side are read the same way. Where several places
state one fact, the best ones count: the sheet asked for before others, the closest heading before others; these have
to agree.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from workgym.records import Value
from workgym.verify.stated.asked import Asked
from workgym.verify.stated.keys import (
    Head,
    Marks,
    extra,
    key_cell,
    key_columns,
    keys,
    named_in,
    off_scene,
    off_sheet,
    together,
)
from workgym.verify.stated.matching import Wanted, cell_readings, foreign, is_error, normal, rounds_to, shows
from workgym.verify.stated.selections import selected
from workgym.verify.stated.sheets import Sheet, Spot, label_grade, label_scale
from workgym.verify.stated.sights import Extra, Found, Sight

HEADINGS = 8
"""Headings of one column and sheet that are looked at; more are a heap of labels, not a table."""
PIVOTED = 60
"""Columns of one pivot that are looked at."""
_BEST = (0, 0, 0)
_ONE = Decimal(1)


@dataclass
class _Block:
    """One heading with the rows below it, and which of them are rows asked for."""

    tier: tuple[int, int, int]
    hits: list[tuple[int, Spot | None, Spot]] = field(default_factory=list)
    """Position of the row asked for, the cell with its value, and a cell of its key."""
    extras: list[Extra] = field(default_factory=list)
    scale: Decimal = _ONE


def find(sheets: tuple[Sheet, ...], asked: Asked) -> Found:
    """Look for every fact of a unit in the tables of one deliverable."""
    found = Found()
    marks = {id(sheet): Marks(sheet, asked.readers) for sheet in sheets}
    turned: list[Sheet] = []
    if not asked.columns:
        turned = _turned(sheets, marks, asked)
        return selected([*sheets, *turned], marks, asked)
    if not asked.rows:
        found.extras = _unasked(sheets, asked)
    for column in asked.columns:
        blocks: list[_Block] = []
        for sheet in sheets:
            blocks += _blocks(sheet, marks[id(sheet)], asked, column.name)
        if not any(block.hits and block.tier == _BEST for block in blocks):  # nothing on its side could count before it
            turned = turned or _turned(sheets, marks, asked)
            for sheet in turned:
                blocks += _blocks(sheet, marks[id(sheet)], asked, column.name)
        _settle(blocks, asked, column.name, found)
    return found


def _turned(sheets: tuple[Sheet, ...], marks: dict[int, Marks], asked: Asked) -> list[Sheet]:
    turned = [sheet.turn for sheet in sheets]
    marks.update({id(sheet): Marks(sheet, asked.readers) for sheet in turned})
    return turned


def _unasked(sheets: tuple[Sheet, ...], asked: Asked) -> list[Extra]:
    """Where no row is right: the rows with a value in the first table that has all the headings."""
    for sheet in sorted(sheets, key=lambda sheet: off_sheet(sheet, asked)):
        heads = [next(_heads(sheet, asked.label(column.name)), None) for column in asked.columns]
        if heads and None not in heads:
            _, top, at = heads[-1]  # type: ignore[misc]
            text = asked.columns[-1].type.kind in ("text", "choice")
            wanted = str.isalnum if text else str.isdecimal  # "none" under a heading of numbers is no row
            below = [(row, spot) for row, spot in sheet.columns[at].items() if row > top]
            return [
                Extra(spot.at, spot.text)
                for row, spot in below
                if any(map(wanted, spot.text)) and len(sheet.rows[row]) > 1 and not spot.given
            ]
    return []


def _heads(sheet: Sheet, label: str) -> Iterator[tuple[int, int, int]]:
    count = 0
    for (row, column), spot in sorted(sheet.cells.items(), key=lambda item: item[0]):
        if spot.value is None and (grade := label_grade(spot.text, label)) is not None:
            yield grade, row, column
            count += 1
            if count == HEADINGS:
                return


def _answer(sheet: Sheet, asked: Asked, row: int, at: int) -> bool:
    """Whether a cell reads like a heading and is none: below a heading, it is one of the things to be said there.

    A state may be called after what it entitles to, which is another column. A row of headings has another one.
    """
    text = normal(sheet.cells[row, at].text)
    labels = [asked.label(name) for name, texts in asked.said.items() if text in texts]
    if not labels or any(_is_label(spot, asked) for column, spot in sheet.rows[row].items() if column != at):
        return False
    above = [spot.text for top, spot in sheet.columns[at].items() if top < row]
    return any(label_grade(heading, label) is not None for heading in above for label in labels)


def _is_label(spot: Spot, asked: Asked) -> bool:
    every = (*asked.parts, *asked.columns)
    return spot.value is None and any(label_grade(spot.text, asked.label(column.name)) == 0 for column in every)


def _blocks(sheet: Sheet, marks: Marks, asked: Asked, column: str) -> Iterator[_Block]:
    label, kind = asked.label(column), asked.unit.column(column).type
    heads = [
        head
        for head in _heads(sheet, label)
        if not foreign(sheet.cells[head[1:]].text, kind) and not _answer(sheet, asked, *head[1:])
    ]
    for grade, row, at in heads:
        tier = (off_sheet(sheet, asked) + off_scene(sheet, asked, row), grade, int(sheet.turned))
        if not asked.parts:
            if not sheet.turned:
                yield _pair(sheet, tier, row, at, asked.rows[0].values[column])
            continue
        end = min((other for _, other, same in heads if same == at and other > row), default=1 << 30)
        heading = sheet.cells[row, at].text
        fixed = named_in(asked.readers, [heading, *(spot.text for spot in sheet.over(row, at))])
        yield _read(sheet, marks, asked, Head(row, at, end, heading, tier, fixed))
    if len(asked.parts) > 1:
        yield from _pivots(sheet, marks, asked, label, heads)


def _pivots(
    sheet: Sheet, marks: Marks, asked: Asked, label: str, heads: list[tuple[int, int, int]]
) -> Iterator[_Block]:
    """Columns headed by values of a part of the key, with the label above, in a title or as the name of the sheet."""
    for number in range(len(asked.parts)):
        lines: dict[int, list[tuple[int, Value]]] = {}
        for column, cells in marks.by_column[number].items():
            for row, value in cells.items():
                lines.setdefault(row, []).append((column, value))
        headed = [row for row, line in sorted(lines.items()) if len({value for _, value in line}) > 1][:HEADINGS]
        for row in headed:
            line = sorted(lines[row], key=lambda item: item[0])
            grade, text = _context(sheet, asked, label, row, line[0][0], heads)
            if grade is None:
                continue
            end = min((other for other in headed if other > row), default=1 << 30)
            tier = (off_sheet(sheet, asked) + off_scene(sheet, asked, row), 100 + grade, int(sheet.turned))
            for column, value in line[:PIVOTED]:
                yield _read(sheet, marks, asked, Head(row, column, end, text, tier, {number: value}))


def _context(
    sheet: Sheet, asked: Asked, label: str, row: int, column: int, heads: list[tuple[int, int, int]]
) -> tuple[int | None, str]:
    """The text around a pivot that carries the label, with its grade."""
    texts = [sheet.cells[at, first].text for _, at, first in heads if 0 < row - at <= 3 and first <= column]
    texts += [spot.text for spot in sheet.over(row, column)]
    texts += itertools.islice(sheet.titles(row), 8)
    graded = [(grade, text) for text in texts if (grade := label_grade(text, label)) is not None]
    if not graded and asked.stated.sheet is not None and not off_sheet(sheet, asked) and len(asked.columns) == 1:
        return 20, ""  # the sheet that the request names for this one column says what it is
    return min(graded, key=lambda item: item[0], default=(None, ""))


def _read(sheet: Sheet, marks: Marks, asked: Asked, head: Head) -> _Block:
    block = _Block(head.tier, scale=label_scale(head.heading))
    columns = key_columns(sheet, marks, asked, head)
    keyed = [column for column in columns if column is not None]
    head = head._replace(end=_end(sheet, keyed, head))
    hits: list[int] = []
    others: dict[int, list[Extra]] = {}
    for row, parts in keys(sheet, marks, asked, head, columns):
        cells = sheet.rows[row]
        value = cells.get(head.column)
        if value is not None and value.given:
            continue
        position = None if parts is None else asked.by_parts.get(parts)
        if position is not None:
            hits.append(row)
            block.hits.append((position, value, key_cell(cells, keyed)))
        elif value is not None and keyed:
            others[row] = extra(asked, cells, columns)
    run = together(sheet, hits)
    block.extras = [found for row, extras in others.items() if row in run for found in extras]
    return block


def _end(sheet: Sheet, keyed: list[int], head: Head) -> int:
    """Where the rows under a heading end: at the next one of its kind, or where the key's own headings come again."""
    said = {column: normal(sheet.cells[head.row, column].text) for column in keyed if (head.row, column) in sheet.cells}
    if not said:
        return head.end
    first = sheet.columns[min(said)]
    again = (
        row
        for row in first
        if head.row < row < head.end
        and all(at in sheet.rows[row] and normal(sheet.rows[row][at].text) == text for at, text in said.items())
    )
    return next(again, head.end)


def _pair(sheet: Sheet, tier: tuple[int, int, int], row: int, column: int, wanted: Wanted) -> _Block:
    """A label and its value: behind a colon, else beside it, else below it; the first that can be a value."""
    key = sheet.cells[row, column]
    block = _Block(tier, scale=label_scale(key.text))
    rest = "" if key.given else key.text.partition(":")[2].strip()
    near = [key._replace(text=rest)] if rest else []
    near += [spot for at, spot in sheet.rows[row].items() if at > column][:1]
    numeric = wanted.type.numeric
    below = [spot for at, spot in sheet.columns[column].items() if at > row]
    near += below[:1] if numeric or tier[1] == 0 or len(below) == 1 else []  # a list of names chooses none of them
    near = [spot for spot in near if not spot.given]
    fit = [
        spot for spot in near if is_error(spot.text) or not numeric or cell_readings(spot.text, spot.value, wanted.type)
    ]
    said = [spot for spot in fit if not numeric and shows(spot.text, spot.value, wanted)]
    block.hits.append((0, next(iter([*said, *fit]), None), key))
    return block


def _settle(blocks: list[_Block], asked: Asked, column: str, found: Found) -> None:
    """Judge every row by the places that count, and keep the extra rows of the fullest table among them."""
    hit = [block for block in blocks if block.hits]
    if not hit:
        return
    best = min(block.tier for block in hit)
    counted = [block for block in hit if block.tier == best]
    places: dict[int, list[tuple[_Block, Spot | None, Spot]]] = {}
    for block in counted:
        for position, value, key in block.hits:
            places.setdefault(position, []).append((block, value, key))
    for position, stands in places.items():
        wanted = asked.rows[position].values[column]
        sights = [_sight(wanted, value, key, block) for block, value, key in stands]
        found.sights[position, column] = _agreed(sights)
    fullest = max(counted, key=lambda block: (len(block.hits), -len(block.extras)))
    found.extras += [extra for extra in fullest.extras if extra not in found.extras]


def _sight(wanted: Wanted, value: Spot | None, key: Spot, block: _Block) -> Sight:
    sure = block.tier[1] == 0 and block.tier[0] < 2  # a table of another scenario contradicts nothing
    if value is None:
        return Sight("missing", key.at, None, "the row is there, without a value under that heading", sure=sure)
    if shows(value.text, value.value, wanted, block.scale):
        return Sight("right", value.at, value.text, formula=value.formula, sure=sure)
    if wanted.type.numeric and rounds_to(cell_readings(value.text, value.value, wanted.type), wanted, block.scale):
        what, sure = "it is not written finely enough", False
    else:
        what = "a formula error" if is_error(value.text) else "another value"
    return Sight("wrong", value.at, value.text, what, formula=value.formula, sure=sure)


def _agreed(sights: list[Sight]) -> Sight:
    right = [sight for sight in sights if sight.state == "right"]
    wrong = [sight for sight in sights if sight.state == "wrong"]
    if right and wrong:
        return wrong[0]._replace(message=f"it contradicts {right[0].place}, which says {right[0].found}")
    return (right or wrong or sights)[0]
