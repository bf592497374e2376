"""The suite as a whole: families pass, reports are records, seals hold for one content, a corpus is one whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from workgym.authoring import families
from workgym.errors import PackageError, UsageError
from workgym.package import TaskPackage, canary, load, save, seal
from workgym.quality.suite import (
    NAMES,
    POLICY,
    SIZES,
    QaReport,
    Size,
    counts,
    examine,
    gate,
    sealed,
    standing,
    together,
)

TINY = Size(name="tiny", mutants=0, equivalents=0, causes=0, office=False, carriers=1, cells=0, copies=1)
LEFT_OUT = {"oracle.sufficiency", "carriers.distractors", "grader.mutants", "grader.equivalents", "grader.attribution"}


@pytest.mark.parametrize(
    "family",
    [
        "supplier-selection",
        pytest.param("overtime-payroll", marks=pytest.mark.soak),
        pytest.param("bank-reconciliation", marks=pytest.mark.soak),
    ],
)
def test_a_family_passes(family: str) -> None:
    report = examine(families.build(family, None, 7), TINY)
    assert {check.name: check.evidence for check in report.checks if check.state == "failed"} == {}
    assert {check.name for check in report.checks if check.state == "not applicable"} == LEFT_OUT
    assert report.count("not run") == 0 and report.passed
    assert [check.name for check in report.checks] == [*NAMES] == [*report.seconds]
    assert sum(counts(report.checks).values()) == len(POLICY)


@pytest.fixture(scope="module")
def report(task: TaskPackage) -> QaReport:
    """The static checks, and the others as if they had passed."""
    static = examine(task, TINY, only=("card", "files"))
    known = {check.name: check for check in static.checks}
    bare = {"state": "passed", "evidence": (), "numbers": {}}
    rest = [static.checks[0].model_copy(update={"name": name, **bare}) for name in NAMES if name not in known]
    return static.model_copy(update={"checks": (*static.checks, *rest)})


def test_the_same_task_gives_the_same_report(task: TaskPackage, report: QaReport) -> None:
    first, again = (examine(task, TINY, only=("card", "files")) for _ in range(2))
    assert again.digest == first.digest
    assert QaReport.model_validate_json(report.model_dump_json()) == report
    later = report.model_copy(update={"seconds": dict.fromkeys(report.seconds, 99.0)})
    assert later.digest == report.digest
    schema = json.dumps(QaReport.model_json_schema())
    assert all(name in schema for name in ("severity", "state", "evidence", "numbers", "MatrixRow"))


def test_names_of_checks(task: TaskPackage) -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert {check.severity for check in POLICY} == {"error", "warning", "info"}
    with pytest.raises(UsageError, match="there is no check card.colour"):
        examine(task, TINY, only=("card.colour",))


def test_a_seal_is_beside_the_digest_and_about_one_content(task: TaskPackage, report: QaReport, tmp_path: Path) -> None:
    folder = save(task, tmp_path / "task")
    assert gate(load(folder)) == "no report of the quality suite is sealed in it"
    seal(folder, report.seal())
    there = load(folder)
    assert there.digest == task.digest
    assert gate(there) is None and gate(there, "ci") == "its report is of the size tiny, not ci"
    assert standing(there) == report and standing(there, "ci") is None
    assert load(save(there, tmp_path / "copy")).hidden.qa == report.seal()
    changed = there.with_files({**there.files, "notes/more.txt": b"A line more.\n"})
    assert gate(changed) == "its report is of another suite or content" and standing(changed) is None


def test_a_forged_report_does_not_open_the_gate(task: TaskPackage, report: QaReport) -> None:
    wrong = report.checks[0].model_copy(update={"state": "failed"})
    closed = report.model_copy(update={"checks": (wrong, *report.checks[1:])})
    assert gate(task.with_hidden(qa=closed.seal())) == "card.canary failed"
    forged = closed.seal().model_copy(update={"report": report.model_dump(mode="json"), "passed": True})
    assert sealed(forged) is None
    assert gate(task.with_hidden(qa=forged)) == "its seal is not that of the report"
    short = report.model_copy(update={"checks": report.checks[:-1]})
    assert gate(task.with_hidden(qa=short.seal())) == "its report leaves checks out"
    foreign = forged.model_copy(update={"report": {"checks": "many"}})
    assert sealed(foreign) is None


def test_a_seal_that_is_none_is_told_in_one_line(task: TaskPackage, tmp_path: Path) -> None:
    folder = save(task, tmp_path / "task")
    (folder / "hidden/qa.json").write_text('{"suite": 3}')
    with pytest.raises(PackageError, match=r"hidden/qa\.json: suite"):
        load(folder)


def test_a_corpus_is_looked_at_together(task: TaskPackage) -> None:
    def called(name: str, mark: str | None = None) -> TaskPackage:
        return replace(task, card=task.card.model_copy(update={"id": name, "canary": mark or canary(name)}))

    other = called("workfactory/other").with_files({**task.files, "notes/more.txt": b"A line more.\n"})
    assert together([task.card]) == ()
    states = {check.name: check.state for check in together([task.card, other.card])}
    assert set(states.values()) == {"passed"}

    def wrong(*packages: TaskPackage) -> set[str]:
        return {check.name for check in together([package.card for package in packages]) if check.state == "failed"}

    assert wrong(task, called("workfactory/other")) == {"corpus.contents"}
    assert wrong(task, replace(other, card=other.card.model_copy(update={"canary": task.card.canary}))) == {
        "corpus.canaries"
    }
    assert wrong(task, replace(other, card=other.card.model_copy(update={"id": task.id}))) == {"corpus.ids"}


def test_sizes_are_told_apart() -> None:
    assert set(SIZES) == {"ci", "release"}
    assert SIZES["release"].mutants is SIZES["release"].carriers is None
