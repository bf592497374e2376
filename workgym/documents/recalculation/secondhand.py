"""Strangers' workbooks that only LibreOffice can recalculate: three steps, of which each process does what it may.

The limited child that reads a file can start no program, and the host does not parse the file. So the child says what
LibreOffice shall see and which functions it must know (``request``), the host has it computed in its sandbox
(``computed``), and another child writes the values into the file (``with_values``). All three speak JSON.
"""

from __future__ import annotations

import base64
import datetime
from typing import Any

from workgym.documents.recalculation import office
from workgym.documents.recalculation.cached import CellError, CellValue, written
from workgym.documents.recalculation.engines import Unknown, calls, refuse_unknown_to_office
from workgym.documents.recalculation.pinned import pinned
from workgym.documents.recalculation.recalc import by_chance, complete, formulas_of
from workgym.errors import SandboxError, Unreadable

Values = list[list[Any]]
"""What LibreOffice computed: cell, value and whether it is an error, each."""


def request(path: str, content: bytes, today: datetime.date, error: Unreadable) -> dict[str, Any] | None:
    """In the child: what LibreOffice is asked about a workbook that met ``error``.

    None where it would not help: the file cannot be read, its formulas run in a circle, or chance plays a part.
    """
    if error.reason not in ("unknown-function", "corrupt") or "circle" in error.detail:
        return None
    try:
        formulas = formulas_of(path, content)
        if by_chance(formulas):
            return None
        return {"content": base64.b64encode(pinned(path, content, today)).decode(), "calls": calls(formulas)}
    except Unreadable:
        return None


def computed(path: str, asked: dict[str, Any], seconds: float) -> Values | None:
    """On the host: the values; None where LibreOffice cannot say, or not within some seconds of processor time."""
    if office.reason():
        return None
    try:
        refuse_unknown_to_office({str(name): str(at) for name, at in asked["calls"].items()})
        values = office.values(path, base64.b64decode(asked["content"]), seconds)
    except (Unknown, Unreadable, SandboxError):
        # What the engines in the child said of the file stays the reason why it is refused.
        return None
    return [[at, value, isinstance(value, CellError)] for at, value in values.items()]


def with_values(path: str, content: bytes, values: Values) -> bytes:
    """In the child: the workbook with the values cached. Raises :class:`Unreadable` where one is missing."""
    made: dict[str, CellValue] = {at: CellError(value) if error else value for at, value, error in values}
    return complete(path, written(path, content, made))
