"""How much a model may write, counted before anything else looks at it, and which paths it may choose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from workgym.authoring.planner.records import Problem
from workgym.records import FORMATS, by_ending

LARGEST_TEXT = 40_000
"""Characters of one text: a template, a query, a cell."""
LARGEST_DRAFT = 1_200_000
"""Characters of all texts, names and numbers of a draft together."""
LONGEST_LIST = 2_000
"""Entries of one list: rows of a unit, lines of a literal table."""
DEEPEST = 24
"""Levels of nesting."""
MOST_VALUES = 60_000
"""Values of a draft in all."""
MOST = {
    "units": 60,
    "artifacts": 60,
    "files": 60,
    "pages": 40,
    "sites": 20,
    "deliverables": 6,
    "traps": 12,
    "conflicts": 12,
}
"""Entries of the lists at the top of a draft."""
MOST_FILES = 120
"""Files and pages of a task, those of `each` counted one by one."""
LONGEST_PATH = 160
"""Characters of a path."""
DEEPEST_PATH = 6
"""Folders and file name together."""
RESERVED = frozenset({"request.md", "task.yaml"})
"""Names at the root that are not a model's to give."""
_PART = re.compile(r"[A-Za-z0-9À-ſ(][A-Za-z0-9À-ſ ._()&+,'-]{0,79}")


def over(draft: BaseModel) -> tuple[Problem, ...]:
    """What of a draft is over a limit; where anything is, the draft must not be looked at further."""
    data = draft.model_dump()
    found = [
        _problem(name, f"{len(data[name])} {name}, at most {most} are taken")
        for name, most in MOST.items()
        if len(data.get(name) or ()) > most
    ]
    return (*found, *_sizes(data))[:20]


def _problem(place: str, message: str) -> Problem:
    return Problem(code="limit", place=place, message=message)


def _sizes(data: Any) -> Iterator[Problem]:
    """Texts, lists and nesting that are too much; a stack of our own, since a draft may be nested as it likes."""
    stack: list[tuple[str, Any, int]] = [("", data, 0)]
    values = characters = 0
    while stack:
        place, value, depth = stack.pop()
        values += 1
        if isinstance(value, str):
            characters += len(value)
            if len(value) > LARGEST_TEXT:
                yield _problem(place, f"{len(value):,} characters, at most {LARGEST_TEXT:,} are taken")
        elif isinstance(value, dict | list | tuple) and depth >= DEEPEST:
            yield _problem(place, f"nested deeper than {DEEPEST} levels")
        elif isinstance(value, dict):
            characters += sum(len(str(key)) for key in value)
            stack += [(f"{place}.{key}".lstrip(".")[:200], inner, depth + 1) for key, inner in value.items()]
        elif isinstance(value, list | tuple):
            if len(value) > LONGEST_LIST:
                yield _problem(place, f"{len(value):,} entries, at most {LONGEST_LIST:,} are taken")
            stack += [(f"{place}[{at}]", inner, depth + 1) for at, inner in enumerate(value[:LONGEST_LIST])]
        if values > MOST_VALUES:
            yield _problem("", f"more than {MOST_VALUES:,} values in all")
            return
    if characters > LARGEST_DRAFT:
        yield _problem("", f"{characters:,} characters in all, at most {LARGEST_DRAFT:,} are taken")


def path_fault(path: str) -> str | None:
    """What is wrong with a path that a model chose, or None."""
    parts = path.split("/")
    if {"", ".", ".."} & {*parts} or "\\" in path or path != path.strip():
        return "is no path below the workspace's root"
    if len(path) > LONGEST_PATH or len(parts) > DEEPEST_PATH:
        return f"is longer than {LONGEST_PATH} characters or deeper than {DEEPEST_PATH} levels"
    for part in parts:
        if _PART.fullmatch(part) is None or part.endswith((".", " ")):
            return f"{part!r}: use letters, digits, blanks and . _ - ( ) & + , ', and begin with a letter or digit"
    if path.casefold() in RESERVED or parts[0].casefold() == "external":
        return "is a name that the task itself uses"
    if by_ending(path) is None:
        return f"no writer for .{path.rpartition('.')[2].lower()}: use one of {', '.join(FORMATS)}"
    return None


def path_problems(kind: str, paths: Iterable[str]) -> Iterator[Problem]:
    """Paths that may not be, that are there twice (case aside), or that are a file and a folder at once."""
    seen: dict[str, str] = {}
    for path in paths:
        fault = path_fault(path)
        if fault is not None:
            yield Problem(code="path", place=f"{kind}.{path[:200]}", message=fault)
        elif path.casefold() in seen:
            yield Problem(code="path", place=f"{kind}.{path}", message=f"is there twice ({seen[path.casefold()]})")
        seen.setdefault(path.casefold(), path)
    for folded, path in seen.items():
        if any(other.startswith(f"{folded}/") for other in seen):
            yield Problem(code="path", place=f"{kind}.{path[:200]}", message="is a file and a folder at once")
