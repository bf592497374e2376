"""What a cell of a sheet's XML holds: values, texts and formulas as they are written."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import NamedTuple

from workgym.documents.archive import Element
from workgym.documents.patches import Target
from workgym.documents.xlsx import numfmt
from workgym.documents.xlsx.a1 import column_letters, column_number
from workgym.documents.xlsx.read import NS, Workbook, string_text
from workgym.documents.xlsx.references import tokens
from workgym.documents.xmlpos import encoded
from workgym.errors import EditRefused
from workgym.records import Scalar
from workgym.records.surface import parse_date, parse_number, parse_time

_DECIMAL = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_EPOCH = datetime.date(1899, 12, 30)
_LONGEST = 8192
"""Characters that a formula may have."""
_NEWER = frozenset(
    """
    ACOT AGGREGATE ARABIC BASE BETA.DIST BETA.INV BINOM.DIST BINOM.INV BITAND BITOR BITXOR BYCOL BYROW CEILING.MATH
    CHISQ.DIST CHISQ.INV CHISQ.TEST CHOOSECOLS CHOOSEROWS COMBINA CONCAT CONFIDENCE.NORM CONFIDENCE.T COVARIANCE.P
    COVARIANCE.S DAYS DECIMAL DROP EXPAND EXPON.DIST F.DIST F.INV F.TEST FLOOR.MATH FORECAST.LINEAR FORMULATEXT
    GAMMA.DIST GAMMA.INV HSTACK IFNA IFS ISFORMULA ISOWEEKNUM LAMBDA LET LOGNORM.DIST LOGNORM.INV MAKEARRAY MAP MAXIFS
    MINIFS MODE.MULT MODE.SNGL NEGBINOM.DIST NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV NUMBERVALUE PDURATION
    PERCENTILE.EXC PERCENTILE.INC PERCENTRANK.EXC PERCENTRANK.INC PERMUTATIONA POISSON.DIST QUARTILE.EXC QUARTILE.INC
    RANDARRAY RANK.AVG RANK.EQ REDUCE RRI SCAN SEQUENCE SHEET SHEETS SKEW.P SORTBY STDEV.P STDEV.S SWITCH T.DIST T.INV
    T.TEST TAKE TEXTAFTER TEXTBEFORE TEXTJOIN TEXTSPLIT TOCOL TOROW UNICHAR UNICODE UNIQUE VAR.P VAR.S VSTACK
    WEIBULL.DIST WRAPCOLS WRAPROWS XLOOKUP XMATCH XOR Z.TEST
    """.split()
)
"""Functions that files name with ``_xlfn.`` before them, because they came after the standard (MS-XLSX 2.2.2)."""
_NEWEST = frozenset(("FILTER", "SORT"))
"""Functions that files name with ``_xlfn._xlws.`` before them."""


class Content(NamedTuple):
    """What a cell shall hold."""

    kind: str
    """Its type attribute; empty for a number or a formula."""
    inner: bytes
    """The XML inside."""


class NewRow(NamedTuple):
    """A row that is added: the look of the one above, and content of its own."""

    attributes: bytes
    """Attributes of the row, but for its number."""
    cells: tuple[tuple[int, bytes, Content | None], ...]
    """Column, attributes and content of each cell, by column."""

    def xml(self, number: int) -> bytes:
        """The row as it is written."""
        cells = b"".join(
            cell_xml(b"", f"{column_letters(column)}{number}", attributes, made)
            for column, attributes, made in self.cells
        )
        return f'<row r="{number}"'.encode() + self.attributes + b">" + cells + b"</row>"


def raw(cell: Element) -> tuple[str, str | None]:
    """Type and raw content of a cell."""
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        inline = cell.find(f"{NS}is")
        return "str", None if inline is None else string_text(inline)
    node = cell.find(f"{NS}v")
    return kind, None if node is None else node.text


def text_of(book: Workbook, cell: Element) -> str:
    """What a cell shows."""
    kind, content = raw(cell)
    return "" if content is None else book.content(kind, content, cell.get("s"))[0]


def wanted(path: str, book: Workbook, target: Target, cell: Element | None) -> Content | None:
    """What an edit wants in a cell; None for an empty one. Its type follows the given value, else the cell as it is."""
    if target.whole:
        return None
    style = None if cell is None else cell.get("s")
    text, value = target.new_text("" if cell is None else text_of(book, cell)), target.edit.value
    if value is not None:
        made = _typed(path, target.base, value, book.from_1904)
        if made is not None:
            return made
    elif _numeric(cell, book.format(style), text):
        found = _number_of(text, book.format(style), book.from_1904)
        if found is None:
            raise EditRefused(f"{path} {target.base} holds a number, and {text!r} is none", fix="give its value")
        _check_scale(path, target.base, found, book.format(style))
        return Content("", f"<v>{found}</v>".encode())
    if numfmt.text(text, book.format(style)) not in (text, ""):
        raise EditRefused(f"{path} {target.base}: its number format shows more than the text itself")
    return _text(text)


def row_like(path: str, book: Workbook, target: Target, row: Element | None) -> NewRow:
    """The row that an edit adds behind ``row``: cells of its styles, with the edit's content."""
    above: dict[int, Element] = {}
    if row is not None:
        for cell in row.iterfind(f"{NS}c"):
            letters = cell.get("r", "").rstrip("0123456789")
            above[column_number(letters) if letters else max(above, default=0) + 1] = cell
    given = dict(enumerate(target.edit.cells, 1))
    cells = []
    for column in sorted({*above, *given}):
        model, value = above.get(column), given.get(column)
        style = None if model is None else model.get("s")
        made = None if value is None else _like(path, f"{target.base} column {column}", book, value, model)
        if made is not None or style is not None:
            cells.append((column, b"" if style is None else f' s="{int(style)}"'.encode(), made))
    kept = b""
    for name in ("s", "customFormat", "ht", "customHeight"):
        if row is not None and row.get(name) is not None:
            kept += f' {name}="'.encode() + encoded(row.get(name, "")) + b'"'
    return NewRow(kept, tuple(cells))


