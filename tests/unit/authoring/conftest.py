"""What a model might write: two rich drafts and a direct one, and the worked example of the prompts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from workgym.authoring.planner import worked_example
from workgym.records import Intent
from workgym.records.yaml12 import read_yaml

DRAFTS = Path(__file__).with_name("drafts")


class Draft(NamedTuple):
    """One intent, and what a model might reply."""

    intent: Intent
    graph: dict[str, Any]
    plan: dict[str, Any]
    direct: dict[str, Any]

    def unit(self, name: str) -> dict[str, Any]:
        """A unit of the graph."""
        return next(unit for unit in self.graph["units"] if unit["name"] == name)

    def artifact(self, path: str) -> dict[str, Any]:
        """An artifact of the plan."""
        return next(spec for spec in self.plan["artifacts"] if spec["path"] == path)

    @property
    def replies(self) -> list[str]:
        """The two replies of the planned condition."""
        return [json.dumps(self.graph), json.dumps(self.plan)]


def _read(name: str) -> Draft:
    data = read_yaml((DRAFTS / f"{name}.yaml").read_text(encoding="utf-8"), name)
    intent = Intent.model_validate(data["intent"])
    return Draft(intent, data.get("graph", {}), data.get("plan", {}), data.get("direct", {}))


@pytest.fixture
def drafted() -> Callable[[str], Draft]:
    """A draft by its file's name, fresh."""
    return _read


@pytest.fixture
def example() -> Draft:
    """The worked example of the prompts, fresh."""
    intent, (graph, plan) = worked_example()
    return Draft(intent, json.loads(graph), json.loads(plan), {})
