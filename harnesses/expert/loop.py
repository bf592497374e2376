"""The expert control: the task's ``solve.py`` at work in the guest, with ``desk.py`` and ``values.py`` for hands.

Both travel as text over the pipe and never lie in the workspace; every read and write is a tool call, and so a step of
the episode. A script that misses a premise stops with ``Blocked``, and the episode ends so.
"""

from __future__ import annotations

from pathlib import Path

from workgym.harness import OracleEpisode

PRELUDE = [Path(__file__).with_name(name) for name in ("desk.py", "values.py")]
"""The parts of the module ``desk``, in order."""

PROGRAM = """
import linecache
import sys
import types


def _module(name, source, given=()):
    file = f"<{name}.py>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    module = types.ModuleType(name)
    module.__dict__.update(given)
    sys.modules[name] = module
    exec(compile(source, file, "exec"), module.__dict__)
    return module


def main(call):
    desk = _module("desk", DESK)
    given = {name: value for name, value in vars(desk).items() if not name.startswith("_")}
    return desk.run(lambda: _module("solve", SOLVE, given), call)
"""


def program(expert: str) -> str:
    """The guest program for an expert script."""
    desk = "\n\n".join(part.read_text(encoding="utf-8") for part in PRELUDE)
    return f"DESK = {desk!r}\nSOLVE = {expert!r}\n{PROGRAM}"


def run(episode: OracleEpisode) -> None:
    """Run the script, then submit; a script that is blocked ends the episode instead."""
    outcome = episode.script(program(episode.expert))
    if outcome["blocked"] is not None:
        episode.blocked(outcome["blocked"])
    while not episode.done:
        episode.act({"tool": "submit", "arguments": {}})
