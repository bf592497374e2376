"""Guards: what multiplies the whole reward, since it is about the workspace and not about any one fact.

``inputs``, ``stray`` and ``types`` are those of every task. ``collateral`` is there where a task has edited inputs:
files that are filled in or extended, with all else left as it was. A change beside the areas is worth no more than a
changed input, 0: others rely on the rest of the file, and nobody looks for a change there. What a program dropped when
it saved the file (a comment, a chart, a picture) costs half: it is missed at first sight, and the original has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from workgym.documents import Document
from workgym.errors import Unreadable
from workgym.graph import Deliverable
from workgym.package import TaskPackage
from workgym.verify.combine import LOST, SPOILT, STRAY
from workgym.verify.edited.compare import compare
from workgym.verify.edited.damage import Compared, Damage
from workgym.verify.files import Opened, changed_inputs, edited, mistyped, read_deliverables, stray_files
from workgym.verify.model import CheckResult, CheckState
from workgym.verify.telling.evidence import listed

_SHOWN = 100
"""Places of one file that get a check of their own; what is beyond is counted."""


@dataclass(frozen=True)
class Guarded:
    """What the guards say of a workspace."""

    factors: Mapping[str, float]
    """What each multiplies by."""
    checks: tuple[CheckResult, ...]
    """A check for each, and for each place that was damaged."""
    given: Mapping[str, frozenset[str]]
    """By edited input the places of what was given: nothing there is stated by the solver."""


def guarded(package: TaskPackage, files: Mapping[str, bytes], opened: Mapping[str, Opened]) -> Guarded:
    """Look at the workspace as a whole."""
    looks = (
        ("inputs", changed_inputs(package, files), 0.0, "files that were given are not as they were"),
        ("stray", stray_files(package, files), STRAY, "files were left behind that nobody asked for"),
        ("types", mistyped(package, files), 0.0, "a deliverable is not of the format that its name says"),
    )
    factors = {name: factor if found else 1.0 for name, found, factor, _ in looks}
    checks = [_guard(name, "failed" if found else "passed", found, says) for name, found, _, says in looks]
    given: dict[str, frozenset[str]] = {}
    concerned = set(edited(package))
    damage: dict[str, tuple[Damage, ...]] = {}
    unread = []
    for deliverable in package.hidden.graph.deliverables:
        if deliverable.path in concerned:
            compared = _compared(package, files, opened[deliverable.path], deliverable)
            if compared is None:
                unread.append(deliverable.path)
                continue
            damage[deliverable.path], given[deliverable.path] = compared
    if concerned:
        all_of_it = [one for found in damage.values() for one in found]
        spoilt = any(not one.beside for one in all_of_it)
        factors["collateral"] = SPOILT if spoilt else LOST if all_of_it else 1.0
        told = tuple(f"{path} {one.place}: {one.message}" for path, found in damage.items() for one in found)
        state: CheckState = "unscored" if unread else "failed" if told else "passed"
        says = "what was given cannot be read" if unread else "more was changed than what was asked for"
        checks.append(_guard("collateral", state, told or tuple(unread), says))
        checks += [check for path, found in damage.items() for check in _places(path, found)]
    return Guarded(factors, tuple(checks), given)


def _guard(name: str, state: CheckState, found: tuple[str, ...], says: str) -> CheckResult:
    return CheckResult(
        name=f"guard {name}", kind="guard", state=state,
        found=listed(found) or None, message=says if found else "",
    )  # fmt: skip


def _compared(
    package: TaskPackage, files: Mapping[str, bytes], one: Opened, deliverable: Deliverable
) -> Compared | None:
    """An edited input and what was handed in of it; None where ours cannot be read."""
    path = one.path
    if path not in files:
        return _lost_as_a_whole(path, "the file is gone")
    before, after = package.files[path], files[path]
    given = _given(path, before)
    if isinstance(given, Unreadable) or one.state == "unscored":
        return None
    if one.document is None:
        return _lost_as_a_whole(path, "the file cannot be read any more")
    try:
        return compare(tuple(deliverable.areas.values()), given, one.document, before, after)
    except Exception as error:  # noqa: BLE001 - the boundary: a file of ours compares with itself, so that one is the cause
        return _lost_as_a_whole(path, f"it cannot be compared with what was given ({type(error).__name__})")


def _lost_as_a_whole(path: str, message: str) -> Compared:
    return Compared((Damage(path, "the file as it was given", None, message),), frozenset())


@lru_cache(maxsize=32)
def _given(path: str, content: bytes) -> Document | Unreadable:
    return read_deliverables({path: content})[path]


def _places(path: str, damage: tuple[Damage, ...]) -> Iterator[CheckResult]:
    """A check for each place that was damaged, names kept apart where one place is damaged twice."""
    named: dict[str, int] = {}
    for one in damage[:_SHOWN]:
        number = named[one.place] = named.get(one.place, 0) + 1
        yield CheckResult(
            name=f"collateral {one.place}{f' ({number})' if number > 1 else ''} in {path}",
            kind="guard",
            state="failed",
            deliverable=path,
            place=one.place,
            expected=one.expected,
            found=one.found,
            message=one.message,
        )
    if len(damage) > _SHOWN:
        yield CheckResult(
            name=f"collateral beyond {_SHOWN} places in {path}",
            kind="guard",
            state="failed",
            deliverable=path,
            message=f"{len(damage) - _SHOWN} more places are not as they were given",
        )
