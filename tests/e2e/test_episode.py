"""Whole episodes in a real sandbox: the user's three uses, exact replay, a change in mid-task, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import workgym
from workgym import corpus, shelves
from workgym.env import OfficeEnv
from workgym.graph import provided
from workgym.models import ScriptedModel
from workgym.mutation import Revision, SetCell
from workgym.package import TaskPackage
from workgym.records import Cell
from workgym.replay import task_of
from workgym.testing import grade, toy_task
from workgym.testing.toy import ToyVerdict
from workgym.trajectory import Trajectory

FAMILIES = shelves.names("envs")
TASK = "workfactory/supplier-selection-000042"


def office(**options: Any) -> OfficeEnv:
    return OfficeEnv(**({"package": toy_task(), "grade": grade} | options))


@pytest.mark.parametrize("family", FAMILIES)
def test_gymnasium_checks_every_family_without_a_warning(family: str) -> None:
    env = gymnasium.make(f"workfactory/{family}-000001", render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()


@pytest.mark.parametrize("family", FAMILIES)
def test_an_expert_solves_noop_does_not_and_both_replay_exactly(family: str, tmp_path: Path, full_size: bool) -> None:
    for seed in range(1, 21 if full_size else 2):
        env = gymnasium.make(f"workfactory/{family}-{seed:06d}")
        expert = workgym.rollout(env, "expert", out=tmp_path / f"expert-{seed}")
        assert expert.solved, (seed, expert.error, expert.blocked, expert.evidence)
        noop = workgym.rollout(env, "noop", out=tmp_path / f"noop-{seed}")
        assert (noop.reward, noop.solved) == (0.0, False)
        env.close()
        for name in ("expert", "noop"):
            report = workgym.replay(tmp_path / f"{name}-{seed}")
            assert report.exact, (seed, str(report.divergence))
            assert report.calls == report.matched


def test_replay_in_another_process_at_another_hour_is_exact(tmp_path: Path, root: Path) -> None:
    code = """
        import docx, openpyxl, pandas, xlsxwriter
        from reportlab.pdfgen import canvas
        book = openpyxl.Workbook(); book.active["A1"] = "=1+1"; book.save("a.xlsx")
        document = docx.Document(); document.add_paragraph("Hi"); document.save("a.docx")
        other = xlsxwriter.Workbook("b.xlsx"); other.add_worksheet().write(0, 0, 2); other.close()
        page = canvas.Canvas("a.pdf"); page.drawString(100, 100, "Hi"); page.save()
        pandas.DataFrame({"a": [1]}).to_excel("c.xlsx"); print("done")
    """
    actions: list[dict[str, Any]] = [
        {"tool": "python", "arguments": {"code": textwrap.dedent(code)}},
        {"tool": "bash", "arguments": {"command": "ls; pwd; whoami; echo $$ >&2; mkdir x; mv rent.txt x/"}},
        {"tool": "python", "arguments": {"code": "print({'b', 'a', 'c'}); 1/0"}},
        {"tool": "list_files", "arguments": {}},
        {"tool": "submit", "arguments": {}},
    ]
    env = office(out=tmp_path / "t")
    env.reset(seed=0)
    seen = [env.step(action)[0]["text"] for action in actions]
    assert seen[0].startswith("done") and "x/rent.txt" in seen[3]
    time.sleep(2.1)  # zip entries count in steps of two seconds
    program = f"""
        import workgym
        from workgym.testing import grade
        report = workgym.replay({str(tmp_path / "t")!r}, grade=grade)
        print(report.divergence)
        assert report.exact and report.matched == 5
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, cwd=root)


def test_replay_gives_a_live_environment_at_step_k(tmp_path: Path) -> None:
    workgym.rollout(office(), "expert", out=tmp_path / "t")
    env = workgym.replay(tmp_path / "t", until=2, grade=grade, out=tmp_path / "fork")
    assert env.turns_taken == 2 and not env.over
    assert env.step({"tool": "read_file", "arguments": {"path": "rent.txt"}})[0]["text"] == "rent 30"
    env.step({"tool": "write_file", "arguments": {"path": "sum.txt", "content": "42"}})
    *_, info = env.step({"reply": "done"})
    assert info["verdict"] == "passed"
    env.close()
    assert workgym.replay(tmp_path / "fork", grade=grade).exact


def test_an_alternative_harness_is_a_callable_or_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mine(episode: Any) -> None:
        answer = episode.act({"tool": "bash", "arguments": {"command": "cat *.txt | awk '{s += $2} END {print s}'"}})
        episode.act({"tool": "write_file", "arguments": {"path": "sum.txt", "content": answer.text}})
        episode.act({"reply": "Here is the sum."})

    assert workgym.rollout(office(), mine).solved
    home = tmp_path / "harnesses" / "shell_only"
    home.mkdir(parents=True)
    (home / "harness.yaml").write_text("name: shell-only\nkind: loop\nentry: loop:run\ndescription: One command.\n")
    (home / "loop.py").write_text(
        "def run(episode):\n"
        "    episode.act({'tool': 'bash', 'arguments': {'command': 'echo 42 > sum.txt'}})\n"
        "    episode.act({'tool': 'submit'})\n"
    )
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path))
    assert workgym.rollout(office(), "shell-only").solved


