"""Word documents, read from their OOXML parts (ECMA-376 part 1, WordprocessingML) with the standard library alone.

``p3`` is the third paragraph of the body outside tables, empty ones counted; ``t1r2c3`` a cell of a table of the body
by its grid column; ``h1``/``f1`` paragraphs of the headers and footers in the order of the sections, ``n1`` footnotes
and endnotes, ``x1`` text boxes. Text is what stands when all tracked changes are accepted. ``label`` is the style of a
paragraph, and the author of a comment or a deletion. Hidden: ``c1`` comments, what hangs on a place without being said
by it (:mod:`.hidden`), the rest of a cell that began in a row above, properties, and by a raw sweep
the text of whatever no other rule reports. Not opened: files embedded in the document, pictures.
"""

from __future__ import annotations

from collections.abc import Iterator

from workgym.documents.archive import office_file
from workgym.documents.docx.hidden import asides, left, links, variables
from workgym.documents.docx.sight import W, value
from workgym.documents.docx.word import Spot, Word, leaves
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.ooxml.properties import properties
from workgym.documents.ooxml.sweep import sweep
from workgym.errors import Unreadable

_QUIET = frozenset("styles stylesWithEffects numbering fontTable theme webSettings settings".split())
"""Kinds of parts that hold no text; the variables of the settings are looked at on their own."""
_PROPERTIES = ("docProps/core.xml", "docProps/app.xml", "docProps/custom.xml")


def read(path: str, content: bytes) -> Document:
    """Read a document. Raises :class:`Unreadable`."""
    archive = office_file(path, content)
    try:
        found: list[Fragment] = []
        for fragment in _fragments(Word(archive, archive.xml)):
            found.append(fragment)
            check(path, len(found), LIMITS.lines, "paragraphs and cells")
    except (ValueError, RecursionError) as error:
        raise Unreadable(path, "corrupt", f"its structure is damaged ({error})") from error
    return Document(path=path, format="docx", fragments=tuple(found))


def _fragments(word: Word) -> Iterator[Fragment]:
    told: set[int] = set()
    said: set[str] = set()
    targets: dict[str, dict[str, str]] = {}
    for spot in word.spots():
        shown = [*leaves(spot.element, spot.sight)]
        told |= {id(leaf) for leaf, _ in shown}
        text = "".join(characters for _, characters in shown)
        if text.strip():
            said |= {text, *text.split("\n")}
            yield _fragment(spot, text)
        if spot.part not in targets:
            targets[spot.part] = links(word.archive, spot.part)
        for fragment in asides(spot, told, targets[spot.part]):
            said.add(fragment.text)
            yield fragment
    yield from properties(word.archive)
    rest = [fragment for part, root in word.roots.items() for fragment in left(part, root, told)]
    quiet = {part for kind, part in word.archive.relations(word.main).values() if kind in _QUIET}
    rest += variables(word)
    rest += sweep(word.archive, {*word.roots, *quiet, *_PROPERTIES})
    yield from (fragment for fragment in rest if fragment.text not in said)


def _fragment(spot: Spot, text: str) -> Fragment:
    if spot.table is not None:
        name = spot.at.partition("r")[0]
        return Fragment(
            at=spot.at,
            text=text,
            table=name,
            row=spot.row,
            column=spot.column,
            merged=spot.merged if spot.merged != (0, 0) else (1, 1),
            hidden=spot.merged == (0, 0),
        )
    if spot.at.startswith("c"):
        return Fragment(at=spot.at, text=text, label=spot.element.get(f"{W}author"), hidden=True)
    style = spot.element.find(f"{W}pPr") if spot.at.startswith("p") else None
    label = None if style is None else value(style, "pStyle")
    return Fragment(at=spot.at, text=text, label=label, hidden=spot.hidden)
