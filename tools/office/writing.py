# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Workbooks written: cells, rows, sheets, new files. Libraries are imported where they are used."""

import datetime
import io
import re

from .access import WRITERS, new_file, office_file, opened, save, short
from .calculation import settle, stored
from .formulas import checked
from .package import normal
from .sheets import NS, Book
from .styles import DATE, TIME, Styles
from .workbooks import BOOKS

MOST_CELLS = 20_000
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
LONGEST_TEXT = 32_767
MOST_TOLD = 20
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
DATES = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?")


def write_cells(guest, path, sheet=None, cells=None, start=None, rows=None, number_format=None, bold=False):
    real, book = _book(guest, path)
    page = book.sheet(sheet)
    if (cells is None) == (start is None) or (start is None) != (rows is None):
        raise guest.ToolError(
            'Give either cells, such as {"B2": 5, "B3": "=SUM(A1:A9)"}, or start and rows, such as start="A5" and '
            'rows=[["Total", 12.5]].'
        )
    if cells is None:
        row, column = _place(guest, start)
        wanted = {
            (row + down, column + right): value for down, line in enumerate(rows) for right, value in enumerate(line)
        }
    else:
        wanted = {_place(guest, at): value for at, value in cells.items()}
    work = _Work(guest, book, number_format, bold)
    for row, column in wanted:
        reason = page.refusal(row, column)
        if reason is not None:
            raise guest.ToolError(f"{reason} Nothing was changed.")
    work.write(page, wanted)
    return work.finish(real, f"Wrote {len(wanted)} cell(s) to the sheet {page.title!r} of {guest.show(real)}.")


def add_rows(guest, path, rows, sheet=None, below=None, first_column="A"):
    real, book = _book(guest, path)
    page = book.sheet(sheet)
    _, column = _place(guest, f"{first_column}1")
    top = (page.last_row() if below is None else int(below)) + 1
    taken = next((number for number in range(top, top + len(rows)) if not page.row_is_empty(number)), None)
    if taken is not None:
        raise guest.ToolError(
            f"Row {taken} is not empty, and rows are not moved down. The last row with values is {page.last_row()}: "
            "leave below out to add after it. To insert between rows, write those from there on anew with write_cells."
        )
    _fits_tables(guest, page, top, len(rows))
    work = _Work(guest, book)
    wanted = {}
    for number, line in enumerate(rows, start=top):
        for place, value in enumerate(line, start=column):
            value = value.replace("{row}", str(number)) if isinstance(value, str) else value
            wanted[number, place] = value
    work.write(page, wanted, like=top - 1)
    notes = _grown(page, top, len(rows))
    said = (
        f"Added {len(rows)} row(s) to the sheet {page.title!r} of {guest.show(real)}: {top} to {top + len(rows) - 1}."
    )
    return work.finish(real, " ".join([said, *notes]))


def add_sheet(guest, path, name, rows=()):
    real, book = _book(guest, path)
    _sheet_name(guest, name, [*book.parts, *book.others])
    page = book.add_sheet(name)
    work = _Work(guest, book)
    work.fill(page, rows)
    return work.finish(real, f"Added the sheet {name!r} with {len(rows)} row(s) at the end of {guest.show(real)}.")


def create_workbook(guest, path, sheets, overwrite=False):
    import openpyxl

    real = new_file(guest, path, ".xlsx", overwrite, ", or use write_cells, add_rows or add_sheet to change it")
    blank = openpyxl.Workbook()
    known = []
    for number, given in enumerate(sheets):
        _sheet_name(guest, given["name"], known)
        known.append(given["name"])
        page = blank.active if number == 0 else blank.create_sheet()
        page.title = given["name"]
        for place, width in enumerate(_widths(given.get("rows", ())), start=1):
            page.column_dimensions[openpyxl.utils.get_column_letter(place)].width = width
        if given.get("header", True):
            page.freeze_panes = "A2"
    out = io.BytesIO()
    blank.save(out)
    book = Book(guest, normal(out.getvalue(), fresh=True))
    work = _Work(guest, book)
    for given in sheets:
        work.fill(book.sheet(given["name"]), given.get("rows", ()), given.get("header", True), given.get("formats", {}))
    return work.finish(real, f"Wrote {guest.show(real)} with the sheet(s) {', '.join(known)}.")


