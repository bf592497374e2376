"""An episode on the double: what actions mean, when it ends, what is graded, and that nothing an agent does raises."""

from __future__ import annotations

import gc
import json
import threading
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.env import OfficeEnv, Recording
from workgym.env.recording import new_writer
from workgym.errors import SandboxDied, SandboxError, UsageError, WorkspaceOverLimit
from workgym.records import ToolSpec
from workgym.sandbox.contract import Limits
from workgym.testing import DummySandbox, grade, toy_task
from workgym.trajectory import Trajectory, UserEvent
from workgym.user import ScriptedUser, SegmentEnd, UserTurn

WRITE = {"tool": "write_file", "arguments": {"path": "sum.txt", "content": "42\n"}}
SUBMIT = {"tool": "submit", "arguments": {"message": "Done."}}


def office(**options: Any) -> OfficeEnv:
    return OfficeEnv(**({"package": toy_task(), "sandbox": DummySandbox, "grade": grade} | options))


def extra(name: str, run: Callable[[dict[str, bytes], dict[str, Any]], str]) -> Callable[[], DummySandbox]:
    spec = ToolSpec(name=name, description="A tool of this test.", input_schema={"type": "object", "properties": {}})
    return lambda: DummySandbox(extra={name: (spec, run)})


def last(env: OfficeEnv, *actions: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
    env.reset(seed=0)
    answers = [env.step(action) for action in actions]
    assert all(reward == 0.0 for _, reward, *_ in answers[:-1]), "the reward comes once"
    observation, reward, terminated, truncated, info = answers[-1]
    return observation, float(reward), terminated, truncated, info


def test_gymnasium_checks_it_without_a_warning() -> None:
    options = {"package": toy_task(), "sandbox": DummySandbox, "grade": grade, "render_mode": "ansi"}
    env = gymnasium.make(EnvSpec("workfactory/toy-v0", entry_point="workgym.env:OfficeEnv", kwargs=options))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()


def test_the_first_observation_says_all_and_info_has_the_tools() -> None:
    env = office()
    observation, info = env.reset(seed=5)
    for part in ("Please add the amounts", "at most 250", "read_file(path: string, offset?: integer)", "- submit("):
        assert part in observation["text"]
    assert info["task_id"] == "workfactory/toy" and info["turns_left"] == 250
    assert "title" not in info, "task.yaml stays out of the solver's view"
    assert [tool["name"] for tool in info["tools"]][-1] == "submit"
    again, info_again = env.reset(seed=99)
    assert again == observation and info_again == info, "the seed never changes the task"


def test_a_task_is_done_and_rewarded_once_at_its_end() -> None:
    env = office()
    _, reward, terminated, truncated, info = last(env, WRITE, SUBMIT)
    assert (reward, terminated, truncated, info["verdict"], info["end"]) == (1.0, True, False, "passed", "closed")
    assert env.verdict is not None and env.verdict.record == {"found": "42"}
    again = env.step(WRITE)
    assert again[1:4] == (0.0, True, False) and "over" in again[0]["text"], "a step after the end earns nothing"


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ("not json", 'write {"tool": NAME'),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 700 + "]" * 700, "nested too deeply"),
        ({"tool": "submit", "arguments": {"message": json.loads("[" * 700 + "]" * 700)}}, "nested too deeply"),
        ("[1]", "not a JSON object"),
        ({"tool": ""}, "names no tool"),
        (7, "not a JSON object"),
        (None, "not a JSON object"),
        ({"tool": object()}, "not a JSON object"),
        ({}, "names no tool"),
        ({"tool": "read_file", "args": {}}, "keys beside"),
        ({"tool": "read_file", "arguments": "x"}, "not an object"),
        ({"tool": "read_fil"}, "Did you mean read_file?"),
        ({"tool": "read_file"}, "'path' is missing"),
        ({"tool": "read_file", "arguments": {"path": 3}}, "path must be a string"),
        ({"tool": "read_file", "arguments": {"path": "a", "x": 1}}, "there is no argument 'x'"),
        ({"tool": "read_file", "arguments": {"path": "none.txt"}}, "list_files shows"),
        ({"tool": "submit", "arguments": {"message": 1}}, "message must be a string"),
        ('{"tool": "read_file", "arguments": {"offset": NaN}}', "NaN or an infinite number"),
        ('{"tool": "read_file", "arguments": {"offset": 1e999}}', "NaN or an infinite number"),
        ({"tool": "read_file", "arguments": {"offset": float("-inf")}}, "NaN or an infinite number"),
    ],
)
def test_a_wrong_action_is_told_what_to_do_instead(action: Any, says: str) -> None:
    observation, reward, terminated, truncated, info = last(office(), action)
    assert says in observation["text"] and observation["error"] == 1
    assert (reward, terminated, truncated, info["turns_left"]) == (0.0, False, False, 249)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["read_file", "write_file", "list_files", "glob"]) | st.text()
