"""Running a model's script: in the sandbox, by the expert harness, on the files that a solver starts with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workgym.errors import SandboxError
from workgym.package import TaskPackage
from workgym.rollout import Rollout, rollout
from workgym.verify import Verdict, grade

if TYPE_CHECKING:
    from workgym.env import SandboxMaker

End = Literal["done", "blocked", "failed"]
LINE = 500
"""Characters of what a script says that a record keeps."""


@dataclass(frozen=True)
class Ran:
    """One run of a script."""

    end: End
    """It came to its end, it stopped for a premise, or it failed."""
    said: str
    """What it was blocked by, or how it failed, in the script's own words; empty where it is done."""
    files: Mapping[str, bytes]
    """Files that it added or changed, by path."""
    verdict: Verdict | None
    """How they are graded; None where nothing could be collected."""


def run(package: TaskPackage, script: str, sandbox: str | SandboxMaker) -> Ran:
    """Run a script on a package. What it does wrong is a record; raises SandboxError where no sandbox can be had."""
    desk = _Desk()
    result = rollout(package.with_hidden(expert=script, expert_files={}), "expert", sandbox=sandbox, grade=desk)
    if result.end == "sandbox failed" and result.turns == 0 and desk.verdict is None:
        raise SandboxError(result.error or "no sandbox could be had")
    changed = {path: content for path, content in desk.files.items() if package.files.get(path) != content}
    end, said = _ended(result)
    return Ran(end, said, changed, desk.verdict)


def _ended(result: Rollout) -> tuple[End, str]:
    if result.blocked is not None:
        told = result.blocked if isinstance(result.blocked, dict) else {"what": result.blocked}
        parts = [str(told.get("what", "")), _part("looked at", told), _part("blocks", told)]
        return "blocked", "\n".join(part for part in parts if part)
    if result.error is not None:
        return "failed", result.error
    if result.end == "turns":
        return "failed", f"it was not done after {result.turns} tool calls"
    if result.end != "closed":
        return "failed", result.end
    return "done", ""


def _part(name: str, told: Mapping[str, object]) -> str:
    found = told.get(name.replace(" ", "_"))
    words = ", ".join(map(str, found)) if isinstance(found, list) else str(found or "")
    return f"{name}: {words}" if words else ""


def line(text: str) -> str:
    """The last line of what a script said, cut where it is long: of a traceback the error."""
    last = (text.strip().splitlines() or [""])[-1]
    return last if len(last) <= LINE else f"{last[:LINE]} ..."


class _Desk:
    """A grader that keeps the workspace that it was given."""

    def __init__(self) -> None:
        self.files: Mapping[str, bytes] = {}
        self.verdict: Verdict | None = None

    def __call__(self, package: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        self.files = dict(files)
        self.verdict = grade(package, files)
        return self.verdict
