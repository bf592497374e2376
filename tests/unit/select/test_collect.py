"""Collecting: a table, going on after a stop, what our side spoilt, budgets, more of the longest, one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workgym.env import OfficeEnv
from workgym.errors import ModelError, UsageError
from workgym.model import Model, ModelRequest, Usage
from workgym.models import Budget, Ledger, Ledgered, ScriptedModel
from workgym.package import save
from workgym.records import WebAccess
from workgym.rollout import rollout
from workgym.select import Collected, Longest, Row, TaskRef, Teacher, Teachers, collect, makers, task_refs
from workgym.select.jobs import read_table
from workgym.select.stopping import Stoppable, Stopped
from workgym.testing import DummySandbox, grade, toy_task
from workgym.trajectory import Trajectory

REACT = Teachers(teachers=(Teacher(name="t", harness="react", model="scripted:x"),), longest=Longest(rollouts=1))


def react(request: ModelRequest) -> str | dict[str, Any]:
    """A model that does the toy task: reads, adds up, writes, hands over."""
    said = [message for message in request.messages if message.role == "assistant"]
    if len(said) < 2:
        return {"tool": "read_file", "arguments": {"path": ("rent.txt", "power.txt")[len(said)]}}
    if len(said) == 2:
        answers = [block.text for message in request.messages if message.role == "tool" for block in message.blocks]  # type: ignore[union-attr]
        total = sum(int(answer.split()[-1]) for answer in answers)
        return {"tool": "write_file", "arguments": {"path": "sum.txt", "content": f"{total}\n"}}
    return "It is done."


def run(tasks: tuple[TaskRef, ...], out: Path, model: Model | None = None, **more: Any) -> Collected:
    inner = ScriptedModel(react) if model is None else model
    options = {"models": {"t": lambda: inner}, "sandbox": DummySandbox, "grade": grade, "teachers": REACT} | more
    return collect(tasks, out=out, **options)


def test_every_task_has_its_line_and_its_trajectory(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    lines: list[str] = []
    tasks = toy_tasks(5)
    came = run(tasks, tmp_path / "out", teachers=REACT.model_copy(update={"rollouts": 2}), progress=lines.append)
    assert (len(came.rows), came.kept, came.left, came.failed, came.stopped) == (10, 0, 0, (), "")
    assert {(row.rollout.verdict, row.rollout.reward, row.rollout.turns) for row in came.rows} == {("passed", 1.0, 4)}
    table = list(read_table(tmp_path / "out"))
    assert tuple(row.brief for row in table) == came.rows and table[0].rollout.evidence == {"found": "42"}
    assert [row.task for row in table[:3]] == ["toy-00", "toy-00", "toy-01"]
    for row in table:
        found = Trajectory.open(tmp_path / "out" / str(row.rollout.trajectory)).episode
        assert (found.task_id, found.seed, found.harness) == (row.rollout.task_id, row.seed, "react")
        assert Path(str(found.package_path)).is_dir(), "the package is not copied"
    assert len(lines) == 10 and lines[-1].startswith("10/10 toy-") and "passed 1.000, 4 turns, closed" in lines[-1]


def test_web_tools_work_as_well_as_is_asked_for(tmp_path: Path) -> None:
    save(toy_task(pages={"https://notes.example/": "Notes\nNothing that helps."}), tmp_path / "tasks" / "toy")
    tasks = task_refs([str(tmp_path / "tasks")])
    for name, web, told in (("usual", None, WebAccess()), ("odd", WebAccess(fetch_failures=0.4), None)):
        came = run(tasks, tmp_path / name, web=web)
        found = Trajectory.open(tmp_path / name / str(came.rows[0].rollout.trajectory)).episode
        assert found.web == (web or told).model_copy(update={"ranking": 2})  # type: ignore[union-attr]


def test_what_is_done_is_not_done_again(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    tasks, out = toy_tasks(6), tmp_path / "out"
    run(tasks[:4], out)
    before = (out / "toy-00/t-0/events.jsonl").stat().st_mtime_ns
    model = ScriptedModel(react)
    came = run(tasks, out, model)
    assert (came.kept, len(came.rows), len(model.requests)) == (4, 6, 8)
    assert (out / "toy-00/t-0/events.jsonl").stat().st_mtime_ns == before
    assert len(list(read_table(out))) == 6
    assert len(run(tasks[:1], out).rows) == 1 and len(list(read_table(out))) == 6, "lines of others stay"


def test_a_rollout_that_was_cut_off_is_begun_again_in_its_place(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    tasks, out = toy_tasks(2), tmp_path / "out"
    run(tasks, out)
    whole = (out / "rollouts.jsonl").read_bytes()
    folder = out / "toy-01/t-0"
    log = folder / "events.jsonl"
    log.write_bytes(log.read_bytes()[:900])
    (folder / "rollout.json").unlink()
    (out / "rollouts.jsonl").write_bytes(whole[:-40])
    came = run(tasks, out)
    assert (came.kept, came.left) == (1, 0) and (out / "rollouts.jsonl").read_bytes() == whole
    assert sorted(path.name for path in (out / "toy-01").iterdir()) == ["t-0"]
    assert (folder / "events.jsonl").read_bytes().count(b'"event":"end"') == 1


def test_what_our_side_spoils_is_kept_and_done_again(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    tasks, out = toy_tasks(3), tmp_path / "out"

    def flaky(request: ModelRequest) -> str | dict[str, Any]:
        if "rent 31" in str(request.messages[-1]):
            raise ModelError("the endpoint is gone")
        return react(request)

    came = run(tasks, out, ScriptedModel(flaky))
    ends = [(row.rollout.end, row.rollout.fault, row.done) for row in came.rows]
    assert ends == [("closed", None, True), ("model failed", "model", False), ("closed", None, True)]
    assert (came.left, came.stopped) == (1, "")
    again = run(tasks, out)
    assert (again.kept, again.left, [row.done for row in again.rows]) == (2, 0, [True] * 3)


def test_a_dead_endpoint_stops_it(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    def dead(request: ModelRequest) -> str:
        raise ModelError("no connection")

    came = run(toy_tasks(20), tmp_path / "out", ScriptedModel(dead), at_once=1)
    assert 8 <= len(came.rows) <= 9 and came.left == 20
    assert came.stopped == "8 rollouts in a row were spoilt: no connection"


def test_a_budget_stops_it_and_a_larger_one_goes_on(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    tasks, out = toy_tasks(6), tmp_path / "out"
    ledger = Ledger(tmp_path / "ledger.sqlite")

    class Counting(ScriptedModel):
        def complete(self, request: ModelRequest) -> Any:
            return super().complete(request).model_copy(update={"usage": Usage(prompt=90, completion=10)})

    inner = Counting(react, name="counting")

    def asked(tokens: int) -> Model:
        return Ledgered(inner, ledger, stage="rollout", budget=Budget(tokens=tokens))

    came = run(tasks, out, asked(1_100), at_once=1)
    assert came.stopped == "the budget is spent" and 0 < came.left < 6
    done = [row for row in came.rows if row.done]
    assert len(done) >= 2 and [row.rollout.end for row in came.rows if not row.done] == ["budget"]
    came = run(tasks, out, asked(10_000))
    assert (came.left, came.stopped, came.kept) == (0, "", len(done))
    keys = [request.key for request in inner.requests]
    assert len(keys) == len(set(keys)) == ledger.spent().calls, "no reply was paid for twice"


def test_the_longest_are_rolled_out_more_often(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    def slow(request: ModelRequest) -> str | dict[str, Any]:
        if "rent 37" in str(request.messages) and sum(one.role == "assistant" for one in request.messages) == 3:
            return {"tool": "list_files"}
        return react(request)

    teachers = REACT.model_copy(update={"longest": Longest(share=0.05, rollouts=3)})
    tasks = toy_tasks(10)
    came = run(tasks, tmp_path / "out", ScriptedModel(slow), teachers=teachers)
    assert [(row.task, row.seed) for row in came.rows if row.seed] == [("toy-07", 1), ("toy-07", 2)]
    again = run(tasks, tmp_path / "out", ScriptedModel(slow), teachers=teachers)
    assert (again.kept, again.rows) == (12, came.rows)
    plain = REACT.model_copy(update={"longest": Longest()})  # as the source has it, unless a file says otherwise
    more = run(tasks, tmp_path / "out", ScriptedModel(slow), teachers=plain)
    assert [(row.task, row.seed) for row in more.rows if row.seed] == [("toy-07", seed) for seed in (1, 2, 3)]


def test_a_task_that_cannot_be_had_costs_no_other(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    tasks = toy_tasks(3)
    (tmp_path / "tasks/toy-01/request.md").unlink()
    came = run(tasks, tmp_path / "out")
    assert [row.task for row in came.rows] == ["toy-00", "toy-02"] and came.left == 0
    assert came.failed[0][0] == "toy-01/t-0" and "request.md" in came.failed[0][1]


def test_mistakes_are_told_before_anything_runs(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    tasks, out = toy_tasks(1), tmp_path / "out"
    with pytest.raises(UsageError, match="no-such"):
        run(tasks, out, teachers=Teachers(teachers=(Teacher(name="t", harness="no-such"),)))
    with pytest.raises(UsageError, match="t: the harness react acts through a model; give it one"):
        run(tasks, out, models={"t": lambda: None})
    run(tasks, out)
    with pytest.raises(UsageError, match="t was react with scripted, and is react with another; give this teacher"):
        run(tasks, out, ScriptedModel(react, name="another"))
    (out / "rollouts.jsonl").write_text("{}\n")
    with pytest.raises(UsageError, match=r"rollouts.jsonl:1: Field required"):
        run(tasks, out)


def test_two_do_not_collect_into_one_folder(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    tasks, out = toy_tasks(1), tmp_path / "out"
    at_work, go_on = threading.Event(), threading.Event()

    def waits(request: ModelRequest) -> str | dict[str, Any]:
        at_work.set()
        go_on.wait(20)
        return react(request)

    came: list[Collected] = []
    first = threading.Thread(target=lambda: came.append(run(tasks, out, ScriptedModel(waits))))
    first.start()
    at_work.wait(20)
    with pytest.raises(UsageError, match="another run is at work here"):
        run(tasks, out)
    go_on.set()
    first.join()
    assert came[0].left == 0


def test_a_script_begins_anew_for_each_rollout(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("- first\n- second\n")
    made = makers(Teachers(teachers=(Teacher(name="t", harness="react", model=f"scripted:{script}"),)), Ledger())
    request = ModelRequest(messages=())
    one, other = (made["t"]() for _ in range(2))
    assert one is not None and other is not None
    assert [one.complete(request).text, one.complete(request).text, other.complete(request).text] == [
        "first",
        "second",
        "first",
    ]


def test_a_rollout_that_is_told_to_stop_asks_nothing_more(tmp_path: Path) -> None:
    told = threading.Event()
    inner = Ledgered(ScriptedModel(react), Ledger(), budget=Budget(tokens=100, tell=True))
    model = Stoppable(inner, told)
    assert model.budget_share(Usage(prompt=40, completion=10)) == 0.5 and model.name == "scripted"

    def stops(request: ModelRequest) -> str | dict[str, Any]:
        told.set()
        return react(request)

    env = OfficeEnv(package=toy_task(), sandbox=DummySandbox, grade=grade)
    with pytest.raises(Stopped):
        rollout(env, "react", model=Stoppable(ScriptedModel(stops), told), out=tmp_path / "t")
    env.close()
    kinds = [line["event"] for line in Trajectory.open(tmp_path / "t").lines()]
    assert kinds.count("call") == 1 and "verdict" not in kinds, "it is no rollout that failed"


def test_a_line_is_a_record(toy_tasks: Callable[..., Any], tmp_path: Path) -> None:
    (row,) = run(toy_tasks(1), tmp_path / "out").rows
    assert Row.model_validate_json(row.model_dump_json()) == row