ACTIONS = st.text() | JSON | st.fixed_dictionaries({"tool": NAMES, "arguments": st.dictionaries(st.text(), JSON)})


@settings(max_examples=150, deadline=None)
@given(action=ACTIONS)
def test_nothing_that_an_agent_does_raises(action: Any) -> None:
    env = office()
    env.reset()
    observation, *_ = env.step(action)
    assert observation in env.observation_space
    env.close()


def test_the_turn_limit_truncates_and_grades() -> None:
    env = office(turns=3)
    observation, reward, terminated, truncated, info = last(env, WRITE, {"tool": "list_files"}, {"tool": "list_files"})
    assert (reward, terminated, truncated, info["end"]) == (1.0, False, True, "turns")
    assert "limit of 3 actions" in observation["text"]
    env.reset()
    assert "(2 actions left)" in env.step(WRITE)[0]["text"], "the agent is told how much is left"


def test_a_user_goes_on_after_a_segment_and_then_closes(tmp_path: Path) -> None:
    seen: list[SegmentEnd] = []

    class Watching(ScriptedUser):
        def respond(self, end: SegmentEnd) -> UserTurn:
            seen.append(end)
            assert "sum.txt" in end.files()
            return super().respond(end)

    turn = UserTurn(say="The rent was wrong.", files={"rent.txt": b"rent 31\n", "power.txt": None})
    env = office(user=Watching([turn]), out=tmp_path / "t")
    env.reset()
    env.step(WRITE)
    observation, reward, terminated, _, info = env.step({"reply": "Here it is."})
    assert (reward, terminated, info["segment"]) == (0.0, False, 1)
    assert observation["text"] == "The rent was wrong.\n\nFiles changed by the user: power.txt, rent.txt"
    assert env.step({"tool": "list_files"})[0]["text"] == "rent.txt\nsum.txt"
    assert env.step(SUBMIT)[2] and [end.message for end in seen] == ["Here it is.", "Done."]
    assert [event.closes for event in Trajectory.open(tmp_path / "t").of(UserEvent)] == [False, True]


