"""Charts of Office files (ECMA-376 part 1, DrawingML charts): what they print, from the values that they keep.

A chart keeps a copy of its data beside the reference to the workbook that it was drawn from. The copy is what people
see. It is given as the grid that the workbook holds: names of the series in row 1, categories in column 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from workgym.documents.archive import Element
from workgym.documents.xlsx import numfmt
from workgym.documents.xlsx.a1 import column_letters, split_reference

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_CATEGORIES, _VALUES = ("cat", "xVal"), ("val", "yVal")
_ROWS, _LARGEST = 1_048_576, 400


class Point(NamedTuple):
    """One text or number that a chart keeps."""

    leaf: Element
    """The element whose characters it is."""
    text: str
    """As it is displayed."""
    value: Decimal | None
    """The number, or None for a text."""
    day: str | None
    """Date, time or both in ISO form, where the number is one by its format; else None."""
    cell: str | None
    """Where the workbook holds it (``Sheet1!B2``), as far as the chart says."""


class ChartCell(NamedTuple):
    """A cell of the grid of a chart's data."""

    row: int
    column: int
    points: tuple[Point, ...]
    """The places that keep it: a category is repeated with each series. They say the same."""


def chart_cells(root: Element) -> Iterator[ChartCell]:
    """The cells of a chart's data, column by column. Raises ValueError for a damaged number."""
    mark = root.find(f"{C}date1904")
    early = mark is not None and mark.get("val", "1") in ("1", "true")
    column, shown = 1, dict[int, list[Point]]()
    columns: list[tuple[int, dict[int, list[Point]]]] = []
    for series in root.iter(f"{C}ser"):
        categories = _points(series, _CATEGORIES, early)
        same = {row: points[0].text for row, points in shown.items()} == {r: p.text for r, p in categories.items()}
        if categories and same:
            for row, point in categories.items():
                shown[row].append(point)
        elif categories:
            shown = {row: [point] for row, point in categories.items()}
            columns.append((column if not columns else column + 1, shown))
            column = columns[-1][0]
        column += 1
        values = {row: [point] for row, point in _points(series, _VALUES, early).items()}
        name = next(_kept(series.find(f"{C}tx"), early), None)
        columns.append((column, ({1: [name[1]]} if name else {}) | values))
    for number, points in columns:
        for row, alike in points.items():
            yield ChartCell(row, number, tuple(alike))


def rich_texts(root: Element) -> Iterator[tuple[str, Element]]:
    """Texts that somebody wrote on a chart: a letter for its title (none), an axis (``a``) or a label (``l``)."""
    chart = root.find(f"{C}chart")
    if chart is None:
        return
    for holder, letter in ((chart.find(f"{C}title"), ""),):
        rich = None if holder is None else holder.find(f"{C}tx/{C}rich")
        if rich is not None:
            yield letter, rich
    plot = chart.find(f"{C}plotArea")
    for node in plot.iter() if plot is not None else ():
        letter = {f"{C}title": "a", f"{C}dLbl": "l"}.get(node.tag, "")
        rich = node.find(f"{C}tx/{C}rich") if letter else None
        if rich is not None:
            yield letter, rich


def _points(series: Element, names: tuple[str, ...], early: bool) -> dict[int, Point]:
    found: dict[int, Point] = {}
    for name in names:
        for index, point in _kept(series.find(f"{C}{name}"), early):
            found.setdefault(index + 2, point)
    return found


def _kept(holder: Element | None, early: bool) -> Iterator[tuple[int, Point]]:
    """What a name, the categories or the values of a series keep, with the index of each from 0.

    With ``early``, dates count from 1904.
    """
    if holder is None:
        return
    plain = holder.find(f"{C}v")
    if plain is not None:
        yield 0, Point(plain, plain.text or "", None, None, None)
        return
    for source in holder:
        reference = source.findtext(f"{C}f")
        numbers = source.tag in (f"{C}numRef", f"{C}numLit")
        kept = (
            source if source.tag in (f"{C}numLit", f"{C}strLit") else source.find(f"{C}{source.tag[len(C) : -3]}Cache")
        )
        if kept is None:
            continue
        code = kept.findtext(f"{C}formatCode") or "General"
        levels = kept.findall(f"{C}lvl")
        for point in (levels[0] if levels else kept).findall(f"{C}pt"):
            leaf, index = point.find(f"{C}v"), int(point.get("idx", "0"))
            if leaf is not None and 0 <= index < _ROWS:
                cell = None if levels else _cell(reference, index)
                yield index, _point(leaf, point.get("formatCode", code) if numbers else None, cell, early)
        return


def _point(leaf: Element, code: str | None, cell: str | None, early: bool) -> Point:
    """A point under a number format; None for a text."""
    text = leaf.text or ""
    if code is None or not text.strip():
        return Point(leaf, text, None, None, cell)
    value = numfmt.tidy(text.strip())
    if value and abs(value.adjusted()) > _LARGEST:
        raise ValueError(f"{text[:40]!r} is beyond all numbers of charts")
    kind = numfmt.kind(code)
    when = numfmt.moment(value, from_1904=early) if kind in ("date", "time", "datetime") else None
    day = None if when is None else when.isoformat()
    if when is not None and day is not None:
        day = when.time().isoformat() if kind == "time" else day.removesuffix("T00:00:00")
    return Point(leaf, numfmt.display(value, code, from_1904=early), value, day, cell)


def _cell(reference: str | None, index: int) -> str | None:
    """The cell of a point, where the reference is a single column, row or cell of one sheet."""
    sheet, _, area = (reference or "").rpartition("!")
    first, _, last = area.partition(":")
    start, end = split_reference(first), split_reference(last or first)
    if not sheet or start is None or end is None:
        return None
    name = sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet
    row, column = (start[0] + index, start[1]) if start[1] == end[1] else (start[0], start[1] + index)
    return f"{name}!{column_letters(column)}{row}" if row <= end[0] and column <= end[1] else None
