"""Runs of the factory with a reader as the model, played again: the replies as they were given, role by role, in order.

Each cassette is one intent under one condition. Wordings of prompts may change; what comes out of the same replies may
not, unless a rule of planning, checking or grading did: then the cassette's ``stages`` are brought up to date with it.
``found`` is what the probes of a run found, and ``needs`` names programs that its prober ran. The table of
``docs/readers.md`` is counted from them.
One reply is no reader's: planning now warns of the rounding that a probe found in ``i-b93836c94972.planned``, and the
last reply of its builder leaves the task as it had been. Of ``i-b8d3f1501304.planned`` four replies are left out, to
corrections that are no longer asked for.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from workgym.engine import ROLES, Crew, Settings
from workgym.engine.line import Line
from workgym.errors import ModelUnavailable
from workgym.model import ModelReply, ModelRequest
from workgym.models import Ledger
from workgym.probe import ProbeReport
from workgym.records import DefectClass, Intent
from workgym.records.factory import ProbeRun

CASSETTES = sorted((Path(__file__).parent / "cassettes").glob("*.json"))
QUICK = ("i-b93836c94972.planned", "i-deaf95134b8f.planned")
"""Cassettes that are always played, one that is dropped and one that is repaired among them; all with ``--soak``."""


class Played:
    """A role whose replies are known."""

    secrets: Sequence[str] = ()

    def __init__(self, name: str, said: list[Any]) -> None:
        self.name, self.said = name, list(said)

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply. Raises ModelUnavailable where there is none, so that the task is stopped, not dropped."""
        if not self.said:
            raise ModelUnavailable(f"the {self.name} has said all that was recorded")
        return ModelReply.model_validate(self.said.pop(0))


@pytest.mark.parametrize(
    "cassette",
    [pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.soak) for path in CASSETTES],
)
def test_the_same_replies_come_to_the_same_end(cassette: Path, tmp_path: Path) -> None:
    told = json.loads(cassette.read_text())
    if missing := [program for program in told.get("needs", ()) if shutil.which(program) is None]:
        pytest.skip(f"NOT PLAYED: its prober ran {', '.join(missing)}, not to be found on this machine")
    roles = {role: Played(role, told["replies"].get(role, [])) for role in ROLES}
    settings = Settings(
        harness="stirrup-style",
        desk=told.get("desk", False),
        external=told.get("external", "never"),
        web=told.get("web"),
        repairs=told.get("repairs", 2),
    )
    line = Line(
        Intent.model_validate(told["intent"]),
        told["condition"],
        Crew(roles, Ledger(":memory:")),
        settings,
        tmp_path / "work",
        tmp_path,
    )
    entry, package = line.run()
    assert [f"{one.stage} {one.outcome} {one.reason}".strip() for one in entry.stages] == told["stages"]
    assert package is not None and (package.hidden.checks is not None) and package.hidden.checks.passed
    assert (tmp_path / "work" / "why.txt").exists() == (entry.last.outcome == "dropped")
    assert {role: len(model.said) for role, model in roles.items() if model.said} == {}
    assert [found(run, tmp_path) for run in entry.probes] == told.get("found", [])


def found(run: ProbeRun, root: Path) -> dict[str, Any]:
    """What a probe found: its defects, each as class and severity."""
    report = ProbeReport.model_validate_json((root / run.report).read_bytes())
    defects = [[problem.defect, problem.severity] for problem in report.defects]
    return {"when": run.when, "held_out": run.held_out, "defects": defects}


def test_the_table_of_the_docs_is_counted_from_them(root: Path) -> None:
    """By condition, the probe that counts: before any repair, and the held-out one of what was kept."""
    counted: dict[str, list[list[list[str]]]] = {"direct": [], "planned": [], "planned + repair": []}
    for told in (json.loads(path.read_text()) for path in CASSETTES):
        for one in told.get("found", ()):
            if one["when"] == "before repair" and not one["held_out"]:
                counted[told["condition"]].append(one["defects"])
            elif one["held_out"] and told["stages"][-1] == "measure passed":
                counted["planned + repair"].append(one["defects"])
    page = (root / "docs/readers.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+ \| [^|]+ \| [^|]+?) \|$", page, re.M))

    def share(hits: Callable[[list[list[str]]], bool]) -> str:
        return " | ".join(f"{sum(map(hits, tasks))} of {len(tasks)}" for tasks in counted.values())

    for defect in get_args(DefectClass):
        assert rows[defect] == share(lambda defects, wanted=defect: any(one == wanted for one, _ in defects))  # type: ignore[misc]
    assert rows["any defect"] == share(bool)
    assert rows["at least one hard defect"] == share(lambda defects: any(hard == "hard" for _, hard in defects))
    assert {path.stem.partition(".")[0] for path in CASSETTES} <= set(re.findall(r"i-[0-9a-f]{12}", page))
