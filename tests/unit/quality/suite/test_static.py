"""Planted faults of cards and files: each makes the one check fail that is about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from workgym.authoring import families
from workgym.check import FILE_CHECKS
from workgym.defects import inject
from workgym.errors import ChildFailed
from workgym.graph.checks import GRAPH_CHECKS
from workgym.package import Interfaces, Origin, TaskLimits, TaskPackage
from workgym.records import Finding

from .conftest import Make, failed, found

Change = Callable[[TaskPackage], TaskPackage]
NOTE = "notes/kickoff_meeting.md"
STATIC = ("card", "files", "build")


def card(**changes: Any) -> Change:
    return lambda task: replace(task, card=task.card.model_copy(update=changes))


def note(line: str) -> Change:
    """A line more in a note."""
    return lambda task: task.with_files({**task.files, NOTE: task.files[NOTE] + f"\n{line}\n".encode()})


def files(more: Callable[[TaskPackage], dict[str, bytes]]) -> Change:
    return lambda task: task.with_files({**task.files, **more(task)})


def query(task: TaskPackage) -> str:
    return " ".join(str(task.hidden.graph.unit("npv").query).split())[:120]


FAULTS: dict[str, tuple[Change, ...]] = {
    "card.canary": (card(canary=""), card(canary="workgym canary of another task")),
    "card.licence": (card(licence="proprietary"), card(licence="")),
    "card.occupation": (card(occupation="12-1023"), card(occupation="13-0000"), card(occupation="buyer")),
    "card.described": (card(title="Buy"), card(capabilities=()), card(role=" "), card(capabilities=("Excel!",))),
    "card.deliverables": (lambda task: card(deliverables=task.card.deliverables[:1])(task),),
    "card.limits": (
        card(limits=TaskLimits(turns=100_000)),
        card(limits=TaskLimits(call_seconds=1e6)),
        card(limits=TaskLimits(memory_mib=0)),
    ),
    "card.interfaces": (
        card(interfaces=Interfaces(tools=("files", "telepathy"))),
        card(interfaces=Interfaces(tools=())),
    ),
    "card.toolchain": (card(toolchain={}), card(toolchain={"workgym": "1", "duckdb": " "})),
    "files.bounds": (
        files(lambda task: {f"notes/{number}.txt": b"A line.\n" for number in range(500)}),
        files(lambda task: {"notes/long.txt": b"A line.\n" * (3 << 20)}),
    ),
    "files.names": (
        files(lambda task: {"notes/aux.txt": b"A line.\n"}),
        files(lambda task: {"NOTES/kickoff_meeting.md": b"A line.\n"}),
        files(lambda task: {"notes/cafe\u0301.txt": b"A line.\n"}),
    ),
    "files.empty": (files(lambda task: {"notes/empty.txt": b""}), files(lambda task: {"notes/blank.md": b" \n\n"})),
    "files.canary": (lambda task: note(task.card.canary)(task),),
    "files.hidden": (
        lambda task: note(query(task))(task),
        lambda task: note(f"See {task.id}.")(task),
        note("The yearly_cost of each."),
        note("Dear {{ name }},"),
    ),
    "files.secrets": (
        note("-----BEGIN RSA PRIVATE KEY-----"),
        note("AKIA" + "ABCDEFGHIJKLMNOP"),
        note("card 4111 1111 1111 1111"),
    ),
    "files.domains": (note("Write to jane.doe@gmail.com."), note("See https://www.amazon.co.uk/box.")),
    "files.unicode": (note("zero\u200bwidth"), note("turned \u202eround"), note("p\u0430ypal"), note("\u0391pple")),
}


@pytest.mark.parametrize(("name", "turn"), [(name, turn) for name, some in FAULTS.items() for turn in range(len(some))])
def test_a_fault_fails_its_check_alone(name: str, turn: int, task: TaskPackage, bench: Make) -> None:
    assert failed(bench((), package=FAULTS[name][turn](task)), *STATIC) == {name}


def test_the_sound_task_fails_none_and_is_of_no_family(bench: Make) -> None:
    checks = found(bench(()), *STATIC)
    assert {name for name, check in checks.items() if check.state != "passed"} == {"build.reproducible"}
    assert checks["build.reproducible"].state == "not applicable"
    assert set(checks) - {"build.reproducible"} == set(FAULTS)


def test_what_is_let_be(task: TaskPackage, bench: Make) -> None:
    """Numbers that are no payment card, reserved domains, accents and a foreign word."""
    changed = note(
        "4111 1111 1111 1112, a@b.example, https://example.com/x, cafe\u0301, \u0430\u043a\u0442, \u03bcm, http://www.w3.org/1999"
    )(task)
    assert failed(bench((), package=changed), *STATIC) == set()


def test_real_files_may_name_real_domains(task: TaskPackage, bench: Make) -> None:
    changed = note("Write to jane.doe@gmail.com.")(task).with_hidden(origin=Origin(author="real files"))
    assert found(bench((), package=changed), "files.domains")["files.domains"].state == "not applicable"


def test_a_task_that_its_family_does_not_give_is_seen(task: TaskPackage, bench: Make) -> None:
    ours = families.build("supplier-selection", "easy", 7)
    assert found(bench((), package=ours), "build")["build.reproducible"].state == "passed"
    check = found(bench((), package=note("A line more.")(ours)), "build")["build.reproducible"]
    assert check.state == "failed"
    assert NOTE in check.evidence[0]


GROUPS = {
    "construction.evaluates": ("compiles", "acyclic", "truth"),
    "construction.premises": ("readable", "carriers", "presence", "drift", "absence", "external"),
    "construction.leak": ("leak", "listing"),
    "construction.loose": ("loose", "contradiction"),
    "construction.necessity": ("necessity",),
    "construction.robustness": ("robustness", "margin"),
    "construction.conflicts": ("conflict",),
    "construction.request": ("request", "areas", "precision", "wording", "vocabulary", "paths", "variants"),
}


def test_every_construction_check_is_in_a_group() -> None:
    grouped = {check for some in GROUPS.values() for check in some} | {"shortcut"}  # that is carriers.useless
    assert grouped == {"compiles", "acyclic", *GRAPH_CHECKS, *FILE_CHECKS}


@pytest.mark.parametrize(("name", "check"), [(name, check) for name, some in GROUPS.items() for check in some])
def test_a_hard_finding_fails_its_group_alone(name: str, check: str, bench: Make) -> None:
    made = bench()
    finding = Finding(check=check, severity="hard", defect="self-inconsistency", message="planted")
    soft = finding.model_copy(update={"severity": "soft", "message": "only a warning"})
    known = made.construction
    vars(made)["construction"] = known.model_copy(update={"findings": (finding,)})
    assert failed(made, "construction") == {name}
    vars(made)["construction"] = known.model_copy(update={"findings": (soft,)})
    checks = found(made, "construction")
    assert checks[name].state == "passed"
    assert "only a warning" in checks[name].evidence[0]


def test_rows_that_the_queries_do_not_give_stop_what_would_evaluate_them(task: TaskPackage, bench: Make) -> None:
    npv = task.hidden.values["npv"]
    key, column = next(iter(npv.by_key)), npv.unit.value_columns[0].name
    values = {**task.hidden.values, "npv": npv.with_value(key, column, npv.value(key, column) + 1)}  # type: ignore[operator]
    made = bench((), package=task.with_hidden(values=values))
    checks = found(made, "construction", "oracle", "floor", "carriers")
    assert {name for name, check in checks.items() if check.state == "failed"} == {"construction.evaluates"}
    assert checks["oracle.maximum"].state == checks["floor.noop"].state == "not run"
    assert checks["floor.noop"].evidence == ("construction.evaluates failed",)


def test_a_premise_that_one_file_contradicts_is_seen(task: TaskPackage, bench: Make) -> None:
    made = bench((), package=inject(task, "cross-file inconsistency", 3))
    assert failed(made, "construction") == {"construction.premises"}


def test_a_graph_that_ends_the_child_is_not_evaluated_here(bench: Make) -> None:
    made = bench(("construction",))
    vars(made)["_rehearsed"] = ChildFailed("rehearse", "memory", "more than 1536 MiB")
    checks = found(made, "construction.evaluates", "oracle.maximum", "game")
    assert {name for name, check in checks.items() if check.state == "failed"} == {"construction.evaluates"}
    assert "memory" in checks["construction.evaluates"].evidence[0]
    assert {check.state for check in checks.values()} == {"failed", "not run"}
