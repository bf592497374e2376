# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
# It reads; files are written with the python tool. Libraries are imported where they are used.

import datetime
import os
import re
import zipfile
from html.parser import HTMLParser

MOST_ROWS = 400
MOST_ENTRIES = 20_000
MOST_UNPACKED = 200 << 20
FIRST = "SUMMARY DTSTART DTEND"


def workbook_outline(guest, path):
    import openpyxl

    real = _office(guest, path, (".xlsx", ".xlsm"))
    book = _opened(guest, path, lambda: openpyxl.load_workbook(real))
    lines = [f"{len(book.sheetnames)} sheet(s)"]
    for sheet in book.worksheets:
        lines.append(f"{sheet.title}: {sheet.dimensions} ({sheet.max_row} rows, {sheet.max_column} columns)")
        if sheet.sheet_state != "visible":
            lines[-1] += ", hidden"
        first = next(sheet.iter_rows(max_row=1, values_only=True), ())
        lines.append("  first row: " + " | ".join(_cell(value) for value in first if value is not None))
        cells = [cell for row in sheet.iter_rows() for cell in row]
        formulas = sum(1 for cell in cells if cell.data_type == "f")
        if formulas:
            lines.append(f"  formulas: {formulas}")
        lines += [f"  table {table.name}: {table.ref}" for table in sheet.tables.values()]
        hidden = [name for name, size in sheet.column_dimensions.items() if size.hidden]
        hidden += [str(number) for number, size in sheet.row_dimensions.items() if size.hidden]
        if hidden:
            lines.append(f"  hidden columns and rows: {', '.join(hidden[:40])}")
        lines += [f"  comment at {cell.coordinate}: {_line(cell.comment.text)}" for cell in cells if cell.comment]
    lines += [f"named range {name}: {defined.attr_text}" for name, defined in sorted(book.defined_names.items())]
    return "\n".join(lines)


def read_workbook(guest, path, sheet=None, range=None, formulas=False):
    import openpyxl
    from openpyxl.utils import get_column_letter, range_boundaries

    real = _office(guest, path, (".xlsx", ".xlsm"))
    book = _opened(guest, path, lambda: openpyxl.load_workbook(real, read_only=True, data_only=not formulas))
    page = _sheet(guest, book, sheet)
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
    letters = [get_column_letter(number) for number in _numbers(left, right)]
    unstored = {} if formulas else _unstored(openpyxl, real, page.title, left, top, right, bottom)
    lines, room, last = ["\t".join(["", *letters])], guest.limits["output_chars"] - 400, top - 1
    area = page.iter_rows(min_row=top, max_row=min(bottom, top + MOST_ROWS - 1), min_col=left, max_col=right)
    for number, row in enumerate(area, start=top):
        values = [unstored.get((number, left + place), cell.value) for place, cell in enumerate(row)]
        line = "\t".join([str(number), *(_cell(value) for value in values)]).rstrip("\t")
        room -= len(line) + 1
        if room < 0 and last >= top:
            break
        lines.append(line)
        last = number
    if unstored:
        lines.append(f"[{len(unstored)} formula(s) in this range carry no stored value and are shown as formulas]")
    if last < bottom:
        following = f"{letters[0]}{last + 1}:{letters[-1]}{bottom}"
        lines.append(f"[rows {top} to {last} of {bottom}; go on with range={following}]")
    others = [name for name in book.sheetnames if name != page.title]
    if sheet is None and others:
        lines.append(f"[sheet {page.title!r}; the others: {', '.join(others)}]")
    return "\n".join(lines)


def read_document(guest, path, offset=1):
    import docx
    from docx.table import Table

    real = _office(guest, path, (".docx",))
    document = _opened(guest, path, lambda: docx.Document(real))
    lines, tables = [], 0
    for kind in ("header", "footer"):
        lines += [f"[{kind}] {text}" for text in _margins(document, kind)]
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            tables += 1
            lines.append(f"[table {tables}]")
            lines += ["\t".join(_line(text) for text in row) for row in _rows(block)]
            lines.append(f"[end of table {tables}]")
        elif block.text.strip():
            lines.append(_styled(block))
    for comment in getattr(document, "comments", ()):
        lines.append(f"[comment by {comment.author or 'unknown'}] {_line(comment.text)}")
    return _part(guest, lines, offset)


