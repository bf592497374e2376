# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""The cells of a sheet that an answer shows, and nothing else of the workbook.

openpyxl goes through a whole sheet to tell how far it goes, and makes objects of every shared text before the first
cell. Here only the rows that are asked for are parsed. What a cell means is openpyxl's to say wherever it is more than
a number or a text; a workbook with anything unusual is ``Odd``, and openpyxl's from the start.
"""

import contextlib
import io
import posixpath
import re
import zipfile
import zlib
from xml.etree import ElementTree

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LARGEST = 64 << 20
AT_ONCE = 40
"""Rows that are parsed at a time: memory that was used once is there already, and an answer may end soon."""
_HEAD = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?(<worksheet\s[^>]*>)")
_DIMENSION = re.compile(rb'<dimension\s[^>]*?ref="([A-Z0-9:]+)"')
_ROW = re.compile(rb"<row[\s>/][^>]*>?")
_NUMBER = re.compile(rb'\sr="([0-9]+)"')
_PLACE = re.compile(rb'<c\s(?:[^>]*?\s)?r="([A-Z]{1,3})[0-9]{1,7}"')
_NO_VALUE = re.compile(rb"<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)(?!<v>[^<])")
_DIGITS = "0123456789"
_C, _VALUE, _TEXT = (f"{{{MAIN}}}{tag}" for tag in "cvt")


class Odd(Exception):
    """This is left to openpyxl."""


@contextlib.contextmanager
def understood():
    """Whatever goes wrong over a file here, openpyxl has the last word on it."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, NotImplementedError, OSError, RuntimeError) as error:
        raise Odd from error
    except (SyntaxError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise Odd from error


class Book:
    """As much of openpyxl's read-only workbook as reading a sheet takes. Raises Odd, as all that it gives does."""

    def __init__(self, real):
        with understood(), open(real, "rb") as file:
            self.archive = zipfile.ZipFile(io.BytesIO(file.read()))
            root = self.tree("xl/workbook.xml")
            links = {link.get("Id"): link for link in self.tree("xl/_rels/workbook.xml.rels")}
            self.worksheets, self.strings = [], Strings(self.archive)
            settings = root.find(f"{{{MAIN}}}workbookPr")
            self.from_1904 = settings is not None and settings.get("date1904", "0") not in ("0", "false")
            for sheet in root.find(f"{{{MAIN}}}sheets"):
                link = links[sheet.get(f"{{{LINKS}}}id")]
                part = posixpath.normpath(posixpath.join("/xl", link.get("Target"))).lstrip("/")
                odd = link.get("TargetMode") or not link.get("Type").endswith("/worksheet")
                if odd or part not in self.archive.namelist():
                    raise Odd
                self.worksheets.append(Page(self, sheet.get("name"), part))
            self.sheetnames = [page.title for page in self.worksheets]
            if len(set(self.sheetnames)) < len(self.sheetnames) or None in self.sheetnames:
                raise Odd
            self.dates, self.spans = self.formats()

    def tree(self, part):
        """A small part, parsed."""
        return ElementTree.fromstring(plain(self.archive, part))

    def formats(self):
        """Numbers of the cell styles whose numbers are dates, and of those that are spans of time."""
        from openpyxl.styles.numbers import builtin_format_code, is_date_format, is_timedelta_format

        if "xl/styles.xml" not in self.archive.namelist():
            return set(), set()
        root = self.tree("xl/styles.xml")
        own = {int(each.get("numFmtId")): each.get("formatCode") for each in root.iter(f"{{{MAIN}}}numFmt")}
        found = (set(), set())
        for number, style in enumerate(root.find(f"{{{MAIN}}}cellXfs")):
            code = int(style.get("numFmtId", "0"))
            text = own[code] if code in own else builtin_format_code(code)
            for numbers, fits in zip(found, (is_date_format, is_timedelta_format), strict=True):
                if fits(text):
                    numbers.add(number)
        return found


class Page:
    """A sheet."""

    def __init__(self, book, title, part):
        self.book, self.title, self.part = book, title, part
        self.max_row = self.max_column = None
        self.beyond = False
        self.content = b""

    def calculate_dimension(self, force=True):
        """Find ``max_row`` and ``max_column``: those that the sheet states, else those of its cells."""
        from openpyxl.utils import column_index_from_string, range_boundaries

        with understood():
            content = self.content = plain(self.book.archive, self.part)
            self.head = _HEAD.match(content)
            if self.head is None or f'xmlns="{MAIN}"'.encode() not in self.head[1]:
                raise Odd
            self.begins, self.ends = content.find(b"<sheetData>"), content.rfind(b"</sheetData>")
            if self.begins < 0 or self.ends < 0:
                raise Odd
            stated = _DIMENSION.search(content, 0, self.begins)
            if stated is not None:
                _, _, self.max_column, self.max_row = range_boundaries(stated[1].decode())
                return
            if b"<c>" in content:
                raise Odd
            lasts, at = set(), content.find(b"<c ")
            while (at := content.find(b"</row>", at + 1)) > 0:
                # Of an empty row it is a cell of one above: no harm.
                lasts.add(_PLACE.match(content, content.rindex(b"<c ", 0, at))[1])
            self.max_column = max(column_index_from_string(letters.decode()) for letters in lasts)
            last = content.rindex(b"<row", 0, content.rindex(b"<c "))
            self.max_row = int(_NUMBER.search(_ROW.match(content, last)[0])[1])

    def lacks_values(self):
        """Whether a formula may be without the value that it came to."""
        return _NO_VALUE.search(self.content) is not None

    def iter_rows(self, min_row, max_row, min_col, max_col, values_only=True):
        """Values of the cells of each row; empty rows between others are among them, those after the last are not."""
        with understood():
            number, empty = min_row, (None,) * (max_col + 1 - min_col)
            for cut in self.cuts(min_row, max_row):
                for row in self.parsed(cut):
                    at = int(row.get("r"))
                    for _ in range(number, at):
                        yield empty
                    yield self.values(row, min_col, max_col)
                    number = at + 1
            for _ in range(number, max_row + 1 if self.beyond else 0):
                yield empty

    def cuts(self, first, last):
        """The text of the rows from ``first`` to ``last``, a few at a time; afterwards whether others follow."""
        start, before, count = None, 0, 0
        self.beyond = False
        for found in _ROW.finditer(self.content, self.begins, self.ends):
            number = int(_NUMBER.search(found[0])[1])
            if number <= before:
                raise Odd
            before = number
            if number > last:
                self.beyond = True
                break
            if number >= first:
                if count % AT_ONCE == 0:
                    if start is not None:
                        yield self.content[start : found.start()]
                    start = found.start()
                count += 1
        if start is not None:
            yield self.content[start : found.start() if self.beyond else self.ends]

    def parsed(self, cut):
        """Rows as XML."""
        rows = ElementTree.fromstring(self.head[1] + b"<sheetData>" + cut + b"</sheetData></worksheet>")[0]
        if any(row.tag != f"{{{MAIN}}}row" for row in rows):
            raise Odd
        return rows

    def values(self, row, left, right):
        """What the cells of a row hold, from one column to another."""
        made = [None] * (right + 1 - left)
        for cell in row:
            column = self.book.strings.column(cell.get("r").rstrip(_DIGITS))
            if left <= column <= right:
                made[column - left] = self.value(cell)
        return tuple(made)

    def value(self, cell):
        if cell.tag != _C:
            raise Odd
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            text = cell[0][0] if len(cell) == 1 and len(cell[0]) == 1 else None
            if text is not None and text.tag == _TEXT and cell[0].tag == f"{{{MAIN}}}is":
                return text.text or ""
        elif not (held := cell.findtext(_VALUE)):
            return None
        elif kind == "n" and int(cell.get("s", "0")) not in self.book.dates:
            return float(held) if "." in held or "e" in held or "E" in held else int(held)
        elif kind == "s":
            return self.book.strings[int(held)]
        return self.book.strings.parser(self.book).parse_cell(cell)["value"]


class Strings:
    """The shared texts of a workbook, each made when it is asked for; what else cells have in common."""

    def __init__(self, archive):
        self.archive = archive
        self.items = self.reader = None
        self.columns = {}

    def __getitem__(self, number):
        if self.items is None:
            self.items = ElementTree.fromstring(plain(self.archive, "xl/sharedStrings.xml"))
            if any(item.tag != f"{{{MAIN}}}si" for item in self.items):
                raise Odd
        item = self.items[number]
        if len(item) == 1 and item[0].tag == _TEXT:
            text = item[0].text or ""
        else:
            from openpyxl.cell.text import Text

            text = Text.from_tree(item).content
        return text.replace("x005F_", "")

    def column(self, letters):
        """A column's number."""
        if letters not in self.columns:
            from openpyxl.utils import column_index_from_string

            self.columns[letters] = column_index_from_string(letters)
        return self.columns[letters]

    def parser(self, book):
        """openpyxl's reader of cells."""
        if self.reader is None:
            from openpyxl.utils.datetime import CALENDAR_MAC_1904, WINDOWS_EPOCH
            from openpyxl.worksheet._reader import WorkSheetParser

            epoch = CALENDAR_MAC_1904 if book.from_1904 else WINDOWS_EPOCH
            formats = {"date_formats": book.dates, "timedelta_formats": book.spans}
            self.reader = WorkSheetParser(None, self, data_only=True, epoch=epoch, **formats)
        return self.reader


def plain(archive, part):
    """A part's XML. Raises Odd where more than elements and texts may stand in it, or another encoding."""
    if archive.getinfo(part).file_size > LARGEST:
        raise Odd
    content = archive.read(part)
    opening = content[:200].lower()
    if b"<!" in content or opening[:1] != b"<" or (b"encoding=" in opening and b"utf-8" not in opening):
        raise Odd
    return content
