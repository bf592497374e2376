"""The first observation, and the environment's own tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workgym.records import ToolSpec

SUBMIT = ToolSpec(
    name="submit",
    description="Hand in the work. The files stay as they are now; the user then answers or takes the work.",
    input_schema={
        "type": "object",
        "properties": {"message": {"type": "string", "description": "A word to the user about what was done."}},
        "additionalProperties": False,
    },
    side="host",
)


def opening(request: str, tools: Sequence[ToolSpec], turns: int) -> str:
    """The request, the form of an action, and the tools, in one text."""
    offered = "\n".join(f"- {signature(spec)}: {spec.description.strip().splitlines()[0]}" for spec in tools)
    return (
        f"{request.rstrip()}\n\n---\n\nYou work in a folder of files, with tools. One action is one JSON object, "
        f'{{"tool": NAME, "arguments": {{...}}}}; you have at most {turns} of them. When the work is done, call '
        f"submit.\n\n{offered}"
    )


def signature(spec: ToolSpec) -> str:
    """A tool's arguments in one line: ``read_file(path: string, offset?: integer)``."""
    required: Sequence[str] = spec.input_schema.get("required", ())
    properties: dict[str, Any] = spec.input_schema.get("properties", {})
    written = []
    for name, schema in properties.items():
        kinds = schema.get("enum") or schema.get("type", "any")
        kind = " | ".join(map(str, kinds)) if isinstance(kinds, list) else kinds
        written.append(f"{name}{'' if name in required else '?'}: {kind}")
    return f"{spec.name}({', '.join(written)})"