def test_a_model_works_through_react(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(
        "- {say: I look first., calls: [{tool: read_file, arguments: {path: rent.txt}}, {tool: list_files}]}\n"
        '- {tool: python, arguments: {code: \'open("sum.txt", "w").write("42")\'}}\n'
        "- {tool: submit, arguments: {message: Done.}}\n"
    )
    result = workgym.rollout(office(), "react", model=f"scripted:{script}", out=tmp_path / "t")
    assert result.solved and result.turns == 4
    assert workgym.replay(tmp_path / "t", grade=grade).exact
    assert isinstance(ScriptedModel.from_file(script), ScriptedModel)


def test_a_revision_changes_files_and_grading_of_the_live_episode(tmp_path: Path) -> None:
    graded: list[TaskPackage] = []

    def keep(package: TaskPackage, files: Mapping[str, bytes]) -> ToyVerdict:
        graded.append(package)
        return ToyVerdict("failed", 0.0, {"files": sorted(files)})

    env = office(package=corpus.load(TASK), grade=keep, out=tmp_path / "t")
    env.reset(seed=0)
    before = env.package
    demand = provided(before.hidden.graph, before.hidden.values)["demand"]
    key = tuple(str(part) for part in next(iter(demand.by_key)))
    edit = SetCell(cell=Cell(unit="demand", key=key, column="units"), value=123400)
    read = {"tool": "read_workbook", "arguments": {"path": "planning/packaging_demand_released.xlsx"}}
    assert "123400" not in env.step(read)[0]["text"]
    env.mutate(Revision(purpose="user", why="Planning has new figures.", edits=(edit,)))
    assert "123400" in env.step(read)[0]["text"]
    env.step({"tool": "submit", "arguments": {}})
    assert graded[-1].digest != before.digest and graded[-1].truth("npv") != before.truth("npv")
    env.reset(seed=0)
    assert env.package.digest == before.digest and "123400" not in env.step(read)[0]["text"]
    env.close()
    report = workgym.replay(tmp_path / "t", grade=keep)
    assert report.exact, report.divergence
    recorded = Trajectory.open(tmp_path / "t")
    assert graded[-1].digest == task_of(recorded).digest != before.digest
    assert "planning/packaging_demand_released.xlsx" in recorded.handed_in(dict(task_of(recorded).files))


def test_a_killed_host_leaves_a_trajectory_to_go_on_from(tmp_path: Path, root: Path) -> None:
    program = f"""
        import itertools
        from workgym.env import OfficeEnv
        from workgym.testing import grade, toy_task
        env = OfficeEnv(package=toy_task(turns=100_000), grade=grade, out={str(tmp_path / "t")!r})
        env.reset(seed=0)
        for number in itertools.count(1):
            env.step({{"tool": "write_file", "arguments": {{"path": "n.txt", "content": str(number)}}}})
            print(number, flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True, cwd=root
    )
    assert child.stdout is not None
    while int(child.stdout.readline()) < 5:
        pass
    child.send_signal(signal.SIGKILL)
    acknowledged = [int(line) for line in child.stdout.read().split()]
    child.stdout.close()
    child.wait()
    calls = [call for call in Trajectory.open(tmp_path / "t").calls() if call.observation is not None]
    assert len(calls) >= max(acknowledged, default=5)
    env = workgym.replay(tmp_path / "t", until=len(calls), grade=grade)
    assert env.step({"tool": "read_file", "arguments": {"path": "n.txt"}})[0]["text"] == str(len(calls))
    env.close()


def test_an_environment_that_is_never_closed_leaves_no_process(root: Path) -> None:
    program = """
        import os
        from workgym.env import OfficeEnv
        from workgym.testing import grade, toy_task
        env = OfficeEnv(package=toy_task(), grade=grade)
        env.reset(seed=0)
        env.step({"tool": "bash", "arguments": {"command": "sleep 4321 & echo started"}})
        print(os.getpid())
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, cwd=root, capture_output=True)
    deadline = time.monotonic() + 5
    while _running("4321") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _running("4321")


def _running(word: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if words[:2] == [b"sleep", word.encode()]:
            found.append(entry.name)
    return found


def test_what_an_agent_leaves_running_cannot_change_what_is_graded(tmp_path: Path) -> None:
    env = office(out=tmp_path / "t")
    env.reset(seed=0)
    writer = "nohup bash -c 'while true; do echo 42 > sum.txt; sleep 0.01; echo 41 > sum.txt; done' >/dev/null 2>&1 &"
    env.step({"tool": "bash", "arguments": {"command": writer}})
    *_, info = env.step({"tool": "submit", "arguments": {}})
    handed_in = Trajectory.open(tmp_path / "t").handed_in(dict(toy_task().files))
    assert (handed_in.get("sum.txt", b"").strip() == b"42") == (info["verdict"] == "passed")
    env.close()


def test_the_solver_sees_nothing_hidden_and_nothing_of_the_host(tmp_path: Path) -> None:
    env = office(package=corpus.load(TASK), grade=lambda package, files: ToyVerdict("failed", 0.0, None))
    observation, info = env.reset(seed=0)
    shown = observation["text"] + json.dumps(info["tools"])
    listing = (
        "cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '; find / -name 'solv?.py' -o -name 'famil?.yaml' 2>/dev/null"
    )
    command = f"env; ls -la / /work; {listing}"
    shown += env.step({"tool": "bash", "arguments": {"command": command}})[0]["text"]
    for word in ("supplier-selection", "solve.py", "family.yaml", str(os.getcwd())):
        assert word not in shown
    env.close()
