"""Any file to a :class:`Document`: in this process for files of our own, in a limited child for anybody else's."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Callable, Mapping
from typing import Any, cast

from workgym.documents.limits import LIMITS, check
from workgym.documents.members import members
from workgym.documents.model import Document, Fragment, Refusal
from workgym.documents.recalculation.engines import IN_PROCESS
from workgym.documents.recalculation.recalc import NEW_YEAR, recalculate
from workgym.documents.recalculation.secondhand import computed, request, with_values
from workgym.errors import ChildFailed, Unreadable
from workgym.records import FormatName, by_ending
from workgym.sandbox.child import run

READERS: dict[FormatName, str] = {
    "xlsx": "workgym.documents.xlsx.read:read",
    "docx": "workgym.documents.docx.read:read",
    "pptx": "workgym.documents.pptx.read:read",
    "pdf": "workgym.documents.pdf.read:read",
    "csv": "workgym.documents.csv.read:read",
    "md": "workgym.documents.text.read:read_md",
    "txt": "workgym.documents.text.read:read_txt",
    "log": "workgym.documents.text.read:read_log",
    "code": "workgym.documents.text.read:read_code",
    "tsv": "workgym.documents.csv.read:read_tsv",
    "yaml": "workgym.documents.yaml.read:read",
    "xml": "workgym.documents.xml.read:read",
    "json": "workgym.documents.json.read:read",
    "eml": "workgym.documents.mail.read:read",
    "mbox": "workgym.documents.mbox.read:read",
    "html": "workgym.documents.html.read:read",
    "ics": "workgym.documents.ics.read:read",
    "vcf": "workgym.documents.vcf.read:read",
    "sqlite": "workgym.documents.sqlite.read:read",
    "zip": "workgym.documents.zip.read:read",
    "png": "workgym.documents.image.read:read_png",
    "jpg": "workgym.documents.image.read:read_jpg",
}
_MODULES = (*dict.fromkeys(target.partition(":")[0] for target in READERS.values()), "formualizer", "ironcalc")
_FIELDS = tuple("at text value formula table row column label hidden edges format merged".split())
_DEFAULTS = tuple(Fragment.model_fields[field].default for field in _FIELDS)
_CHILD = "workgym.documents.reading:read_json"


def format_of(path: str) -> FormatName:
    """The format, by the file's name. Raises :class:`Unreadable` (``unknown-format``)."""
    found = by_ending(path)
    if found is None or found.name not in READERS:
        raise Unreadable(path, "unknown-format", f"only {', '.join(READERS)} files are read")
    return found.name


def read(path: str, content: bytes, *, recalculated: bool = False) -> Document:
    """Read a trusted file in this process, and the files that it holds. Raises :class:`Unreadable`, and nothing else.

    With ``recalculated``, workbooks within the file are recalculated before they are read, by the engines that run in
    this process; one that calls a function that none of them knows keeps the values that it brings.

    A member that cannot be read does not spoil the rest: ``Document.refused`` says why. All files within the file
    together stand under the limits that one file has.
    """
    return _read(path, content, 0, _Budget(path, recalculated))


class _Budget:
    """What the files within one file take together, however deep they lie."""

    def __init__(self, path: str, recalculated: bool) -> None:
        self.path, self.recalculated, self.members, self.unpacked, self.fragments = path, recalculated, 0, 0, 0

    def file(self, content: bytes) -> None:
        self.unpacked += len(content)
        check(self.path, self.unpacked, LIMITS.unpacked_bytes, "bytes in the files within it")

    def room(self) -> None:
        self.members += 1
        check(self.path, self.members, LIMITS.members, "files within it")
        check(self.path, self.fragments, LIMITS.cells, "pieces in the files within it")


def _read(path: str, content: bytes, depth: int, budget: _Budget) -> Document:
    module, _, name = READERS[format_of(path)].partition(":")
    reader = cast("Callable[[str, bytes], Document]", getattr(importlib.import_module(module), name))
    document = reader(path, content)
    budget.fragments += len(document.fragments)
    if not document.kind.holds_files:
        return document
    found: list[Document] = []
    refused: list[Refusal] = []
    held = members(path, content)
    for member in held:
        within = f"{path}//{member}"
        try:
            if depth == LIMITS.containers:
                raise Unreadable(within, "over-limit", f"it lies in more than {LIMITS.containers} files")
            budget.room()
            inner = held[member]
            budget.file(inner)
            if budget.recalculated and format_of(within) == "xlsx":
                inner = _recalculated(within, inner)
            found.append(_read(within, inner, depth + 1, budget))
        except Unreadable as error:
            refused.append(Refusal(path=within, reason=error.reason, detail=error.detail))
    return document.model_copy(update={"members": tuple(found), "refused": tuple(refused)})