class _Work:
    """What one call writes, and what it has to say about it."""

    def __init__(self, guest, book, number_format=None, bold=False):
        self.guest, self.book, self.styles = guest, book, Styles(book)
        self.number_format, self.bold = number_format, bold
        self.formulas, self.numeric, self.count = [], [], 0

    def fill(self, page, rows, header=True, formats=None):
        """Rows from A1 on; the first in bold where it is a header; number formats by column letter."""
        top = {(1, place): value for place, value in enumerate(rows[0], start=1)} if rows and header else {}
        rest = {
            (number, place): value
            for number, row in enumerate(rows, start=1)
            for place, value in enumerate(row, start=1)
            if (number, place) not in top
        }
        self.bold = True
        self.write(page, top)
        self.bold = False
        self.write(
            page, rest, formats={_place(self.guest, f"{key}1")[1]: code for key, code in (formats or {}).items()}
        )

    def write(self, page, wanted, like=None, formats=None):
        """Write cells; a new one takes its style from the row ``like``."""
        self.count += len(wanted)
        if self.count > MOST_CELLS:
            raise self.guest.ToolError(
                f"One call writes at most {MOST_CELLS} cells. Write the rest with a second call."
            )
        for (row, column), value in wanted.items():
            at = f"{page.letter(column)}{row}"
            if row > MOST_ROWS or column > MOST_COLUMNS:
                raise self.guest.ToolError(f"{at} is beyond the last cell of a sheet, XFD{MOST_ROWS}.")
            kind, text, date = self._typed(at, value)
            style = page.style(row, column) or (page.style(like, column) if like else 0)
            code = self.number_format or (formats or {}).get(column)
            if date is not None and code is None and not self.styles.shows_dates(style):
                code = date
            if kind != "empty" and (code is not None or self.bold):
                style = self.styles.like(style, code=code, bold=self.bold)
            page.write(row, column, kind, text, style)
            if kind == "formula":
                self.formulas.append((page, row, column))

    def finish(self, real, said):
        """Calculate, save, and say what was done."""
        for page in self.book.loaded.values():
            page.settle()
        reason = settle(self.book)
        save(self.guest, real, self.book.package.content())
        lines = [said]
        if reason is not None:
            lines.append(
                f"Formulas carry no stored value now ({reason}): programs calculate them when they open the file, "
                "and read_workbook shows them as formulas."
            )
        for page, row, column in self.formulas[:MOST_TOLD] if reason is None else ():
            value = stored(page, row, column)
            lines.append(f"{page.title}!{page.letter(column)}{row} = {'nothing' if value is None else short(value)}")
        if reason is None and len(self.formulas) > MOST_TOLD:
            lines.append(f"[{len(self.formulas) - MOST_TOLD} more formulas; read_workbook shows their values]")
        if self.numeric:
            some = ", ".join(self.numeric[:5])
            lines.append(f"Written as text though it looks like a number: {some}. Give numbers without quotes.")
        return "\n".join(lines)

    def _typed(self, at, value):
        """Kind, text and number format of a value; the format only for dates."""
        if value is None or value == "":
            return "empty", "", None
        if isinstance(value, bool):
            return "boolean", str(int(value)), None
        if isinstance(value, int | float):
            if value != value or abs(value) == float("inf"):
                raise self.guest.ToolError(f"{at}: a cell holds finite numbers only.")
            return "number", repr(value), None
        if not isinstance(value, str):
            raise self.guest.ToolError(
                f"{at}: a cell holds a text, a number, true, false or null. Nothing was changed."
            )
        if CONTROL.search(value) or len(value) > LONGEST_TEXT:
            raise self.guest.ToolError(
                f"{at}: a cell holds at most {LONGEST_TEXT} characters, and no control characters. Nothing was changed."
            )
        if value.startswith("=") and len(value) > 1:
            return "formula", checked(self.guest, at, value, [*self.book.parts, *self.book.others]), None
        if DATES.fullmatch(value):
            return self._date(at, value)
        if value.startswith("'"):
            return "text", value[1:], None
        if re.fullmatch(r"-?[\d.,']*\d\s?%?", value) and not re.match(r"0\d", value):
            self.numeric.append(f"{at} ({value})")
        return "text", value, None

    def _date(self, at, value):
        from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, to_excel

        try:
            moment = datetime.datetime.fromisoformat(value)
        except ValueError:
            raise self.guest.ToolError(f"{at}: {value} is no day. Put ' before it to write it as text.") from None
        serial = to_excel(moment, CALENDAR_MAC_1904 if self.book.from_1904 else CALENDAR_WINDOWS_1900)
        return "number", repr(int(serial) if serial == int(serial) else serial), DATE if len(value) == 10 else TIME


