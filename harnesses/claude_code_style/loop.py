"""In the style of Claude Code: file tools with its names and arguments, a shell, a todo list, compaction by summary.

What was taken over is the form, not the text. The tools are the environment's under other names; tools of the task
that have no counterpart (office files, ``submit``) are offered as they are. An answer without a call hands the work
over. The todo list lives in this process: keeping it costs a reply and no action.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from workgym.harness import Answer, Episode
from workgym.harness.loop import Loop, Run, Tool, passed_on
from workgym.records import ToolSpec
from workgym.records.prompts import prompts

TEXTS = prompts(Path(__file__).with_name("prompts"))
COMPACT_AT = 0.8
"""Share of the context at which the conversation is compacted."""
MINUTES = 10
"""Longest time that a command may ask for."""


class Mapped(NamedTuple):
    """A tool of ours that is one of the environment's."""

    tool: str
    """Its name there."""
    names: Mapping[str, str]
    """Its arguments, by their names here."""
    properties: Mapping[str, Any]
    """Their schemas."""
    required: tuple[str, ...]
    """Arguments that must be given."""


_TEXT: dict[str, Any] = {"type": "string"}
_FILE: dict[str, Any] = {"type": "string", "minLength": 1, "description": "Path of the file, from the folder's root."}
_LINES: dict[str, Any] = {"type": "integer", "minimum": 1}
_FOLDER: dict[str, Any] = {"type": "string", "description": "Where to search; the whole folder by default."}

MAPPED: Mapping[str, Mapped] = {
    "Bash": Mapped(
        "bash",
        {"command": "command", "timeout": "timeout"},
        {
            "command": {"type": "string", "minLength": 1, "description": "Command or script for bash."},
            "timeout": {"type": "number", "minimum": 1, "maximum": MINUTES * 60_000, "description": "Milliseconds."},
            "description": {"type": "string", "description": "What it does, in five to ten words."},
        },
        ("command",),
    ),
    "Read": Mapped(
        "read_file",
        {"file_path": "path", "offset": "offset", "limit": "limit"},
        {
            "file_path": _FILE,
            "offset": _LINES | {"description": "First line to read, from 1."},
            "limit": _LINES | {"description": "Number of lines."},
        },
        ("file_path",),
    ),
    "Write": Mapped(
        "write_file",
        {"file_path": "path", "content": "content"},
        {"file_path": _FILE, "content": _TEXT | {"description": "The whole content."}},
        ("file_path", "content"),
    ),
    "Edit": Mapped(
        "edit_file",
        {"file_path": "path", "old_string": "old", "new_string": "new", "replace_all": "replace_all"},
        {
            "file_path": _FILE,
            "old_string": _TEXT | {"minLength": 1, "description": "Text that stands in the file."},
            "new_string": _TEXT | {"description": "Text to put in its place."},
            "replace_all": {"type": "boolean", "description": "Replace every occurrence."},
        },
        ("file_path", "old_string", "new_string"),
    ),
    "Glob": Mapped(
        "glob",
        {"pattern": "pattern", "path": "path"},
        {"pattern": _TEXT | {"minLength": 1, "description": "Pattern such as **/*.xlsx."}, "path": _FOLDER},
        ("pattern",),
    ),
    "Grep": Mapped(
        "grep",
        {"pattern": "pattern", "path": "path", "glob": "glob", "-i": "ignore_case"},
        {
            "pattern": _TEXT | {"minLength": 1, "description": "Regular expression as in Python."},
            "path": _FOLDER,
            "glob": _TEXT | {"description": "Search only files whose name fits, such as *.csv."},
            "-i": {"type": "boolean", "description": "Let upper and lower case be the same."},
        },
        ("pattern",),
    ),
    "WebSearch": Mapped(
        "web_search",
        {"query": "query"},
        {"query": _TEXT | {"minLength": 1, "description": "A few words, as for any search engine."}},
        ("query",),
    ),
    "WebFetch": Mapped(
        "web_fetch",
        {"url": "url", "start": "start"},
        {
            "url": _TEXT | {"minLength": 1, "description": "Address, as WebSearch gives it."},
            "start": {"type": "integer", "minimum": 0, "description": "First character to read; 0 by default."},
        },
        ("url",),
    ),
}
REPLACED: Mapping[str, str] = {"list_files": "glob", "python": "bash"}
"""Tools of the environment that are not offered where another one is, which does the same."""

TODO = ToolSpec(
    name="TodoWrite",
    description=TEXTS["todo"].render(),
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "required": ["todos"],
        "properties": {
            "todos": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["content", "status"],
                    "properties": {
                        "content": {"type": "string", "minLength": 1, "description": "What is to be done."},
                        "status": {"enum": ["pending", "in_progress", "completed"], "description": "How far it is."},
                        "activeForm": {"type": "string", "description": "The same as something that is being done."},
                    },
                },
            }
        },
    },
)


class ClaudeCodeStyle(Loop):
    """The loop with its tools and its list."""

    def __init__(self, episode: Episode) -> None:
        self.todos: list[dict[str, Any]] = []
        theirs = {spec.name: spec for spec in episode.tools}
        own = [
            Tool(_spec(name, mapped), _run(episode, mapped)) for name, mapped in MAPPED.items() if mapped.tool in theirs
        ]
        known = {mapped.tool for mapped in MAPPED.values()} | {old for old, new in REPLACED.items() if new in theirs}
        rest = [Tool(spec, passed_on(episode, name)) for name, spec in theirs.items() if name not in known]
        system = TEXTS["system"].render(turns=episode.turns_left)
        offered = [*own, Tool(TODO, self._write_todos), *rest]
        super().__init__(episode, TEXTS, system, offered, compact_at=COMPACT_AT)

    def remember(self) -> str:
        """The todo list as it stands."""
        return f"The todo list as it stands:\n{self._list()}\n\n" if self.todos else ""

    def _write_todos(self, arguments: dict[str, Any], call_id: str, /) -> Answer:
        self.todos = list(arguments["todos"])
        return Answer(f"The list as it stands:\n{self._list()}" if self.todos else "The list is empty.", False, False)

    def _list(self) -> str:
        marks = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
        return "\n".join(f"{marks[todo['status']]} {todo['content']}" for todo in self.todos)


def _spec(name: str, mapped: Mapped) -> ToolSpec:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": list(mapped.required),
        "properties": dict(mapped.properties),
    }
    return ToolSpec(name=name, description=TEXTS[name.lower()].render(), input_schema=schema)


def _run(episode: Episode, mapped: Mapped) -> Run:
    act = passed_on(episode, mapped.tool, mapped.names)

    def run(arguments: dict[str, Any], call_id: str, /) -> Answer:
        there = {name: value for name, value in arguments.items() if name in mapped.names}
        if mapped.tool == "bash" and "timeout" in there:
            there["timeout"] = max(1.0, there["timeout"] / 1000)
        if mapped.tool == "read_file":
            there["numbered"] = True
        return act(there, call_id)

    return run


def run(episode: Episode) -> None:
    """Act until the work is handed over and the user is content."""
    ClaudeCodeStyle(episode).run()
