"""The verifier constructor: a model says what will have to stand in the deliverables, before anybody writes them.

It sees request, files and interfaces, never the builder's SQL. What it gives is a script; the script runs in the
sandbox, and what it states is compared with the graph (``comparison``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field, TypeAdapter, ValidationError

from workgym.check.independent.writing import Writer
from workgym.errors import ModelError
from workgym.model import Model
from workgym.package import SolverView
from workgym.records import Record

STATED = "expected.json"
"""The file in which a run of the script leaves its statements."""
BYTES = 4 << 20
"""Bytes of statements that are read."""
STATEMENTS = 20_000
"""Statements that are read."""
_TAIL = """

def solve(desk):
    import json as _json

    def text(value):
        return {{str(k): str(v) for k, v in value.items()}} if isinstance(value, dict) else str(value)

    stated = [{{str(k): text(v) for k, v in dict(one).items()}} for one in expected(desk)]
    desk.write({file!r}, _json.dumps(stated))
"""


class Statement(Record):
    """One value that has to stand in a deliverable."""

    deliverable: str = Field(max_length=400)
    """Path of the file to be handed in."""
    entity: Mapping[str, str] = Field(default_factory=dict, max_length=12)
    """What it is about: column heading to the row's value under it; empty for a value that is stated once."""
    attribute: str = Field(max_length=400)
    """The column heading, or what the request calls the value."""
    value: str = Field(max_length=2_000)
    """The value as it has to be stated."""
    how: str = Field(default="", max_length=2_000)
    """From which files, by which rule, computed or read."""


class Verifier(Record):
    """A verifier that was made apart from the builder."""

    script: str
    """Python that defines ``expected(desk)``; see ``prompts/checker.md``."""
    model: str
    """The model that wrote it."""

    @property
    def program(self) -> str:
        """The script as the expert harness runs it: it leaves its statements in a file."""
        return self.script + _TAIL.format(file=STATED)


_STATEMENTS = TypeAdapter(list[Statement])


def construct(
    view: SolverView, model: Model, *, rounds: int = 3, failed: Sequence[tuple[str, str]] = (), sample: int = 0
) -> Verifier:
    """A verifier for a task, from what a solver sees of it.

    ``failed`` are scripts that were run before, each with what it said; the author is told. ``sample`` tells two
    verifiers of one task apart. Raises ModelError where no reply holds a script, and what the model raises.
    """
    writer = Writer(view, model, role="checker", entry="expected", sample=sample)
    for script, said in failed:
        writer.remind(script)
        writer.tell("failed", said, rounds)
    why = "it was not asked"
    for left in range(rounds, 0, -1):
        script_now, why = writer.script(left)
        if script_now is not None:
            return Verifier(script=script_now, model=model.name)
    raise ModelError(f"{model.name}: no verifier after {rounds} replies: {why}")


def statements(content: bytes) -> tuple[Statement, ...]:
    """The statements that a run left. Raises ValueError with what is wrong with them, in one line."""
    if len(content) > BYTES:
        raise ValueError(f"it states more than {BYTES:,} bytes")
    try:
        found = _STATEMENTS.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"statement {where or 'list'}: {first['msg']}") from None
    if len(found) > STATEMENTS:
        raise ValueError(f"it makes more than {STATEMENTS:,} statements")
    return tuple(found)
