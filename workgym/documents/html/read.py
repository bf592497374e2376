"""Web pages, read by our own tokenizer and flow after the HTML standard; no library, and no style sheet from elsewhere.

``p3`` is the third block of text outside tables: paragraphs, headings, list items and loose text are counted alike;
``t1r2c3`` a cell by its place in the grid (``colspan`` and ``rowspan`` counted). A table within a cell is a table of
its own, numbered by where it begins, and its text is not the outer cell's. ``h1``/``f1`` are blocks of the page's own
``<header>`` and ``<footer>``, ``n1`` list items in a ``role="doc-endnotes"``, ``title`` is the title. White space is
collapsed as browsers do, ``<br>`` and the blocks of a cell are line breaks. ``label`` is the kind of a block.

Hidden: ``p3.hidden`` and whole blocks (``display:none``, ``hidden``, tiny, in the colour of the paper; inline styles
and simple rules of the page's sheets), ``c1`` comments, ``a1`` attributes that say something (``alt``, ``title``,
``data-``), ``m1`` meta, ``x1`` scripts, ``y1`` texts in style sheets.
"""

from __future__ import annotations

from collections.abc import Iterator

from workgym.documents.html.lines import Block
from workgym.documents.html.markup import decode
from workgym.documents.html.page import Page
from workgym.documents.model import Document, Fragment


def read(path: str, content: bytes) -> Document:
    """Read a page. Raises :class:`Unreadable`."""
    page = Page(path, decode(path, content).body)
    blocks = [*([] if page.title is None else [page.title]), *page.blocks]
    page.blocks, page.tables = [], []  # what was made a fragment of is let go: a big page is not held twice
    return Document(path=path, format="html", fragments=(*_fragments(blocks), *page.asides))


def _fragments(blocks: list[Block]) -> Iterator[Fragment]:
    blocks.reverse()
    while blocks:
        block = blocks.pop()
        text = block.text
        if text.strip():
            yield Fragment(
                at=block.at,
                text=text,
                table=block.table,
                row=block.row or None,
                column=block.column or None,
                label=block.label,
                merged=block.merged,
                hidden=block.hidden,
            )
        if block.aside:
            yield Fragment(at=f"{block.at}.hidden", text=" ".join(block.aside), hidden=True)
