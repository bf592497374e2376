"""Native charts on slides, with the workbook that they were drawn from.

What a chart prints is the text of its table: each number is kept with a number format that shows it exactly so.
"""

from __future__ import annotations

import datetime
import io
import re
from decimal import Decimal
from typing import Any, NamedTuple

from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_LEGEND_POSITION
from xlsxwriter.workbook import Workbook

from workgym.documents.xlsx import numfmt
from workgym.materialize.look.look import Look
from workgym.materialize.pptx.deck import Chart
from workgym.materialize.pptx.look import GREY, INK, PALETTE, SOFT
from workgym.materialize.prose import Inline
from workgym.materialize.scope import Fault

_TYPES = {
    "column": XL_CHART_TYPE.COLUMN_CLUSTERED,
    "bar": XL_CHART_TYPE.BAR_CLUSTERED,
    "line": XL_CHART_TYPE.LINE_MARKERS,
    "pie": XL_CHART_TYPE.PIE,
}
_LABELS = {"line": XL_LABEL_POSITION.ABOVE}
_NUMBER = re.compile(r"(?P<before>[^\d+\-.,]*)(?P<digits>-?\d[\d,]*(?:\.\d+)?)(?P<after>[^\d]*)")
_DATA: Any = CategoryChartData
_COLOUR: Any = RGBColor
"""Untyped where they come from."""
_LABELLED = 20
"""Points of a chart up to which each has its number beside it."""


class Figure(NamedTuple):
    """A number as a chart keeps it."""

    value: Decimal
    code: str
    """The number format that shows it as it is printed."""


def figure(cell: Inline) -> Figure | None:
    """The number that a cell prints, or None for an empty one. Raises Fault for anything else."""
    text = cell.text.plain
    if not text.strip():
        return None
    match = _NUMBER.fullmatch(text)
    if match is not None:
        digits, after = match["digits"], match["after"]
        value, percent = Decimal(digits.replace(",", "")), after.strip().startswith("%")
        whole, _, places = digits.lstrip("-").partition(".")
        form = ("#,##0" if "," in whole else "0") + ("." + "0" * len(places) if places else "")
        head, tail = _literal(match["before"]), after
        before, _, rest = tail.partition("%") if percent else (tail, "", "")
        end = _literal(before) + ("%" if percent else "") + _literal(rest)
        code = f"{head}{form}{end}" if not head else f"{head}{form}{end};{head}\\-{form}{end}"
        made = Figure(value / 100 if percent else value, code if head or end else form)
        if numfmt.display(made.value, made.code) == text:
            return made
    raise Fault(f"chart: {text!r} is no number that a chart can show: write it like 1,234.50 or 8.5 %")


def _literal(text: str) -> str:
    if '"' in text:
        raise Fault(f"chart: {text!r} beside a number holds a quotation mark")
    return f'"{text}"' if text else ""


def figures(chart: Chart) -> list[list[Figure | None]]:
    """The numbers of each series."""
    return [[figure(row[at]) for row in chart.rows[1:]] for at in range(1, len(chart.rows[0]))]


def draw(shapes: Any, chart: Chart, box: tuple[int, int, int, int], look: Look, day: datetime.date) -> None:
    """Puts a chart on a slide; ``box`` is in EMU. Raises Fault for what is no number."""
    series = figures(chart)
    data = _DATA(number_format="General")
    data.categories = [row[0].text.plain for row in chart.rows[1:]]
    for at, numbers in enumerate(series, 1):
        codes = [number.code for number in numbers if number is not None]
        data.add_series(
            chart.rows[0][at].text.plain,
            [None if number is None else _native(number.value) for number in numbers],
            max(codes, key=codes.count) if codes else "General",
        )
    drawn: Any = shapes.add_chart(_TYPES[chart.kind], *box, data).chart
    drawn.part.chart_workbook.update_from_xlsx_blob(_workbook(chart, series, day))
    _forms(drawn, series)
    _styled(drawn, chart, series, look)


