"""One task of a family, examined; what was found of it is reused where a fault does not touch it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from workgym.authoring import families
from workgym.package import Origin, TaskPackage
from workgym.quality.suite import POLICY, QaCheck, Size
from workgym.quality.suite.bench import Bench
from workgym.quality.suite.examining import carried_out
from workgym.verify import Verdict, grade

SMALL = Size(name="small", mutants=1, equivalents=1, causes=2, office=False, carriers=3, cells=1, copies=1)
Make = Callable[..., Bench]


@pytest.fixture(scope="session")
def task() -> TaskPackage:
    """The easy supplier selection, of no family any more: it may be changed."""
    return families.build("supplier-selection", "easy", 7).with_hidden(origin=Origin())


@pytest.fixture(scope="session")
def base(task: TaskPackage, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The task on the bench, with its construction checks and the expert's run."""
    bench = Bench(task, SMALL, tmp_path_factory.mktemp("base"))
    assert bench.rehearsal.answers == 1
    assert bench.reference.verdict.reward == 1.0
    return bench


@pytest.fixture
def bench(base: Bench, tmp_path: Path) -> Iterator[Make]:
    """Makes a bench that knows of the task what ``knows`` names, and differs as it is told."""

    def make(knows: Collection[str] = ("construction", "_rehearsed", "expert", "work"), **changes: Any) -> Bench:
        made = Bench(**{"package": base.package, "size": SMALL, "folder": tmp_path, **changes})
        _ = base.reference
        vars(made).update({name: vars(base)[name] for name in knows})
        return made

    yield make


def found(bench: Bench, *areas: str) -> dict[str, QaCheck]:
    """Every check of some areas (or of some names), by name."""
    chosen = [check for check in POLICY if {check.name, check.name.partition(".")[0]} & set(areas)]
    return {check.name: carried_out(check, bench) for check in chosen}


def failed(bench: Bench, *areas: str) -> set[str]:
    """Names of the checks of some areas that failed."""
    return {name for name, check in found(bench, *areas).items() if check.state == "failed"}


def paying(base: Bench, when: Callable[[Mapping[str, bytes]], bool]) -> Callable[..., Verdict]:
    """A grader that gives full reward to whatever fits, and nothing to the rest."""
    full = base.reference.verdict
    nothing = full.model_copy(update={"state": "failed", "reward": 0.0})

    def judge(package: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        return full if when(files) else nothing

    return judge


def really(change: Callable[[Verdict, Mapping[str, bytes]], Verdict]) -> Callable[..., Verdict]:
    """The real grader with a fault: its verdicts changed."""
    return lambda package, files: change(grade(package, files), files)
