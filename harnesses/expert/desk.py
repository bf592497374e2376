# Guest code of the expert: runs inside the sandbox, standard library only, never imports workgym.
"""What an expert script has to work with: the tools of the task, as functions that return data.

A script is a module with ``solve(desk)``. The names of this module stand in it already, and
``from desk import Blocked, number`` works too. Every method is one or more tool calls; nothing here
opens a file by itself. All cells are texts, as the tools print them.
"""

import csv as _csv
import io
import json as _json
import re
from decimal import Decimal
from typing import NamedTuple


class Blocked(Exception):
    """A premise is missing or contradicts another: the work cannot be finished.

    ``what`` says which, with its file and the row's key; for a contradiction it names both places.
    ``looked_at`` lists the files that were searched, ``blocks`` names what cannot be worked out.
    """

    def __init__(self, what, looked_at=(), blocks=""):
        super().__init__(what)
        self.what, self.looked_at, self.blocks = str(what), [str(path) for path in looked_at], str(blocks)


class ToolFailed(Exception):
    """A tool answered with an error."""


class Document(NamedTuple):
    """A Word document."""

    lines: list
    """Headings (with their ``#``), paragraphs, ``[header] ...``, ``[comment by ...] ...``; without tables."""
    tables: list
    """Tables, each a list of rows of cell texts."""


class Mail(NamedTuple):
    """A mail."""

    headers: dict
    """``From``, ``To``, ``Date``, ``Subject``, ... as texts."""
    body: str
    """The text, with what stands in its attachments below."""


class Result(NamedTuple):
    """A page that a search found."""

    title: str
    """Its title."""
    url: str
    """Its address."""
    published: str
    """The date that it gives itself, ``YYYY-MM-DD``; empty where it gives none."""
    excerpt: str
    """A line of it; empty where there is none."""


class Page(NamedTuple):
    """A web page."""

    title: str
    """Its title."""
    url: str
    """Where it was found in the end."""
    published: str
    """The date that it gives itself; empty where it gives none."""
    lines: list
    """Its text; the cells of a table's row stand between tabs."""


