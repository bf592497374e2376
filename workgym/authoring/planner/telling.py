"""What a model is told of an intent and of a graph that it planned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workgym.authoring.planner.forms import GraphDraft, UnitDraft
from workgym.graph import SupportGraph, Values
from workgym.model import Message
from workgym.models import Form
from workgym.records import Intent
from workgym.records.prompts import prompts

PROMPTS = prompts(Path(__file__).with_name("prompts"))
_MOST_ROWS = 60
"""Rows of a unit that are told where it is not the model's own draft."""


def system(name: str, *parts: str) -> Message:
    """A system message of prompts that have no places: the first, then those that it builds on."""
    return Message.of("system", "\n\n".join(PROMPTS[part].text for part in (name, *parts)))


def intent_told(intent: Intent) -> str:
    """An intent as lines."""
    return "\n".join(_intent_lines(intent))


def _intent_lines(intent: Intent) -> Iterator[str]:
    role = intent.role
    yield f"- Who: {role.title} (SOC {role.occupation}), {role.seniority}"
    yield f"- Where: {role.industry}; {role.size}"
    yield f"- Why now: {role.trigger}"
    yield f"- What depends on it: {role.stakes}"
    yield f"- Goal: {intent.goal}"
    for wanted in intent.wanted:
        yield f"- To be handed in: {wanted.what}, as .{wanted.format.lstrip('.')}"
    for number, operation in enumerate(intent.operations, 1):
        skill = f" ({operation.skill})" if operation.skill else ""
        yield f"- Step {number}{skill}: {operation.does}; takes {', '.join(operation.takes)}; gives {operation.gives}"


def json_of(draft: Form) -> str:
    """A draft as the model would write it, what has its default left out."""
    return draft.model_dump_json(exclude_defaults=True)


def graph_told(draft: GraphDraft) -> str:
    """A graph draft, a line for each unit and deliverable."""
    lines = [_unit_told(unit) for unit in draft.units]
    lines += [f"deliverable {json_of(spec)}" for spec in draft.deliverables]
    lines += [f"conflict {json_of(conflict)}" for conflict in draft.conflicts]
    return "\n".join(lines)


def _unit_told(unit: UnitDraft) -> str:
    if len(unit.rows) <= _MOST_ROWS:
        return json_of(unit)
    first = json_of(unit.model_copy(update={"rows": unit.rows[:_MOST_ROWS]}))
    return f"{first} and {len(unit.rows) - _MOST_ROWS} more rows"


def worked_out_told(graph: SupportGraph, values: Values) -> str:
    """The rows of derived units, which no file may show."""
    lines = []
    for unit in graph.relations("derived"):
        rows = values[unit.name].rows
        shown = [
            ", ".join(f"{column.name} {column.type.show(cell)}" for column, cell in zip(unit.columns, row, strict=True))
            for row in rows[:_MOST_ROWS]
        ]
        more = [f"and {len(rows) - _MOST_ROWS} more rows"] if len(rows) > _MOST_ROWS else []
        lines.append(f"{unit.name}: " + "; ".join([*shown, *more]))
    return "\n".join(lines)
