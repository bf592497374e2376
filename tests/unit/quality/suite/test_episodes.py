"""Planted faults of verdicts and episodes: each makes the one check fail that is about it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from workgym.quality.suite.bench import Bench
from workgym.quality.suite.inside import Inventory, given_away
from workgym.records import FileChange, ToolCall, ToolResult, ToolSpec
from workgym.sandbox import create
from workgym.sandbox.contract import Limits, Sandbox
from workgym.verify import Verdict

from .conftest import Make, failed, found, really

KNOWN = ("construction", "_rehearsed", "expert", "work")
WALLS = ("episode.tools", "episode.seeds", "episode.hidden", "episode.walls", "episode.isolation")


class Around(Sandbox):
    """The default sandbox, to be spoilt."""

    name = "bubblewrap"

    def __init__(self) -> None:
        self.inner = create("bubblewrap", Limits())
        self.capabilities = self.inner.capabilities

    def open(self, files: Mapping[str, bytes], packs: tuple[str, ...]) -> None:
        self.inner.open(files, packs)

    def tools(self) -> tuple[ToolSpec, ...]:
        return self.inner.tools()

    def call(self, call: ToolCall) -> ToolResult:
        return self.inner.call(call)

    def script(self, source: str, act: Callable[[ToolCall], ToolResult]) -> str:
        return self.inner.script(source, act)

    def put(self, path: str, content: bytes | None) -> None:
        self.inner.put(path, content)

    def collect(self) -> dict[str, bytes]:
        return self.inner.collect()

    def changed(self) -> tuple[FileChange, ...]:
        return self.inner.changed()

    def halt(self) -> None:
        self.inner.halt()

    def close(self) -> None:
        self.inner.close()


EXTRA = ToolSpec(name="grade", description="Grade the work.", input_schema={"type": "object"}, side="guest")
TURNS = itertools.count()


class Undeclared(Around):
    def tools(self) -> tuple[ToolSpec, ...]:
        return (*self.inner.tools(), EXTRA)


class Shuffled(Around):
    def tools(self) -> tuple[ToolSpec, ...]:
        offered = self.inner.tools()
        return offered if next(TURNS) % 2 else offered[::-1]


class Telling(Around):
    def open(self, files: Mapping[str, bytes], packs: tuple[str, ...]) -> None:
        self.inner.open({**files, "hidden.json": b'{"query": "select supplier, npv from yearly_cost"}'}, packs)


class Open(Around):
    def __init__(self) -> None:
        super().__init__()
        self.capabilities = self.capabilities.model_copy(update={"isolated_network": False})


class Shared(Around):
    def __init__(self, left: dict[str, bytes]) -> None:
        super().__init__()
        self.left = left

    def call(self, call: ToolCall) -> ToolResult:
        for path, content in self.left.items():
            self.inner.put(path, content)
        if call.tool == "write_file":
            self.left[call.arguments["path"]] = call.arguments["content"].encode()
        return self.inner.call(call)


@pytest.mark.parametrize(
    ("box", "name"),
    [(Undeclared, "tools"), (Shuffled, "seeds"), (Telling, "hidden"), (Open, "walls")],
)
def test_a_fault_of_the_sandbox_fails_its_check_alone(box: type[Around], name: str, bench: Make) -> None:
    assert failed(bench(KNOWN, sandbox=box), *WALLS) == {f"episode.{name}"}


def test_a_file_that_the_next_episode_sees(bench: Make) -> None:
    left: dict[str, bytes] = {}
    assert failed(bench(KNOWN, sandbox=lambda: Shared(left)), *WALLS) == {"episode.isolation"}


class Forgetful(Around):
    """Numbers every answer, as if from a clock."""

    def call(self, call: ToolCall) -> ToolResult:
        answer = self.inner.call(call)
        return answer.model_copy(update={"text": f"{answer.text}\n[{next(TURNS)}]"})


def test_observations_that_differ_fail_replay_alone(bench: Make) -> None:
    checks = found(bench(KNOWN, sandbox=Forgetful), "episode.replay", "episode.record", "episode.order")
    assert {name: check.state for name, check in checks.items()} == {
        "episode.replay": "failed",
        "episode.record": "passed",
        "episode.order": "not run",
    }
    assert "observation" in checks["episode.replay"].evidence[0]


def test_a_call_that_was_not_recorded(base: Bench, bench: Make) -> None:
    made = bench(KNOWN)
    run = base.expert.run
    vars(made)["expert"] = base.expert._replace(run=run.model_copy(update={"turns": run.turns + 1}))
    assert failed(made, "episode.replay", "episode.record") == {"episode.record"}


def test_a_verdict_that_follows_the_order_of_files(base: Bench, bench: Make) -> None:
    def first(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
        return verdict.model_copy(update={"task": f"{verdict.task} {next(iter(files))}"})

    made = bench(KNOWN, grade=really(first))
    vars(made)["replayed"] = base.replayed
    assert failed(made, "episode.replay", "episode.record", "episode.order") == {"episode.order"}


def weights(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
    checks = tuple(check.model_copy(update={"weight": check.weight * 2}) for check in verdict.checks)
    return verdict.model_copy(update={"checks": checks})


def counted(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
    last = verdict.checks[-1].model_copy(update={"place": f"run {next(TURNS)}"})
    return verdict.model_copy(update={"checks": (*verdict.checks[:-1], last)})


def relabelled(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
    last = verdict.checks[-1].model_copy(update={"place": "here alone"})
    return verdict.model_copy(update={"checks": (*verdict.checks[:-1], last)})


def test_faults_of_verdicts(bench: Make) -> None:
    assert failed(bench(KNOWN), "verdict") == set()
    assert failed(bench(KNOWN, grade=really(weights)), "verdict.well-formed", "verdict.repeated") == {
        "verdict.well-formed"
    }
    assert failed(bench(KNOWN, grade=really(counted)), "verdict.well-formed", "verdict.repeated") == {
        "verdict.repeated"
    }
    assert failed(bench(KNOWN, grade=really(relabelled)), "verdict") == {"verdict.elsewhere"}


def test_the_sound_task_passes(base: Bench) -> None:
    checks = found(base, "episode")
    assert {name: check.evidence for name, check in checks.items() if check.state != "passed"} == {}
    assert checks["episode.order"].numbers["archives"] >= 4
    assert checks["episode.tools"].numbers["tools"] > 10


def inventory(base: Bench, **changes: Any) -> Inventory:
    there = {
        "files": {f"/work/{path}": 1_767_225_600 for path in base.package.files},
        "contents": {},
        "processes": {"1 cmdline": "python server"},
        "variables": {"PATH": "/usr/bin"},
        "host": "desk",
        "links": (),
        "routes": (),
    }
    return Inventory.model_validate(there | changes)


def test_what_gives_something_away_inside(base: Bench) -> None:
    def told(**changes: Any) -> str:
        return " | ".join(given_away(base.package, inventory(base, **changes)))

    own = inventory(base).files
    npv = next(iter(base.package.hidden.values["npv"].rows))[-1]
    assert told() == ""
    assert "variable TASK: it holds the task's id" in told(variables={"TASK": base.package.id})
    assert "process 7 environ: it holds the canary" in told(processes={"7 environ": f"A={base.package.card.canary}"})
    assert "a value of npv" in told(contents={"/tmp/x": f"npv {npv}"}, files={**own, "/tmp/x": 0})
    assert "a value of npv" in told(variables={"NPV": f"{npv:,}"})
    assert "a query" in told(contents={"/opt/x": str(base.package.hidden.graph.unit("npv").query)})
    assert "named after what runs the task" in told(files={**own, "/opt/workgym/guest.py": 0})
    assert "is in the workspace, and no file of the task" in told(files={**own, "/work/solve.py": 1_767_225_600})
    assert "times differ, by up to 60 s" in told(files={**own, next(iter(own)): 1_767_225_660})
    assert "the task's files are not there" in told(files={"/work/other.txt": 0})
    assert "a folder of the host" in told(variables={"ROOT": __file__.partition("/tests/")[0]})
