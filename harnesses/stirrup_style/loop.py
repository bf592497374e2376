"""In the style of Stirrup: all work goes through one shell, and the run ends with a list of the files that were made.

What was taken over is the form, not the text: one code tool that starts afresh at each call, a finish tool that refuses
files that are not there and may not share a reply with another finish, a question to go on where a reply makes no call,
a warning in the last 20 turns, a summary when 70 % of the context are used. Web tools are there where a task has some.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workgym.errors import HarnessError
from workgym.harness import Answer, Episode
from workgym.harness.loop import Loop, Tool, answered, passed_on
from workgym.model import ToolCallBlock, ToolResultBlock
from workgym.records import ToolSpec
from workgym.records.prompts import prompts

TEXTS = prompts(Path(__file__).with_name("prompts"))
COMPACT_AT = 0.7
"""Share of the context at which the conversation is summed up."""
WEB = ("web_search", "web_fetch")
"""Tools of the environment that are offered as they are, where the task has them."""
LAST = 20
"""Turns before the end from which on each question says how many are left."""

CODE = ToolSpec(
    name="code_exec",
    description=TEXTS["code_exec"].render(),
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "required": ["cmd"],
        "properties": {"cmd": {"type": "string", "minLength": 1, "description": "Command or script for bash."}},
    },
)
FINISH = ToolSpec(
    name="finish",
    description=TEXTS["finish"].render(),
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "required": ["reason", "paths"],
        "properties": {
            "reason": {"type": "string", "description": "What was done, in a sentence or two."},
            "paths": {"type": "array", "items": {"type": "string"}, "description": "Files for the user."},
        },
    },
)


class StirrupStyle(Loop):
    """The loop with its two tools."""

    def __init__(self, episode: Episode) -> None:
        """Raises HarnessError where the task has no shell."""
        if "bash" not in {tool.name for tool in episode.tools}:
            raise HarnessError("stirrup-style works through a shell, and this task has none", fix="use another harness")
        web = [Tool(spec, passed_on(episode, spec.name)) for spec in episode.tools if spec.name in WEB]
        offered = (Tool(CODE, passed_on(episode, "bash", {"cmd": "command"})), *web, Tool(FINISH, self._finish))
        system = TEXTS["system"].render(turns=episode.turns_left, web=f" {TEXTS['web'].render()}" if web else "")
        super().__init__(episode, TEXTS, system, offered, compact_at=COMPACT_AT)

    def before(self) -> None:
        """Say how many turns are left when they are few."""
        if self.turns_left <= LAST:
            self.note(TEXTS["turns"].render(left=self.turns_left))

    def spoke(self, text: str) -> None:
        """A reply without a call ends nothing: only a finish does."""
        self.tell(TEXTS["continue"].render())

    def make(self, calls: Sequence[ToolCallBlock]) -> tuple[ToolResultBlock, ...]:
        """Ordinary calls first; several finishes in one reply are refused."""
        ends = [call for call in calls if call.name == FINISH.name]
        done = {call.id: self.result(call) for call in calls if call.name != FINISH.name}
        for call in ends:
            several = len(ends) > 1
            done[call.id] = answered(call, TEXTS["twice"].render(), is_error=True) if several else self.result(call)
        return tuple(done[call.id] for call in calls)

    def result(self, call: ToolCallBlock) -> ToolResultBlock:
        """Make one call; some servers hand the list of a finish over as its JSON text."""
        paths = call.arguments.get("paths")
        if call.name == FINISH.name and isinstance(paths, str):
            call = call.model_copy(update={"arguments": call.arguments | {"paths": _listed(paths)}})
        return super().result(call)

    def _finish(self, arguments: dict[str, Any], call_id: str, /) -> Answer:
        paths: list[str] = arguments["paths"]
        missing = self._missing(paths) if paths else ""
        if missing or self.episode.done:
            return Answer(TEXTS["missing"].render(paths=missing or "the turns are used up"), True, self.episode.done)
        message = f"{arguments['reason']}\n\nFiles: {', '.join(paths) or 'none'}"
        return self.episode.act({"tool": "submit", "arguments": {"message": message}, "id": call_id})

    def _missing(self, paths: Sequence[str]) -> str:
        """The paths that are no files, as the guest sees it: one action."""
        named = " ".join(map(shlex.quote, paths))
        command = f'for path in {named}; do [ -f "$path" ] || printf "missing: %s\\n" "$path"; done'
        answer = self.episode.act({"tool": "bash", "arguments": {"command": command}})
        found = [line.removeprefix("missing: ") for line in answer.text.splitlines() if line.startswith("missing: ")]
        return ", ".join(found)


def _listed(text: str) -> Any:
    """The list that a text is; a text that is none is one path."""
    try:
        return json.loads(text)
    except ValueError:
        return [text]


def run(episode: Episode) -> None:
    """Act until the files are handed in."""
    StirrupStyle(episode).run()
