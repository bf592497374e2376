"""Any file to a :class:`Document`: in this process for files of our own, in a limited child for anybody else's."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Callable, Mapping
from typing import Any, cast

from workgym.documents.model import Document, FormatName, Fragment
from workgym.documents.recalc import recalculate
from workgym.errors import ChildFailed, Unreadable
from workgym.sandbox.child import run

_READERS: dict[FormatName, str] = {
    "xlsx": "workgym.documents.readers.xlsx:read",
    "docx": "workgym.documents.readers.docx:read",
    "pdf": "workgym.documents.readers.pdf:read",
    "csv": "workgym.documents.readers.csv:read",
    "md": "workgym.documents.readers.text:read_md",
    "txt": "workgym.documents.readers.text:read_txt",
    "json": "workgym.documents.readers.json:read",
    "eml": "workgym.documents.readers.eml:read",
    "ics": "workgym.documents.readers.ics:read",
}
_MODULES = (*dict.fromkeys(target.partition(":")[0] for target in _READERS.values()), "formualizer")
_FIELDS = ("at", "text", "value", "formula", "table", "row", "column", "label", "hidden", "edges")
_CHILD = "workgym.documents.reading:read_json"


def format_of(path: str) -> FormatName:
    """The format, by the file's name. Raises :class:`Unreadable` (``unknown-format``)."""
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    if suffix not in _READERS:
        raise Unreadable(path, "unknown-format", f"only {', '.join(_READERS)} files are read")
    return suffix


def read(path: str, content: bytes) -> Document:
    """Read a trusted file in this process. Raises :class:`Unreadable`, and nothing else."""
    module, _, name = _READERS[format_of(path)].partition(":")
    reader = cast("Callable[[str, bytes], Document]", getattr(importlib.import_module(module), name))
    return reader(path, content)


def read_all(files: Mapping[str, bytes], *, recalculated: bool = False) -> dict[str, Document | Unreadable]:
    """Read files that an agent or a stranger made, by path, in a limited child process.

    With ``recalculated``, workbooks with formulas are recalculated before they are read. A file that brings its child
    down is :class:`Unreadable` itself; the others are still read.
    """
    if not files:
        return {}
    try:
        return _in_child(files, recalculated)
    except ChildFailed as error:
        if len(files) == 1:
            reason = "corrupt" if error.kind in ("crash", "error") else "over-limit"
            return {
                path: Unreadable(path, reason, f"reading it ended its process: {error.kind}, {error.detail}")
                for path in files
            }
    found: dict[str, Document | Unreadable] = {}
    for path, content in files.items():
        found.update(read_all({path: content}, recalculated=recalculated))
    return found


def _in_child(files: Mapping[str, bytes], recalculated: bool) -> dict[str, Document | Unreadable]:
    encoded = {path: base64.b64encode(content).decode() for path, content in files.items()}
    payload = {"files": encoded, "recalculated": recalculated}
    answer = cast("dict[str, Any]", run(_CHILD, payload, preload=_MODULES))
    return {path: _loaded(path, answer[path]) for path in files}


def read_json(payload: dict[str, Any]) -> dict[str, Any]:
    """What the child runs: ``{"files": {path: base64}, "recalculated": bool}`` to a document or a refusal by path."""
    found: dict[str, Any] = {}
    for path, encoded in payload["files"].items():
        content = base64.b64decode(encoded)
        try:
            if payload["recalculated"] and format_of(path) == "xlsx":
                content = recalculate(content, path=path)
            found[path] = _dumped(read(path, content))
        except Unreadable as error:
            found[path] = {"reason": error.reason, "detail": error.detail}
    return found


def _dumped(document: Document) -> dict[str, Any]:
    rows = []
    for fragment in document.fragments:
        row: list[Any] = [getattr(fragment, field) for field in _FIELDS]
        while not row[-1] and len(row) > 2:
            row.pop()
        rows.append(row)
    return {"format": document.format, "uncached": list(document.uncached), "fragments": rows}


def _loaded(path: str, raw: dict[str, Any]) -> Document | Unreadable:
    if "reason" in raw:
        return Unreadable(path, raw["reason"], raw["detail"])
    fragments = tuple(Fragment(**dict(zip(_FIELDS, row, strict=False))) for row in raw["fragments"])
    return Document(path=path, format=raw["format"], fragments=fragments, uncached=tuple(raw["uncached"]))
