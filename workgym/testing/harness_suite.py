"""What every harness must do; whoever writes one calls ``check_harness`` in a test."""

from __future__ import annotations

from typing import Any, NamedTuple

from workgym import harness as harnesses
from workgym.env import OfficeEnv
from workgym.harness import Harness
from workgym.models import ScriptedModel
from workgym.records import ToolSpec
from workgym.rollout import Rollout, rollout
from workgym.testing.dummy_sandbox import DummySandbox
from workgym.testing.toy import grade, toy_task
from workgym.user import ScriptedUser, UserTurn


class Moves(NamedTuple):
    """What a scripted model says to a harness, in the harness's own tools; see ``workgym.models.ScriptedModel``."""

    look: dict[str, Any] = {"tool": "list_files"}  # noqa: RUF012 - never changed
    """A call that takes one action and ends nothing."""
    submit: dict[str, Any] = {"tool": "submit"}  # noqa: RUF012 - never changed
    """A call that hands the work over."""
    last: str | dict[str, Any] = "Done."
    """Another way to hand it over, where there is one: an answer without a call."""


def check_harness(harness: str | Harness, moves: Moves | None = None) -> None:
    """Run a harness on the double in the situations that break harnesses; AssertionError says which rule it broke.

    It ends every episode, also when the user goes on, the actions run out or the model falls silent, and raises nothing
    of its own. One that needs a model is given a scripted one, which makes ``moves``.
    """
    loaded = harnesses.of(harness)
    name = loaded.manifest.name
    assert loaded.manifest.description.endswith("."), f"{name}: the description is a sentence"
    for situation, result in _situations(harness, loaded.manifest.needs_model, moves or Moves()).items():
        assert result.error is None, f"{name}, {situation}: {result.error}"
        silent_model = loaded.manifest.needs_model and situation == "a silent model"
        assert result.end != "gave up" or silent_model, f"{name}, {situation}: it left the episode open"
        assert result.verdict in ("passed", "failed"), f"{name}, {situation}: {result.verdict}"


def _situations(harness: str | Harness, needs_model: bool, moves: Moves) -> dict[str, Rollout]:
    def run(env: OfficeEnv, script: list[str | dict[str, Any]]) -> Rollout:
        return rollout(env, harness, model=ScriptedModel(script) if needs_model else None)

    def office(turns: int = 250, user: ScriptedUser | None = None) -> OfficeEnv:
        return OfficeEnv(package=toy_task(turns=turns), sandbox=listing_sandbox, grade=grade, user=user)

    again = ScriptedUser([UserTurn(say="Please look once more.")])
    wrong: list[str | dict[str, Any]] = [{"tool": "nothing"}, {"tool": moves.look["tool"], "arguments": "{"}]
    return {
        "a plain episode": run(office(), [moves.look, moves.submit]),
        "a user who goes on": run(office(user=again), [moves.look, moves.last, moves.submit]),
        "no actions left": run(office(turns=1), [moves.look]),
        "a wrong action": run(office(), [*wrong, moves.last]),
        "a silent model": run(office(), ["", "", "", "", ""]),
    }


def listing_sandbox() -> DummySandbox:
    """The double, with a shell that only lists the files: for harnesses that work through one."""
    schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    spec = ToolSpec(name="bash", description="List the files.", input_schema=schema)
    return DummySandbox(extra={"bash": (spec, lambda files, arguments: "\n".join(sorted(files)))})
