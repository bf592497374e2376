# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Documents and presentations edited in place: texts replaced within their runs, tables filled in."""

import copy
import io
import re

from .access import WRITERS, line, nearest, office_file, opened, save, short
from .package import Package, normal

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
COPIES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""Texts in frames stand twice in a file; programs of today show the first."""
WORD_PARTS = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml")
SLIDE_PARTS = re.compile(r"ppt/(?:slides/slide|notesSlides/notesSlide)\d+\.xml")
KINDS = (".docx", ".pptx")
INSTEAD = {**WRITERS, ".xlsx": "write_cells", ".docx": "replace_text", ".pptx": "replace_text"}
SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def replace_text(guest, path, old, new, replace_all=False):
    real = office_file(guest, path, KINDS, INSTEAD)
    shown = guest.show(real)
    if old == new:
        raise guest.ToolError("old and new are the same; nothing to do.")
    if re.search(r"[\n\t]", old + new):
        raise guest.ToolError(
            "old and new are texts within one paragraph, without tabs and line breaks. Replace one with each call."
        )
    package = opened(guest, path, lambda: Package(real))
    namespace, parts = (DRAWING, SLIDE_PARTS) if real.lower().endswith(".pptx") else (WORD, WORD_PARTS)
    paragraphs = [
        paragraph
        for name in package.order
        if parts.fullmatch(name)
        for paragraph in opened(guest, path, lambda name=name: list(package.tree(name).iter(f"{{{namespace}}}p")))
    ]
    found, places, texts = 0, [], []
    for paragraph in paragraphs:
        runs = _runs(paragraph, namespace)
        text = _joined(runs)
        texts.append(text)
        if old in text:
            places.append((paragraph, runs, text))
            found += 0 if _is_copy(paragraph) else text.count(old)
    if not found:
        hint = nearest(old, texts)
        raise guest.ToolError(f"No paragraph of {shown} holds this text exactly.{hint} Nothing was changed.")
    if found > 1 and not replace_all:
        where = "; ".join(f"{_around(text, old)!r}" for paragraph, _, text in places[:5] if not _is_copy(paragraph))
        raise guest.ToolError(
            f"{shown} holds this text {found} times ({where}). Give more of the text around it, or set replace_all to "
            "true. Nothing was changed."
        )
    for _, runs, _ in places:
        _replace(runs, old, new)
    save(guest, real, package.content())
    return f"Replaced {found} time(s) in {shown}. The formatting is that of the first letter replaced."


def fill_table(guest, path, table=1, slide=None, cells=(), rows=()):
    real = office_file(guest, path, KINDS, INSTEAD)
    if not cells and not rows:
        raise guest.ToolError(
            'Give cells, such as [{"row": 2, "column": 3, "text": "12.50"}], or rows to add, such as [["Box", 12.5]].'
        )
    if real.lower().endswith(".pptx"):
        document, found = _slide_table(guest, path, real, table, slide)
    else:
        document, found = _document_table(guest, path, real, table, slide)
    height, width = len(found.rows), len(found.columns)
    for cell in cells:
        row, column = int(cell["row"]), int(cell["column"])
        if row > height or column > width:
            raise guest.ToolError(
                f"Table {table} has {height} rows and {width} columns, counted from 1; there is no row {row}, column "
                f"{column}. Use rows to add rows. Nothing was changed."
            )
        _set(found.cell(row - 1, column - 1), cell["text"])
    for row in rows:
        if len(row) > width:
            raise guest.ToolError(
                f"A row has {len(row)} texts, and table {table} only {width} columns. Nothing was changed."
            )
        _add_row(found, row)
    _save(guest, real, document)
    done = [f"filled {len(cells)} cell(s)"] if cells else []
    done += [f"added {len(rows)} row(s)"] if rows else []
    last = [short(line(cell.text), 40) for cell in found.rows[len(found.rows) - 1].cells]
    return (
        f"Table {table} of {guest.show(real)}: {' and '.join(done)}. It has {len(found.rows)} rows; the last: {last}."
    )


def _save(guest, real, document):
    out = io.BytesIO()
    document.save(out)
    save(guest, real, normal(out.getvalue()))


def _document_table(guest, path, real, number, slide):
    import docx

    if slide is not None:
        raise guest.ToolError(
            "slide is for presentations. Documents number their tables from the beginning: leave it out."
        )
    document = opened(guest, path, lambda: docx.Document(real))
    if not 1 <= number <= len(document.tables):
        raise guest.ToolError(
            f"{path} has {len(document.tables)} table(s), as read_document numbers them; there is no table {number}."
        )
    return document, document.tables[number - 1]


def _slide_table(guest, path, real, number, slide):
    import pptx

    presentation = opened(guest, path, lambda: pptx.Presentation(real))
    count = len(presentation.slides)
    if slide is None or not 1 <= slide <= count:
        raise guest.ToolError(f"Say which slide: {path} has {count}, and tables are numbered on each of them.")
    tables = [shape.table for shape in presentation.slides[slide - 1].shapes if shape.has_table]
    if not 1 <= number <= len(tables):
        raise guest.ToolError(f"Slide {slide} of {path} has {len(tables)} table(s); there is no table {number}.")
    return presentation, tables[number - 1]


def _set(cell, text):
    """A cell's text in the formatting of what stood there."""
    first, *rest = getattr(cell, "text_frame", cell).paragraphs
    for other in rest:
        other._p.getparent().remove(other._p)
    runs = first.runs
    if runs:
        runs[0].text = text
        for run in runs[1:]:
            run._r.getparent().remove(run._r)
    else:
        first.add_run().text = text


def _add_row(table, texts):
    """A row like the last one, with other texts."""
    last = table.rows[len(table.rows) - 1]
    element = last._tr
    made = copy.deepcopy(element)
    element.addnext(made)
    cells = table.rows[len(table.rows) - 1].cells
    for place, cell in enumerate(cells):
        _set(cell, "" if place >= len(texts) or texts[place] is None else str(texts[place]))


def _runs(paragraph, namespace):
    """The texts of a paragraph with their elements, without paragraphs within it; tabs and breaks have no element."""
    found = []
    for each in paragraph.iter(*(f"{{{namespace}}}{name}" for name in ("t", "tab", "br", "cr"))):
        if next(each.iterancestors(f"{{{namespace}}}p"), None) is not paragraph:
            continue
        if each.tag.endswith("}t"):
            found.append((each, each.text or ""))
        elif not each.getparent().tag.endswith("}tabs"):
            found.append((None, "\n"))
    return found


def _is_copy(paragraph):
    return next(paragraph.iterancestors(COPIES), None) is not None


def _replace(runs, old, new):
    """Replace in the texts of a paragraph; what is new stands where the first letter stood that it replaces."""
    text, held = _joined(runs), [each for _, each in runs]
    starts, position = [], text.find(old)
    while position >= 0:
        starts.append(position)
        position = text.find(old, position + len(old))
    for start in reversed(starts):
        end, position, put = start + len(old), 0, False
        for index, (element, was) in enumerate(runs):
            left, right = max(start, position), min(end, position + len(was))
            if left < right and element is not None:
                kept = held[index]
                held[index] = kept[: left - position] + ("" if put else new) + kept[right - position :]
                put = True
            position += len(was)
    for (element, was), text in zip(runs, held, strict=True):
        if element is not None and text != was:
            element.text = text
            if element.tag.startswith(f"{{{WORD}}}"):
                element.set(SPACE, "preserve")


def _joined(runs):
    return "".join(text for _, text in runs)


def _around(text, old):
    start = text.find(old)
    return text[max(0, start - 20) : start + len(old) + 20]
