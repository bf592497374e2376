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
        texts = [
            block.get("text", ""),
            *block.get("items", ()),
            *(cell for row in block.get("rows", ()) for cell in row),
        ]
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
        style = _style(document, "Title" if level == 0 else f"Heading {level}")
        _write(document.add_paragraph(style=style), block["text"], bold=style is None)
    elif kind == "paragraph":
        _write(document.add_paragraph(), block["text"])
    elif kind == "page_break":
        document.add_page_break()
    elif kind == "table":
        _table(document, block)
    else:
        _list(document, kind, block["items"])


def _list(document, kind, items):
    """Items in the list style of the document; where it has none, with a sign or a number before each."""
    style = _style(document, "List Bullet" if kind == "bullets" else "List Number")
    like = None if style is None else _number_of(style)
    numbering = _restarted(document, like) if kind == "numbers" and like is not None else None
    for number, item in enumerate(items, start=1):
        sign = "• " if kind == "bullets" else f"{number}. "
        paragraph = document.add_paragraph(style=style if like is not None else None)
        _write(paragraph, item if like is not None else sign + item)
        if numbering is not None:
            properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
            properties.get_or_add_ilvl().val = 0
            properties.get_or_add_numId().val = numbering


def _style(document, *names):
    """The first style of these names that a document has. Not by a look-up: LibreOffice spells them in another way."""
    known = {each.name: each for each in document.styles}
    return next((known[name] for name in names if name in known), None)


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
    style = _style(document, "Table Grid", "Light Grid")
    if style is None:
        _ruled(table)
    else:
        table.style = style
    header = block.get("header", True)
    right = numeric_columns(rows[1:] if header else rows)
    for number, row in enumerate(rows):
        cells = table.rows[number].cells
        for place, value in enumerate(row):
            text = "" if value is None else str(value)
            paragraph = cells[place].paragraphs[0]
            _write(paragraph, text, bold=header and number == 0)
            if place in right:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    if header:
        from docx.oxml import OxmlElement

        # The header is repeated on each page.
        table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def numeric_columns(rows):
    """The places of columns that hold numbers only."""
    columns = {}
    for row in rows:
        for place, value in enumerate(row):
            if value not in (None, ""):
                columns[place] = columns.get(place, True) and NUMBER.fullmatch(str(value)) is not None
    return {place for place, right in columns.items() if right}


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


def _number_of(style):
    """The number of the list that a style gives its paragraphs; None where it gives none."""
    properties = style.element.pPr
    given = None if properties is None or properties.numPr is None else properties.numPr.numId
    return None if given is None else given.val


def _restarted(document, like):
    """The number of a list like another one that begins at 1 anew; None where there is no such list."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    numbering = document.part.numbering_part.element
    known = next((each for each in numbering.num_lst if each.numId == like), None)
    if known is None:
        return None
    made = numbering.add_num(known.abstractNumId.val)
    override = OxmlElement("w:lvlOverride")
    override.set(qn("w:ilvl"), "0")
    start = OxmlElement("w:startOverride")
    start.set(qn("w:val"), "1")
    override.append(start)
    made.append(override)
    return made.numId
