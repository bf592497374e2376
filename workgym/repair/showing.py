"""A task as a reviser and a reviewer are shown it.

The reviser sees the graph and the templates. The reviewer sees what was intended and what changed in the texts, neither
the diagnosis nor the graph's queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from workgym.graph import Deliverable, InfoUnit, Relation
from workgym.mutation.changes import MOST_LINES
from workgym.package import TaskPackage
from workgym.plan import ArtifactSpec
from workgym.records import CheckReport, DefectClass, Finding
from workgym.records.prompts import prompts
from workgym.verify.judging.fence import cleared, fenced

PROMPTS = prompts(Path(__file__).with_name("prompts"))
ROWS = 30
"""Rows of a unit that are shown; those with a value missing are shown always."""
PLACES = 40
"""Places of values that are shown for one file."""
FINDINGS = 30
"""Findings of the checks that are shown: a damaged file lacks every value that it had."""
_SIDE = 200
"""Characters of what should stand somewhere, and of what does."""
ROOM = 120_000
"""Characters of templates that are shown; the request and what the problems name come first."""


@runtime_checkable
class Grounded(Protocol):
    """A problem that a probe reported and code has looked up."""

    defect: DefectClass
    what: str
    blocks: str

    @property
    def grounds(self) -> Sequence[object]:
        """What it rests on; each says itself as a line."""


def told(problem: object) -> str:
    """A problem as lines: class, what is wrong, what it blocks, and its grounds; any other object as it says itself."""
    if not isinstance(problem, Grounded):
        return str(problem)
    lines = [f"[{problem.defect}] {problem.what}", f"  blocks: {problem.blocks}"]
    return "\n".join((*lines, *(f"  seen: {ground}" for ground in problem.grounds)))


def task(package: TaskPackage, problems: Sequence[str]) -> str:
    """What a reviser is shown."""
    lines = "\n".join(f"{number}. {problem}" for number, problem in enumerate(problems, 1))
    return PROMPTS["task"].render(
        problems=fenced(lines),
        request=fenced(package.request),
        deliverables=deliverables(package),
        units=fenced("\n\n".join(_units(package))),
        templates="\n\n".join(_templates(package, lines)),
    )


def hard(report: CheckReport) -> tuple[str, ...]:
    """What the checks say against a task, as lines with the class, and what should stand there and does."""
    lines = [_line(finding) for finding in report.findings if finding.severity == "hard"]
    return (*lines[:FINDINGS], f"and {len(lines) - FINDINGS} more") if len(lines) > FINDINGS else tuple(lines)


def _line(finding: Finding) -> str:
    sides = (("should be", finding.expected), ("is", finding.found))
    told = [f"{side} {text[:_SIDE]!r}" for side, text in sides if text is not None]
    return f"[{finding.defect}] {finding}" + (f": {', '.join(told)}" if told else "")


def deliverables(package: TaskPackage) -> str:
    """Each file that is handed in, with the headings that it must have."""
    return "\n".join(_deliverable(one) for one in package.hidden.graph.deliverables) or "- " + "\n- ".join(
        card.path for card in package.card.deliverables
    )


def _deliverable(one: Deliverable) -> str:
    states = [f"{item.unit}" + (f" ({', '.join(item.labels.values())})" if item.labels else "") for item in one.states]
    states += [f"a table of its own with {', '.join(column.title for column in table.columns)}" for table in one.handed]
    return f"- {one.path}: {'; '.join(states) or 'no facts that code looks up'}"


def _units(package: TaskPackage) -> Iterator[str]:
    graph = package.hidden.graph
    for unit in graph.units:
        head = f"{unit.name}: {unit.status}, {unit.content} (of: {unit.entity}; holds for: {unit.scope})"
        lines = [head if unit.role == "needed" else f"{head}; no query reads it"]
        if unit.columns:
            lines.append("  columns: " + ", ".join(_column(unit, column.name) for column in unit.columns))
        if unit.query:
            lines.append(f"  query: {' '.join(unit.query.split())}")
        if unit.status in ("provided", "external") and unit.name in package.hidden.values:
            lines += _rows(package.hidden.values[unit.name])
        yield "\n".join(lines)
    if package.hidden.plan.context:
        facts = json.dumps(package.hidden.plan.context, ensure_ascii=False)
        yield f"context, facts that templates print and no unit holds: {facts}"
    if not graph.units:
        yield "none: this task's files were written at once, and nothing is known of what they rest on"


def _column(unit: InfoUnit, name: str) -> str:
    return f"{name} {unit.column(name).type}" + (" (key)" if name in unit.key else "")


def _rows(relation: Relation) -> list[str]:
    shown: list[str] = []
    left = 0
    for row in relation.dump():
        if len(shown) < ROWS or None in row.values():
            shown.append("  " + json.dumps(row, ensure_ascii=False))
        else:
            left += 1
    return [*shown, f"  and {left} more rows"] if left else shown


def _templates(package: TaskPackage, problems: str) -> Iterator[str]:
    plan = package.hidden.plan
    named = [spec for spec in plan.artifacts if spec.path in problems]
    room = ROOM
    for spec in (plan.request, *named, *(spec for spec in plan.artifacts if spec not in named)):
        path = "request.md" if spec is plan.request else spec.path
        written = _written(spec)
        if len(written) > room:
            yield f"{path}: too long to be shown; it can be written again, and its values can be set"
            continue
        room -= len(written)
        bound = "".join(f"; {unit} is the row {', '.join(key)} here" for unit, key in spec.row.items())
        yield f"{path}{bound}\n{fenced(written)}\n" + "\n".join(_places(package, path))


def _written(spec: ArtifactSpec) -> str:
    return spec.template if spec.template is not None else json.dumps(spec.content, ensure_ascii=False, indent=1)


def _places(package: TaskPackage, path: str) -> list[str]:
    found = [
        f"  {anchor.place.at}: {anchor.cell} as {anchor.printed!r}"
        for anchor in package.hidden.anchors
        if anchor.cell is not None and anchor.place.file == path
    ]
    return [*found[:PLACES], f"  and {len(found) - PLACES} more"] if len(found) > PLACES else found


def review(before: TaskPackage, after: TaskPackage) -> str:
    """What a reviewer is shown of a revision."""
    graph = before.hidden.graph
    derived = [f"- {unit.content} (of: {unit.entity})" for unit in graph.units if unit.status == "derived"]
    changed = after.hidden.history[-1].changes
    shown = "\n\n".join("\n".join((path, *lines, *_whole(after, path, lines))) for path, lines in changed.items())
    return PROMPTS["review"].render(
        intent=fenced(intent(before)),
        deliverables=deliverables(before),
        derived="\n".join(derived) or "- whatever the deliverables need",
        before=fenced(before.request),
        after=fenced(after.request) if after.request != before.request else "unchanged",
        files="\n".join(f"- {path}" for path in before.files),
        changes=fenced(shown or "(no text reads otherwise)"),
    )


def _whole(after: TaskPackage, path: str, lines: Sequence[str]) -> list[str]:
    """The words that were written into a file whose diff is too long to be shown whole."""
    if len(lines) <= MOST_LINES:
        return []
    edits = [edit for edit in after.hidden.history[-1].edits if edit.get("path") == path]
    texts = [edit.get("new") or edit.get("text") for edit in edits]
    return [f"words that were written here: {text}" for text in texts if text]


def speaking(after: TaskPackage) -> tuple[str, ...]:
    """Sentences of the new text that speak to a reviewer or a grader instead of to a colleague."""
    changed = after.hidden.history[-1].changes.values()
    return cleared("\n".join(line[2:] for lines in changed for line in lines if line.startswith("+ "))).found


def intent(package: TaskPackage) -> str:
    """What was meant: the intent that a model planned from, else the title, the role and what the request asks for."""
    meant = package.hidden.origin.intent
    if meant is None:
        return f"{package.card.title}. Done by: {package.card.role}. The request says the rest."
    role = meant.role
    wanted = "; ".join(f"{one.what} ({one.format})" for one in meant.wanted)
    steps = "".join(f"\n- {step.does}, which gives {step.gives}" for step in meant.operations)
    return (
        f"{meant.goal}\nDone by: {role.title}, {role.seniority}, {role.industry}, {role.size}. "
        f"What happened: {role.trigger} What depends on it: {role.stakes}\nWanted: {wanted}{steps}"
    )