def test_what_fails_on_our_side_is_unscored_and_what_the_agent_breaks_is_failed() -> None:
    def broken(package: Any, files: Mapping[str, bytes]) -> Any:
        raise RuntimeError("no judge")

    *_, reward, terminated, _, info = last(office(grade=broken), WRITE, SUBMIT)
    assert (reward, terminated, info["verdict"]) == (0.0, True, "unscored")

    class Failing:
        def respond(self, end: SegmentEnd) -> UserTurn:
            raise RuntimeError("no user")

    *_, reward, terminated, _, info = last(office(user=Failing()), WRITE, SUBMIT)
    assert (reward, terminated, info["verdict"], info["end"]) == (0.0, True, "unscored", "user failed")

    def flood(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
        files["big"] = bytes(2 * 2**20)
        return "wrote"

    spec = ToolSpec(name="flood", description="Fills the disk.", input_schema={"type": "object"})
    crammed = office(sandbox=lambda: DummySandbox(Limits(workspace_mib=1), extra={"flood": (spec, flood)}))
    *_, reward, terminated, _, info = last(crammed, WRITE, {"tool": "flood"}, SUBMIT)
    assert (reward, terminated, info["verdict"]) == (0.0, True, "failed"), "an overfull workspace is the agent's doing"

    class Looking:
        def respond(self, end: SegmentEnd) -> UserTurn:
            return UserTurn(closes=not end.files())

    small = lambda: DummySandbox(Limits(workspace_mib=1), extra={"flood": (spec, flood)})  # noqa: E731
    *_, info = last(office(sandbox=small, user=Looking()), WRITE, {"tool": "flood"}, SUBMIT)
    assert (info["verdict"], info["end"]) == ("failed", "closed"), "a user who looks finds it too"
    *_, info = last(office(sandbox=small, user=Failing()), WRITE, {"tool": "flood"}, SUBMIT)
    assert (info["verdict"], info["end"]) == ("unscored", "user failed")


def test_a_folder_in_the_users_way_does_not_make_it_unscored() -> None:
    turn = UserTurn(say="The rent is 31.", files={"rent.txt": b"rent 31\n", "notes/a.txt": b"1"})
    env = office(sandbox="bubblewrap", user=ScriptedUser([turn]))
    command = "rm rent.txt; mkdir -p rent.txt/below; ln -s /tmp notes; chmod 0 rent.txt"
    env.reset()
    env.step({"tool": "bash", "arguments": {"command": command}})
    assert not env.step(SUBMIT)[2]
    assert env.step({"tool": "bash", "arguments": {"command": "ls -R"}})[0]["text"] == (
        ".:\nnotes\npower.txt\nrent.txt\n\n./notes:\na.txt\n"
    )
    *_, info = env.step(SUBMIT)
    assert info["verdict"] == "failed"
    env.close()


@pytest.mark.parametrize("kind", [SandboxError, WorkspaceOverLimit])
def test_a_user_policys_own_sandbox_is_not_the_agents(kind: type[SandboxError]) -> None:
    class Trying:
        def respond(self, end: SegmentEnd) -> UserTurn:
            raise kind("the policy's own sandbox")

    *_, info = last(office(user=Trying()), WRITE, SUBMIT)
    assert (info["verdict"], info["end"]) == ("unscored", "user failed")


def test_a_workspace_that_the_host_cannot_read_is_unscored() -> None:
    class Exhausted(DummySandbox):
        def collect(self) -> dict[str, bytes]:
            raise SandboxError("the workspace cannot be read (Too many open files)")

    env = office(sandbox=Exhausted)
    *_, reward, terminated, _, info = last(env, WRITE, SUBMIT)
    assert (reward, terminated, info["verdict"]) == (0.0, True, "unscored")
    assert env.verdict is not None and "Too many open files" in env.verdict.record["error"]


def test_a_guest_that_dies_ends_the_episode_and_its_files_are_graded() -> None:
    def die(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
        raise SandboxDied("killed")

    observation, reward, terminated, _, info = last(office(sandbox=extra("die", die)), WRITE, {"tool": "die"})
    assert (reward, terminated, info["end"]) == (1.0, True, "sandbox died") and "computer stopped" in observation[
        "text"
    ]


def test_a_tool_that_is_not_permitted_is_refused_and_recorded(tmp_path: Path) -> None:
    env = office(package=toy_task(permissions={"write_file": False}), out=tmp_path / "t")
    observation, *_ = last(env, WRITE, {"tool": "read_file", "arguments": {"path": "rent.txt"}})
    assert observation["text"].startswith("rent 30")
    first, second = Trajectory.open(tmp_path / "t").calls()
    assert first.observation is not None and first.observation.violation == "write_file"
    assert second.observation is not None and second.observation.violation is None


def test_sandboxes_are_gone_after_close_reset_collection_and_errors() -> None:
    made: list[DummySandbox] = []

    def maker() -> DummySandbox:
        made.append(DummySandbox())
        return made[-1]

    env = office(sandbox=maker)
    env.reset()
    env.reset()
    assert [box.state for box in made] == ["closed", "open"]
    env.close()
    env.close()
    assert made[-1].state == "closed"
    env.reset()
    del env
    gc.collect()
    assert made[-1].state == "closed", "an environment that is dropped takes its sandbox along"


def test_episodes_get_folders_of_their_own_and_one_that_is_dropped_says_so(tmp_path: Path) -> None:
    env = office(out=tmp_path / "t")
    env.reset()
    env.reset()
    env.close()
    ends = [list(Trajectory.open(tmp_path / name).events())[-1] for name in ("t", "t-2")]
    assert [getattr(end, "reason", None) for end in ends] == ["abandoned", "abandoned"]


def test_observations_and_infos_are_fresh_objects() -> None:
    env = office()
    _, first = env.reset()
    first["tools"].clear()
    _, second = env.reset()
    assert second["tools"]


def test_wrong_use_is_said_in_one_line() -> None:
    with pytest.raises(UsageError, match="a task id or a package"):
        OfficeEnv()
    with pytest.raises(UsageError, match="unknown render mode 'human'"):
        office(render_mode="human")
    with pytest.raises(gymnasium.error.ResetNeeded):
        office().step("x")
    with pytest.raises(UsageError, match="no task package is there"):
        OfficeEnv(package="/nowhere/at/all")


def test_steps_from_many_threads_are_taken_one_by_one() -> None:
    env = office()
    env.reset()

    def work() -> None:
        for _ in range(20):
            env.step({"tool": "list_files"})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert env.turns_taken == 80


def test_render_shows_the_last_action() -> None:
    env = office(render_mode="ansi")
    env.reset()
    env.step({"tool": "list_files"})
    assert env.render() == "> list_files\npower.txt\nrent.txt"
    assert office().render() is None


def test_vector_environments_take_it() -> None:
    vector = gymnasium.vector.SyncVectorEnv([office, office])
    observations, _ = vector.reset(seed=1)
    assert len(observations["text"]) == 2
    observations, *_ = vector.step(('{"tool": "list_files"}', "nonsense"))
    assert list(observations["error"]) == [0, 1]
    vector.close()


def test_environments_beside_each_other_never_share_a_log(tmp_path: Path) -> None:
    start, folders = threading.Barrier(4), list[Path]()

    def write() -> None:
        start.wait()
        with new_writer(tmp_path / "t", Recording()) or pytest.fail("no log") as log:
            folders.append(log.folder)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(folder.name for folder in folders) == ["t", "t-2", "t-3", "t-4"]
