"""Dividing what stands on a slide over several: at blocks and rows, evenly, tables under their heading rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workgym.materialize.prose import Block, Inline
from workgym.materialize.scope import Fault

GAP = 14.0
"""Points between a text and a table, or two tables."""


class Unit(NamedTuple):
    """What is not divided: a block of text, or a row of a table."""

    block: Block
    row: int | None
    height: float


def stretches(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """What stands between rules and page breaks."""
    run: list[Block] = []
    for block in blocks:
        if block.kind not in ("rule", "page"):
            run.append(block)
        elif run:
            yield run
            run = []
    if run:
        yield run


def runs(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Units that stand in one text, or in one table."""
    run: list[Unit] = []
    for unit in units:
        if run and not (unit.row is run[-1].row is None or (unit.row is not None and unit.block is run[-1].block)):
            yield run
            run = []
        run.append(unit)
    if run:
        yield run


def height_of(units: Sequence[Unit]) -> float:
    """How high they are together, with what lies between texts and tables."""
    return sum(unit.height for unit in units) + GAP * max(0, len(list(runs(units))) - 1)


def divided(units: list[Unit], room: float) -> list[list[Unit]]:
    """Over as few slides as possible, evenly filled. Raises Fault for a unit that is higher than a slide."""
    heads: dict[int, list[Unit]] = {}
    for unit in units:
        if unit.row is not None and unit.row < unit.block.heads:
            heads.setdefault(id(unit.block), []).append(unit)
    fewest = len(_filled(units, heads, room))
    for part in range(4, 21):
        try:
            pages = _filled(units, heads, room * part / 20)
        except Fault:
            continue
        if len(pages) == fewest:
            return pages
    return _filled(units, heads, room)


def _filled(units: list[Unit], heads: dict[int, list[Unit]], room: float) -> list[list[Unit]]:
    pages: list[list[Unit]] = []
    page: list[Unit] = []
    for at, unit in enumerate(units):
        if page and height_of([*page, unit, *_following(units, at)]) > room:
            pages.append(page)
            goes_on = unit.row is not None and unit.row >= unit.block.heads
            page = list(heads[id(unit.block)]) if goes_on else []
        page.append(unit)
        if height_of(page) > room:
            what = unit.block.text if unit.row is None else unit.block.rows[unit.row][0]
            raise Fault(f"{short(what)} is too long for a slide: say it shorter or in several paragraphs")
    return [*pages, page] if page else pages


def _following(units: list[Unit], at: int) -> list[Unit]:
    """What a unit must not be parted from: what a heading stands over, the first row under a heading row."""
    unit = units[at]
    if unit.row == 0:
        return units[at + 1 : at + 1 + unit.block.heads]
    if unit.row is None and unit.block.kind == "heading" and at + 1 < len(units):
        return [units[at + 1], *_following(units, at + 1)]
    return []


def short(inline: Inline) -> str:
    """The beginning of a text, for messages."""
    text = inline.text.plain
    return repr(text if len(text) <= 40 else text[:37] + "...")