def _recalculated(path: str, content: bytes) -> bytes:
    try:
        return recalculate(content, path=path, engines=IN_PROCESS)
    except Unreadable as error:
        if error.reason != "unknown-function":
            raise
        return content


def read_all(files: Mapping[str, bytes], *, recalculated: bool = False) -> dict[str, Document | Unreadable]:
    """Read files that an agent or a stranger made, by path, in a limited child process.

    With ``recalculated``, workbooks with formulas are recalculated before they are read. A file that brings its child
    down is :class:`Unreadable` itself; the others are still read. One child reads what is as large as one file may be.
    """
    found: dict[str, Document | Unreadable] = {}
    batch: dict[str, bytes] = {}
    room = LIMITS.file_bytes
    for path, content in files.items():
        if len(content) > LIMITS.file_bytes:
            found[path] = Unreadable(path, "over-limit", f"more than {LIMITS.file_bytes:,} bytes")
            continue
        if len(content) > room:
            found |= _tried(batch, recalculated)
            batch, room = {}, LIMITS.file_bytes
        batch[path] = content
        room -= len(content)
    found |= _tried(batch, recalculated)
    return {path: found[path] for path in files}


def _tried(files: Mapping[str, bytes], recalculated: bool) -> dict[str, Document | Unreadable]:
    """Read a few files in one child; each in one of its own where that does not survive it."""
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
        found |= _tried({path: content}, recalculated)
    return found


def _in_child(files: Mapping[str, bytes], recalculated: bool) -> dict[str, Document | Unreadable]:
    encoded = {path: base64.b64encode(content).decode() for path, content in files.items()}
    payload = {"files": encoded, "recalculated": recalculated}
    answer = cast("dict[str, Any]", run(_CHILD, payload, preload=_MODULES))
    for path, raw in answer.items():
        values = computed(path, raw["office"]) if raw.get("office") else None
        if values is not None:
            again = {"files": {path: encoded[path]}, "recalculated": True, "values": {path: values}}
            answer[path] = run(_CHILD, again, preload=_MODULES)[path]
    return {path: _loaded(path, answer[path]) for path in files}


def read_json(payload: dict[str, Any]) -> dict[str, Any]:
    """What the child runs: ``{"files": {path: base64}, "recalculated": bool}`` to a document or a refusal by path.

    With ``"values": {path: [...]}`` these are what a workbook's formulas give, see ``secondhand``.
    """
    found: dict[str, Any] = {}
    for path, encoded in payload["files"].items():
        content = base64.b64decode(encoded)
        try:
            if payload["recalculated"] and format_of(path) == "xlsx":
                values = payload.get("values", {}).get(path)
                if values is None:
                    content = recalculate(content, path=path, engines=IN_PROCESS)
                else:
                    content = with_values(path, content, values)
            found[path] = _dumped(read(path, content, recalculated=payload["recalculated"]))
        except Unreadable as error:
            found[path] = {"reason": error.reason, "detail": error.detail}
            if payload["recalculated"] and format_of(path) == "xlsx" and not payload.get("values"):
                found[path]["office"] = request(path, content, NEW_YEAR, error)
    return found


def _dumped(document: Document) -> dict[str, Any]:
    rows = []
    for fragment in document.fragments:
        row: list[Any] = [getattr(fragment, field) for field in _FIELDS]
        while len(row) > 2 and row[-1] == _DEFAULTS[len(row) - 1]:
            row.pop()
        rows.append(row)
    return {
        "path": document.path,
        "format": document.format,
        "uncached": list(document.uncached),
        "pictures": list(document.pictures),
        "recognised": list(document.recognised),
        "fragments": rows,
        "members": [_dumped(member) for member in document.members],
        "refused": [refusal.model_dump() for refusal in document.refused],
    }


def _loaded(path: str, raw: dict[str, Any]) -> Document | Unreadable:
    if "reason" in raw:
        return Unreadable(path, raw["reason"], raw["detail"])
    return _document(raw)


def _document(raw: dict[str, Any]) -> Document:
    return Document(
        path=raw["path"],
        format=raw["format"],
        fragments=tuple(Fragment(**dict(zip(_FIELDS, row, strict=False))) for row in raw["fragments"]),
        uncached=tuple(raw["uncached"]),
        pictures=tuple(raw["pictures"]),
        recognised=tuple(raw["recognised"]),
        members=tuple(map(_document, raw["members"])),
        refused=tuple(Refusal(**refusal) for refusal in raw["refused"]),
    )
