"""Files that an agent or a stranger made, read in a limited child process: what the host does, and what the child runs.

What files are refused for is counted. The last resort are budgets of processor time, so that a busy machine does not
decide what becomes of a file: of its child, of LibreOffice where a workbook in it needs that, and of the child that
writes in what LibreOffice found; together less than a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from workgym.documents.csv import table
from workgym.documents.json import read as tree
from workgym.documents.limits import LIMITS
from workgym.documents.model import ROW, Document, Fragment, Pieces, Refusal, row_of
from workgym.documents.reading import READERS, format_of, read_using
from workgym.documents.recalculation.engines import IN_PROCESS
from workgym.documents.recalculation.recalc import NEW_YEAR, recalculate
from workgym.documents.recalculation.secondhand import Values, computed, request, with_values
from workgym.errors import ChildFailed, Unreadable
from workgym.sandbox.child import JobLimits, run

_CHILD_SECONDS, _OFFICE_SECONDS, _AGAIN_SECONDS = 30, 15.0, 12
"""Processor time of a child, of LibreOffice for a file (or several small ones together), and of the second child."""
_BACKSTOP = 600.0
"""Seconds on the clock after which a child that waits for ever is ended."""
_MEMORY_MIB = 400
"""Address space of a child beyond what it starts with: with the readers' libraries and a large file under 512 MiB."""
_ABORTED = "SIGABRT"
"""How PDFium ends where it gets no more memory."""
_MODULES = (*dict.fromkeys(target.partition(":")[0] for target in READERS.values()), "formualizer", "ironcalc")
_DEFAULTS = tuple(Fragment.model_fields[field].default for field in ROW)
_UNPACKING: dict[str, Callable[[str, str, Any], Pieces]] = {
    "csv": table.unpacked,
    "tsv": table.unpacked,
    "json": tree.unpacked,
}
_CHILD = "workgym.documents.strangers:read_json"


def read_all(files: Mapping[str, bytes], *, recalculated: bool = False) -> dict[str, Document | Unreadable]:
    """Read files that an agent or a stranger made, by path, in a limited child process.

    With ``recalculated``, workbooks with formulas, in archives and mails too, are recalculated before they are read, by
    LibreOffice where no engine in the child knows their functions. ``TODAY()`` is a fixed day then, see
    :mod:`workgym.documents.recalculation.recalc`. A file that brings its child down is :class:`Unreadable` itself; the
    others are still read. One child reads what is as large as one file may be.
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
            return {path: _ended(path, error) for path in files}
    found: dict[str, Document | Unreadable] = {}
    for path, content in files.items():
        found |= _tried({path: content}, recalculated)
    return found


def _ended(path: str, error: ChildFailed) -> Unreadable:
    """Why a file is refused whose child ended before it had read it."""
    if error.kind == "memory" or (path.lower().endswith(".pdf") and _ABORTED in error.detail):
        return Unreadable(path, "over-limit", f"reading it takes more than {_MEMORY_MIB} MiB of memory")
    reason = "corrupt" if error.kind in ("crash", "error") else "over-limit"
    return Unreadable(path, reason, f"reading it ended its process: {error.kind}, {error.detail}")


def _in_child(files: Mapping[str, bytes], recalculated: bool) -> dict[str, Document | Unreadable]:
    answer = _job(files, {"recalculated": recalculated, "values": {}}, _CHILD_SECONDS)
    for path, asks in {path: asks for path, raw in answer.items() if (asks := raw.pop("asks", None))}.items():
        values = _values(asks)
        if values:
            again = {"recalculated": True, "values": values}
            answer[path] = _job({path: files[path]}, again, _AGAIN_SECONDS)[path]
    return {path: _loaded(path, answer.pop(path)) for path in files}


def _job(files: Mapping[str, bytes], payload: dict[str, Any], seconds: int) -> dict[str, Any]:
    limits = JobLimits(memory_mib=_MEMORY_MIB, cpu_seconds=seconds, wall_seconds=_BACKSTOP)
    return cast("dict[str, Any]", run(_CHILD, payload, files=files, preload=_MODULES, limits=limits))


def _values(asks: Mapping[str, dict[str, Any]]) -> dict[str, Values]:
    """What LibreOffice says of workbooks, by path; those of which it says nothing are left out."""
    found: dict[str, Values] = {}
    for path, asked in asks.items():
        values = computed(path, asked, _OFFICE_SECONDS / len(asks))
        if values is not None:
            found[path] = values
    return found


def read_json(payload: dict[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the child runs: ``{"recalculated": bool, "values": {path: values}}`` and contents of files by path.

    By path it gives a document or a refusal, and as ``"asks"`` what LibreOffice shall compute. ``values`` are what it
    found, by the path of a workbook, see :mod:`workgym.documents.recalculation.secondhand`.
    """
    found: dict[str, Any] = {}
    for path, content in files.items():
        desk = _Desk(payload["values"])
        try:
            if not payload["recalculated"]:
                found[path] = _dumped(read_using(path, content, None))
            else:
                made = desk.recalculated(path, content) if format_of(path) == "xlsx" else content
                found[path] = _dumped(read_using(path, made, desk.within))
        except Unreadable as error:
            found[path] = {"reason": error.reason, "detail": error.detail}
        if desk.asks:
            found[path]["asks"] = desk.asks
    return found


