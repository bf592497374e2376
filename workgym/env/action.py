"""What an agent's action means: a call, a reply without a call, or nothing that can be understood.

An action is one JSON text, or the dictionary itself::

    {"tool": "read_file", "arguments": {"path": "notes/kickoff.md"}}
    {"reply": "The comparison is ready."}

Both may carry ``id``, the model's name for the call, which the trajectory keeps. Nothing here raises: what is wrong
is said in a sentence that says what to do instead.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from workgym.records.tools import DEPTH, too_deep

FORM = 'write {"tool": NAME, "arguments": {...}}, or {"reply": TEXT} to hand over without a call'


class Act(NamedTuple):
    """An understood action, or the reason why it is none."""

    tool: str | None
    """The tool that is called; None for a reply and for what is no action."""
    arguments: Any
    """Its arguments; for a reply ``{"reply": text}``; else the action as it came, in JSON."""
    reply: str | None = None
    """What a reply says; None where it is none."""
    wrong: str | None = None
    """Why it is no action, and what to do instead; None where it is one."""
    id: str | None = None
    """The model's name for the call."""


def parse(action: Any) -> Act:
    """Read an action of any form."""
    data = action
    if isinstance(action, str):
        try:
            data = json.loads(action)
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, ValueError) else "nested too deeply"
            return Act(None, action, wrong=f"The action is not JSON ({reason}); {FORM}.")
    data = _plain(data)
    if too_deep(data):
        given = action if isinstance(action, str) else json.dumps(data)
        return Act(None, given, wrong=f"The action is nested too deeply, {DEPTH} levels at most; {FORM}.")
    if _endless(data):
        given = action if isinstance(action, str) else json.dumps(data)
        return Act(None, given, wrong=f"The action holds NaN or an infinite number, which JSON has not; {FORM}.")
    if not isinstance(data, dict):
        # As it was given: a JSON text of a text means something else when it is read once more.
        given = action if isinstance(action, str) else data
        return Act(None, given, wrong=f"The action is not a JSON object; {FORM}.")
    name = data.get("id")
    call_id = name if isinstance(name, str) else None
    if isinstance(data.get("reply"), str) and data.keys() <= {"reply", "id"}:
        return Act(None, {"reply": data["reply"]}, reply=data["reply"], id=call_id)
    arguments = data.get("arguments", {})
    if not isinstance(data.get("tool"), str) or not data["tool"] or not data.keys() <= {"tool", "arguments", "id"}:
        return Act(
            None, data, wrong=f"The action names no tool, or has keys beside tool and arguments; {FORM}.", id=call_id
        )
    if not isinstance(arguments, dict):
        return Act(None, data, wrong=f"arguments is not an object; {FORM}.", id=call_id)
    return Act(data["tool"], arguments, id=call_id)


def _plain(data: Any) -> Any:
    """``data`` as JSON types: an agent in this process may hand over anything."""
    try:
        return json.loads(json.dumps(data))
    except (TypeError, ValueError, RecursionError):
        return f"<{type(data).__qualname__}>"


def _endless(data: Any) -> bool:
    """Whether ``data`` holds a number that JSON cannot say: Python's reader takes ``NaN`` and ``1e999``."""
    try:
        json.dumps(data, allow_nan=False)
    except ValueError:
        return True
    return False