def _native(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _workbook(chart: Chart, series: list[list[Figure | None]], day: datetime.date) -> bytes:
    """The data as a workbook: series over columns, categories down the first one."""
    buffer = io.BytesIO()
    book = Workbook(buffer, {"in_memory": True, "strings_to_numbers": False, "strings_to_formulas": False})
    book.set_properties({"created": datetime.datetime.combine(day, datetime.time())})
    sheet = book.add_worksheet("Sheet1")
    forms: dict[str, Any] = {}
    for at, head in enumerate(chart.rows[0]):
        sheet.write_string(0, at, head.text.plain)
    for at, row in enumerate(chart.rows[1:], 1):
        sheet.write_string(at, 0, row[0].text.plain)
        for column, numbers in enumerate(series, 1):
            number = numbers[at - 1]
            if number is not None:
                form = forms.get(number.code) or book.add_format({"num_format": number.code})
                forms[number.code] = form
                sheet.write_number(at, column, _native(number.value), form)
    sheet.set_column(0, len(series), 16)
    book.close()
    return buffer.getvalue()


def _forms(drawn: Any, series: list[list[Figure | None]]) -> None:
    """Points whose form is not that of their series say so."""
    for one, numbers in zip(drawn.plots[0].series, series, strict=True):
        cache = one._element.find(".//{*}val/{*}numRef/{*}numCache")
        common = cache.findtext("{*}formatCode")
        for point in cache.iterfind("{*}pt"):
            number = numbers[int(point.get("idx"))]
            if number is not None and number.code != common:
                point.set("formatCode", number.code)


def _styled(drawn: Any, chart: Chart, series: list[list[Figure | None]], look: Look) -> None:
    colours = (look.accent, *PALETTE)
    drawn.font.size, drawn.font.name = 152_400, look.body_font
    _colour(drawn.font, GREY)
    if chart.title.text:
        drawn.has_title = True
        frame = drawn.chart_title.text_frame
        run = frame.paragraphs[0].add_run()
        run.text = chart.title.text.plain
        run.font.size, run.font.bold = 177_800, True
        _colour(run.font, INK)
        drawn.chart_title.include_in_layout = False
    else:
        drawn.has_title = False
    drawn.has_legend = len(series) > 1 or chart.kind == "pie"
    if drawn.has_legend:
        drawn.legend.include_in_layout = False
        drawn.legend.position = XL_LEGEND_POSITION.BOTTOM
    plot = drawn.plots[0]
    plot.vary_by_categories = chart.kind == "pie"
    count = sum(number is not None for numbers in series for number in numbers)
    if count <= _LABELLED:
        plot.has_data_labels = True
        plot.data_labels.show_value = True
        plot.data_labels.number_format_is_linked = True
        plot.data_labels.font.size = 139_700
        if chart.kind != "pie":
            plot.data_labels.position = _LABELS.get(chart.kind, XL_LABEL_POSITION.OUTSIDE_END)
        if chart.kind == "pie":
            plot.data_labels.font.bold = True
            _colour(plot.data_labels.font, "FFFFFF")
    if chart.kind == "pie":
        for at in range(len(series[0])):
            _filled(plot.series[0].points[at].format.fill, colours[at % len(colours)])
        return
    for at, one in enumerate(plot.series):
        if chart.kind == "line":
            one.smooth = False
            one.format.line.width = 28_575
            _filled(one.format.line.fill, colours[at % len(colours)])
            one.marker.size = 7
            _filled(one.marker.format.fill, colours[at % len(colours)])
            _filled(one.marker.format.line.fill, colours[at % len(colours)])
        else:
            _filled(one.format.fill, colours[at % len(colours)])
    if chart.kind != "line":
        plot.gap_width, plot.overlap = 60, -8
    _axes(drawn, count <= _LABELLED)
    drawn.category_axis.reverse_order = chart.kind == "bar"  # else the first row of the table stands at the bottom


def _axes(drawn: Any, labelled: bool) -> None:
    values, names = drawn.value_axis, drawn.category_axis
    values.has_major_gridlines = not labelled
    if not labelled:
        _filled(values.major_gridlines.format.line.fill, "E4E8EC")
    values.format.line.fill.background()
    values.visible = not labelled
    _filled(names.format.line.fill, SOFT)


def _colour(font: Any, colour: str) -> None:
    _filled(font.fill, colour)


def _filled(fill: Any, colour: str) -> None:
    fill.solid()
    fill.fore_color.rgb = _COLOUR(*bytes.fromhex(colour))