class _Desk:
    """Recalculates the workbooks of one file, and notes which of them only LibreOffice may know how to compute."""

    def __init__(self, values: Mapping[str, Values]) -> None:
        self.values = values
        self.asks: dict[str, dict[str, Any]] = {}
        self.room = LIMITS.asked_bytes

    def recalculated(self, path: str, content: bytes) -> bytes:
        """The workbook with values. Raises :class:`Unreadable`."""
        if path in self.values:
            return with_values(path, content, self.values[path])
        try:
            return recalculate(content, path=path, engines=IN_PROCESS)
        except Unreadable as error:
            asked = request(path, content, NEW_YEAR, error)
            if asked is not None and len(asked["content"]) <= self.room and len(self.asks) < LIMITS.asked:
                self.room -= len(asked["content"])
                self.asks[path] = asked
            raise

    def within(self, path: str, content: bytes) -> bytes:
        """The same for one within another file, which keeps the values that it brings where none can be computed."""
        try:
            return self.recalculated(path, content)
        except Unreadable as error:
            if error.reason != "unknown-function":
                raise
            return content


def _dumped(document: Document) -> dict[str, Any]:
    raw = {
        "path": document.path,
        "format": document.format,
        "uncached": list(document.uncached),
        "pictures": list(document.pictures),
        "recognised": list(document.recognised),
        "members": [_dumped(member) for member in document.members],
        "refused": [refusal.model_dump() for refusal in document.refused],
    }
    packed = document.fragments.packed() if isinstance(document.fragments, Pieces) else None
    return raw | ({"fragments": list(_rows(document))} if packed is None else {"packed": packed})


def _rows(document: Document) -> Iterator[list[Any]]:
    """The fields of each fragment, without defaults at the end."""
    given = document.fragments
    for fields in given.rows() if isinstance(given, Pieces) else map(row_of, given):
        row = list(fields)
        while len(row) > 2 and row[-1] == _DEFAULTS[len(row) - 1]:
            row.pop()
        yield row


def _loaded(path: str, raw: dict[str, Any]) -> Document | Unreadable:
    if "reason" in raw:
        return Unreadable(path, raw["reason"], raw["detail"])
    return _document(raw)


def _document(raw: dict[str, Any]) -> Document:
    return Document(
        path=raw["path"],
        format=raw["format"],
        fragments=_unpacked(raw) if "packed" in raw else tuple(_fragments(raw["fragments"])),
        uncached=tuple(raw["uncached"]),
        pictures=tuple(raw["pictures"]),
        recognised=tuple(raw["recognised"]),
        members=tuple(map(_document, raw["members"])),
        refused=tuple(Refusal(**refusal) for refusal in raw["refused"]),
    )


def _unpacked(raw: dict[str, Any]) -> Pieces:
    """The pieces of a document that came without fragments; its child is not trusted to have packed them well."""
    try:
        return _UNPACKING[raw["format"]](raw["path"], raw["format"], raw["packed"])
    except (KeyError, Unreadable) as error:
        raise ChildFailed(_CHILD, "crash", f"its answer cannot be read ({error})") from error


def _fragments(rows: list[list[Any]]) -> Iterator[Fragment]:
    """The fragments of rows, which are given up on the way: both together would take twice the memory."""
    rows.reverse()
    while rows:
        yield Fragment(**dict(zip(ROW, rows.pop(), strict=False)))
