"""Defects are planted on pages of the web as they are in files, found there by their class, and mended."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from workgym.authoring import blueprint
from workgym.authoring.compiler import compile_family
from workgym.authoring.families import package
from workgym.check import check
from workgym.defects import INJECTIONS, Planted, plant
from workgym.defects.kinds import spots
from workgym.package import TaskPackage
from workgym.records import DefectClass
from workgym.repair import attempt, restorer

HOME = Path(__file__).parents[1] / "env" / "shelf" / "envs" / "import-quote"
WAYS: tuple[tuple[DefectClass, str], ...] = (
    ("broken derivation", "a rule is withheld"),
    ("leakage or shortcut", "a result beside its key"),
    ("leakage or shortcut", "a total"),
    ("self-inconsistency", "a second value, typed in"),
    ("cross-file inconsistency", "another value in one of two files"),
    ("cross-file inconsistency", "another value in a further file"),
    ("executability defect", "a file is cut off"),
    ("executability defect", "a file is empty"),
    ("executability defect", "a file is of another type"),
)
"""Ways that find a place on the site."""


@pytest.fixture(scope="module")
def task() -> TaskPackage:
    family = blueprint.load(HOME)
    return package(family, "small", 1, compile_family(family, "small", 1))


def on_a_page(task: TaskPackage, defect: DefectClass, name: str) -> Planted | None:
    """The first of a few that changes a page."""
    kind = next(kind for kind in INJECTIONS[defect] if kind.name == name)
    for seed in range(12):
        one = plant(task, defect, kind, random.Random(f"{name}/{seed}"))
        if one is not None and one.package.external != task.external:
            return one
    return None


@pytest.mark.parametrize(("defect", "name"), WAYS)
def test_a_defect_on_a_page_is_found_by_its_class_and_mended(task: TaskPackage, defect: DefectClass, name: str) -> None:
    one = on_a_page(task, defect, name)
    assert one is not None and one.package.files == task.files
    report = check(one.package)
    assert defect in {finding.defect for finding in report.findings if finding.severity == "hard"}
    revision = restorer(task)(one.package, report)
    assert revision is not None
    tried = attempt(one.package, revision)
    assert tried.package is not None, tried.record.reason
    assert (tried.package.shown, tried.package.pages) == (task.shown, task.pages)


def test_what_stands_on_two_pages_is_still_said_on_one(task: TaskPackage) -> None:
    assert on_a_page(task, "broken derivation", "a value is not said") is None


def test_nothing_is_added_to_a_page_that_nobody_sees(task: TaskPackage) -> None:
    there = {spot.path for spot in spots(task)}
    assert there & task.external.keys()
    assert there.isdisjoint(card.path for card in task.pages if card.state != "live")