def _book(guest, path):
    real = office_file(guest, path, BOOKS, WRITERS)
    return real, opened(guest, path, lambda: Book(guest, real))


def _place(guest, at):
    from openpyxl.utils.cell import coordinate_to_tuple

    try:
        return coordinate_to_tuple(at.replace("$", "").strip().upper())
    except ValueError:
        raise guest.ToolError(f"{at} is no cell. Write it as B2; name the sheet in the argument sheet.") from None


def _sheet_name(guest, name, known):
    if not 0 < len(name) <= 31 or re.search(r"[\[\]:*?/\\]", name) or name[0] == "'" or name[-1] == "'":
        raise guest.ToolError(
            f"{name!r} is no name for a sheet: 1 to 31 characters, none of [ ] : * ? / \\, no ' at the ends."
        )
    if name.lower() in [each.lower() for each in known]:
        raise guest.ToolError(
            f"There is a sheet {name!r} already. The sheets are: {', '.join(known)}. Take another name."
        )


def _widths(rows):
    """Widths of columns that show the first hundred rows."""
    columns = max((len(row) for row in rows), default=0)
    for place in range(columns):
        lengths = [
            len(str(row[place])) for row in rows[:100] if place < len(row) and not str(row[place]).startswith("=")
        ]
        yield min(60, max([8, *lengths]) + 2)


def _fits_tables(guest, page, top, count):
    """Refuses rows that would run into a table, or come below one with a row of totals."""
    for _, table in page.tables:
        _, first, _, last = page.bounds(table.get("ref"))
        if last == top - 1 and int(table.get("totalsRowCount") or 0):
            raise guest.ToolError(
                f"The table {table.get('displayName')} ends with a row of totals in row {last}, and rows are not moved "
                "down. Write the new row and the totals below it anew with write_cells, or add the rows elsewhere with "
                "below."
            )
        if top <= first < top + count:
            raise guest.ToolError(
                f"The rows {top} to {top + count - 1} run into the table {table.get('displayName')} from row {first} "
                "on. Set below to the last row of a range that is free beneath."
            )


def _grown(page, top, count):
    """Tables that end right above the new rows take them in; what else ends there is named."""
    notes = []
    for _, table in page.tables:
        left, first, right, last = page.bounds(table.get("ref"))
        if last == top - 1:
            ref = f"{page.letter(left)}{first}:{page.letter(right)}{last + count}"
            table.set("ref", ref)
            for each in table.findall(f"{NS}autoFilter"):
                each.set("ref", ref)
            notes.append(f"The table {table.get('displayName')} is now {ref}.")
    if page.root.find(f"{NS}conditionalFormatting") is not None or page.root.find(f"{NS}dataValidations") is not None:
        notes.append("Conditional formats and input rules were not extended to the new rows.")
    kinds = [kind for _, kind, _ in page.book.package.relations(page.part)]
    if "drawing" in kinds:
        notes.append("Charts and totals that end above were not extended.")
    return notes
