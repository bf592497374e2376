"""Runs of the factory with a reader as the model, played again: the replies as they were given, role by role, in order.

Each cassette is one intent under one condition. Wordings of prompts may change; what comes out of the same replies may
not, unless a rule of planning, checking or grading did: then the cassette's ``stages`` are brought up to date with it.
One reply is no reader's: planning now warns of the rounding that a probe found in ``i-b93836c94972.planned``, and the
last reply of its builder leaves the task as it had been.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from workgym.engine import ROLES, Crew, Settings
from workgym.engine.line import Line
from workgym.errors import ModelUnavailable
from workgym.model import ModelReply, ModelRequest
from workgym.models import Ledger
from workgym.records import Intent

CASSETTES = sorted((Path(__file__).parent / "cassettes").glob("*.json"))
QUICK = ("i-812fa12c7b0c.direct", "i-b93836c94972.planned", "i-deaf95134b8f.planned")
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
    roles = {role: Played(role, told["replies"].get(role, [])) for role in ROLES}
    settings = Settings(harness="stirrup-style", desk=told.get("desk", False))
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
