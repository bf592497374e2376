"""Real rollouts on built-in families, by scripted models, from collection to selection; files, and the command line."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from workgym.authoring import families
from workgym.cli import main
from workgym.errors import UsageError
from workgym.model import ModelRequest, TextBlock
from workgym.models import ScriptedModel
from workgym.package import TaskPackage, save
from workgym.quality import sound
from workgym.rollout import rollout
from workgym.select import Config, Selection, select
from workgym.select.config import LongestConfig
from workgym.select.selection import NAME, entries
from workgym.testing.planted import plant
from workgym.testing.planted.moves import explore, write
from workgym.trajectory import Trajectory

FAMILIES = ("supplier-selection", "bank-reconciliation", "overtime-payroll")


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[TaskPackage, Path, dict[str, bytes]]]:
    """A task of each family, its folder, and what the expert hands in."""
    home = tmp_path_factory.mktemp("tasks")
    made = {}
    for name in FAMILIES:
        task = families.build(name, "easy", 7)
        made[name] = (task, save(task, home / name), dict(sound(task).files))
    return made


def write_call(files: dict[str, bytes]) -> dict[str, Any]:
    held = {path: base64.b64encode(content).decode() for path, content in files.items()}
    code = (
        "import base64, os\n"
        f"for path, held in {held!r}.items():\n"
        "    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)\n"
        "    open(path, 'wb').write(base64.b64decode(held))\n"
        "print('written')\n"
    )
    return {"say": "Now I write what was asked for.", "calls": [{"tool": "python", "arguments": {"code": code}}]}


LIST = {"tool": "list_files", "arguments": {}}
COUNT = {"tool": "bash", "arguments": {"command": "ls -1 | wc -l"}}
FAIL = {"tool": "python", "arguments": {"code": "raise ValueError('stop')"}}


def scripts(task: TaskPackage, right: dict[str, bytes]) -> dict[str, list[Any]]:
    """What models do, by what is to be held against it."""
    wanted = [one.path for one in task.card.deliverables]
    files = {path: right[path] for path in wanted}
    listed = f"The work is done: {', '.join(wanted)}."
    reads = [{"tool": "bash", "arguments": {"command": f"wc -c '{path}'"}} for path in sorted(task.files)[:3]]
    begin = [LIST, *reads]
    return {
        "good": [*begin, FAIL, write_call(files), COUNT, f"{listed} I have verified that all files are there."],
        "repeated_calls": [*begin, *[COUNT] * 6, write_call(files), listed],
        "thin_deliverables": [*begin, write_call({path: files[path] for path in wanted[1:]}), "Done."],
        "unsupported_claims": [*begin, write_call(files), f"{listed} A summary for the board was saved as board.pdf."],
        "repeated_reasoning": [*[{"say": THOUGHT, "calls": [call]} for call in begin], write_call(files), listed],
        "recoverability": [*begin, write_call(files), FAIL, listed],
    }


THOUGHT = (
    "I have to find out which of the files says what the request is about before I begin to compute anything, so I "
    "look at the next one and note what it says, and only then I write the result."
)


@pytest.mark.parametrize(
    "family", [FAMILIES[0], *(pytest.param(family, marks=pytest.mark.soak) for family in FAMILIES[1:])]
)
def test_real_rollouts_from_collection_to_selection(tasks: Any, family: str, tmp_path: Path) -> None:
    task, _, right = tasks[family]
    runs = {}
    for fault, script in scripts(task, right).items():
        runs[fault] = tmp_path / fault
        result = rollout(task, "react", model=ScriptedModel(script), out=runs[fault])
        assert result.error is None and (result.reward == 1.0) is (fault != "thin_deliverables")
    for fault in ("killed", "forged"):
        runs[fault] = tmp_path / fault
        rollout(task, "react", model=ScriptedModel(scripts(task, right)["good"]), out=runs[fault])
    log = runs["killed"] / "events.jsonl"
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    observation = next(one for one in Trajectory.open(runs["forged"]).calls() if one.call.tool == "python")
    log = runs["forged"] / "events.jsonl"
    assert observation.observation is not None and "stop" in observation.observation.text
    log.write_bytes(log.read_bytes().replace(b"ValueError: stop", b"ValueError: halt"))
    rollout(task, "expert", out=tmp_path / "control")
    made = select([*runs.values(), tmp_path / "control"], Config(), out=tmp_path / NAME, replayed=1.0)
    dropped = {entry.trajectory: entry.dropped_by for entry in made.entries}
    thin = {"outcome", "thin_deliverables"}
    assert {name: set(by) for name, by in dropped.items()} == {
        "good": set(),
        "repeated_calls": {"repeated_calls"},
        "thin_deliverables": thin,
        "unsupported_claims": {"unsupported_claims"},
        "repeated_reasoning": {"repeated_reasoning"},
        "recoverability": {"recoverability"},
        "killed": {"integrity", "unscored"},
        "forged": {"integrity"},
        "control": {"outcome"},
    }
    told = {entry.trajectory: "; ".join(entry.reasons) for entry in made.dropped}
    assert "run again it comes out differently: call 5 (python): observation" in told["forged"]
    assert "expert is a control" in told["control"]
    assert not any(str(value) in text for text in told.values() for value in hidden_values(task))
    assert made.replayed == 9 and len(made.kept) == 1


def hidden_values(task: TaskPackage) -> list[str]:
    """Derived values of some length, which no reason may state."""
    derived = [unit.name for unit in task.hidden.graph.units if unit.status == "derived"]
    rows = [row for name in derived if name in task.hidden.values for row in task.hidden.values[name].rows]
    return [str(value) for row in rows for value in row if len(str(value)) >= 6]


def test_a_selection_is_a_file_that_is_read_again(tmp_path: Path) -> None:
    found = plant(tmp_path / "runs", sound=3, each=1)
    made = select(list(found), out=tmp_path / "chosen" / NAME)
    file = made.save(tmp_path / "chosen")
    assert file == tmp_path / "chosen" / NAME and Selection.load(file) == made == Selection.load(tmp_path / "chosen")
    assert [one.trajectory for one in entries(file)] == [one.trajectory for one in made.entries]
    assert made.entries[0].trajectory.startswith("../runs/")
    assert {entry.folder(file).resolve() for entry in made.entries} == {folder.resolve() for folder in found}
    assert select(list(found), out=tmp_path / "chosen" / NAME).model_dump_json() == made.model_dump_json()
    lines = file.read_text().splitlines(keepends=True)
    for wrong, said in (
        ("", "1: not the head"), ('{"format": 9, "config": {}}\n', "format 9 is newer"),
        (lines[0] + "{}\n", "2: Field required"), (lines[1], "1: not the head"),
    ):  # fmt: skip
        file.write_text(wrong)
        with pytest.raises(UsageError, match=said):
            Selection.load(file)
    with pytest.raises(UsageError, match="No such file"):
        Selection.load(tmp_path / "none.jsonl")


def test_a_switch_turns_a_filter_off(tmp_path: Path) -> None:
    found = plant(tmp_path / "runs", sound=0, each=1)
    config = Config()
    for name in ("outcome", "repeated_reasoning", "repeated_calls", "thin_deliverables", "unsupported_claims"):
        off = getattr(config, name).model_copy(update={"use": False})
        config = config.model_copy(update={name: off})
    made = select(list(found), config)
    assert {stage for entry in made.entries for stage in entry.dropped_by} == {
        "integrity",
        "unscored",
        "recoverability",
    }


def test_of_the_longest_the_preferred_one_is_kept(tasks: Any, tmp_path: Path) -> None:
    """Three rollouts of the task with the most turns, and one of another."""
    task, _, right = tasks["supplier-selection"]
    script = scripts(task, right)["good"]
    stray = {"tool": "write_file", "arguments": {"path": sorted(right)[0] + ".notes.txt", "content": "mine"}}
    for number in range(3):
        acts = [*script[:-2], *([stray] if number == 1 else []), *script[-2:]]
        rollout(task, "react", model=ScriptedModel(acts), out=tmp_path / f"r{number}", seed=number)
    other, _, done = tasks["bank-reconciliation"]
    rollout(other, "react", model=ScriptedModel(scripts(other, done)["good"][3:]), out=tmp_path / "short")
    folders = [tmp_path / name for name in ("r0", "r1", "r2", "short")]
    config = Config(longest=LongestConfig(share=0.4))
    seen: list[str] = []

    def prefer(request: ModelRequest) -> str:
        text = "".join(block.text for block in request.messages[-1].blocks if isinstance(block, TextBlock))
        seen.append(text)
        return json.dumps({"reasons": "the same", "better": "tie"})

    alone = select(folders, config, out=tmp_path / NAME)
    assert [one.state for one in alone.contests] == ["no judge"] and len(alone.kept) == 4
    made = select(folders, config, out=tmp_path / NAME, judge=ScriptedModel(prefer, name="judge"))
    (contest,) = made.contests
    assert (contest.state, contest.best, made.judge) == ("decided", "r0", "judge"), "equal work, fewer turns"
    assert [entry.trajectory for entry in made.kept] == ["r0", "short"]
    assert made.dropped[0].reasons == ("rejection: r0 is preferred",) and made.funnel[-1].dropped == 2
    assert not seen and {one.reasons for one in contest.comparisons} == {("the same work",)}


def test_the_judge_sees_works_and_not_their_places(scenes: Any, tmp_path: Path) -> None:
    """Of three memos the one with reasons wins, in whatever order; where the judge stops, nobody is rejected."""
    folders = []
    for more in ("", "Freight is included: see the offers, line 3.\n", "Regards\n"):
        scene = scenes(seed=5)
        explore(scene)
        write(scene, memo=scene.job.memo + more)
        scene.hand_over("Done.")
        folders.append(scene.grade())

    def prefers(request: ModelRequest) -> str:
        text = "".join(block.text for block in request.messages[-1].blocks if isinstance(block, TextBlock))
        assert "Please compare the offers in offers/" in text
        first, _, second = text.partition("THE SECOND WORK")
        better = "first" if "Freight" in first else "second" if "Freight" in second else "tie"
        return json.dumps({"reasons": "one gives its reasons", "better": better})

    config = Config(longest=LongestConfig(share=1.0))
    for order in (folders, folders[::-1]):
        made = select(order, config, out=tmp_path / NAME, judge=ScriptedModel(prefers, name="judge"))
        assert [entry.trajectory for entry in made.kept] == ["scene-1"] and made.undecided == 0
        outcomes = sorted(one.outcome for one in made.contests[0].comparisons)
        assert outcomes == sorted(["tie", "first", "second"])
    broken = select(folders, config, out=tmp_path / NAME, judge=ScriptedModel(["no JSON"] * 12, name="judge"))
    assert len(broken.kept) == 3 and broken.undecided == 1 and broken.contests[0].state == "unscored"
    assert Selection.load(broken.save(tmp_path)) == broken


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tmp_path / "runs", sound=4, each=2)
    out = tmp_path / "chosen.jsonl"
    assert main(["select", str(tmp_path / "runs"), "-o", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["found"], len(said["kept"]), said["file"]) == (20, 4, str(out))
    assert [stage["stage"] for stage in said["funnel"]][:3] == ["integrity", "unscored", "outcome"]
    config = tmp_path / "config.yaml"
    config.write_text("outcome:\n  least: 1.0\n  ends: []\n")
    assert main(["select", str(tmp_path / "runs"), "--config", str(config), "-o", str(tmp_path)]) == 1
    text = capsys.readouterr().out
    assert "0 of 20 trajectories are kept" in text and "sound-000: outcome: it ended by 'closed'" in text
    config.write_text("outcom: {}\n")
    for argv, told in (
        (["--config", str(config)], "config.yaml: outcom: Extra inputs are not permitted"),
        (["--replay", "2"], "--replay 2.0: a share from 0 to 1"),
        (["--judge", "nobody"], "unknown model 'nobody'"),
    ):
        assert main(["select", str(tmp_path / "runs"), "-o", str(out), *argv]) == 2
        assert told in capsys.readouterr().err


def test_rollouts_of_many_from_the_command_line(tasks: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(tasks[name][1]) for name in FAMILIES[:2]]
    teachers = tmp_path / "teachers.yaml"
    teachers.write_text(
        "teachers:\n  - {name: a, harness: expert}\n  - {name: b, harness: noop}\nlongest: {rollouts: 1}\n"
    )
    out = tmp_path / "runs"
    argv = ["rollout", *folders, "--teachers", str(teachers), "-o", str(out), "--json"]
    assert main(argv) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["rollouts"], said["kept"], said["left"]) == (2, 0, 0)
    assert main(argv) == 0 and json.loads(capsys.readouterr().out)["kept"] == 2
    assert main(["rollout", *folders, "--harness", "noop", "--rollouts", "2", "-o", str(tmp_path / "noop")]) == 0
    assert "4 rollouts (0 were done before): 4 failed" in capsys.readouterr().out
    for wrong, told in (
        ([folders[0], "-o", str(out)], "a rollout has a harness; name one"),
        ([*folders, "-o", str(out)], "its teachers stand in a file"),
        (
            [*folders, "-o", str(out), "--teachers", str(teachers), "--model", "openai:x"],
            "teachers bring their models along",
        ),
        ([*folders, "-o", str(out), "--harness", "noop", "--rollouts", "0"], "--rollouts 0: at least 1"),
    ):
        assert main(["rollout", *wrong]) == 2
        assert told in capsys.readouterr().err


def test_peers_of_a_task_are_its_own(scenes: Any) -> None:
    """Twenty rows where the others have two hundred, of the same task; another task's do not count."""
    folders = []
    for number in range(4):
        scene = scenes(seed=5 if number < 3 else 6)
        explore(scene)
        rows = scene.job.rows + [["more", at, 1, 1] for at in range(0 if number == 2 else 60)]
        write(scene, sheets={"Comparison": rows})
        scene.hand_over("Done.")
        folders.append(scene.grade())
    made = select(folders)
    assert [entry.dropped_by for entry in made.entries] == [(), (), ("thin_deliverables",), ()]
    assert "other rollouts of the task 260 in the median" in made.entries[2].reasons[0]
