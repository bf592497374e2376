"""Planted faults of oracle, floors, games, carriers and grader: each makes the one check fail that is about it."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from workgym.documents import read
from workgym.graph import Carrier
from workgym.package import TaskLimits, TaskPackage
from workgym.quality.suite import carriers
from workgym.quality.suite.bench import Bench
from workgym.verify import Verdict

from .conftest import Make, failed, found, paying, really

BOOK, PAPER = "supplier_comparison.xlsx", "recommendation.docx"
NOTE, POLICY_FILE = "notes/kickoff_meeting.md", "policies/sourcing_policy.docx"
FRESH = ("construction", "_rehearsed")
"""What a bench may know of a task whose expert is another one."""

STOPS_NEVER = """

_solve = solve


def solve(desk):
    try:
        _solve(desk)
    except Exception:
        desk.write("recommendation.docx", "I could not find everything, and guess.")
"""


def memorised(base: Bench) -> str:
    """An expert that has the answer, and looks at nothing."""
    files = {path: base64.b64encode(base.work[path]).decode() for path in (BOOK, PAPER)}
    write = "import base64\nfor path in names: open(path, 'wb').write(base64.b64decode(files[path]))"
    return f"def solve(desk):\n    desk.python({write!r}, files={files!r}, names=[{BOOK!r}, {PAPER!r}])\n"


def text(files: Mapping[str, bytes], path: str) -> str:
    """What a deliverable says; nothing where it is not there or no document."""
    content = files.get(path, b"")
    return (
        "\n".join(fragment.text for fragment in read(path, content).fragments if not fragment.at.startswith("property"))
        if content
        else ""
    )


def digits(said: str) -> set[str]:
    return {word.strip(".,") for word in said.split() if word.strip(".,").replace(",", "").isdigit()}


def inputs(base: Bench, files: Mapping[str, bytes]) -> bool:
    return any(files.get(path) in base.package.files.values() for path in (BOOK, PAPER))


PAYS: dict[str, Callable[[Bench, Mapping[str, bytes]], bool]] = {
    "floor.noop": lambda base, files: BOOK not in files,
    "floor.empty-files": lambda base, files: files.get(BOOK) == b"",
    "floor.empty-documents": lambda base, files: bool(files.get(BOOK)) and not text(files, BOOK),
    "floor.blind": lambda base, files: not inputs(base, files) and digits(text(files, PAPER)) == {"1"},
    "game.echo": lambda base, files: base.package.request.splitlines()[0] in text(files, PAPER),
    "game.spam": lambda base, files: not inputs(base, files) and sum(map(str.isdigit, text(files, PAPER))) > 200,
    "game.copies": inputs,
    "game.guessing": lambda base, files: re.search(r"we recommend [A-Z]", text(files, PAPER)) is not None,
}


@pytest.mark.parametrize("name", PAYS)
def test_a_grader_that_pays_for_nothing_fails_the_check_of_it(name: str, base: Bench, bench: Make) -> None:
    pays = PAYS[name]
    made = bench((*FRESH, "expert", "work"), grade=paying(base, lambda files: pays(base, files)))
    vars(made)["reference"] = base.reference
    assert failed(made, "floor", "game") == {name}


def test_an_unscored_floor_is_no_floor(base: Bench, bench: Make) -> None:
    broken = base.reference.verdict.model_copy(update={"state": "unscored", "reward": 0.0})
    made = bench(FRESH, grade=lambda package, files: broken)
    assert failed(made, "floor") == {"floor.noop", "floor.empty-files", "floor.empty-documents", "floor.blind"}


def test_an_expert_that_does_nothing(task: TaskPackage, bench: Make) -> None:
    made = bench(FRESH, package=task.with_hidden(expert="def solve(desk):\n    desk.files()\n"))
    checks = found(made, "oracle", "carriers", "grader")
    assert {name for name, check in checks.items() if check.state == "failed"} == {"oracle.maximum"}
    assert checks["oracle.sufficiency"].evidence == checks["grader.mutants"].evidence == ("oracle.maximum failed",)
    none = bench(FRESH, package=task.with_hidden(expert=None))
    assert failed(none, "oracle", "carriers", "grader") == {"oracle.maximum"}


def test_an_expert_that_takes_most_of_the_turns(task: TaskPackage, base: Bench, bench: Make) -> None:
    short = replace(task, card=task.card.model_copy(update={"limits": TaskLimits(turns=base.expert.run.turns + 5)}))
    made = bench((*FRESH, "expert", "work"), package=short, size=base.size.model_copy(update={"cells": 0}))
    assert failed(made, "oracle") == {"oracle.room"}


def test_an_expert_that_knows_the_answer(task: TaskPackage, base: Bench, bench: Make) -> None:
    made = bench(FRESH, package=task.with_hidden(expert=memorised(base)))
    assert failed(made, "oracle") == {"oracle.sufficiency"}
    assert failed(made, "carriers") == {"carriers.shortcut"}
    assert {cell.solved for row in made.matrix for cell in row.cells} == {True}


def test_an_expert_that_guesses(task: TaskPackage, bench: Make) -> None:
    made = bench(FRESH, package=task.with_hidden(expert=str(task.hidden.expert) + STOPS_NEVER))
    assert failed(made, "carriers") == {"carriers.stops"}
    assert any(row.end == "closed" and not cell.solved for row in made.matrix for cell in row.cells)


def called(task: TaskPackage, path: str, role: str) -> TaskPackage:
    """The task whose graph gives a carrier another role."""
    graph = task.hidden.graph
    carriers = tuple(
        Carrier.model_validate({**one.model_dump(), "role": role}) if one.path == path else one
        for one in graph.carriers
    )
    return task.with_hidden(graph=graph.model_copy(update={"carriers": carriers}))


def test_a_file_that_nothing_rests_on_is_useless(task: TaskPackage, bench: Make) -> None:
    made = bench(("expert", "work"), package=called(task, NOTE, "needed"))
    checks = found(made, "carriers")
    assert {name for name, check in checks.items() if check.state == "failed"} == {"carriers.useless"}
    assert checks["carriers.useless"].evidence[0].startswith(f"{NOTE} is called needed")


def test_a_needed_file_that_is_called_a_distractor(task: TaskPackage, bench: Make) -> None:
    made = bench(package=called(task, POLICY_FILE, "distractor"))
    carrier = next(one for one in made.package.hidden.graph.carriers if one.path == POLICY_FILE)
    made.matrix = (carriers.row(made, carrier),)
    assert failed(made, "carriers") == {"carriers.distractors"}
    assert (made.matrix[0].end, made.matrix[0].names_it) == ("blocked", True)
    assert all(cell.needs and not cell.solved for cell in made.matrix[0].cells)


def blind_to_names(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
    """Reward for a deliverable under another name."""
    if f"{BOOK[:-5]}_final.xlsx" not in files:
        return verdict
    units = tuple(unit.model_copy(update={"right": unit.facts, "whole": True}) for unit in verdict.scores.units)
    scores = verdict.scores.model_copy(update={"units": units})
    return verdict.model_copy(update={"state": "passed", "reward": 1.0, "scores": scores})


def without_found(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
    """Evidence that does not say what was found."""
    checks = [
        check.model_copy(update={"found": "???" if check.state == "failed" else check.found})
        for check in verdict.checks
    ]
    return verdict.model_copy(update={"checks": tuple(checks)})


def test_graders_that_err(base: Bench, bench: Make) -> None:
    def strict(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
        same = all(files.get(path) == base.work[path] for path in (BOOK, PAPER))
        return verdict if same else verdict.model_copy(update={"state": "failed", "reward": 0.0})

    for fault, name in ((blind_to_names, "mutants"), (strict, "equivalents"), (without_found, "attribution")):
        made = bench((*FRESH, "expert", "work"), grade=really(fault))
        vars(made).update(reference=base.reference, mutants=base.mutants, rewritten=base.rewritten)
        assert failed(made, "grader") == {f"grader.{name}"}


def test_what_an_expert_hands_in_is_read_in_a_child_alone(
    base: Bench, bench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be a stranger's: nothing of it is opened in this process, whose copy of the reader is taken away."""

    def opened(*arguments: object) -> None:
        raise AssertionError("it was read in this process")

    for name in ("read", "edit"):
        monkeypatch.setattr(sys.modules["workgym.quality.sound"], name, opened)
    monkeypatch.setattr("openpyxl.load_workbook", opened)
    made = bench(size=base.size.model_copy(update={"causes": 1}))
    checks = found(made, "oracle.maximum", "game.guessing", "grader")
    assert {name: check.evidence for name, check in checks.items() if check.state != "passed"} == {}


def test_the_sound_task_passes_all_of_them(base: Bench) -> None:
    checks = found(base, "oracle", "carriers", "grader", "floor.noop", "game.copies")
    assert {name: check.evidence for name, check in checks.items() if check.state != "passed"} == {}
    assert base.rates is not None and base.rates.false_accepts == base.rates.false_rejects == ()
    assert {cause.kind for cause in base.causes} <= {"last place", "other row"}
    needed = next(row for row in base.matrix if row.role == "needed")
    assert needed.end == "blocked" and any(cell.needs for cell in needed.cells)
