"""What every harness must do; whoever writes one calls ``check_harness`` in a test."""

from __future__ import annotations

from workgym import harness as harnesses
from workgym.env import OfficeEnv
from workgym.harness import Harness
from workgym.models import ScriptedModel
from workgym.rollout import Rollout, rollout
from workgym.testing.dummy_sandbox import DummySandbox
from workgym.testing.toy import grade, toy_task
from workgym.user import ScriptedUser, UserTurn


def check_harness(harness: str | Harness) -> None:
    """Run a harness on the double in the situations that break harnesses; AssertionError says which rule it broke.

    It ends every episode, also when the user goes on, the actions run out or the model falls silent, and raises nothing
    of its own. One that needs a model is given a scripted one.
    """
    loaded = harnesses.of(harness)
    name = loaded.manifest.name
    assert loaded.manifest.description.endswith("."), f"{name}: the description is a sentence"
    for situation, result in _situations(harness, loaded.manifest.needs_model).items():
        assert result.error is None, f"{name}, {situation}: {result.error}"
        silent_model = loaded.manifest.needs_model and situation == "a silent model"
        assert result.end != "gave up" or silent_model, f"{name}, {situation}: it left the episode open"
        assert result.verdict in ("passed", "failed"), f"{name}, {situation}: {result.verdict}"


def _situations(harness: str | Harness, needs_model: bool) -> dict[str, Rollout]:
    def run(env: OfficeEnv, script: list[str | dict[str, object]]) -> Rollout:
        return rollout(env, harness, model=ScriptedModel(script) if needs_model else None)

    def office(turns: int = 250, user: ScriptedUser | None = None) -> OfficeEnv:
        return OfficeEnv(package=toy_task(turns=turns), sandbox=DummySandbox, grade=grade, user=user)

    look: dict[str, object] = {"tool": "list_files"}
    again = ScriptedUser([UserTurn(say="Please look once more.")])
    return {
        "a plain episode": run(office(), [look, {"tool": "submit"}]),
        "a user who goes on": run(office(user=again), [look, "Done.", {"tool": "submit"}]),
        "no actions left": run(office(turns=1), [look]),
        "a wrong action": run(office(), [{"tool": "nothing"}, {"tool": "read_file", "arguments": "{"}, "Done."]),
        "a silent model": run(office(), ["", "", "", "", ""]),
    }
