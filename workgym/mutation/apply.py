"""Apply a revision: the graph's rows and the files change together.

The plan renders every carrier concerned for the new rows; what differs from the file as it stands is
edited in place, fragment by fragment, so that everything else of the file keeps its bytes. A pdf, and
a carrier whose structure changes, is written again from the plan.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workgym.documents import (
    Document,
    differences,
    edit,
    editable,
    member,
    members,
    read,
    recalculate,
    replaced,
)
from workgym.errors import DocumentError, EvaluationError, MutationError
from workgym.graph import InfoUnit, Relation, Values, evaluating, provided
from workgym.materialize import Rendered
from workgym.mutation.revision import Contradict, DropRow, Revision, SetCell, Withhold, violations
from workgym.package import HistoryEntry, TaskPackage, apart
from workgym.package import members as members_of
from workgym.package.assemble import assemble, bindings, press
from workgym.records import Anchor, Cell, Value


@dataclass(frozen=True)
class _Rows:
    """Rows after the edits: of the graph, and as single files print them."""

    graph: dict[str, Relation]
    by_file: dict[str, dict[str, Relation]]
    units: frozenset[str]


def apply(package: TaskPackage, revision: Revision) -> TaskPackage:
    """The package after the revision, with an entry in its history.

    Raises MutationError where the contract refuses it; the package given is never changed. A package that is not ours
    is changed in a limited child, and what its queries and templates take there ends in a MutationError, too.
    """
    if apart.needed(package):
        try:
            made = apart.call("workgym.mutation.apply:apply_json", package, revision.model_dump(mode="json"))
        except apart.Refused as error:
            raise MutationError(str(error)) from error
        return apart.unpacked({path: base64.b64decode(content) for path, content in made.items()})
    if revision.purpose != "inject" and any(not isinstance(item, SetCell) for item in revision.edits):
        raise MutationError(f"a {revision.purpose} only sets cells; withholding and contradicting are for injections")
    rows = _rows(package, revision)
    files, request, anchors = _printed(package, rows)
    graph = package.hidden.graph.model_copy(update={"bindings": bindings(package.hidden.graph, anchors)})
    changed = package.with_hidden(graph=graph, values=rows.graph, anchors=anchors).with_shown(files, request)
    broken = list(violations(package, changed))
    if broken:
        raise MutationError(f"the revision is refused: {broken[0]}")
    entry = HistoryEntry(
        why=revision.why,
        edits=tuple(item.model_dump(mode="json") for item in revision.edits),
        before=package.digest,
        after=changed.digest,
        findings=revision.findings,
    )
    return changed.with_hidden(history=(*package.hidden.history, entry), checks=None, qa=None, expert_files={})


def apply_json(package: TaskPackage, revision: Any) -> dict[str, str]:
    """What the child runs: the files of the changed package, in base64."""
    return apart.packed(members_of(apply(package, Revision.model_validate(revision))))


def printed_with(package: TaskPackage, values: Values) -> TaskPackage:
    """The package with all its files written anew for other rows; what a trap's ``given`` would look like."""
    hidden = package.hidden
    made = assemble(hidden.graph, values, hidden.plan)
    return package.with_hidden(values=dict(values), anchors=made.anchors, expert_files={}).with_shown(
        {**made.files, **made.external}, made.request
    )


def _rows(package: TaskPackage, revision: Revision) -> _Rows:
    graph = dict(package.hidden.values)
    by_file: dict[str, dict[str, Relation]] = {}
    for item in revision.edits:
        if isinstance(item, DropRow):
            graph[item.cell.unit] = _dropped(package, graph, item.cell)
            continue
        value = None if isinstance(item, Withhold) else _value(package, item.cell, item.value)
        if isinstance(item, Contradict):
            if not any(a.cell == item.cell and a.place.path == item.path for a in package.hidden.anchors):
                raise MutationError(f"{item.cell} does not stand in {item.path}")
            rows = by_file.setdefault(item.path, {})
            rows[item.cell.unit] = _with(rows.get(item.cell.unit, graph[item.cell.unit]), item.cell, value)
        else:
            _value(package, item.cell, None)
            graph[item.cell.unit] = _with(graph[item.cell.unit], item.cell, value)
    for rows in by_file.values():
        for name, relation in graph.items():
            rows.setdefault(name, relation)
    return _Rows(_derived(package, graph), by_file, frozenset(item.cell.unit for item in revision.edits))


def _relation(package: TaskPackage, cell: Cell) -> InfoUnit:
    unit = package.hidden.graph.by_name.get(cell.unit)
    if unit is None or cell.unit not in package.hidden.values:
        raise MutationError(f"there is no unit {cell.unit}" if unit is None else f"{cell.unit} has no rows")
    return unit


