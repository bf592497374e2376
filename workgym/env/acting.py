"""What an action does: a call of a guest tool or of the web, or the work handed over to the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workgym.env import web
from workgym.env.action import Act
from workgym.env.live import Live
from workgym.env.opening import SUBMIT
from workgym.errors import SandboxDied, WorkspaceOverLimit
from workgym.records import ToolCall
from workgym.user import SegmentEnd, UserPolicy, UserTurn

HANDED_IN = "The work is handed in."


class Outcome(NamedTuple):
    """What came of an action."""

    text: str
    """What the solver reads."""
    error: bool
    """Whether the action failed."""
    ended: str | None = None
    """Why the episode ends, or None where it goes on."""
    violation: str | None = None
    """The permission that the action went beyond, or None."""
    fault: str | None = None
    """What of ours failed, so that nothing can be scored; None where nothing did."""


def carry_out(live: Live, user: UserPolicy, act: Act, call: ToolCall | None, wrong: str | None) -> Outcome:
    """Do what an action says. ``wrong`` is why it cannot be done, in words for the solver, or None."""
    if wrong is not None:
        return Outcome(wrong, True)
    if call is None:
        return _hand_over(live, user, act.reply or "")
    if call.tool == SUBMIT.name:
        return _hand_over(live, user, call.arguments.get("message", ""))
    if live.task.card.interfaces.permissions.get(call.tool) is False:
        told = f"{call.tool} is not permitted in this task; do the work without it."
        return Outcome(told, True, violation=call.tool)
    if call.tool in web.NAMES and live.web.tools(live.task):
        result = live.web.call(live.task, call, live.turn)
        return Outcome(result.text, result.is_error)
    try:
        result = live.sandbox.call(call)
    except SandboxDied:
        return Outcome("The computer stopped and cannot go on; the work is taken as it stands.", True, "sandbox died")
    return Outcome(result.text, result.is_error)


def _hand_over(live: Live, user: UserPolicy, message: str) -> Outcome:
    live.look()
    try:
        turn = _user_turn(live, user, message)
    except Exception as error:  # noqa: BLE001 - the boundary: a user policy is anybody's code
        return Outcome(HANDED_IN, False, "user failed", fault=f"{type(error).__name__}: {error}")
    if turn.closes:
        return Outcome(turn.say or HANDED_IN, False, "closed")
    live.next_segment("user")
    wrote = ", ".join(sorted(turn.files))
    return Outcome(turn.say + (f"\n\nFiles changed by the user: {wrote}" if wrote else ""), False)


def _user_turn(live: Live, user: UserPolicy, message: str) -> UserTurn:
    beyond: list[WorkspaceOverLimit] = []

    def files() -> Mapping[str, bytes]:
        try:
            return live.sandbox.collect()
        except WorkspaceOverLimit as error:
            beyond.append(error)
            raise

    try:
        turn = user.respond(SegmentEnd(live.segment, message, files))
    except WorkspaceOverLimit as error:
        if error not in beyond:  # a policy's own sandbox, say: not what this agent did
            raise
        turn = UserTurn(closes=True)  # grading will find it too
    live.user_turn(message, turn)
    if turn.revision is not None:
        live.mutate(turn.revision)
    return turn
