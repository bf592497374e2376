"""What the checks of a sandbox share: a sandbox with files, and short words for what is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workgym.records import ToolCall, ToolResult
from workgym.sandbox.contract import Limits, Sandbox

Factory = Callable[[Limits | None], Sandbox]
Check = Callable[[Factory], None]

PACKS = ("files", "shell", "office")
FILES: dict[str, bytes] = {"notes.md": b"# Notes\n\nfirst\nsecond\n", "data/orders.csv": b"id,amount\n1,10.50\n2,7\n"}
MTIME = 1_767_225_600


def opened(factory: Factory, files: Mapping[str, bytes] = FILES, limits: Limits | None = None) -> Sandbox:
    """A sandbox with the suite's files and packs."""
    sandbox = factory(limits)
    sandbox.open(files, PACKS)
    return sandbox


def say(sandbox: Sandbox, tool: str, **arguments: Any) -> ToolResult:
    """Call a tool."""
    return sandbox.call(ToolCall(tool=tool, arguments=arguments))


def refuses(kind: type[Exception], action: Callable[[], object]) -> str:
    """The message of the error that ``action`` must raise."""
    try:
        action()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} was expected")
