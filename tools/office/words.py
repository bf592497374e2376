# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Word documents written: new ones, and blocks added to those that are there. Libraries are imported where used."""

import io
import re

from .access import WRITERS, nearest, new_file, office_file, opened, save
from .package import normal

BOLD = re.compile(r"\*\*(\S(?:.*?\S)?)\*\*")
NUMBER = re.compile(r"[-+(]?[\d.,' ]*\d\)?\s?(?:%|[A-Z]{3}|[€$£])?")
NEEDS = {"heading": "text", "paragraph": "text", "bullets": "items", "numbers": "items", "table": "rows"}


def create_document(guest, path, blocks, overwrite=False):
    import docx

    real = new_file(guest, path, ".docx", overwrite, ", or use add_to_document or replace_text to change it")
    document = docx.Document()
    for block in _checked(guest, blocks):
        _add(document, block)
    return _saved(guest, real, document, f"Wrote {guest.show(real)} with {_counted(blocks)}.", fresh=True)


def add_to_document(guest, path, blocks, after=None):
    import docx

    real = office_file(guest, path, (".docx",), WRITERS)
    document = opened(guest, path, lambda: docx.Document(real))
    _checked(guest, blocks)
    place = None if after is None else _after(guest, document, after)
    body = document.element.body
    before = list(body)
    for block in blocks:
        _add(document, block)
    made = [each for each in body if not any(each is other for other in before)]
    for element in reversed(made) if place is not None else ():
        place.addnext(element)
    where = "at the end of" if place is None else f"after {after!r} in"
    return _saved(guest, real, document, f"Added {_counted(blocks)} {where} {guest.show(real)}.")


def _saved(guest, real, document, said, fresh=False):
    out = io.BytesIO()
    document.save(out)
    save(guest, real, normal(out.getvalue(), fresh))
    return said + " Read it again with read_document."


def _checked(guest, blocks):
    for number, block in enumerate(blocks, start=1):
        kind = block["kind"]
        needed = NEEDS.get(kind)
        if needed is not None and not block.get(needed):
            example = {"text": '"text": "..."', "items": '"items": ["one", "two"]', "rows": '"rows": [["Item", "EUR"]]'}
            raise guest.ToolError(
                f'Block {number} is a {kind} and needs {needed}, such as {{"kind": "{kind}", {example[needed]}}}. '
                "Nothing was written."
            )
        texts = [block.get("text", ""), *block.get("items", ()), *(cell for row in block.get("rows", ()) for cell in row)]
        if any(re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", text) for text in texts if isinstance(text, str)):
            raise guest.ToolError(f"Block {number} holds a control character. Nothing was written.")
    return blocks


def _counted(blocks):
    return f"{len(blocks)} block{'' if len(blocks) == 1 else 's'}"


def _after(guest, document, after):
    """The block of the body after which to write: ``table 2``, or the only paragraph that holds a text."""
    found = re.fullmatch(r"table (\d+)", after.strip(), re.IGNORECASE)
    if found:
        tables = document.tables
        if not 1 <= int(found[1]) <= len(tables):
            raise guest.ToolError(f"There is no {after}: the document has {len(tables)} table(s).")
        return tables[int(found[1]) - 1]._tbl
    texts = [paragraph for paragraph in document.paragraphs if after in paragraph.text]
    exact = [paragraph for paragraph in texts if paragraph.text.strip() == after.strip()]
    fitting = exact if len(exact) == 1 else texts
    if len(fitting) != 1:
        known = [paragraph.text for paragraph in document.paragraphs]
        many = f"{len(fitting)} paragraphs hold" if fitting else "No paragraph holds"
        hint = " Give more of its text." if fitting else nearest(after, known)
        raise guest.ToolError(f'{many} {after!r}.{hint} after may also be such as "table 1". Nothing was changed.')
    return fitting[0]._p


def _add(document, block):
    kind = block["kind"]
    if kind == "heading":
        level = int(block.get("level", 1))
        _styled(document, "Title" if level == 0 else f"Heading {level}", block["text"], bold=True)
    elif kind == "paragraph":
        _styled(document, None, block["text"])
    elif kind == "page_break":
        document.add_page_break()
    elif kind == "table":
        _table(document, block)
    else:
        style = "List Bullet" if kind == "bullets" else "List Number"
        numbering = None
        for number, item in enumerate(block["items"], start=1):
            missing = "• " if kind == "bullets" else f"{number}. "
            paragraph = _styled(document, style, item, missing=missing)
            if kind == "numbers" and paragraph.style.name == style:
                numbering = numbering or _restarted(document, style)
                if numbering is not None:
                    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
                    properties.get_or_add_ilvl().val = 0
                    properties.get_or_add_numId().val = numbering


def _styled(document, style, text, bold=False, missing=""):
    """A paragraph in a style; where the document lacks the style, in bold or with a sign before it."""
    known = {each.name for each in document.styles}
    has = style is None or style in known
    paragraph = document.add_paragraph(style=style if has else None)
    _write(paragraph, text if has else missing + text, bold=bold and not has)
    return paragraph


def _write(paragraph, text, bold=False):
    """Text with **bold** pieces."""
    for place, piece in enumerate(BOLD.split(text)):
        if piece:
            paragraph.add_run(piece).bold = True if bold or place % 2 else None


def _table(document, block):
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    rows = block["rows"]
    columns = max(len(row) for row in rows)
    table = document.add_table(len(rows), columns)
    known = {each.name for each in document.styles}
    style = next((name for name in ("Table Grid", "Light Grid") if name in known), None)
    if style is None:
        _ruled(table)
    else:
        table.style = style
    header = block.get("header", True)
    for number, row in enumerate(rows):
        cells = table.rows[number].cells
        for place, value in enumerate(row):
            text = "" if value is None else str(value)
            paragraph = cells[place].paragraphs[0]
            _write(paragraph, text, bold=header and number == 0)
            if NUMBER.fullmatch(text) and (number or not header):
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    if header:
        from docx.oxml import OxmlElement

        # The header is repeated on each page.
        table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _ruled(table):
    """Lines around all cells, for a document whose styles have no such table."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    borders = OxmlElement("w:tblBorders")
    for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
        border = OxmlElement(f"w:{side}")
        for name, value in (("val", "single"), ("sz", "4"), ("space", "0"), ("color", "auto")):
            border.set(qn(f"w:{name}"), value)
        borders.append(border)
    table._tbl.tblPr.append(borders)


def _restarted(document, style):
    """The number of a list like that of a style which begins at 1 anew; None where the style has no list."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    properties = document.styles[style].element.pPr
    given = None if properties is None or properties.numPr is None else properties.numPr.numId
    if given is None:
        return None
    numbering = document.part.numbering_part.element
    like = next((each for each in numbering.num_lst if each.numId == given.val), None)
    if like is None:
        return None
    made = numbering.add_num(like.abstractNumId.val)
    override = OxmlElement("w:lvlOverride")
    override.set(qn("w:ilvl"), "0")
    start = OxmlElement("w:startOverride")
    start.set(qn("w:val"), "1")
    override.append(start)
    made.append(override)
    return made.numId
