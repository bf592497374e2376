# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Workbooks changed in place: cells of a sheet's part, so that charts, pictures, pivots and all else stay.

Part 1 of ECMA-376, SpreadsheetML. A library that loads a workbook and saves it again loses what it does not know.
"""

import bisect

from .package import OFFICE, Package

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
NS = f"{{{MAIN}}}"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"


class Book:
    """A workbook: its sheets by name, its styles, what it says about calculation."""

    def __init__(self, guest, source):
        self.guest = guest
        self.package = Package(source)
        self.part = self.package.main()
        self.root = self.package.tree(self.part)
        if self.root.tag != f"{NS}workbook":
            raise guest.ToolError("This workbook is saved as Strict Open XML. Save it as an ordinary xlsx file first.")
        self.loaded = {}
        targets = {key: (kind, target) for key, kind, target in self.package.relations(self.part)}
        self.parts, self.others = {}, []
        for entry in self.root.find(f"{NS}sheets"):
            kind, target = targets.get(entry.get(f"{{{OFFICE}}}id"), ("", ""))
            if kind == "worksheet":
                self.parts[entry.get("name")] = target
            else:
                self.others.append(entry.get("name"))
        found = self.root.find(f"{NS}workbookPr")
        self.from_1904 = found is not None and found.get("date1904") in ("1", "true")

    def sheet(self, name):
        """A sheet by its name, the first for None. Raises ToolError with the names that there are."""
        names = {title.strip().lower(): title for title in self.parts}
        title = next(iter(self.parts), None) if name is None else names.get(name.strip().lower())
        if title is None:
            raise self.guest.ToolError(
                f"There is no sheet {name!r}. The sheets are: {', '.join(self.parts)}. Use add_sheet to add one."
            )
        if title not in self.loaded:
            self.loaded[title] = Sheet(self, title, self.parts[title])
        return self.loaded[title]

    def add_sheet(self, name):
        """An empty sheet at the end."""
        number = 1
        while self.package.has(part := f"xl/worksheets/sheet{number}.xml"):
            number += 1
        self.package.add(part, f'<worksheet xmlns="{MAIN}"><sheetData/></worksheet>', SHEET_TYPE)
        key = self.package.relate(self.part, "worksheet", part)
        sheets = self.root.find(f"{NS}sheets")
        identity = max(int(entry.get("sheetId")) for entry in sheets) + 1
        entry = self.package.etree.SubElement(sheets, f"{NS}sheet", name=name, sheetId=str(identity))
        entry.set(f"{{{OFFICE}}}id", key)
        self.parts[name] = part
        return self.sheet(name)

    def styles(self):
        """The part of the styles."""
        found = next((target for _, kind, target in self.package.relations(self.part) if kind == "styles"), None)
        return None if found is None else self.package.tree(found)

    def calculate_on_load(self):
        """Let programs calculate anew: a stale chain of calculation is what Excel calls damage."""
        chain = [target for _, kind, target in self.package.relations(self.part) if kind == "calcChain"]
        for part in chain:
            self.package.remove(part)
        found = self.root.find(f"{NS}calcPr")
        if found is None:
            found = self.package.etree.Element(f"{NS}calcPr")
            names = self.root.find(f"{NS}definedNames")
            links = self.root.find(f"{NS}externalReferences")
            before = next(each for each in (names, links, self.root.find(f"{NS}sheets")) if each is not None)
            before.addnext(found)
        found.set("fullCalcOnLoad", "1")


class Sheet:
    """The cells of one sheet."""

    def __init__(self, book, title, part):
        from openpyxl.utils import column_index_from_string, get_column_letter, range_boundaries
        from openpyxl.utils.cell import coordinate_from_string

        self.book, self.title, self.part = book, title, part
        self.root = book.package.tree(part)
        self.data = self.root.find(f"{NS}sheetData")
        self.letter, self.bounds = get_column_letter, range_boundaries
        self.rows, self.cells = {}, {}
        last = 0
        for row in self.data.iterfind(f"{NS}row"):
            # Files may leave the numbers out; they are made explicit, which says the same.
            last = int(row.get("r") or last + 1)
            row.set("r", str(last))
            self.rows[last], self.cells[last], column = row, {}, 0
            for cell in row.iterfind(f"{NS}c"):
                at = cell.get("r")
                column = column_index_from_string(coordinate_from_string(at)[0]) if at else column + 1
                cell.set("r", f"{get_column_letter(column)}{last}")
                self.cells[last][column] = cell
        self.numbers = sorted(self.rows)
        self.columns = {number: sorted(cells) for number, cells in self.cells.items()}
        self.wide = [
            (int(each.get("min")), int(each.get("max")), int(each.get("style") or 0))
            for each in self.root.iterfind(f"{NS}cols/{NS}col")
        ]
        self.merged = [range_boundaries(each.get("ref")) for each in self.root.iter(f"{NS}mergeCell")]
        self.arrays = [
            (range_boundaries(each.get("ref")), each.get("t"))
            for each in self.data.iter(f"{NS}f")
            if each.get("t") in ("array", "dataTable") and each.get("ref")
        ]
        self.tables = [
            (target, book.package.tree(target))
            for _, kind, target in book.package.relations(part)
            if kind == "table" and book.package.has(target)
        ]

    def last_row(self):
        """The number of the last row with a value; 0 for none."""
        for number in reversed(self.numbers):
            if any(len(cell) for cell in self.cells[number].values()):
                return number
        return 0

    def row_is_empty(self, number):
        return not any(len(cell) for cell in self.cells.get(number, {}).values())

    def style(self, row, column):
        """The index of a cell's style: its own, its row's or its column's."""
        cell = self.cells.get(row, {}).get(column)
        if cell is not None:
            return int(cell.get("s") or 0)
        found = self.rows.get(row)
        if found is not None and found.get("customFormat") == "1" and found.get("s"):
            return int(found.get("s"))
        return next((style for first, last, style in self.wide if first <= column <= last), 0)

    def refusal(self, row, column):
        """Why a cell cannot be written on its own, and what can be done; None where it can."""
        at = f"{self.letter(column)}{row}"
        for left, top, right, bottom in self.merged:
            if left <= column <= right and top <= row <= bottom and (column, row) != (left, top):
                whole = f"{self.letter(left)}{top}:{self.letter(right)}{bottom}"
                return f"{at} lies in the merged cells {whole}, which show only {self.letter(left)}{top}: write there."
        for (left, top, right, bottom), kind in self.arrays:
            single = (left, top) == (right, bottom) and kind == "array"
            if left <= column <= right and top <= row <= bottom and not single:
                whole = f"{self.letter(left)}{top}:{self.letter(right)}{bottom}"
                return (
                    f"{at} is part of the array formula in {whole}, which stands or falls as a whole: write elsewhere."
                )
        for _, table in self.tables:
            left, top, right, _ = self.bounds(table.get("ref"))
            if row == top and left <= column <= right and table.get("headerRowCount", "1") != "0":
                name = table.get("displayName")
                return (
                    f"{at} is a header of the table {name}; formulas refer to its columns by name. Leave it as it is."
                )
        return None

    def write(self, row, column, kind, text, style):
        """Give a cell a value: ``kind`` is number, text, boolean, formula or empty. All else about it stays."""
        cell = self._cell(row, column)
        formula = cell.find(f"{NS}f")
        if formula is not None and formula.get("t") == "shared" and formula.text:
            self._unshare(formula.get("si"))
        for child in list(cell):
            cell.remove(child)
        for name in ("t", "cm", "vm"):
            cell.attrib.pop(name, None)
        if style:
            cell.set("s", str(style))
        element = self.book.package.etree.SubElement
        if kind == "text":
            cell.set("t", "inlineStr")
            held = element(element(cell, f"{NS}is"), f"{NS}t")
            held.text = text
            held.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        elif kind == "formula":
            element(cell, f"{NS}f").text = text
        elif kind != "empty":
            if kind == "boolean":
                cell.set("t", "b")
            element(cell, f"{NS}v").text = text

    def settle(self):
        """Say anew which range is used."""
        used = [(row, column) for row, columns in self.columns.items() for column in columns]
        found = self.root.find(f"{NS}dimension")
        if found is not None and used:
            rows, columns = [row for row, _ in used], [column for _, column in used]
            found.set("ref", f"{self.letter(min(columns))}{min(rows)}:{self.letter(max(columns))}{max(rows)}")

    def formulas(self):
        """Row, column and cell of every cell with a formula."""
        for row, cells in self.cells.items():
            for column, cell in cells.items():
                if cell.find(f"{NS}f") is not None:
                    yield row, column, cell

    def _cell(self, row, column):
        etree = self.book.package.etree
        if row not in self.rows:
            made = etree.Element(f"{NS}row", r=str(row))
            place = bisect.bisect(self.numbers, row)
            self.data.insert(place, made)
            self.numbers.insert(place, row)
            self.rows[row], self.cells[row], self.columns[row] = made, {}, []
        if column not in self.cells[row]:
            made = etree.Element(f"{NS}c", r=f"{self.letter(column)}{row}")
            place = bisect.bisect(self.columns[row], column)
            self.rows[row].insert(place, made)
            # A row's spans are a hint only, and would be wrong now.
            self.rows[row].attrib.pop("spans", None)
            self.columns[row].insert(place, column)
            self.cells[row][column] = made
        return self.cells[row][column]

    def _unshare(self, identity):
        """Write out a formula that several cells share, since the cell that holds its text is to be changed."""
        from openpyxl.formula.translate import Translator

        shared = [each for each in self.data.iter(f"{NS}f") if each.get("t") == "shared" and each.get("si") == identity]
        master = next(each for each in shared if each.text)
        translator = Translator(f"={master.text}", origin=master.getparent().get("r"))
        for each in shared:
            if each is not master:
                each.text = translator.translate_formula(each.getparent().get("r"))[1:]
            for name in ("t", "si", "ref"):
                each.attrib.pop(name, None)
