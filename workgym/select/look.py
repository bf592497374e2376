"""What was handed in, as a person sees it: how much it is, and its text; read in limited child processes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workgym.documents import Document
from workgym.documents.xlsx.outline import SeenSheet, visible_sheets
from workgym.errors import ReplayError, SandboxError
from workgym.records import by_ending
from workgym.select.story import Story
from workgym.trajectory import Trajectory
from workgym.verify.files import read_deliverables

BATCH = 32
"""Trajectories whose deliverables are read by one child."""
TEXT = 1_000_000
"""Characters of one deliverable that are looked at."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""A word, or a sign of a script that does not part them."""


@dataclass(frozen=True)
class Looked:
    """One deliverable."""

    path: str
    """Its path."""
    facts: int | None
    """Facts that the task asks for in it, as the verdict counted them; None where it did not."""
    missing: str = ""
    """Why there is nothing to see: not handed in, or not readable; empty where there is."""
    document: Document | None = None
    """What it says; None where it is missing."""
    text: str = ""
    """What a person reads in it."""
    cells: int | None = None
    """Filled cells or values that it shows; None for prose."""
    words: int = 0
    """Words that it shows."""
    empty: tuple[str, ...] = ()
    """Its sheets on which nothing stands or lies."""
    sheets: int = 0
    """Its sheets that a person sees; 0 where it has none."""
    pictured: bool = False
    """Whether some of what it says stands in pictures, so that nobody counted all of it."""

    @property
    def size(self) -> int:
        """Cells or values, or else words."""
        return self.words if self.cells is None else self.cells


def asked(story: Story) -> dict[str, int | None]:
    """The deliverables of the task by path, with the number of facts that each states: as the verdict names them.

    Where a grader of another kind names none, they are the files that were made or changed.
    """
    record: dict[str, Any] = {}
    if story.verdict is not None and isinstance(story.verdict.record, dict):
        record = story.verdict.record
    found: dict[str, int | None] = {}
    for check in record.get("checks") or ():
        if isinstance(check, dict) and check.get("kind") == "file" and isinstance(check.get("deliverable"), str):
            found[check["deliverable"]] = 0
    for unit in (record.get("scores") or {}).get("units") or ():
        if isinstance(unit, dict) and isinstance(unit.get("facts"), int):
            found[str(unit.get("deliverable"))] = (found.get(str(unit.get("deliverable"))) or 0) + unit["facts"]
    if found or story.handed is None:
        return found
    return {path: None for path in sorted(story.handed.kept) if by_ending(path) is not None}


def look(stories: Sequence[Story]) -> list[dict[str, Looked]]:
    """The deliverables of each, by path. Those of many stories are read by one child."""
    found: list[dict[str, Looked]] = []
    for start in range(0, len(stories), BATCH):
        found += _batch(stories[start : start + BATCH])
    return found


def _batch(stories: Sequence[Story]) -> list[dict[str, Looked]]:
    wanted = []
    contents: dict[str, bytes] = {}
    for number, story in enumerate(stories):
        paths = asked(story)
        try:
            contents |= {f"{number}/{path}": content for path, content in _contents(story, paths)}
        except ReplayError:
            paths = {}  # damaged on disk, which is a matter of integrity
        wanted.append(paths)
    documents = read_deliverables(contents)
    books = {path: contents[path] for path, one in documents.items() if getattr(one, "format", "") == "xlsx"}
    try:
        sheets = visible_sheets(books)
    except SandboxError:
        sheets = {}  # a workbook that can be read, and not listed: nothing is held against its sheets
    return [
        {
            path: looked(path, facts, documents.get(f"{number}/{path}"), sheets.get(f"{number}/{path}", ()))
            for path, facts in paths.items()
        }
        for number, paths in enumerate(wanted)
    ]


def _contents(story: Story, paths: Mapping[str, object]) -> Iterator[tuple[str, bytes]]:
    """The deliverables that were handed in and are not as they were given. Raises ReplayError for a damaged one."""
    kept = {} if story.handed is None else story.handed.kept
    trajectory = Trajectory(story.folder)
    return ((path, trajectory.blob(kept[path])) for path in paths if path in kept)


def looked(path: str, facts: int | None, document: Any, sheets: Sequence[SeenSheet]) -> Looked:
    """One deliverable as it was read: a document, what refused it, or None where it was not handed in."""
    if document is None:
        return Looked(path, facts, missing="it was not handed in")
    if not isinstance(document, Document):
        return Looked(path, facts, missing=f"it cannot be read: {document.reason}")
    shown = [piece for one in document.whole() for piece in one.fragments if not piece.hidden and piece.text.strip()]
    text = "\n".join(piece.text for piece in shown)[:TEXT]
    grid = document.kind.grids in ("sheets", "records") or document.format in ("csv", "tsv")
    filled = {piece.table for piece in shown} | {piece.at.partition("!")[0] for piece in shown}
    return Looked(
        path=path,
        facts=facts,
        document=document,
        text=text,
        cells=len(shown) if grid else None,
        words=len(_WORD.findall(text)),
        empty=tuple(sheet.name for sheet in sheets if sheet.name not in filled and not sheet.drawn),
        sheets=len(sheets),
        pictured=any(one.pictures or one.recognised for one in document.whole()),
    )
