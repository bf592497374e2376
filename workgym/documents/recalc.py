"""Recalculation: the values that a workbook caches for its formulas, computed and written in place by formualizer.

Other parts of the file keep their bytes. Dates do not come from the clock: ``TODAY()`` is the day that is given.
"""

from __future__ import annotations

import datetime
import re

from workgym.documents.model import Document
from workgym.documents.readers import xlsx
from workgym.errors import Unreadable

NEW_YEAR = datetime.date(2026, 1, 1)
"""What ``TODAY()`` is where nobody says otherwise."""
_ERROR = re.compile(r"#(?:REF!|NAME\?|VALUE!|DIV/0!|N/A|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA|CIRC!)")
_CELL = re.compile(r"formula in ('?[^'!]+'?![A-Z]+\d+)")


def recalculate(content: bytes, *, path: str = "workbook.xlsx", today: datetime.date = NEW_YEAR) -> bytes:
    """The workbook with the value of every formula cached; the same bytes where it has no formula.

    A formula whose result is an error (``#REF!``) keeps it, see :func:`formula_errors`. Raises :class:`Unreadable`:
    ``unknown-function`` with the cell where a function is called that the engine does not know, ``corrupt`` where a
    formula cannot be parsed, refers to itself in a circle, or is left without a value.
    """
    before = xlsx.read(path, content)
    if not any(fragment.formula is not None for fragment in before.fragments):
        return content
    import formualizer  # 40 ms, and only workbooks with formulas need it

    noon = datetime.datetime(today.year, today.month, today.day, tzinfo=datetime.UTC)
    try:
        answer = formualizer.recalculate_xlsx_bytes(
            content, error_location_limit=1000, rng_seed=1, deterministic_timestamp_utc=noon
        )
    except (OSError, ValueError, RuntimeError, formualizer.ExcelEvaluationError) as error:
        raise Unreadable(path, "corrupt", _reason(str(error))) from error
    _refuse_unknown(path, answer["summary"])
    made: bytes = answer["bytes"]
    left = xlsx.read(path, made).uncached
    if left:
        raise Unreadable(path, "corrupt", f"the formula in {left[0]} has no value after recalculation")
    return made


def formula_errors(document: Document) -> tuple[tuple[str, str], ...]:
    """The cells of a workbook whose formula gives an error, with the error."""
    return tuple(
        (fragment.at, fragment.text)
        for fragment in document.fragments
        if fragment.formula is not None and _ERROR.fullmatch(fragment.text)
    )


def _refuse_unknown(path: str, summary: dict[str, object]) -> None:
    unknown = summary.get("unknown_functions")
    if not unknown:
        return
    names = [str(entry["name"]) for entry in unknown] if isinstance(unknown, list) else [str(unknown)]
    errors = summary.get("error_summary")
    places = errors.get("#NAME?", {}) if isinstance(errors, dict) else {}
    for at, message in zip(places.get("locations", ()), places.get("messages", ()), strict=False):
        if message and "nknown function" in message:
            raise Unreadable(
                path, "unknown-function", f"{at} calls {message.rpartition(': ')[2]}, which no engine here knows"
            )
    raise Unreadable(path, "unknown-function", f"it calls {', '.join(names)}, which no engine here knows")


def _reason(message: str) -> str:
    if "#CIRC!" in message:
        return "its formulas refer to each other in a circle"
    match = _CELL.search(message)
    if match is not None:
        return f"the formula in {match[1]} cannot be understood"
    return f"its formulas cannot be calculated ({message.partition(': ')[2] or message})"