def read_pdf(guest, path, pages=None, offset=1):
    import pypdfium2

    real = _office(guest, path, (".pdf",))
    document = _opened(guest, path, lambda: pypdfium2.PdfDocument(real))
    count = len(document)
    match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", pages or f"1-{count}")
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last <= count:
        raise guest.ToolError(f"pages must be such as 2 or 1-{count}: {path} has {count} page(s).")
    lines = []
    for number in _numbers(first, last):
        lines.append(f"[page {number} of {count}]")
        text = document[number - 1].get_textpage().get_text_range()
        lines += [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return _part(guest, lines, offset)


def read_mail(guest, path, offset=1):
    from email.parser import BytesParser
    from email.policy import default

    with open(_office(guest, path, (".eml",)), "rb") as file:
        mail = BytesParser(policy=default).parse(file)
    wanted = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject", "Message-ID", "In-Reply-To")
    lines = [f"{name}: {_line(str(mail[name]))}" for name in wanted if mail[name] is not None]
    body = mail.get_body(preferencelist=("plain", "html"))
    lines.append("")
    if body is not None:
        lines += _mail_text(body)
    attachments = list(mail.iter_attachments())
    if attachments:
        lines.append("")
    for part in attachments:
        lines.append(f"[attachment {part.get_filename() or 'without a name'}, {part.get_content_type()}]")
        if part.get_content_maintype() == "text":
            lines += _mail_text(part)
    return _part(guest, lines, offset)


def read_calendar(guest, path, offset=1):
    import icalendar

    with open(_office(guest, path, (".ics",)), "rb") as file:
        content = file.read()
    calendar = _opened(guest, path, lambda: icalendar.Calendar.from_ical(content))
    lines = [f"Calendar: {calendar['X-WR-CALNAME']}"] if "X-WR-CALNAME" in calendar else []
    events = [part for part in calendar.walk() if part.name in ("VEVENT", "VTODO", "VJOURNAL")]
    for number, event in enumerate(events, start=1):
        lines.append(f"[event {number} of {len(events)}]")
        for name in sorted(event, key=lambda name: (FIRST.find(name) if name in FIRST else len(FIRST), name)):
            if name in ("DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE"):
                continue
            values = event[name] if isinstance(event[name], list) else [event[name]]
            lines += [f"{name.title()}: {_calendar_value(value)}" for value in values]
    return _part(guest, lines, offset)


def _office(guest, path, suffixes):
    """The real path of an office file; refuses other kinds, and archives that unpack to a flood."""
    real = guest.path(path)
    shown = guest.show(real)
    suffix = os.path.splitext(real)[1].lower()
    if not os.path.isfile(real):
        raise guest.ToolError(f"{shown} is no file.")
    if suffix not in suffixes:
        others = {".xlsx": "read_workbook", ".docx": "read_document", ".pdf": "read_pdf"}
        others |= {".eml": "read_mail", ".ics": "read_calendar"}
        raise guest.ToolError(f"{shown} is not {' or '.join(suffixes)}. Use {others.get(suffix, 'read_file')} for it.")
    if suffix in (".xlsx", ".xlsm", ".docx"):
        try:
            with zipfile.ZipFile(real) as archive:
                parts = archive.infolist()
        except zipfile.BadZipFile:
            raise guest.ToolError(f"{shown} is damaged, or it is not really {suffix}.") from None
        if len(parts) > MOST_ENTRIES or sum(part.file_size for part in parts) > MOST_UNPACKED:
            raise guest.ToolError(f"{shown} unpacks to more than this tool reads.")
    return real


def _opened(guest, path, load):
    try:
        return load()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything over a damaged file
        raise guest.ToolError(f"{path} cannot be read: {type(error).__name__}: {error}") from None


def _sheet(guest, book, name):
    pages = {page.title: page for page in book.worksheets}
    if not pages:
        raise guest.ToolError("The workbook has no sheet with cells.")
    if name is None:
        return next(iter(pages.values()))
    found = pages.get(name) or {title.strip().lower(): page for title, page in pages.items()}.get(name.strip().lower())
    if found is None:
        raise guest.ToolError(f"There is no sheet {name!r}. The sheets are: {', '.join(pages)}.")
    return found


def _unstored(openpyxl, real, title, left, top, right, bottom):
    """Formulas of the area that carry no stored value, by row and column."""
    with zipfile.ZipFile(real) as archive:
        if not any(b"<f" in archive.read(name) for name in archive.namelist() if "worksheets/sheet" in name):
            return {}
    values = openpyxl.load_workbook(real, read_only=True, data_only=True)[title]
    written = openpyxl.load_workbook(real, read_only=True)[title]
    bounds = {"min_row": top, "max_row": bottom, "min_col": left, "max_col": right}
    missing = {}
    pairs = zip(written.iter_rows(**bounds), values.iter_rows(**bounds), strict=False)
    for number, (row, stored) in enumerate(pairs, start=top):
        for place, (cell, value) in enumerate(zip(row, stored, strict=False)):
            if cell.data_type == "f" and value.value is None:
                missing[number, left + place] = cell.value
    return missing


def _cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return _line(getattr(value, "text", None) or str(value))


def _line(text):
    return re.sub(r"\s*[\r\n]+\s*", " / ", text.replace("\t", " ")).strip()


def _numbers(first, last):
    number = first
    while number <= last:
        yield number
        number += 1


def _rows(table):
    """Texts of a table's cells, a merged cell once."""
    for row in table.rows:
        seen, texts = set(), []
        for cell in row.cells:
            if id(cell._tc) not in seen:
                seen.add(id(cell._tc))
                texts.append(cell.text)
        yield texts


def _margins(document, kind):
    texts = []
    for section in document.sections:
        for variant in (kind, f"first_page_{kind}", f"even_page_{kind}"):
            part = getattr(section, variant)
            if not part.is_linked_to_previous:
                texts += [paragraph.text for paragraph in part.paragraphs if paragraph.text.strip()]
                texts += [" ".join(map(_line, row)) for table in part.tables for row in _rows(table)]
    return list(dict.fromkeys(texts))


def _styled(paragraph):
    name = (paragraph.style.name or "") if paragraph.style is not None else ""
    heading = re.fullmatch(r"Heading (\d)", name)
    if name == "Title":
        return "# " + paragraph.text
    if heading:
        return "#" * (int(heading[1]) + 1) + " " + paragraph.text
    return ("- " if name.startswith("List") else "") + paragraph.text


def _mail_text(part):
    text = part.get_content()
    if part.get_content_subtype() == "html":
        stripper = _Stripper()
        stripper.feed(text)
        text = "".join(stripper.parts)
    return [line.rstrip() for line in text.replace("\r\n", "\n").strip("\n").split("\n")]


class _Stripper(HTMLParser):
    """The text of HTML, with a line for each block."""

    BLOCKS = frozenset("p div br tr table li ul ol h1 h2 h3 h4 h5 h6".split())

    def __init__(self):
        super().__init__()
        self.parts, self.silent = [], 0

    def handle_starttag(self, tag, attrs):
        self.silent += tag in ("style", "script", "head")
        if tag in self.BLOCKS:
            self.parts.append("\n")
        if tag == "td":
            self.parts.append("\t")

    def handle_endtag(self, tag):
        self.silent -= tag in ("style", "script", "head")

    def handle_data(self, data):
        if not self.silent:
            self.parts.append(re.sub(r"\s+", " ", data))


def _calendar_value(value):
    if hasattr(value, "dt"):
        found = value.dt
        zone = value.params.get("TZID") if hasattr(value, "params") else None
        return (
            found.isoformat(" ") + (f" {zone}" if zone else "") if isinstance(found, datetime.datetime) else str(found)
        )
    if hasattr(value, "dts"):
        return ", ".join(_calendar_value(each) for each in value.dts)
    if hasattr(value, "to_ical") and not isinstance(value, str):
        value = value.to_ical()
    return _line(value.decode(errors="replace") if isinstance(value, bytes) else str(value))


def _part(guest, lines, offset):
    """The lines from ``offset`` on, as far as an answer holds them."""
    offset, room, part = int(offset), guest.limits["output_chars"] - 300, []
    if offset > max(1, len(lines)):
        raise guest.ToolError(f"There are only {len(lines)} lines; offset {offset} is beyond the end.")
    for line in lines[offset - 1 :]:
        room -= len(line) + 1
        if room < 0 and part:
            following = offset + len(part)
            part.append(f"[lines {offset} to {following - 1} of {len(lines)}; go on with offset={following}]")
            break
        part.append(line)
    return "\n".join(part) or "It holds no text."