def cell_xml(prefix: bytes, reference: str, attributes: bytes, made: Content | None) -> bytes:
    """A cell as it is written."""
    name = prefix + b"c"
    head = b"<" + name + b' r="' + reference.encode() + b'"' + attributes
    if made is None:
        return head + b"/>"
    kind = f' t="{made.kind}"'.encode() if made.kind else b""
    inner = re.sub(rb"<(/?)(?=[a-z])", rb"<\1" + prefix, made.inner) if prefix else made.inner
    return head + kind + b">" + inner + b"</" + name + b">"


def stored_formula(path: str, at: str, text: str) -> str:
    """A formula as files store it: no ``=``, newer functions with their marks. Raises EditRefused for a broken one."""
    formula = text[1:]
    depth = 0
    found = tokens(formula)
    parts = []
    for index, token in enumerate(found):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth < 0 or token.text == '"':
            break
        marked = token.text
        if token.kind == "function" and not (index and found[index - 1].kind == "sheet"):
            name = token.text.upper()
            marked = f"_xlfn._xlws.{name}" if name in _NEWEST else f"_xlfn.{name}" if name in _NEWER else token.text
        parts.append(marked)
    if depth or len(parts) < len(found) or not formula.strip():
        raise EditRefused(f"{path} {at}: {text[:60]!r} is no whole formula")
    if len(formula) > _LONGEST:
        raise EditRefused(f"{path} {at}: a formula has at most {_LONGEST} characters")
    return "".join(parts)


def _text(text: str) -> Content | None:
    if not text:
        return None
    return Content("inlineStr", b'<is><t xml:space="preserve">' + encoded(text) + b"</t></is>")


def _typed(path: str, at: str, value: Scalar, from_1904: bool) -> Content | None:
    """The content for a value that is given; None for a text that is neither formula, date nor number."""
    if isinstance(value, bool):
        return Content("b", b"<v>%d</v>" % value)
    if isinstance(value, (int, float)):
        return Content("", f"<v>{value!r}</v>".encode())
    if isinstance(value, str) and value.startswith("="):
        return Content("", b"<f>" + encoded(stored_formula(path, at, value)) + b"</f>")
    if isinstance(value, str):
        number = _serial(value, from_1904) or (value if _DECIMAL.fullmatch(value) else None)
        return None if number is None else Content("", f"<v>{number}</v>".encode())
    return None


def _like(path: str, at: str, book: Workbook, value: Scalar, model: Element | None) -> Content | None:
    """A value of an added row: a text is a number or a date where the cell above is one."""
    if not isinstance(value, str) or value.startswith("="):
        return _typed(path, at, value, book.from_1904)
    code = book.format(model.get("s") if model is not None else None)
    number = _number_of(value, code, book.from_1904) if _numeric(model, code, value) else None
    return _text(value) if number is None else Content("", f"<v>{number}</v>".encode())


def _numeric(cell: Element | None, code: str, text: str) -> bool:
    """Whether a number is written where no value is given: the cell holds one, or it is empty and seems to want one."""
    if cell is not None:
        kind, content = raw(cell)
        if content is not None:
            return kind == "n"
    if code != "General":
        return numfmt.kind(code) != "text" and _number_of(text, code, False) is not None
    return _DECIMAL.fullmatch(text) is not None and not (
        text.lstrip("-").startswith("0") and len(text) > 1 and "." not in text
    )


def _number_of(text: str, code: str, from_1904: bool) -> str | None:
    """The number to be stored for a displayed text under a format."""
    kind = numfmt.kind(code)
    if kind in ("date", "datetime"):
        day = parse_date(text)
        return None if day is None else _serial(day.isoformat(), from_1904)
    if kind == "time":
        time = parse_time(text)
        return None if time is None else _serial(time.isoformat(), from_1904)
    number = parse_number(text)
    return None if number is None else f"{number:f}"


def _check_scale(path: str, at: str, number: str, code: str) -> None:
    """Refuses a number that the cell's format would show as quite another one (``0.0,`` shows thousands)."""
    if numfmt.kind(code) == "number":
        displayed = numfmt.display(Decimal(number), code)
        shown, meant = parse_number(displayed), abs(Decimal(number))
        if shown is not None and meant and not meant / 2 <= abs(shown) <= 2 * meant:
            raise EditRefused(f"{path} {at}: its number format would show {displayed}", fix="give its value")


def _serial(value: str, from_1904: bool) -> str | None:
    """The serial number of an ISO date, time or moment, or None where ``value`` is none or lies before the calendar."""
    if not (len(value) >= 8 and (value[4:5] == "-" or value[2:3] == ":")):
        return None
    try:
        if value[2] == ":":
            days, clock = 0, datetime.time.fromisoformat(value)
        else:
            when = datetime.datetime.fromisoformat(value)
            days, clock = (when.date() - _EPOCH).days, when.time()
            # Spreadsheets have a 29 February 1900, so that what lies before it counts one less.
            days -= 1462 if from_1904 else 1 if days <= 60 else 0
            if days < (0 if from_1904 else 1):
                return None
    except ValueError:
        return None
    seconds = clock.hour * 3600 + clock.minute * 60 + clock.second + Decimal(clock.microsecond) / 1_000_000
    return f"{days + (seconds / 86400).quantize(Decimal('1e-15')).normalize():f}"
