"""A trajectory that is run again: exact, diverging, refused, and stopped half-way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import workgym
from workgym import package
from workgym.cli import main
from workgym.env import OfficeEnv
from workgym.errors import ReplayError, UsageError
from workgym.replay import ReplayReport, task_of
from workgym.testing import DummySandbox, grade, toy_task
from workgym.testing.dummy_sandbox import TOOLS
from workgym.trajectory import Trajectory
from workgym.user import ScriptedUser, UserTurn

WRITE = {"tool": "write_file", "arguments": {"path": "sum.txt", "content": "42\n"}}


def record(folder: Path, *actions: Any, **options: Any) -> Path:
    env = OfficeEnv(**({"package": toy_task(), "sandbox": DummySandbox, "grade": grade, "out": folder} | options))
    env.reset(seed=3)
    for action in actions:
        env.step(action)
    env.close()
    return folder


def again(folder: Path, **options: Any) -> ReplayReport:
    return workgym.replay(folder, **({"sandbox": DummySandbox, "grade": grade} | options))


ALL = ("nonsense", {"tool": "list_files"}, {"tool": "nothing"}, WRITE, {"tool": "submit"})


def test_every_kind_of_action_replays_exactly(tmp_path: Path) -> None:
    report = again(record(tmp_path / "t", *ALL))
    assert report.exact and (report.calls, report.matched) == (5, 5)
    assert (report.verdict, report.reward, report.task_id) == ("passed", 1.0, "workfactory/toy")


def test_a_users_turns_are_taken_from_the_record(tmp_path: Path) -> None:
    user = ScriptedUser([UserTurn(say="The rent is 31.", files={"rent.txt": b"rent 31\n"})])
    folder = record(tmp_path / "t", {"reply": "?"}, {"tool": "list_files"}, WRITE, {"tool": "submit"}, user=user)
    assert again(folder).exact
    env = workgym.replay(folder, until=1, sandbox=DummySandbox, grade=grade)
    assert env.step({"tool": "read_file", "arguments": {"path": "rent.txt"}})[0]["text"] == "rent 31"


def test_an_episode_that_was_cut_off_replays_as_far_as_it_went(tmp_path: Path) -> None:
    report = again(record(tmp_path / "t", WRITE))
    assert report.exact and (report.matched, report.verdict) == (1, None)
    log = tmp_path / "t" / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:3]))  # killed between a call and its answer
    report = again(tmp_path / "t")
    assert report.exact and report.matched == 0 and not report.complete


def test_a_log_without_an_end_is_said_to_have_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = record(tmp_path / "t", *ALL)
    assert again(folder).complete
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(lines[0])
    report = again(folder)
    assert report.exact and not report.complete and report.calls == 0
    assert main(["replay", str(folder), "--sandbox", "bubblewrap"]) == 1
    assert "exactly as recorded, as far as it goes: the episode has no end" in capsys.readouterr().out


def forged(folder: Path, event: str, **fields: Any) -> Path:
    """The log with fields of its events of one kind replaced; without those events where no field is given."""
    log = folder / "events.jsonl"
    events = [json.loads(line) for line in log.read_bytes().splitlines()]
    kept = [one | fields if one["event"] == event else one for one in events if fields or one["event"] != event]
    log.write_text("".join(json.dumps(one) + "\n" for one in kept))
    return folder


@pytest.mark.parametrize(
    ("event", "fields", "what"),
    [
        ("episode", {"workspace": "0" * 64}, "start"),
        ("workspace", {"digests": {"sum.txt": "0" * 64}, "kept": {}}, "handed in"),
        ("workspace", {}, "handed in"),
        ("verdict", {"reward": 0.5}, "verdict"),
        ("verdict", {}, "verdict"),
        ("end", {"reason": "turns"}, "end"),
    ],
)
def test_whatever_the_record_claims_is_compared(tmp_path: Path, event: str, fields: Any, what: str) -> None:
    report = again(forged(record(tmp_path / "t", *ALL), event, **fields))
    assert report.divergence is not None and report.divergence.what == what and not report.exact


def test_calls_that_were_cut_out_are_missed(tmp_path: Path) -> None:
    folder = record(tmp_path / "t", *ALL)
    log = folder / "events.jsonl"
    lines = [line for line in log.read_text().splitlines(keepends=True) if '"index":2' not in line]
    log.write_text("".join(lines))
    report = again(folder)
    assert report.divergence is not None and str(report.divergence) == (
        "call 3 (nothing): number: 3 was recorded, 2 found"
    )


@pytest.mark.parametrize("harness", ["expert", "noop"])
def test_rollouts_replay_with_their_ends(tmp_path: Path, harness: str) -> None:
    for number, task in enumerate((toy_task(), toy_task(rent=""), toy_task(turns=2))):
        env = OfficeEnv(package=task, sandbox=DummySandbox, grade=grade)
        result = workgym.rollout(env, harness, out=tmp_path / str(number))
        report = again(tmp_path / str(number))
        assert report.exact, report.divergence
        assert report.verdict == result.verdict


def test_the_first_divergence_is_named(tmp_path: Path) -> None:
    folder = record(tmp_path / "t", *ALL)

    def differently(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
        files["sum.txt"] = b"43\n"
        return "Wrote sum.txt."

    report = again(folder, sandbox=lambda: DummySandbox(extra={"write_file": (TOOLS["write_file"][0], differently)}))
    assert report.matched == 3 and report.divergence is not None
    assert (report.divergence.call, report.divergence.tool, report.divergence.what) == (4, "write_file", "workspace")

    def louder(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
        return "rent.txt"

    report = again(folder, sandbox=lambda: DummySandbox(extra={"list_files": (TOOLS["list_files"][0], louder)}))
    assert report.divergence is not None
    assert str(report.divergence) == (
        "call 2 (list_files): observation: 'power.txt\\nrent.txt' was recorded, 'rent.txt' found"
    )
    with pytest.raises(ReplayError, match="call 2"):
        workgym.replay(
            folder, until=4, sandbox=lambda: DummySandbox(extra={"list_files": (TOOLS["list_files"][0], louder)})
        )


def test_until_gives_a_live_environment_that_can_go_on_and_be_recorded(tmp_path: Path) -> None:
    folder = record(tmp_path / "t", *ALL)
    env = workgym.replay(folder, until=3, sandbox=DummySandbox, grade=grade, out=tmp_path / "fork")
    assert env.turns_taken == 3 and not env.over
    env.step({"tool": "write_file", "arguments": {"path": "sum.txt", "content": "41"}})
    *_, terminated, _, info = env.step({"tool": "submit"})
    assert terminated and info["verdict"] == "failed"
    assert again(tmp_path / "fork").exact, "a fork is a trajectory like any other"
    assert workgym.replay(folder, until=0, sandbox=DummySandbox).turns_taken == 0
    with pytest.raises(ReplayError, match="call 9 is asked for, and there are 5"):
        workgym.replay(folder, until=9, sandbox=DummySandbox, grade=grade)
    with pytest.raises(UsageError, match="until=-1"):
        workgym.replay(folder, until=-1, sandbox=DummySandbox)


def test_the_task_is_found_by_its_copy_its_folder_or_given_and_another_one_is_refused(tmp_path: Path) -> None:
    copied = record(tmp_path / "copied", WRITE)
    assert Trajectory.open(copied).episode.package_path == "task"
    copied.rename(tmp_path / "elsewhere")
    assert again(tmp_path / "elsewhere").exact, "a trajectory can be moved"
    package.save(toy_task(), tmp_path / "packages" / "toy")
    named = record(tmp_path / "named", WRITE, package=tmp_path / "packages" / "toy")
    assert Trajectory.open(named).episode.package_path == str(tmp_path / "packages" / "toy")
    assert again(named).exact
    package.save(toy_task(rent="31"), tmp_path / "packages" / "toy")
    with pytest.raises(ReplayError, match="not as it was when this was recorded; give the package"):
        again(named)
    assert again(named, package=toy_task()).exact


def test_what_was_handed_in_can_be_graded_again_without_running_anything(tmp_path: Path) -> None:
    recorded = Trajectory.open(record(tmp_path / "t", *ALL))
    task = task_of(recorded)
    assert grade(task, recorded.handed_in(dict(task.files))) == ("passed", 1.0, {"found": "42"})
    cut = Trajectory.open(record(tmp_path / "cut", WRITE))
    with pytest.raises(ReplayError, match="before anything was handed in"):
        cut.handed_in(dict(task_of(cut).files))
    package.save(toy_task(rent="31"), cut.folder / "task")
    with pytest.raises(ReplayError, match="not as it was"):
        task_of(cut)
