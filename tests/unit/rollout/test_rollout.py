"""Harnesses on the toy task: controls, a model in a loop, any callable; and what a failure's record says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.envs.registration import EnvSpec

import workgym
from workgym import harness as harnesses
from workgym import shelves
from workgym.env import OfficeEnv
from workgym.errors import ModelError, SandboxDied, SandboxUnavailable, UsageError
from workgym.harness import Episode
from workgym.model import Message, ModelReply, ModelRequest, TextBlock, ToolResultBlock
from workgym.models import ScriptedModel
from workgym.package import save
from workgym.records import ToolSpec
from workgym.rollout import Rollout
from workgym.testing import DummySandbox, Moves, check_harness, grade, toy_task
from workgym.trajectory import EndEvent, EpisodeEvent, MessageEvent, SegmentEvent, Trajectory
from workgym.user import ScriptedUser, UserTurn

READ = {"tool": "read_file", "arguments": {"path": "rent.txt"}}
WRITE = {"tool": "write_file", "arguments": {"path": "sum.txt", "content": "42\n"}}


def office(**options: Any) -> OfficeEnv:
    return OfficeEnv(**({"package": toy_task(), "sandbox": DummySandbox, "grade": grade} | options))


def test_controls_expert_does_it_and_noop_earns_nothing(tmp_path: Path) -> None:
    expert = workgym.rollout(office(), "expert", out=tmp_path / "t")
    assert (expert.solved, expert.reward, expert.end, expert.harness) == (True, 1.0, "closed", "expert")
    calls = [call.call.tool for call in Trajectory.open(str(expert.trajectory)).calls()]
    assert calls == ["glob", "read_file", "read_file", "write_file", "submit"], "all through the tool API"
    noop = workgym.rollout(office(), "noop")
    assert (noop.solved, noop.reward, noop.verdict, noop.turns) == (False, 0.0, "failed", 1)


def test_an_expert_that_misses_a_premise_is_blocked_and_never_a_success() -> None:
    result = workgym.rollout(office(package=toy_task(rent="")), "expert")
    assert (result.end, result.solved) == ("blocked", False)
    assert result.blocked == {"what": "the amount in rent.txt", "looked_at": ["rent.txt"], "blocks": "the sum"}


def test_an_expert_script_that_fails_is_a_record_with_its_traceback() -> None:
    task = toy_task()
    result = workgym.rollout(
        office(package=task.with_hidden(expert="def solve(desk):\n    desk.nothing()\n")), "expert"
    )
    assert (result.fault, result.end, result.solved) == ("harness", "harness failed", False)
    assert "nothing" in str(result.error) and "desk.nothing()" in str(result.error)
    missing = workgym.rollout(office(package=task.with_hidden(expert=None)), "expert")
    assert missing.error == "workfactory/toy has no expert script"


def test_an_expert_that_runs_out_of_turns_is_cut_off_and_graded() -> None:
    result = workgym.rollout(office(package=toy_task(turns=2)), "expert")
    assert (result.end, result.error, result.turns, result.verdict) == ("turns", None, 2, "failed")


def test_react_calls_in_order_gives_back_results_and_hands_over(tmp_path: Path) -> None:
    parallel = {"say": "Both.", "calls": [READ, {"tool": "read_file", "arguments": "{bad"}]}
    model = ScriptedModel([READ, parallel, WRITE, "It is done."])
    result = workgym.rollout(office(), "react", model=model, out=tmp_path / "t")
    assert (result.solved, result.turns, result.model, result.end) == (True, 5, "scripted", "closed")
    results = model.requests[2].messages[-1].blocks
    assert [type(block) for block in results] == [ToolResultBlock, ToolResultBlock]
    assert [(block.id, block.is_error) for block in results if isinstance(block, ToolResultBlock)] == [
        ("call-2-0", False),
        ("call-2-1", True),
    ]
    trajectory = Trajectory.open(tmp_path / "t")
    roles = [event.role for event in trajectory.of(MessageEvent)]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [call.call.id for call in trajectory.calls()] == ["call-1-0", "call-2-0", "call-2-1", "call-3-0", None]
    assert trajectory.episode.model == "scripted" and trajectory.episode.harness == "react"


def test_react_goes_on_when_the_user_does() -> None:
    env = office(user=ScriptedUser([UserTurn(say="Please check again.")]))
    model = ScriptedModel(["Nothing to do.", WRITE, "Now it is done."])
    result = workgym.rollout(env, "react", model=model)
    assert result.solved and model.requests[1].messages[-1] == Message.of("user", "Please check again.")


def test_react_nudges_a_silent_model_and_then_gives_up() -> None:
    model = ScriptedModel(
        [ModelReply(blocks=()), ModelReply(blocks=(TextBlock(text="I wi"),), stop="length"), " ", WRITE]
    )
    result = workgym.rollout(office(), "react", model=model)
    assert (result.end, result.error, result.turns) == ("gave up", None, 0)
    nudges = [request.messages[-1].blocks[0].text for request in model.requests]  # type: ignore[union-attr]
    assert "said nothing" in nudges[1] and "cut off" in nudges[2]


def test_calls_after_the_end_of_the_episode_are_not_made() -> None:
    model = ScriptedModel([{"calls": [WRITE, {"tool": "submit"}, READ]}])
    result = workgym.rollout(office(), "react", model=model)
    assert (result.turns, result.solved) == (2, True)


def test_any_callable_is_a_harness_and_sees_what_a_solver_sees() -> None:
    def mine(episode: Episode) -> None:
        assert episode.request.startswith("Please add") and "at most 250" in episode.observation
        assert [tool.name for tool in episode.tools][-1] == "submit" and not hasattr(episode, "expert")
        answer = episode.act('{"tool": "read_file", "arguments": {"path": "rent.txt"}}')
        assert (answer.text, answer.is_error, answer.done, episode.turns_left) == ("rent 30", False, False, 249)
        episode.act(WRITE)
        episode.act({"reply": "Done."})

    result = workgym.rollout(office(), mine)
    assert result.solved and result.harness == "mine"
    assert result == Rollout.model_validate_json(result.model_dump_json())


def test_a_package_is_named_by_its_folder_as_the_command_line_does(tmp_path: Path) -> None:
    folder = save(toy_task(), tmp_path / "toy")
    for named in (folder, str(folder)):
        assert workgym.rollout(named, "expert", sandbox=DummySandbox, grade=grade).solved


def test_a_harness_from_a_folder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "harnesses" / "hasty"
    home.mkdir(parents=True)
    (home / "harness.yaml").write_text("name: hasty\nkind: loop\nentry: loop:Hasty\ndescription: Guesses.\n")
    (home / "loop.py").write_text(
        "def Hasty(episode):\n"
        "    episode.act({'tool': 'write_file', 'arguments': {'path': 'sum.txt', 'content': '1'}})\n"
        "    episode.act({'tool': 'submit'})\n"
    )
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path))
    result = workgym.rollout(office(), "hasty")
    assert (result.harness, result.turns, result.verdict) == ("hasty", 2, "failed")
    (home / "harness.yaml").write_text("name: hasty\nkind: loop\nentri: loop:Hasty\ndescription: Guesses.\n")
    with pytest.raises(UsageError, match=r"harnesses/hasty/harness.yaml: entr"):
        harnesses.load("hasty")


def test_what_a_harness_of_ones_own_did_wrong_has_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "harnesses/clumsy"
    home.mkdir(parents=True)
    (home / "harness.yaml").write_text("name: clumsy\nkind: loop\nentry: loop:run\ndescription: It fails.\n")
    (home / "loop.py").write_text("from .desk import look\n\n\ndef run(episode):\n    look(episode)\n")
    (home / "desk.py").write_text("import json\n\n\ndef look(episode):\n    json.loads('')\n")
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path))
    result = workgym.rollout(office(), "clumsy", out=tmp_path / "t")
    assert str(result.error).startswith("clumsy/desk.py:5: JSONDecodeError: Expecting value")
    (end,) = Trajectory.open(str(result.trajectory)).of(EndEvent)
    detail = str(end.detail).split("\n")
    assert detail[:3] == [result.error, "clumsy/loop.py:5 in run", "clumsy/desk.py:5 in look"]
    assert detail[3].startswith("json/__init__.py:") and str(tmp_path) not in "".join(detail)
    assert workgym.rollout(office(), len).error == "TypeError: object of type 'LoopEpisode' has no len()"


def test_failures_are_records_named_after_the_boundary() -> None:
    def broken(episode: Episode) -> None:
        episode.act(WRITE)
        raise ZeroDivisionError("mine")

    harness = workgym.rollout(office(), broken)
    assert (harness.fault, harness.end) == ("harness", "harness failed")
    assert re.fullmatch(r"rollout/test_rollout.py:\d+: ZeroDivisionError: mine", str(harness.error))
    assert harness.reward == 1.0 and not harness.solved, "what was done is graded, and is no success"

    def silent(request: ModelRequest) -> str:
        raise ModelError("the endpoint is gone")

    model = workgym.rollout(office(), "react", model=ScriptedModel(silent))
    assert (model.fault, model.error, model.end) == ("model", "the endpoint is gone", "model failed")

    key = ScriptedModel(silent)
    key.secrets = ("the endpoint",)
    assert workgym.rollout(office(), "react", model=key).error == "[redacted] is gone", "no record holds a secret"

    def needy(episode: Episode) -> None:
        episode.model.complete(ModelRequest(messages=()))

    assert "give the rollout one" in str(workgym.rollout(office(), needy).error)

    def die(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
        raise SandboxDied("killed")

    spec = ToolSpec(name="die", description="Dies.", input_schema={"type": "object"})
    died = workgym.rollout(
        office(sandbox=lambda: DummySandbox(extra={"die": (spec, die)})), lambda episode: episode.act({"tool": "die"})
    )
    assert (died.end, died.error, died.verdict) == ("sandbox died", None, "failed")


def test_what_the_caller_can_put_right_is_raised() -> None:
    with pytest.raises(UsageError, match="harnesses: unknown name 'expart'; did you mean expert"):
        workgym.rollout(office(), "expart")
    with pytest.raises(UsageError, match="acts through a model"):
        workgym.rollout(office(), "react")
    with pytest.raises(UsageError, match="unknown family"):
        workgym.rollout("workfactory/no-such-family-1", "noop")
    with pytest.raises(UsageError, match="dict is no task"):
        workgym.rollout({}, "noop")
    with pytest.raises(UsageError, match="7 is no harness"):
        workgym.rollout(office(), 7)  # type: ignore[arg-type]

    def unable() -> DummySandbox:
        raise SandboxUnavailable("no bubblewrap here", fix="apt install bubblewrap")

    with pytest.raises(SandboxUnavailable):
        workgym.rollout(office(sandbox=unable), "noop")


def test_a_sandbox_that_does_not_start_this_time_is_a_record() -> None:
    def unlucky() -> DummySandbox:
        raise SandboxDied("the guest did not answer")

    result = workgym.rollout(office(sandbox=unlucky), "noop")
    assert (result.end, result.verdict, result.fault, result.reward) == ("sandbox failed", "unscored", "sandbox", 0.0)


def test_a_wrapped_environment_is_acted_in_through_its_wrappers() -> None:
    options = {"package": toy_task(), "sandbox": DummySandbox, "grade": grade}
    spec = EnvSpec("workfactory/toy-v0", entry_point="workgym.env:OfficeEnv", kwargs=options)
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make(spec))
    assert workgym.rollout(env, "expert").solved
    assert env.episode_count == 1 and list(env.return_queue) == [1.0]


def test_rewritten_history_opens_a_new_segment(tmp_path: Path) -> None:
    def compacting(episode: Episode) -> None:
        first = (Message.of("system", "Work."), Message.of("user", "Go."))
        reply = episode.model.complete(ModelRequest(messages=first))
        episode.model.complete(ModelRequest(messages=(*first, reply.message(), Message.of("user", "More."))))
        episode.model.complete(ModelRequest(messages=(first[0], Message.of("user", "Summary: nothing yet."))))
        episode.act({"tool": "submit"})

    workgym.rollout(office(), compacting, model=ScriptedModel(["a", "b", "c"]), out=tmp_path / "t")
    trajectory = Trajectory.open(tmp_path / "t")
    assert [(event.segment, event.parent, event.reason) for event in trajectory.of(SegmentEvent)] == [
        (0, None, "request"),
        (1, 0, "compaction"),
    ]
    assert [event.segment for event in trajectory.of(MessageEvent)] == [0, 0, 0, 0, 0, 1, 1, 1]
    assert [call.call.segment for call in trajectory.calls()] == [1]


def test_a_models_secret_stays_out_of_the_trajectory(tmp_path: Path) -> None:
    class Careless(ScriptedModel):
        secrets = ("the-secret-key-of-this-model",)

    model = Careless([{"say": "My key is the-secret-key-of-this-model", "calls": [{"tool": "submit"}]}])
    model.secrets = ("the-secret-key-of-this-model",)
    workgym.rollout(office(), "react", model=model, out=tmp_path / "t")
    trajectory = Trajectory.open(tmp_path / "t")
    assert isinstance(next(trajectory.events()), EpisodeEvent)
    written = b"".join(path.read_bytes() for path in (tmp_path / "t").rglob("*") if path.is_file())
    assert b"the-secret-key" not in written and b"[redacted]" in written


def test_a_rollout_is_printed_without_its_evidence() -> None:
    run = workgym.rollout(office(), "noop")
    assert str(run) == repr(run) == f"Rollout({run.task_id}, noop, {run.end}, failed, reward=0.000)"
    assert run.evidence


FINISH = {"tool": "finish", "arguments": {"reason": "Done.", "paths": []}}
MOVES = {
    "stirrup-style": Moves({"tool": "code_exec", "arguments": {"cmd": "ls"}}, FINISH, FINISH),
    "claude-code-style": Moves({"tool": "Glob", "arguments": {"pattern": "*"}}),
}


@pytest.mark.parametrize("name", shelves.names("harnesses"))
def test_every_harness_of_the_shelf_passes_the_suite(name: str) -> None:
    check_harness(name, MOVES.get(name))


def test_the_suite_finds_what_is_wrong() -> None:
    def never_ends(episode: Episode) -> None:
        return None

    def crashes(episode: Episode) -> None:
        raise KeyError("x")

    for harness, says in ((never_ends, "left the episode open"), (crashes, "KeyError")):
        with pytest.raises(AssertionError, match=says):
            check_harness(harness)
