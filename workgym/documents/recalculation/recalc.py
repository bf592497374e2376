"""Recalculation: the values that a workbook caches for its formulas, computed and written in place.

The first engine that knows all functions of the workbook computes all of it; other parts keep their bytes. Dates do
not come from the clock: ``TODAY()`` and ``NOW()`` are the start of the day that is given, for every engine. ``RAND``
and its kin have a fixed seed in formualizer, and no other engine is asked where they are called. ``OFFSET`` and
``INDIRECT`` are computed anew each time and give the same each time. Links to other files give what the file caches.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document
from workgym.documents.recalculation import office
from workgym.documents.recalculation.cached import CellValue, written
from workgym.documents.recalculation.engines import ENGINES, EngineName, Unknown, compute
from workgym.documents.recalculation.pinned import RANDOM
from workgym.documents.xlsx import read as xlsx
from workgym.documents.xlsx.references import functions
from workgym.errors import SandboxError, Unreadable

NEW_YEAR = datetime.date(2026, 1, 1)
"""What ``TODAY()`` is where nobody says otherwise."""
_ERROR = re.compile(r"#(?:REF!|NAME\?|VALUE!|DIV/0!|N/A|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA|CIRC!)")
_VOLATILE = frozenset(("TODAY", "NOW", "CELL", "INFO", *RANDOM))


def recalculate(
    content: bytes,
    *,
    path: str = "workbook.xlsx",
    today: datetime.date = NEW_YEAR,
    engines: Sequence[EngineName] = ENGINES,
) -> bytes:
    """The workbook with the value of every formula cached; the same bytes where it has no formula.

    ``engines`` are asked in their order until one knows all functions; LibreOffice is left out where it is not
    installed. A formula whose result is an error (``#REF!``) keeps it, see :func:`formula_errors`. Raises
    :class:`Unreadable`: ``unknown-function`` with the cell where a function is called that none of them knows,
    ``corrupt`` where a formula cannot be parsed, refers to itself in a circle, or is left without a value.
    """
    formulas = formulas_of(path, content)
    if not formulas:
        return content
    first: Exception | None = None
    for engine in engines:
        if (engine != "formualizer" and by_chance(formulas)) or (engine == "office" and office.reason()):
            continue
        try:
            computed = compute(engine, path, content, formulas, today)
            made = computed.content or written(path, content, computed.values)
            return complete(path, made)
        except (Unknown, Unreadable, SandboxError) as error:
            first = first or error
            if isinstance(error, Unreadable) and "circle" in error.detail:
                break
    raise _refusal(path, first) from first


class Opinions(NamedTuple):
    """What several engines make of one workbook."""

    values: Mapping[str, Mapping[str, CellValue]]
    """By engine, the value of each formula by cell."""
    silent: Mapping[str, str]
    """By engine that computed nothing, why."""
    volatile: Mapping[str, str]
    """Cells whose formulas ask for the date, for chance or for the machine, with the functions that do."""


class Disagreement(NamedTuple):
    """A cell of which two engines think differently."""

    cell: str
    """The cell, as ``Demand!B7``."""
    values: Mapping[str, CellValue | None]
    """What each engine gives; None where it gives nothing."""


def opinions(
    content: bytes,
    *,
    path: str = "workbook.xlsx",
    today: datetime.date = NEW_YEAR,
    engines: Sequence[EngineName] = ENGINES,
) -> Opinions:
    """What each engine gives for each formula. Raises :class:`Unreadable` where the file cannot be read at all."""
    formulas = formulas_of(path, content)
    values: dict[str, Mapping[str, CellValue]] = {}
    silent: dict[str, str] = {}
    for engine in engines:
        if engine == "office" and office.reason():
            silent[engine] = office.reason()
            continue
        try:
            found = compute(engine, path, content, formulas, today).values
            values[engine] = {at: found[at] for at in formulas if at in found}
        except (Unknown, Unreadable, SandboxError) as error:
            silent[engine] = error.detail if isinstance(error, Unreadable) else str(error)
    called = {at: sorted(_VOLATILE.intersection(functions(formula))) for at, formula in formulas.items()}
    return Opinions(values, silent, {at: ", ".join(names) for at, names in called.items() if names})


def disagreements(found: Opinions, *, tolerance: float = 1e-9) -> tuple[Disagreement, ...]:
    """The cells of which the engines think differently; numbers within ``tolerance``, absolute or relative, agree.

    A truth value agrees with 1 or 0. What chance decides (``RAND``) always differs, see ``Opinions.volatile``.
    """
    cells = dict.fromkeys(at for values in found.values.values() for at in values)
    wrong = []
    for at in cells:
        given = {engine: values.get(at) for engine, values in found.values.items()}
        known = list(given.values())
        if any(not _same(known[0], other, tolerance) for other in known[1:]):
            wrong.append(Disagreement(at, given))
    return tuple(wrong)


def formula_errors(document: Document) -> tuple[tuple[str, str], ...]:
    """The cells of a workbook whose formula gives an error, with the error."""
    return tuple(
        (fragment.at, fragment.text)
        for fragment in document.fragments
        if fragment.formula is not None and _ERROR.fullmatch(fragment.text)
    )


def formulas_of(path: str, content: bytes) -> dict[str, str]:
    """The formulas of a workbook, by cell. Raises :class:`Unreadable`."""
    found = xlsx.read(path, content).fragments
    formulas = {one.at: one.formula for one in found if one.formula is not None}
    check(path, len(formulas), LIMITS.formulas, "formulas")
    if formulas:
        check(path, len(found), LIMITS.computed_cells, "cells beside formulas that are recalculated")
    return formulas


def complete(path: str, made: bytes) -> bytes:
    """``made`` again. Raises :class:`Unreadable` where a formula of it has no value."""
    left = xlsx.read(path, made).uncached
    if left:
        raise Unreadable(path, "corrupt", f"the formula in {left[0]} has no value after recalculation")
    return made


def by_chance(formulas: Mapping[str, str]) -> bool:
    """Whether a formula asks for random numbers."""
    return any(set(functions(formula)).intersection(RANDOM) for formula in formulas.values())


def _refusal(path: str, error: Exception | None) -> Unreadable:
    if isinstance(error, Unreadable):
        return error
    if isinstance(error, Unknown):
        return Unreadable(path, "unknown-function", f"{error}, which no engine here knows")
    return Unreadable(path, "unknown-function", f"no engine here may be asked ({error or 'none is installed'})")


def _same(one: CellValue | None, other: CellValue | None, tolerance: float) -> bool:
    if isinstance(one, (bool, int, float)) and isinstance(other, (bool, int, float)):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return type(one) is type(other) and one == other
