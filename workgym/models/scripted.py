"""A model whose replies are written beforehand: for tests, demonstrations and dry runs of a harness.

A script is a list. Each entry is a text (a final answer), a mapping ``{tool, arguments}`` (one call), a mapping
``{say, calls: [{tool, arguments}, ...]}`` (words and parallel calls), or a ModelReply. In place of a list, a callable
is given the request and returns such an entry; whoever shares the model among threads gives one that bears it. A script
that is used up raises ModelError: a loop that goes on longer than its author thought is a failure to see, not one to
fill in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from workgym.errors import ModelError, UsageError
from workgym.model import Block, ModelCard, ModelReply, ModelRequest, TextBlock, ToolCallBlock, Usage
from workgym.records.yaml12 import read_yaml

Entry = str | dict[str, Any] | ModelReply
"""One reply as a script writes it."""


class ScriptedModel:
    """Replies from a list in order, or from a callable."""

    def __init__(self, script: Sequence[Entry] | Callable[[ModelRequest], Entry], name: str = "scripted") -> None:
        self.name = name
        self.secrets: tuple[str, ...] = ()
        self.card = ModelCard()
        self.requests: list[ModelRequest] = []
        """Every request so far, for tests to look at."""
        self._lock = threading.Lock()
        self._ask = script if callable(script) else None
        self._entries: Iterator[Entry] = iter(()) if callable(script) else iter(tuple(script))

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """The script in a YAML file. Raises UsageError where the file is none."""
        try:
            data = read_yaml(path.read_text(encoding="utf-8"), str(path))
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from error
        if not isinstance(data, list):
            raise UsageError(f"{path}: a list of replies is wanted")
        for number, entry in enumerate(data, 1):
            written_reply(entry, number, where=str(path))
        return cls(data, name=f"scripted:{path.name}")

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply. Raises ModelError when the script is used up."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            entry = None if self._ask is not None else next(self._entries, None)
        if self._ask is not None:
            entry = self._ask(request)
        if entry is not None:
            return written_reply(entry, number, where=self.name)
        raise ModelError(f"{self.name}: the script has {number - 1} replies, and one more was asked for")


def written_reply(entry: Entry, number: int | str, where: str) -> ModelReply:
    """The reply that an entry is; ``number`` tells its calls from others. Raises UsageError where it is no entry."""
    if isinstance(entry, ModelReply):
        return entry
    if isinstance(entry, str):
        entry = {"say": entry}
    known = {"say", "calls", "tool", "arguments"}
    if not isinstance(entry, dict) or not entry or not entry.keys() <= known:
        raise UsageError(f"{where}: reply {number}: write a text, {{tool, arguments}} or {{say, calls}}")
    calls = list(entry.get("calls") or ())
    if "tool" in entry:
        calls.append({"tool": entry["tool"], "arguments": entry.get("arguments") or {}})
    blocks: list[Block] = [TextBlock(text=str(entry["say"]))] if entry.get("say") else []
    for position, call in enumerate(calls):
        if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
            raise UsageError(f"{where}: reply {number}: a call names its tool")
        arguments = call.get("arguments") or {}
        blocks.append(
            ToolCallBlock(id=f"call-{number}-{position}", name=call["tool"], arguments=arguments)
            if isinstance(arguments, dict)
            else ToolCallBlock(id=f"call-{number}-{position}", name=call["tool"], malformed=str(arguments))
        )
    return ModelReply(blocks=tuple(blocks), usage=Usage(), stop="tool_calls" if calls else "end", model="scripted")
