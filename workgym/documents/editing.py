"""Edits in place: exactly the named places change, and everything else stays as it is, byte for byte."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import cast

from workgym.documents.members import member, replaced
from workgym.documents.model import Document
from workgym.documents.patches import Target, TextEdit, targets
from workgym.documents.reading import format_of
from workgym.errors import EditRefused, Unreadable
from workgym.records import FORMATS, FormatName, by_ending

_EDITORS: dict[FormatName, str] = {
    "xlsx": "workgym.documents.xlsx.edit:edit",
    "docx": "workgym.documents.docx.edit:edit",
    "pptx": "workgym.documents.pptx.edit:edit",
    "csv": "workgym.documents.csv.edit:edit",
    "md": "workgym.documents.text.edit:edit",
    "txt": "workgym.documents.text.edit:edit",
    "log": "workgym.documents.text.edit:edit",
    "code": "workgym.documents.text.edit:edit",
    "tsv": "workgym.documents.csv.edit:edit_tsv",
    "yaml": "workgym.documents.yaml.edit:edit",
    "xml": "workgym.documents.xml.edit:edit",
    "json": "workgym.documents.json.edit:edit",
    "eml": "workgym.documents.mail.edit:edit",
    "html": "workgym.documents.html.edit:edit",
    "ics": "workgym.documents.ics.edit:edit",
    "vcf": "workgym.documents.vcf.edit:edit",
    "sqlite": "workgym.documents.sqlite.edit:edit",
}
_INSERTING: frozenset[FormatName] = frozenset(
    {"xlsx", "docx", "pptx", "csv", "tsv", "md", "txt", "log", "code", "json", "yaml", "xml", "ics", "html", "sqlite"}
)
"""Formats whose editor knows ``insert_row``."""


def editable(path: str) -> bool:
    """Whether files of this format are edited in place; those that are not (pdf, images) are written again."""
    form = by_ending(path)
    return form is not None and (form.name in _EDITORS or form.holds_files)


def edit(path: str, content: bytes, edits: Sequence[TextEdit]) -> bytes:
    """The file with ``edits`` made; ``path`` may name one within it (``march.zip//ledger.csv``).

    All places are those of the file as given, also when rows are removed or added. In a container (xlsx, docx) the
    other parts keep their bytes and their order. Values that a workbook caches for formulas are not touched:
    recalculate it afterwards. Raises :class:`EditRefused` where an edit cannot be made exactly, and
    :class:`workgym.errors.Unreadable` where the file cannot be read; nothing is changed then.
    """
    if not edits:
        return content
    holder, _, name = path.partition("//")
    if name:
        inner = member(holder, content, name)
        return replaced(holder, content, name, edit(path.rpartition("//")[2], inner, edits))
    form = format_of(path)
    if form not in _EDITORS and FORMATS[form].holds_files:
        raise EditRefused(f"{path}: a {form} file is edited file by file", fix=f"name one within it: {path}//NAME")
    if form not in _EDITORS:
        raise EditRefused(f"{path}: a {form} file is not edited", fix="render it again from its source")
    if form not in _INSERTING and any(edit.mode == "insert_row" for edit in edits):
        raise EditRefused(f"{path}: no rows are added to a {form} file")
    module, _, name = _EDITORS[form].partition(":")
    editor = cast("Callable[[str, bytes, list[Target]], bytes]", getattr(importlib.import_module(module), name))
    wanted = targets(edits)
    try:
        return editor(path, content, wanted)
    except (ValueError, IndexError, KeyError, ArithmeticError) as error:
        # Numbers and names inside an Office file may be anything; readers say the same of them.
        if form not in ("xlsx", "docx", "pptx"):
            raise
        raise Unreadable(path, "corrupt", f"its parts contradict each other ({error})") from error


def differences(old: Document, new: Document) -> tuple[TextEdit, ...]:
    """The edits that make the file of ``old`` say what ``new`` says, place by place; formulas and metadata are left.

    What only ``old`` has is cleared, what only ``new`` has is filled in. Where rows were added or removed, places move
    and the edits are many; whether they suffice is seen by reading the edited file.
    """
    before = {fragment.at: fragment for fragment in old.fragments if not fragment.hidden or fragment.table}
    edits = []
    for fragment in new.fragments:
        standing = before.pop(fragment.at, None)
        said = "" if standing is None else standing.text
        meant = not fragment.hidden or fragment.table
        if meant and fragment.formula is None and said != fragment.text:
            edits.append(TextEdit(at=fragment.at, expected=said, replacement=fragment.text, value=fragment.value))
    for fragment in before.values():
        if fragment.formula is None and fragment.text:
            edits.append(TextEdit(at=fragment.at, expected=fragment.text, replacement=None, mode="clear"))
    return tuple(edits)