def _value(package: TaskPackage, cell: Cell, raw: object) -> Value:
    unit = _relation(package, cell)
    if unit.status not in ("provided", "external"):
        raise MutationError(f"{cell.unit} is {unit.status}: its values follow its premises and cannot be set")
    if cell.column in unit.key:
        raise MutationError(f"{cell} is a key: renaming a row is not an edit of a cell")
    if cell.column not in {column.name for column in unit.columns}:
        raise MutationError(f"unit {cell.unit} has no column {cell.column}")
    try:
        return unit.column(cell.column).type.load(raw)
    except (ValueError, ArithmeticError) as error:
        raise MutationError(f"{cell}: {error}") from error


def _dropped(package: TaskPackage, rows: Values, cell: Cell) -> Relation:
    _relation(package, cell)
    relation = rows[cell.unit]
    if relation.unit.value_columns or relation.unit.status not in ("provided", "external"):
        raise MutationError(f"{cell.unit} is more than its keys: withhold a cell instead")
    if cell.key not in relation.by_key:
        raise MutationError(f"{cell.unit} has no row {', '.join(cell.key)}")
    return relation.without(cell.key)


def _with(relation: Relation, cell: Cell, value: Value) -> Relation:
    try:
        return relation.with_value(cell.key, cell.column, value)
    except EvaluationError as error:
        raise MutationError(str(error)) from error


def _derived(package: TaskPackage, values: Values) -> dict[str, Relation]:
    """Values follow the premises; where a premise is absent the derived rows stay, and the checks say so."""
    graph = package.hidden.graph
    with evaluating(graph) as evaluator:
        try:
            return evaluator.evaluate(provided(graph, values))
        except EvaluationError:
            return dict(values)


def _printed(package: TaskPackage, rows: _Rows) -> tuple[dict[str, bytes], str, tuple[Anchor, ...]]:
    hidden = package.hidden
    files = package.shown
    request = package.request
    anchors: dict[str, tuple[Anchor, ...]] = {}
    for anchor in hidden.anchors:
        anchors[anchor.place.file] = (*anchors.get(anchor.place.file, ()), anchor)
    concerned = {path for path, placed in anchors.items() if any(a.cell and a.cell.unit in rows.units for a in placed)}
    concerned |= {spec.path for spec in hidden.plan.artifacts if rows.units & set(spec.row)}
    # A value that was withheld has left no anchor behind: where it returns to is seen when all is written.
    returning = {name for name in rows.units if any(None in row for row in hidden.values[name].rows)}
    with press(hidden.graph, rows.graph, hidden.plan, strict=False) as writer:
        for spec in hidden.plan.artifacts:
            if spec.path in concerned or returning:
                made = writer.printing(rows.by_file.get(spec.path, rows.graph)).artifact(spec)
                if spec.path not in concerned and not _print(made, returning):
                    continue
                files[spec.path] = _in_place(spec.path, files[spec.path], made.content)
                within = [path for path in rows.by_file if path.startswith(f"{spec.path}//")]
                for path in within:
                    files[spec.path] = _within(
                        path, files[spec.path], writer.printing(rows.by_file[path]).artifact(spec)
                    )
                if spec.path not in rows.by_file and not within:
                    anchors[spec.path] = made.anchors
        if "request.md" in concerned or returning:
            made = writer.request()
            if "request.md" in concerned or _print(made, returning):
                request, anchors["request.md"] = made.content.decode(), made.anchors
    order = ["request.md", *(spec.path for spec in hidden.plan.artifacts)]
    return files, request, tuple(anchor for path in order for anchor in anchors.get(path, ()))


def _print(made: Rendered, units: set[str]) -> bool:
    return any(anchor.cell is not None and anchor.cell.unit in units for anchor in made.anchors)


def _within(path: str, content: bytes, made: Rendered) -> bytes:
    """A carrier in which one file that it holds says what it says in ``made``, and the others what they said."""
    holder, _, name = path.partition("//")
    old, new = member(holder, content, name), member(holder, made.content, name)
    return replaced(holder, content, name, _in_place(path.rpartition("//")[2], old, new))


def _in_place(path: str, old: bytes, new: bytes) -> bytes:
    """``old`` edited until it reads as ``new``; ``new`` itself where that cannot be done exactly."""
    if not editable(path):
        return new
    try:
        held, wanted_held = members(path, old), members(path, new)
        if held.keys() != wanted_held.keys():
            return new
        for name, inner in held.items():
            if inner != wanted_held[name]:
                old = replaced(path, old, name, _in_place(name, inner, wanted_held[name]))
        wanted = read(path, new)
        formulas = {fragment.at for fragment in wanted.fragments if fragment.formula}
        edits = [item for item in differences(read(path, old), wanted) if item.at not in formulas]
        edited = edit(path, old, edits)
        if formulas:
            edited = recalculate(edited)
        return edited if _texts(read(path, edited)) == _texts(wanted) else new
    except DocumentError:
        return new


def _texts(document: Document) -> Mapping[tuple[str, str], str]:
    return {
        (part.path, fragment.at): fragment.text
        for part in document.whole()
        for fragment in part.fragments
        if fragment.text and not fragment.at.startswith("property.")
    }


Mutator = Callable[[TaskPackage, Revision], TaskPackage]
"""Environment in, environment out: ``apply`` on packages, ``env.unwrapped.mutate`` on a live episode."""
