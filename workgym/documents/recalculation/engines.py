"""The engines that compute formulas: formualizer first, ironcalc for a second opinion, LibreOffice for a third.

Each gives the value of every formula of a workbook, or says which function it does not know. The first two run in this
process (0.5 to 30 ms), the third in a sandbox of its own, where LibreOffice is installed.
"""

from __future__ import annotations

import datetime
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from workgym.documents.recalculation import office
from workgym.documents.recalculation.bare import bare
from workgym.documents.recalculation.cached import CellError, CellValue, stored
from workgym.documents.recalculation.pinned import pinned
from workgym.documents.xlsx.a1 import split_place
from workgym.documents.xlsx.references import functions
from workgym.errors import Unreadable

EngineName = Literal["formualizer", "ironcalc", "office"]
IN_PROCESS: tuple[EngineName, ...] = ("formualizer", "ironcalc")
"""The engines that run in this process."""
ENGINES: tuple[EngineName, ...] = (*IN_PROCESS, "office")
"""All engines, in the order in which they are asked."""
_CELL = re.compile(r"formula in ('?[^'!]+'?![A-Z]+\d+)")
_NOT_UNDERSTOOD = ("#ERROR!", "#N/IMPL!")
"""What ironcalc gives for a formula that it cannot parse, or does not compute yet."""


class Unknown(Exception):
    """A formula calls a function that an engine does not know."""

    def __init__(self, cell: str, function: str) -> None:
        self.cell, self.function = cell, function
        super().__init__(f"{cell} calls {function}")


class Computed(NamedTuple):
    """What an engine makes of a workbook."""

    values: Mapping[str, CellValue]
    """The value of each formula, by cell."""
    content: bytes | None
    """The workbook with these values cached, where the engine writes it itself."""


def compute(
    engine: EngineName, path: str, content: bytes, formulas: Mapping[str, str], today: datetime.date
) -> Computed:
    """The values of ``formulas`` (by cell) of a workbook.

    Raises :class:`Unknown`; :class:`Unreadable` (``corrupt``) where a formula cannot be parsed or refers to itself in
    a circle, ``over-limit``; SandboxError where LibreOffice does not start.
    """
    return _ENGINES[engine](path, content, formulas, today)


def _formualizer(path: str, content: bytes, formulas: Mapping[str, str], today: datetime.date) -> Computed:
    import formualizer  # 40 ms, and only workbooks with formulas need it

    given = pinned(path, content, None)
    midnight = datetime.datetime(today.year, today.month, today.day, tzinfo=datetime.UTC)
    try:
        answer = formualizer.recalculate_xlsx_bytes(
            given, error_location_limit=1000, rng_seed=1, deterministic_timestamp_utc=midnight
        )
    except (OSError, ValueError, RuntimeError, formualizer.ExcelEvaluationError) as error:
        raise Unreadable(path, "corrupt", _reason(str(error))) from error
    unknown = answer["summary"].get("unknown_functions")
    if unknown:
        raise _first_unknown(answer["summary"], unknown, formulas)
    made: bytes = answer["bytes"]
    return Computed(stored(path, made), made if given is content else None)


def _first_unknown(summary: dict[str, Any], unknown: Any, formulas: Mapping[str, str]) -> Unknown:
    names = [str(entry["name"]) for entry in unknown] if isinstance(unknown, list) else [str(unknown)]
    called = calls(formulas)
    for name in names:
        bare = name.upper().removeprefix("_XLFN.").removeprefix("_XLWS.")
        if bare in called:
            return Unknown(called[bare], bare)
    places = summary.get("error_summary", {}).get("#NAME?", {})
    return Unknown(str(next(iter(places.get("locations", ())), "a formula")), names[0])


def _reason(message: str) -> str:
    if "#CIRC!" in message:
        return "its formulas refer to each other in a circle"
    match = _CELL.search(message)
    if match is not None:
        return f"the formula in {match[1]} cannot be understood"
    return f"its formulas cannot be calculated ({message.partition(': ')[2] or message})"


def _ironcalc(path: str, content: bytes, formulas: Mapping[str, str], today: datetime.date) -> Computed:
    import ironcalc  # 20 ms, and only a second opinion needs it

    names = calls(formulas)
    _refuse(names, _unknown_to_ironcalc(names))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "book.xlsx")
        file.write_bytes(bare(path, pinned(path, content, today)))
        try:
            model = ironcalc.load_from_xlsx(str(file), "en", "UTC", "en")
            model.evaluate()
        except BaseException as error:
            # A defect of the library shows as pyo3's PanicException, which is no Exception.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise Unreadable(path, "corrupt", f"ironcalc cannot calculate it ({str(error)[:120]})") from error
    sheets = {sheet["name"]: index for index, sheet in enumerate(model.get_worksheets_properties())}
    values: dict[str, CellValue] = {}
    for at in formulas:
        name, row, column = split_place(at) or ("", 0, 0)
        if name not in sheets:
            continue
        value = model.get_cell_value(sheets[name], row, column)
        failed = model.get_cell_type(sheets[name], row, column) == ironcalc.CellType.ErrorValue
        if failed and value == "#CIRC!":
            raise Unreadable(path, "corrupt", "its formulas refer to each other in a circle")
        if failed and value in _NOT_UNDERSTOOD:
            raise Unreadable(path, "corrupt", f"the formula in {at} cannot be understood")
        values[at] = CellError(value) if failed else "" if value is None else value
    return Computed(values, None)


def _unknown_to_ironcalc(names: Iterable[str]) -> set[str]:
    import ironcalc

    model = ironcalc.create("probe", "en", "UTC", "en")
    for row, name in enumerate(names, 1):
        model.set_user_input(0, row, 1, f"={name}()")
    model.evaluate()
    return {name for row, name in enumerate(names, 1) if model.get_cell_value(0, row, 1) == "#NAME?"}


def _office(path: str, content: bytes, formulas: Mapping[str, str], today: datetime.date) -> Computed:
    refuse_unknown_to_office(calls(formulas))
    return Computed(office.values(path, pinned(path, content, today)), None)


def refuse_unknown_to_office(called: Mapping[str, str]) -> None:
    """Raises :class:`Unknown` where LibreOffice does not know a function of :func:`calls`."""
    _refuse(called, set(called) - office.functions())


def calls(formulas: Mapping[str, str]) -> dict[str, str]:
    """The functions that formulas call, each with the first cell that does."""
    found: dict[str, str] = {}
    for at, formula in formulas.items():
        for name in functions(formula):
            found.setdefault(name, at)
    return found


def _refuse(called: Mapping[str, str], unknown: set[str]) -> None:
    for name, at in called.items():
        if name in unknown:
            raise Unknown(at, name)


_ENGINES: dict[EngineName, Callable[[str, bytes, Mapping[str, str], datetime.date], Computed]] = {
    "formualizer": _formualizer,
    "ironcalc": _ironcalc,
    "office": _office,
}
