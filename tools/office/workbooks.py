# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Workbooks as text. Libraries are imported where they are used."""

import contextlib
import datetime
import zipfile

from .access import line, office_file, opened, part
from .grids import Book, Odd, Page

BOOKS = (".xlsx", ".xlsm")
MOST_ROWS = 400


def workbook_outline(guest, path, offset=1):
    import openpyxl

    real = office_file(guest, path, BOOKS)
    book = opened(guest, path, lambda: openpyxl.load_workbook(real))
    lines = [f"{len(book.sheetnames)} sheet(s)"]
    for sheet in book.worksheets:
        lines.append(f"{sheet.title}: {sheet.dimensions} ({sheet.max_row} rows, {sheet.max_column} columns)")
        if sheet.sheet_state != "visible":
            lines[-1] += ", hidden"
        first = next(sheet.iter_rows(max_row=1, values_only=True), ())
        lines.append("  first row: " + " | ".join(shown(value) for value in first if value is not None))
        cells = [cell for row in sheet.iter_rows() for cell in row]
        formulas = sum(1 for cell in cells if cell.data_type == "f")
        if formulas:
            lines.append(f"  formulas: {formulas}")
        drawn = {"charts": len(sheet._charts), "pictures": len(sheet._images), "pivot tables": len(sheet._pivots)}
        lines += [f"  {kind}: {count}" for kind, count in drawn.items() if count]
        lines += [f"  table {table.name}: {table.ref}" for table in sheet.tables.values()]
        if sheet.merged_cells.ranges:
            merged = sorted(str(area) for area in sheet.merged_cells.ranges)
            lines.append(f"  merged cells: {', '.join(merged[:40])}" + (", ..." if len(merged) > 40 else ""))
        hidden = [name for name, size in sheet.column_dimensions.items() if size.hidden]
        hidden += [str(number) for number, size in sheet.row_dimensions.items() if size.hidden]
        if hidden:
            lines.append(f"  hidden columns and rows: {', '.join(hidden[:40])}")
        lines += [f"  comment at {cell.coordinate}: {line(cell.comment.text)}" for cell in cells if cell.comment]
    lines += [f"{sheet.title}: a sheet that is a chart" for sheet in book.chartsheets]
    lines += [f"named range {name}: {defined.attr_text}" for name, defined in sorted(book.defined_names.items())]
    return part(guest, lines, offset)


def read_workbook(guest, path, sheet=None, range=None, formulas=False):
    import openpyxl

    real = office_file(guest, path, BOOKS)
    if not formulas:
        with contextlib.suppress(Odd):
            return grid(guest, real, Book(real), sheet, range, formulas)
    book = opened(guest, path, lambda: openpyxl.load_workbook(real, read_only=True, data_only=not formulas))
    with contextlib.closing(book):
        return grid(guest, real, book, sheet, range, formulas)


def grid(guest, real, book, sheet, range, formulas):
    """A part of a sheet, as far as an answer holds it."""
    from openpyxl.utils import get_column_letter, range_boundaries

    page = sheet_named(guest, book, sheet)
    if page.max_row is None or page.max_column is None:
        page.calculate_dimension(force=True)
    left, top, right, bottom = 1, 1, page.max_column or 1, page.max_row or 1
    if range:
        try:
            given = range_boundaries(range.rpartition("!")[2].replace("$", ""))
        except ValueError:
            raise guest.ToolError(f"{range} is no range of cells. Write it as B2:F40.") from None
        left, top = given[0] or 1, given[1] or 1
        right, bottom = min(given[2] or right, right), min(given[3] or bottom, bottom)
        if left > right or top > bottom:
            used = f"A1:{get_column_letter(page.max_column or 1)}{page.max_row or 1}"
            raise guest.ToolError(f"{range} is empty: the sheet {page.title!r} uses {used}.")
    letters = [get_column_letter(number) for number in numbers(left, right)]
    stored = formulas or (isinstance(page, Page) and not page.lacks_values())
    missing = {} if stored else unstored(real, page.title, left, top, right, bottom)
    lines, room, last = ["\t".join(["", *letters])], guest.limits["output_chars"] - 400, top - 1
    bounds = {"min_row": top, "max_row": min(bottom, top + MOST_ROWS - 1), "min_col": left, "max_col": right}
    for number, row in enumerate(page.iter_rows(**bounds, values_only=True), start=top):
        values = [missing.get((number, left + place), value) for place, value in enumerate(row)] if missing else row
        text = "\t".join([str(number), *(shown(value) for value in values)]).rstrip("\t")
        room -= len(text) + 1
        if room < 0 and last >= top:
            break
        lines.append(text)
        last = number
    if missing:
        lines.append(f"[{len(missing)} formula(s) in this range carry no stored value and are shown as formulas]")
    if last < bottom:
        following = f"{letters[0]}{last + 1}:{letters[-1]}{bottom}"
        lines.append(f"[rows {top} to {last} of {bottom}; go on with range={following}]")
    others = [name for name in book.sheetnames if name != page.title]
    if sheet is None and others:
        lines.append(f"[sheet {page.title!r}; the others: {', '.join(others)}]")
    return "\n".join(lines)


def workbook_cells(real):
    """Sheet title, coordinate and text of every cell that holds something; a formula where no value is stored."""
    import openpyxl

    values = openpyxl.load_workbook(real, read_only=True, data_only=True)
    written = openpyxl.load_workbook(real, read_only=True)
    for page, other in zip(values.worksheets, written.worksheets, strict=False):
        # What a file says of its used range may be a million columns too many.
        page.reset_dimensions()
        other.reset_dimensions()
        for row, formulas in zip(page.iter_rows(), other.iter_rows(), strict=False):
            for cell, formula in zip(row, formulas, strict=False):
                value = formula.value if cell.value is None else cell.value
                if value is not None:
                    yield page.title, cell.coordinate, shown(value)


def sheet_named(guest, book, name):
    pages = {page.title: page for page in book.worksheets}
    if not pages:
        raise guest.ToolError("The workbook has no sheet with cells.")
    if name is None:
        return next(iter(pages.values()))
    found = pages.get(name) or {title.strip().lower(): page for title, page in pages.items()}.get(name.strip().lower())
    if found is None:
        raise guest.ToolError(f"There is no sheet {name!r}. The sheets are: {', '.join(pages)}.")
    return found


def unstored(real, title, left, top, right, bottom):
    """Formulas of the area that carry no stored value, by row and column."""
    import openpyxl

    with zipfile.ZipFile(real) as archive:
        if not any(b"<f" in archive.read(name) for name in archive.namelist() if "worksheets/sheet" in name):
            return {}
    bounds = {"min_row": top, "max_row": bottom, "min_col": left, "max_col": right}
    missing = {}
    with (
        contextlib.closing(openpyxl.load_workbook(real, read_only=True, data_only=True)) as values,
        contextlib.closing(openpyxl.load_workbook(real, read_only=True)) as written,
    ):
        pairs = zip(written[title].iter_rows(**bounds), values[title].iter_rows(**bounds), strict=False)
        for number, (row, stored) in enumerate(pairs, start=top):
            for place, (cell, value) in enumerate(zip(row, stored, strict=False)):
                if cell.data_type == "f" and value.value is None:
                    missing[number, left + place] = cell.value
    return missing


def shown(value):
    """A cell's value as text: dates in ISO form, whole numbers without a point."""
    if value is None:
        return ""
    if type(value) is int:
        return str(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return line(getattr(value, "text", None) or str(value))


def numbers(first, last):
    """Whole numbers, both included; ``range`` is the name of an argument here."""
    while first <= last:
        yield first
        first += 1
