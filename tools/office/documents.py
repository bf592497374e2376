# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Word documents and presentations as text. Libraries are imported where they are used."""

import re

from .access import line, office_file, opened, part


def read_document(guest, path, offset=1):
    real = office_file(guest, path, (".docx",))
    return part(guest, opened(guest, path, lambda: document_lines(real)), offset)


def read_presentation(guest, path, offset=1):
    real = office_file(guest, path, (".pptx",))
    return part(guest, opened(guest, path, lambda: presentation_lines(real)), offset)


def document_lines(real):
    """Headings, paragraphs and tables in order, page headers and footers first, comments last."""
    import docx
    from docx.table import Table

    document = docx.Document(real)
    lines, tables = [], 0
    for kind in ("header", "footer"):
        lines += [f"[{kind}] {text}" for text in _margins(document, kind)]
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            tables += 1
            lines.append(f"[table {tables}]")
            lines += ["\t".join(line(text) for text in row) for row in table_rows(block)]
            lines.append(f"[end of table {tables}]")
        elif block.text.strip():
            lines.append(_styled(block))
    for comment in getattr(document, "comments", ()):
        lines.append(f"[comment by {comment.author or 'unknown'}] {line(comment.text)}")
    return lines


def presentation_lines(real):
    """The slides in order: titles, texts with their level, tables numbered on each slide, charts, notes."""
    import pptx

    presentation = pptx.Presentation(real)
    lines = []
    for number, slide in enumerate(presentation.slides, start=1):
        hidden = ", hidden" if slide._element.get("show") == "0" else ""
        lines.append(f"[slide {number} of {len(presentation.slides)}{hidden}]")
        tables = 0
        for shape in shapes(slide.shapes):
            if shape.has_text_frame:
                lines += _paragraphs(shape, slide.shapes.title)
            elif getattr(shape, "has_table", False) and shape.has_table:
                tables += 1
                lines.append(f"[table {tables}]")
                lines += ["\t".join(line(cell.text) for cell in row.cells) for row in shape.table.rows]
                lines.append(f"[end of table {tables}]")
            elif getattr(shape, "has_chart", False) and shape.has_chart:
                lines += _chart(shape.chart)
            elif shape.shape_type is not None:
                lines.append(f"[{shape.shape_type.name.lower().replace('_', ' ')} {shape.name!r}]")
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text.strip()
            lines += [f"[notes] {line(notes)}"] if notes else []
    return lines


def table_rows(table):
    """Texts of a table's cells, a merged cell once."""
    for row in table.rows:
        seen, texts = set(), []
        for cell in row.cells:
            if id(cell._tc) not in seen:
                seen.add(id(cell._tc))
                texts.append(cell.text)
        yield texts


def shapes(found):
    """All shapes, those of groups too."""
    for shape in found:
        if hasattr(shape, "shapes"):
            yield from shapes(shape.shapes)
        else:
            yield shape


def _paragraphs(shape, title):
    texts = [paragraph for paragraph in shape.text_frame.paragraphs if paragraph.text.strip()]
    if title is not None and shape.shape_id == title.shape_id:
        return ["# " + " ".join(line(paragraph.text) for paragraph in texts)] if texts else []
    return ["  " * paragraph.level + "- " + line(paragraph.text) for paragraph in texts]


def _chart(chart):
    lines = ["[chart]"]
    for plot in chart.plots:
        lines.append("\t".join(["", *(line(str(category)) for category in plot.categories)]))
        for series in plot.series:
            lines.append(
                "\t".join([line(series.name), *("" if each is None else f"{each:g}" for each in series.values)])
            )
    return [*lines, "[end of chart]"]


def _margins(document, kind):
    texts = []
    for section in document.sections:
        for variant in (kind, f"first_page_{kind}", f"even_page_{kind}"):
            margin = getattr(section, variant)
            if not margin.is_linked_to_previous:
                texts += [paragraph.text for paragraph in margin.paragraphs if paragraph.text.strip()]
                texts += [" ".join(map(line, row)) for table in margin.tables for row in table_rows(table)]
    return list(dict.fromkeys(texts))


def _styled(paragraph):
    name = (paragraph.style.name or "") if paragraph.style is not None else ""
    heading = re.fullmatch(r"Heading (\d)", name)
    if name == "Title":
        return "# " + paragraph.text
    if heading:
        return "#" * (int(heading[1]) + 1) + " " + paragraph.text
    return ("- " if name.startswith("List") else "") + paragraph.text
