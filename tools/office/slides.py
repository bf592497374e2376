# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Presentations written: new ones, and slides added to those that are there. Libraries are imported where used."""

import io
import os

from .access import WRITERS, new_file, office_file, opened, save
from .package import normal
from .words import numeric_columns

WIDTH, HEIGHT = 12_192_000, 6_858_000
"""Slides of new presentations, 16 by 9, in EMU (914,400 to the inch)."""
MARGIN = 457_200
CHARTS = {"bar": "BAR_CLUSTERED", "column": "COLUMN_CLUSTERED", "line": "LINE_MARKERS", "pie": "PIE"}
MOST_ROWS = 30


def create_presentation(guest, path, slides, overwrite=False):
    import pptx

    real = new_file(guest, path, ".pptx", overwrite, ", or use add_slides or replace_text to change it")
    presentation = pptx.Presentation()
    _widened(presentation)
    _checked(guest, slides)
    for slide in slides:
        _add(guest, presentation, slide)
    return _saved(guest, real, presentation, f"Wrote {guest.show(real)} with {len(slides)} slide(s).", fresh=True)


def add_slides(guest, path, slides, after=None):
    import pptx

    real = office_file(guest, path, (".pptx",), WRITERS)
    presentation = opened(guest, path, lambda: pptx.Presentation(real))
    count = len(presentation.slides)
    place = count if after is None else int(after)
    if place > count:
        raise guest.ToolError(
            f"There is no slide {place}: {path} has {count}. after=0 puts slides before the first one."
        )
    _checked(guest, slides)
    for slide in slides:
        _add(guest, presentation, slide)
    order = presentation.slides._sldIdLst
    for number, entry in enumerate(list(order)[count:]):
        order.remove(entry)
        order.insert(place + number, entry)
    numbers = f"{place + 1} to {place + len(slides)} of {count + len(slides)}"
    said = f"Added {len(slides)} slide(s) to {guest.show(real)}: {numbers}."
    return _saved(guest, real, presentation, said)


def _saved(guest, real, presentation, said, fresh=False):
    out = io.BytesIO()
    presentation.save(out)
    save(guest, real, normal(out.getvalue(), fresh))
    return said + " Read it again with read_presentation, or look at a slide with render_page."


def _checked(guest, slides):
    for number, slide in enumerate(slides, start=1):
        bodies = [name for name in ("bullets", "table", "chart", "picture") if slide.get(name)]
        if len(bodies) > 1:
            raise guest.ToolError(
                f"Slide {number} has {' and '.join(bodies)}; a slide holds one of them beside its title and notes. "
                "Make two slides of it. Nothing was written."
            )
        if len(slide.get("table", ())) > MOST_ROWS:
            raise guest.ToolError(
                f"The table of slide {number} has more than {MOST_ROWS} rows, which nobody can read on a slide. Show "
                "the rows that matter, or divide it over several slides."
            )
        chart = slide.get("chart")
        for series in chart["series"] if chart else ():
            if len(series["values"]) != len(chart["categories"]):
                raise guest.ToolError(
                    f"The series {series['name']!r} of slide {number} has {len(series['values'])} values for "
                    f"{len(chart['categories'])} categories. Give one for each; null leaves a gap."
                )
        if slide.get("picture"):
            picture = guest.path(slide["picture"])
            if os.path.splitext(picture)[1].lower() not in (".png", ".jpg", ".jpeg", ".gif", ".bmp"):
                raise guest.ToolError(f"{slide['picture']} is no picture that slides can hold; give a png or jpg file.")


def _widened(presentation):
    """The library's own template is 4 by 3: its places are stretched with the slide."""
    ratio = WIDTH / presentation.slide_width
    presentation.slide_width, presentation.slide_height = WIDTH, HEIGHT
    for holder in (presentation.slide_master, *presentation.slide_layouts):
        for shape in holder.shapes:
            own = shape._element.spPr.find(".//{*}xfrm") if hasattr(shape._element, "spPr") else None
            if own is not None:
                shape.left, shape.width = int(shape.left * ratio), int(shape.width * ratio)