class Desk:
    """The tools of one task. ``call(tool, **arguments)`` answers ``(text, is_error)``."""

    def __init__(self, call):
        self._call = call

    # -- reading ----------------------------------------------------------------------------------

    def files(self, pattern="**/*"):
        """Paths that fit a glob pattern, sorted."""
        text = self.tool("glob", pattern=pattern)
        if text.startswith("No file fits "):
            return []
        return [line for line in text.split("\n") if line and not line.startswith("[")]

    def read(self, path):
        """The text of a text file, without a newline at its end."""
        lines = self._lines("read_file", path)
        if lines == ["The file is empty."]:
            return ""
        text = "\n".join(lines)
        if re.search(r"\[\.\.\. \d+ more characters in this line\]", text):
            return self._whole(path)
        return text

    def csv(self, path, delimiter=None):
        """The rows of a csv file; the delimiter is the one of ``,`` ``;`` and tab that divides its lines alike."""
        text = self.read(path)
        return list(_csv.reader(io.StringIO(text), delimiter=delimiter or _delimiter(text)))

    def json(self, path):
        """The data of a json file; numbers with a point are Decimal."""
        return _json.loads(self.read(path), parse_float=Decimal)

    def sheets(self, path):
        """Names of a workbook's visible sheets, in order."""
        found = re.findall(
            r"^(\S.*): \S+ \(\d+ rows, \d+ columns\)(, hidden)?$", self.tool("workbook_outline", path=path), re.M
        )
        return [name for name, hidden in found if not hidden]

    def workbook(self, path, sheet=None):
        """Rows of cell texts by sheet (all visible ones, or one); row 1 is index 0, rows are padded to one width."""
        names = [sheet] if sheet else self.sheets(path)
        return {name: self._grid(path, name) for name in names}

    def document(self, path):
        """A Word document as ``Document(lines, tables)``."""
        lines, tables, table = [], [], None
        for line in self._lines("read_document", path):
            if re.fullmatch(r"\[table \d+\]", line):
                table = []
            elif re.fullmatch(r"\[end of table \d+\]", line):
                tables.append(table)
                table = None
            elif table is not None:
                table.append(line.split("\t"))
            else:
                lines.append(line)
        return Document(lines, tables)

    def pdf(self, path):
        """The pages of a PDF file, each a list of lines."""
        pages = []
        for line in self._lines("read_pdf", path):
            if re.fullmatch(r"\[page \d+ of \d+\]", line):
                pages.append([])
            elif pages:
                pages[-1].append(line)
        return pages

    def mail(self, path):
        """A mail as ``Mail(headers, body)``."""
        head, _, body = "\n".join(self._lines("read_mail", path)).partition("\n\n")
        return Mail(dict(line.split(": ", 1) for line in head.split("\n") if ": " in line), body)

    def calendar(self, path):
        """The events of a calendar, each a dict of texts (``SUMMARY``, ``DTSTART``, ...); repeated ones are joined."""
        events = []
        for line in self._lines("read_calendar", path):
            if re.fullmatch(r"\[event \d+ of \d+\]", line):
                events.append({})
            elif events and ": " in line:
                name, value = line.split(": ", 1)
                name = name.upper()
                events[-1][name] = f"{events[-1][name]}, {value}" if name in events[-1] else value
        return events

    # -- the web ----------------------------------------------------------------------------------

    def search(self, query, most=5):
        """What a web search finds, best first, each a ``Result``."""
        found = []
        for part in self._patient("web_search", query=query, max_results=most).split("\n\n"):
            head = re.match(r"\d+\. (.*?)(?: \((\d{4}-\d\d-\d\d)\))?\n   (https://\S+)(?:\n   (.*))?$", part, re.S)
            if head:
                found.append(Result(head[1], head[3], head[2] or "", head[4] or ""))
        return found

    def page(self, url):
        """A web page, all parts of it, as a ``Page``. Raises ToolFailed where it cannot be had."""
        title, published, text, start = "", "", "", 0
        while True:
            head, _, body = self._patient("web_fetch", url=url, **({"start": start} if start else {})).partition("\n\n")
            lines = [line for line in head.split("\n") if " has moved to https://" not in line]
            title, url = lines[0], lines[1]
            published = lines[2].removeprefix("Published: ") if len(lines) > 2 else ""
            more = re.search(r"\n\[characters \d+ to \d+ of \d+(?:; go on with start=(\d+))?\]$", body)
            text += body[: more.start()] if more else body
            if not (more and more[1]):
                return Page(title, url, published, text.split("\n"))
            start = int(more[1])

    def _patient(self, tool, **arguments):
        """A call that is made again where it failed by chance."""
        for _ in range(30):
            try:
                return self.tool(tool, **arguments)
            except ToolFailed as error:
                if "Try again" not in str(error):
                    raise
                last = error
        raise last

    # -- writing ----------------------------------------------------------------------------------

    def write(self, path, text):
        """Write a text file."""
        self.tool("write_file", path=path, content=text)

    def python(self, code, **data):
        """Run Python in the workspace and return what it printed; ``data`` stand in it as variables.

        Decimals and dates arrive as texts. openpyxl, xlsxwriter, python-docx, python-pptx and pandas are there.
        """
        if data:
            given = _json.dumps(data, default=str, ensure_ascii=False)
            code = f"import json\nglobals().update(json.loads({given!r}))\n{code}"
        return self.tool("python", code=code)

    def tool(self, name, **arguments):
        """One tool call; its text. Raises ToolFailed where it failed."""
        text, is_error = self._call(name, **arguments)
        text = re.sub(r"\n\n\(\d+ actions left\)$", "", text)
        if is_error:
            raise ToolFailed(f"{name}: {text}")
        return text

    # -- within -----------------------------------------------------------------------------------

    def _lines(self, tool, path):
        """All lines of an answer that may come in parts."""
        lines, offset = [], 1
        while offset:
            part = self.tool(tool, path=path, **({"offset": offset} if offset > 1 else {})).split("\n")
            more = re.match(r"\[lines \d+ to \d+ of \d+(?:; go on with offset=(\d+))?", part[-1])
            lines += part[:-1] if more else part
            offset = int(more[1]) if more and more[1] else 0
        return lines

    def _grid(self, path, sheet):
        rows, area = {}, None
        while True:
            text = self.tool("read_workbook", path=path, sheet=sheet, **({"range": area} if area else {}))
            for line in text.split("\n")[1:]:
                number, _, cells = line.partition("\t")
                if number.isdigit():
                    rows[int(number)] = cells.split("\t")
            more = re.search(r"^\[rows \d+ to \d+ of \d+; go on with range=(\S+)\]$", text, re.M)
            if more is None:
                break
            area = more[1]
        width = max(map(len, rows.values()), default=0)
        padded = [rows.get(number, []) for number in range(1, max(rows, default=0) + 1)]
        return [row + [""] * (width - len(row)) for row in padded]

    def _whole(self, path):
        text, size = "", 15000
        while True:
            there = f"open({path!r}, encoding='utf-8-sig').read()[{len(text)}:{len(text) + size}]"
            code = f"import json\nprint(json.dumps({there}))"
            part = _json.loads(self.tool("python", code=code))
            text += part
            if len(part) < size:
                return text.rstrip("\n")


def _delimiter(text):
    """The sign of the longest run of lines that it divides into as many fields; a header has no decimal commas."""
    lines = [line for line in text.split("\n") if line.strip()]

    def longest(sign):
        best = run = before = 0
        for line in lines:
            count = line.count(sign)
            run = run + 1 if count and count == before else min(count, 1)
            best, before = max(best, run), count
        return best

    return max(",;\t", key=longest)


def run(load, call):
    """Run a script's ``solve``; what it was blocked by, or None."""
    try:
        load().solve(Desk(call))
    except Blocked as stop:
        return {"blocked": {"what": stop.what, "looked_at": stop.looked_at, "blocks": stop.blocks}}
    return {"blocked": None}
