"""What passes between a solver and its tools."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from workgym.records.base import Record

DEPTH = 100
"""Levels of arrays and objects in an action or a call's arguments: Python's own limit would be met deep inside, at a
random place, and at 200 our own records can no longer be read back."""


class ToolSpec(Record):
    """A tool as it is offered to a solver; the form of MCP's ``tools/list``."""

    name: str
    """Name that a call gives."""
    description: str
    """What it does, for the model."""
    input_schema: dict[str, Any]
    """JSON Schema of the arguments object."""
    side: Literal["guest", "host"] = "guest"
    """Where it runs: inside the sandbox, or in the environment."""


class ToolCall(Record):
    """One call of a tool."""

    tool: str
    """Name of the tool."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Its arguments."""


class ToolResult(Record):
    """What a tool answered: text for the solver, bounded; never a time, a pid or a temporary name."""

    text: str
    """The observation."""
    is_error: bool = False
    """Whether the call failed; the text then says what to do instead."""


class FileChange(Record):
    """A file of the workspace that a call changed."""

    path: str
    """Path from the workspace's root."""
    change: Literal["added", "modified", "removed"]
    """What happened to it."""
    digest: str | None
    """sha256 of the new content, in hexadecimal; None where it was removed."""
    size: int
    """Bytes of the new content; 0 where it was removed."""


def too_deep(data: Any) -> bool:
    """Whether ``data`` has more than ``DEPTH`` levels."""
    level = [data]
    for _ in range(DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return any(isinstance(inner, dict | list) for inner in level)