def _add(guest, presentation, given):
    first = "subtitle" in given
    body = bool(given.get("bullets"))
    slide = presentation.slides.add_slide(_layout(presentation, subtitle=first, body=body))
    title = slide.shapes.title
    if title is not None:
        title.text_frame.text = given["title"]
    else:
        box = slide.shapes.add_textbox(MARGIN, MARGIN // 2, presentation.slide_width - 2 * MARGIN, 2 * MARGIN)
        box.text_frame.text = given["title"]
    room = _room(presentation, slide)
    holders = [each for each in slide.placeholders if each.placeholder_format.idx not in (0, 10, 11, 12, 13)]
    texts = [given["subtitle"]] if first else given.get("bullets", ())
    if texts:
        text = holders[0] if holders else slide.shapes.add_textbox(*room)
        _written(text.text_frame, texts)
        holders = holders[1:]
    for holder in holders:
        holder._element.getparent().remove(holder._element)
    if given.get("table"):
        _table(slide, given["table"], room)
    elif given.get("chart"):
        _chart(slide, given["chart"], room)
    elif given.get("picture"):
        _picture(guest, slide, given["picture"], room)
    if given.get("notes"):
        slide.notes_slide.notes_text_frame.text = given["notes"]


def _layout(presentation, *, subtitle, body):
    """The layout with the fewest places that has those needed."""
    from pptx.enum.shapes import PP_PLACEHOLDER as KIND

    small = (KIND.DATE, KIND.FOOTER, KIND.SLIDE_NUMBER)
    ranked = []
    for number, layout in enumerate(presentation.slide_layouts):
        kinds = [each.placeholder_format.type for each in layout.placeholders]
        rest = [kind for kind in kinds if kind not in (KIND.TITLE, KIND.CENTER_TITLE, *small)]
        fits = (KIND.SUBTITLE in kinds) if subtitle else (KIND.CENTER_TITLE not in kinds)
        titled = KIND.TITLE in kinds or KIND.CENTER_TITLE in kinds
        holds = not body or KIND.OBJECT in rest or KIND.BODY in rest
        object_first = body and KIND.OBJECT not in rest
        ranked.append((not titled, not fits, not holds, object_first, abs(len(rest) - int(body or subtitle)), number))
    return presentation.slide_layouts[min(ranked)[-1]]


def _room(presentation, slide):
    """Left, top, width and height of what is free below the title."""
    title = slide.shapes.title
    bottom = MARGIN * 3 if title is None or title.top is None else title.top + title.height
    top = min(bottom + MARGIN // 4, presentation.slide_height // 2)
    return MARGIN, top, presentation.slide_width - 2 * MARGIN, presentation.slide_height - top - MARGIN


def _written(frame, texts):
    """A paragraph for each text; two spaces before one make it a level deeper."""
    for number, text in enumerate(texts):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.text = text.strip().removeprefix("- ")
        paragraph.level = min(4, (len(text) - len(text.lstrip(" "))) // 2)


def _table(slide, rows, room):
    from pptx.enum.text import PP_ALIGN
    from pptx.util import Pt

    left, top, width, height = room
    columns = max(len(row) for row in rows)
    table = slide.shapes.add_table(len(rows), columns, left, top, width, min(height, len(rows) * 400_000)).table
    right = numeric_columns(rows[1:])
    size = Pt(max(9, min(18, 200 // len(rows))))
    for number, row in enumerate(rows):
        for place in range(columns):
            cell = table.cell(number, place)
            value = row[place] if place < len(row) else None
            cell.text = "" if value is None else str(value)
            for paragraph in cell.text_frame.paragraphs:
                paragraph.font.size = size
                paragraph.alignment = PP_ALIGN.RIGHT if place in right else None


def _chart(slide, given, room):
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    data = CategoryChartData()
    data.categories = given["categories"]
    for series in given["series"]:
        data.add_series(series["name"], series["values"])
    chart = slide.shapes.add_chart(getattr(XL_CHART_TYPE, CHARTS[given["kind"]]), *room, data).chart
    chart.has_legend = len(given["series"]) > 1 or given["kind"] == "pie"
    if chart.has_legend:
        chart.legend.include_in_layout = False


def _picture(guest, slide, path, room):
    left, top, width, height = room
    real = guest.path(path)
    picture = opened(guest, path, lambda: slide.shapes.add_picture(real, left, top))
    scale = min(width / picture.width, height / picture.height)
    picture.width, picture.height = int(picture.width * scale), int(picture.height * scale)
    picture.left = left + (width - picture.width) // 2
