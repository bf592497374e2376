# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""PDF files: their text, and the tables that stand in it. Libraries are imported where they are used."""

import re

from .access import office_file, opened, part

MOST_CHARS = 100_000
"""Characters of a page beyond which no tables are looked for."""


def read_pdf(guest, path, pages=None, offset=1):
    document, first, last = _pages(guest, path, pages)
    lines = []
    for number in range(first, last + 1):
        lines.append(f"[page {number} of {len(document)}]")
        lines += page_lines(document, number)
    return part(guest, lines, offset)


def pdf_tables(guest, path, pages=None, offset=1):
    document, first, last = _pages(guest, path, pages)
    lines, found = [], 0
    for number in range(first, last + 1):
        for table in opened(guest, path, lambda number=number: tables(_words(document[number - 1]))):
            found += 1
            lines.append(f"[table {found} on page {number}: {len(table)} rows, {len(table[0])} columns]")
            lines += ["\t".join(row).rstrip("\t") for row in table]
    if not found:
        return f"No table was found on the pages {first} to {last}. Use read_pdf to see their text."
    return part(guest, lines, offset)


def page_lines(document, number):
    """The lines of a page, counted from 1."""
    text = document[number - 1].get_textpage().get_text_range()
    return [each.rstrip() for each in text.replace("\r\n", "\n").split("\n")]


def _pages(guest, path, pages):
    import pypdfium2

    real = office_file(guest, path, (".pdf",))
    document = opened(guest, path, lambda: pypdfium2.PdfDocument(real))
    count = len(document)
    match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", pages or f"1-{count}")
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last <= count:
        raise guest.ToolError(f"pages must be such as 2 or 1-{count}: {path} has {count} page(s).")
    return document, first, last


def tables(words):
    """Grids of texts among the words of a page: blocks of lines whose pieces stand in common columns.

    Pieces of a line are divided by a gap of at least the height of its letters. A line of one piece belongs to a
    table where it stands between lines of it and within one of its columns (a cell that was wrapped).
    """
    lines = [_pieces(found) for found in _lines(words)]
    blocks, block = [], []
    for pieces in lines:
        far = block and block[-1][0]["bottom"] - pieces[0]["top"] > 2.5 * pieces[0]["size"]
        if block and (far or (len(pieces) == 1 and not _inside(pieces[0], _columns(block)))):
            blocks.append(block)
            block = []
        if block or len(pieces) > 1:
            block.append(pieces)
    found = []
    for run in [*blocks, block]:
        while run and len(run[-1]) == 1:
            run.pop()
        columns = _columns(run) if run else []
        if len(run) > 1 and len(columns) > 1:
            found.append(_joined([_row(pieces, columns) for pieces in run]))
    return [rows for rows in found if len(rows[0]) > 1]


def _words(page):
    """Letters of a page with their boxes; what pdfium adds between words has none and is left out."""
    import pypdfium2.raw as pdfium

    text = page.get_textpage()
    letters = []
    for index in range(min(text.count_chars(), MOST_CHARS)):
        sign = chr(pdfium.FPDFText_GetUnicode(text.raw, index))
        left, bottom, right, top = text.get_charbox(index, loose=True)
        if not sign.isspace() and sign.isprintable() and right > left and top > bottom:
            letters.append({"text": sign, "left": left, "right": right, "top": top, "bottom": bottom})
    return letters


def _lines(letters):
    """Letters by line, the highest first."""
    lines = []
    for letter in sorted(letters, key=lambda each: (-(each["top"] + each["bottom"]), each["left"])):
        middle, half = (letter["top"] + letter["bottom"]) / 2, (letter["top"] - letter["bottom"]) / 2
        if lines and abs(lines[-1]["middle"] - middle) < 0.6 * half:
            lines[-1]["letters"].append(letter)
        else:
            lines.append({"middle": middle, "letters": [letter]})
    return [sorted(each["letters"], key=lambda letter: letter["left"]) for each in lines]


def _pieces(letters):
    """The texts of a line that a wide gap divides."""
    sizes = sorted(letter["top"] - letter["bottom"] for letter in letters)
    size = sizes[len(sizes) // 2]
    pieces = []
    for letter in letters:
        gap = letter["left"] - pieces[-1]["right"] if pieces else size
        if gap >= 0.8 * size:
            pieces.append({**letter, "size": size})
            continue
        pieces[-1]["text"] += (" " if gap > 0.13 * size else "") + letter["text"]
        for side, choose in (("right", max), ("top", max), ("bottom", min)):
            pieces[-1][side] = choose(pieces[-1][side], letter[side])
    return pieces


def _columns(block):
    """The columns of a block: what the pieces of its fuller lines cover, joined where they overlap."""
    most = max(len(pieces) for pieces in block)
    columns = []
    full = [piece for pieces in block if len(pieces) > 1 and len(pieces) >= 0.6 * most for piece in pieces]
    for piece in sorted(full, key=lambda each: each["left"]):
        if columns and piece["left"] < columns[-1][1]:
            columns[-1][1] = max(columns[-1][1], piece["right"])
        else:
            columns.append([piece["left"], piece["right"]])
    return columns


def _inside(piece, columns):
    return any(
        left - piece["size"] <= piece["left"] and piece["right"] <= right + piece["size"] for left, right in columns
    )


def _row(pieces, columns):
    row = [""] * len(columns)
    for piece in pieces:
        shared = [min(piece["right"], right) - max(piece["left"], left) for left, right in columns]
        place = shared.index(max(shared))
        row[place] = f"{row[place]} {piece['text']}".strip()
    return row


def _joined(rows):
    """Neighbours of which no row fills both are one column: a header on the left, its numbers on the right."""
    place = 0
    while place + 1 < len(rows[0]):
        if any(row[place] and row[place + 1] for row in rows):
            place += 1
        else:
            rows = [[*row[:place], row[place] or row[place + 1], *row[place + 2 :]] for row in rows]
    return rows
