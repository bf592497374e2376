"""Realistic mess: dials of a table that make it look as people leave tables, and never change a value.

``mess:`` on a table of a workbook or a csv file is a mapping of dials, each off where it is left out. What a dial
touches is drawn from the carrier's path and the place in it, so that the same file comes out the same. A value keeps
its anchor, and stays a native value or is printed in full; :mod:`workgym.documents.grids.find` still finds each one
beside its key and under its heading. What it could not find is refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from itertools import groupby
from typing import Any

from workgym.documents.xlsx import numfmt
from workgym.materialize import forms
from workgym.materialize.bound import Bound
from workgym.materialize.carrier import Job
from workgym.materialize.layout import Laid, Line
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault
from workgym.materialize.table import Content, Table, number
from workgym.materialize.tree import Tree, allow
from workgym.records import Cell

DIALS = (
    "headings",
    "text_numbers",
    "dates",
    "spaces",
    "merge",
    "subtotals",
    "blank_rows",
    "blank_columns",
    "repeat_header",
)
"""All dials."""
CSV_DIALS = tuple(dial for dial in DIALS if dial != "merge")
"""Those of delimited files, which have no merged cells: a key that is left out would be lost."""
Draw = Callable[..., float]
"""A number from 0 up to 1 for a place, always the same for it."""
_SPACES = (("", " "), (" ", ""), ("", "  "), (" ", " "))


def draws(job: Job, where: str) -> Draw:
    """The draws of one table of a carrier."""
    return lambda *parts: int(job.stamp("mess", where, *map(str, parts))[:8], 16) / 2**32


def laid(tree: Tree, table: Table, draw: Draw, known: tuple[str, ...] = DIALS) -> Laid:
    """The table with its dials applied; ``known`` are those that the format has. Raises Fault."""
    mess = table.spec.get("mess", {})
    if not isinstance(mess, Mapping):
        raise Fault("mess: a mapping from dials to settings is needed")
    for dial in mess:
        if dial in DIALS and dial not in known:
            raise Fault(f"mess.{dial}: this format has no place for it")
    allow(mess, known)
    made = Laid(table, table.columns)
    if not mess:
        return made
    if not table.head or table.mixed or len(table.labels) != len(table.head):
        raise Fault("mess is for tables with rows and columns under headings")
    _Dials(tree, made, mess, draw, native=known == DIALS).turn()
    return made


class _Dials:
    """The dials of one table while they are applied."""

    def __init__(self, tree: Tree, made: Laid, mess: Mapping[str, Any], draw: Draw, native: bool) -> None:
        self.tree, self.made, self.mess, self.draw, self.native = tree, made, mess, draw, native
        self.table = made.table
        self.columns = [list(column) for column in self.table.columns]
        self.table.columns = [*self.columns]
        self.keys = [[_sign(content) for content in column] for column in self.columns]

    def turn(self) -> None:
        """Applies them in an order in which none undoes another."""
        known: dict[str, Callable[[Any], None]] = {
            "blank_columns": self._gaps,
            "subtotals": self._subtotals,
            "blank_rows": self._blanks,
            "repeat_header": self._repeat,
            "merge": self._merge,
            "dates": self._dates,
            "text_numbers": self._texts,
            "spaces": self._spaces,
            "headings": self._headings,
        }
        for dial, apply in known.items():
            setting = self.mess.get(dial)
            if setting is not None and setting is not False:
                apply(setting)

    def _gaps(self, setting: Any) -> None:
        """A blank column before some; they have to begin with a number or date, as no table of its own does."""
        for heading in _list(setting):
            column = self.table.at(heading)
            if column == 0 or not all(map(_data, self.columns[column])) or self.table.height < 3:
                raise Fault(
                    f"mess.blank_columns: {heading!r} has to hold a number or date in each of three rows or more"
                )
            if "blank_rows" in self.mess or "groups" in self.table.spec:
                raise Fault(
                    "mess.blank_columns goes neither with blank_rows nor with groups: the table would fall apart"
                )
            self.made.gaps |= {column}

    def _subtotals(self, setting: Any) -> None:
        """A sum below each group of rows that share a value."""
        if not isinstance(setting, Mapping):
            raise Fault("mess.subtotals: a mapping with `by` and `sum` is needed")
        allow(setting, ("by", "sum", "label"))
        by, word = self.table.at(setting.get("by")), str(setting.get("label", "Subtotal"))
        self.made.sums = [self.table.at(heading) for heading in _list(setting.get("sum", []))]
        for column in self.made.sums:
            if column == 0 or any(number(content) is None for content in self.made.plain[column]):
                raise Fault("mess.subtotals: `sum` names columns of numbers behind the first one")
        lines: list[Line] = []
        for _, group in groupby(range(self.table.height), key=self.keys[by].__getitem__):
            rows = list(group)
            lines += [Line("row", at) for at in rows]
            lines.append(Line("subtotal", rows[-1], rows[0]))
            named = self.tree.shown(_all([self.columns[by][at] for at in rows]))
            self.made.labels[rows[-1]] = Marked(f"{word} ") + named
        self.made.turned = lines

    def _blanks(self, setting: Any) -> None:
        """A blank line behind some rows, or behind some subtotals where there are any."""
        share = _share(setting, "blank_rows", 0.2)
        if not any(all(map(_data, column)) for column in self.columns[1:]):
            raise Fault("mess.blank_rows: a table needs a column full of numbers or dates, else it falls apart there")
        kind = "subtotal" if self.made.sums else "row"
        lines: list[Line] = []
        for at, line in enumerate(self.made.lines):
            lines.append(line)
            if line.kind == kind and 0 < at < len(self.made.lines) - 1 and self.draw("blank", line.row) < share:
                lines.append(Line("blank"))
        self.made.turned = lines

    def _repeat(self, setting: Any) -> None:
        """The headings again after every so many rows, as on printed pages."""
        if not isinstance(setting, int) or setting < 2:
            raise Fault("mess.repeat_header: a number of rows, 2 or more, is needed")
        lines: list[Line] = []
        since = 0
        for at, line in enumerate(self.made.lines):
            before = self.made.lines[at - 1].kind if at else "blank"
            if since >= setting and line.kind == "row" and before in ("row", "subtotal"):
                lines.append(Line("header"))
                since = 0
            lines.append(line)
            since += line.kind == "row"
        self.made.turned = lines

    def _merge(self, setting: Any) -> None:
        """One cell for values that repeat in rows below each other."""
        for heading in _list(setting):
            column = self.table.at(heading)
            run: list[int] = []
            for line in [*self.made.lines, Line("blank")]:
                if line.kind == "row" and run and self.keys[column][line.row] == self.keys[column][run[0]]:
                    run.append(line.row)
                    continue
                if len(run) > 1:
                    self.made.runs.append((column, run[0], run[-1]))
                    self.columns[column][run[0]] = _all([self.columns[column][at] for at in run])
                    for at in run[1:]:
                        self.columns[column][at] = None
                run = [line.row] if line.kind == "row" else []

    def _dates(self, setting: Any) -> None:
        """Several formats in one column: number formats, or with ``%`` texts."""
        wanted, columns = setting, list(range(len(self.table.formats)))
        if isinstance(setting, Mapping):
            allow(setting, ("columns", "forms"))
            wanted = setting.get("forms", [])
            columns = [self.table.at(heading) for heading in _list(setting.get("columns", []))]
        written = [str(form) for form in _list(wanted)]
        if not written or len({_order(form) for form in written} - {""}) > 1:
            raise Fault("mess.dates: forms are needed, of which no two can be taken for each other (03/04 and 04/03)")
        for column in columns:
            for at, content in enumerate(self.columns[column]):
                if isinstance(content, Bound) and content.printed is None and isinstance(content.value, date):
                    form = written[int(self.draw("date", at, column) * len(written))]
                    if "%" in form:
                        self.columns[column][at] = content.formed(forms.date(content.value, form))
                    elif numfmt.kind(form) == "date" and self.native:
                        self.made.codes[at, column] = form
                    else:
                        raise Fault(f"mess.dates: {form!r} is no form of a date here: write it like '%d.%m.%Y'")

    def _texts(self, setting: Any) -> None:
        """Numbers stored as text, with separators where an example shows them."""
        options: Mapping[str, Any] = setting if isinstance(setting, Mapping) else {"share": setting}
        allow(options, ("columns", "as", "share"))
        share, example = _share(options.get("share", True), "text_numbers", 1.0), options.get("as")
        named = [self.table.at(heading) for heading in _list(options.get("columns", self.table.labels))]
        for column in named:
            for at, content in enumerate(self.columns[column]):
                if number(content) is not None and isinstance(content, Bound) and content.type.numeric:
                    if self.table.options and "formula" in self.table.options[column]:
                        raise Fault(f"mess.text_numbers: {self.table.labels[column]!r} is computed by a formula")
                    if self.draw("text", at, column) < share:
                        self.columns[column][at] = content.formed(_written(content, example))

    def _spaces(self, setting: Any) -> None:
        """Blanks before or behind some texts."""
        share = _share(setting, "spaces", 0.15)
        for column, contents in enumerate(self.columns):
            for at, content in enumerate(contents):
                text = isinstance(content, Marked) and bool(content)
                text = text or (isinstance(content, Bound) and content.type.kind in ("text", "choice"))
                if text and content is not None and self.draw("space", at, column) < share:
                    before, after = _SPACES[int(self.draw("side", at, column) * len(_SPACES))]
                    contents[at] = Marked(before) + self.tree.shown(content) + Marked(after)

    def _headings(self, setting: Any) -> None:
        """Capitals, abbreviations and blanks in headings; those that print a value stay as they are."""
        if not isinstance(setting, Mapping):
            raise Fault("mess.headings: a mapping with case, abbreviate, trailing is needed")
        allow(setting, ("case", "abbreviate", "trailing"))
        cases: dict[str, tuple[Callable[[str], str], ...]] = {
            "mixed": (str, str.upper, str.lower, str.title), "upper": (str.upper,), "lower": (str.lower,), "": (str,),
        }  # fmt: skip
        case, short = setting.get("case", ""), dict(setting.get("abbreviate", {}))
        if case not in cases:
            raise Fault("mess.headings.case is mixed, upper or lower")
        trailing = _share(setting.get("trailing", 0), "headings.trailing", 0.5)
        for column, head in enumerate(self.table.head):
            if not isinstance(head, Marked) or head.spans:
                continue
            words = [str(short.get(word, word)) for word in str(short.get(head.text, head.text)).split(" ")]
            turned = cases[case][int(self.draw("case", column) * len(cases[case]))](" ".join(words))
            blank = " " * (1 + int(self.draw("blanks", column) * 2)) if self.draw("trail", column) < trailing else ""
            self.table.head[column] = Marked(turned + blank)


def _sign(content: Content) -> object:
    """What two contents have in common where they say the same."""
    if isinstance(content, Bound):
        return (content.value, content.shown)
    return content.text if isinstance(content, Marked) else content


def _all(contents: list[Content]) -> Content:
    """The first content, as printing the cells of all of them. Raises Fault where one is no plain value."""
    cells: list[Cell] = []
    for content in contents:
        if not isinstance(content, Bound):
            raise Fault("rows are grouped by a column that holds plain values")
        cells += content.cells
    first = contents[0]
    assert isinstance(first, Bound)
    return Bound(first.registry, tuple(dict.fromkeys(cells)), first.type, first.value, first.printed, first.state)


def _data(content: Content) -> bool:
    """Whether a content is read as a number or date, in whatever form."""
    if isinstance(content, Bound):
        return content.value is not None and (content.type.numeric or content.type.kind in ("date", "time"))
    return isinstance(content, (int, float)) and not isinstance(content, bool)


def _written(content: Bound, example: object) -> str:
    """A number as text: plain digits, or like an example."""
    kind, mark = (
        content.type.kind,
        "," if isinstance(example, str) and example.rstrip("0123456789").endswith(",") else ".",
    )
    if kind == "percent":
        return forms.percent(content.value, content.type, f"8{mark}5 %")
    if not isinstance(example, str):
        return forms.plain(content.value, content.type)
    return forms.amount(content.value, content.type, example)


def _order(form: str) -> str:
    """Which of day and month stands first, where both are numbers and a year does not lead; else empty."""
    small = form.lower().replace("%-", "%").replace("%", "")
    if "mmm" in form.lower() or "%b" in form.lower() or small.startswith("y"):
        return ""
    return "day" if small.find("d") < small.find("m") else "month"


def _share(setting: object, dial: str, usual: float) -> float:
    if setting is True:
        return usual
    if isinstance(setting, (int, float)) and not isinstance(setting, bool) and 0 <= setting <= 1:
        return float(setting)
    raise Fault(f"mess.{dial}: true, or a share from 0 to 1, is needed")


def _list(setting: object) -> list[Any]:
    return list(setting) if isinstance(setting, (list, tuple)) else [setting]
