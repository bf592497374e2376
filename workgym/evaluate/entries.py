"""The journal of a factory's run, as it is read."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from workgym.errors import UsageError
from workgym.records.factory import FactoryEntry

JOURNAL, LEDGER, TASKS = "factory.jsonl", "ledger.sqlite", "tasks"
"""Names in a factory's folder: its entries, its ledger, its corpus."""


def entries(out: Path) -> tuple[FactoryEntry, ...]:
    """One entry for each intent and condition, in the order in which they first came; empty where there is no journal.

    A later line replaces an earlier one, and a torn last line is left out. Raises UsageError with file, line and key
    for one that is damaged.
    """
    path = out / JOURNAL
    found: dict[tuple[str, str], FactoryEntry] = {}
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return ()
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n") or not line.strip():
            continue
        try:
            entry = FactoryEntry.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            raise UsageError(f"{path}:{number}: {key or 'line'}: {first['msg']}", fix="run the factory again") from None
        found[entry.intent, entry.condition] = entry
    return tuple(found.values())
