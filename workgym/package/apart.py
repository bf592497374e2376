"""The one place that decides where a package's queries and templates are evaluated: here, or in a limited child.

What this process compiled from a family on the shelf is ours (``TaskPackage.ours``). What was read from a folder may
be a stranger's, or a model's: ``{{ 'x' * 3000000000 }}`` and ``repeat('x', 3e9)`` take the memory of whoever evaluates
them. Measured: 0.15 to 0.35 s for the answers of a package of the built-in families, once for each process.
"""

from __future__ import annotations

import base64
import importlib
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from workgym.errors import ChildFailed, MaterializeError, WorkgymError
from workgym.graph import Relation, SupportGraph, Values, evaluate
from workgym.materialize import modules
from workgym.package.assemble import Assembled, assemble
from workgym.package.model import TaskPackage
from workgym.package.store import load, members
from workgym.plan import ConstructionPlan
from workgym.records import Anchor, PageCard
from workgym.sandbox import child

_LIMITS = child.JobLimits(memory_mib=1536, cpu_seconds=120, wall_seconds=600.0, output_mib=512)
_HERE = "workgym.package.apart"
QUERIES = ("sqlglot.dialects.duckdb",)
"""What is imported for the first query, by its name: with it, each child finds it there."""


class Refused(Exception):
    """In the child: an error of workgym's own, as a line; on the host: the same, or how the child ended."""


def needed(package: TaskPackage) -> bool:
    """Whether the package is evaluated apart: it is not ours, and this process is not a limited child already."""
    return not package.ours and not child.inside()


def call(task: str, package: TaskPackage, payload: Any = None) -> Any:
    """What ``task`` (``package.module:function`` of a package and a payload, both ways JSON) gives in a limited child.

    Raises :class:`Refused` with one line: an error of workgym's own that it raised, or the limit that it met.
    """
    needs = (task.partition(":")[0], *modules(package.files))
    answer = _run("call_job", {"task": task, "payload": payload}, members(package), needs)
    return answer["result"]


def computed(task: str, payload: Any, *, prints: Iterable[str] = ()) -> Any:
    """What ``task`` (``package.module:function`` of a payload, both ways JSON) gives in a limited child.

    ``prints`` are names of the files that it writes. Raises :class:`Refused` as :func:`call` does.
    """
    needs = (task.partition(":")[0], *modules(prints))
    return _run("compute_job", {"task": task, "payload": payload}, {}, needs)["result"]


def assembled(graph: SupportGraph, provided: Values, plan: ConstructionPlan) -> tuple[Values, Assembled]:
    """The rows of all units, and the files, of a task that somebody else than a family wrote.

    ``provided`` are the rows of the units that are given. Raises MaterializeError with what is wrong in one line, also
    where an evaluation takes more than the child's limits.
    """
    payload = {
        "graph": graph.model_dump(mode="json"),
        "plan": plan.model_dump(mode="json"),
        "rows": {name: relation.dump() for name, relation in provided.items()},
    }
    try:
        answer = _run("assemble_job", payload, {}, modules(spec.path for spec in plan.artifacts))
    except Refused as error:
        raise MaterializeError(str(error)) from error
    values = {name: Relation.load(graph.unit(name), rows) for name, rows in answer["rows"].items()}
    files = {path: base64.b64decode(content) for path, content in answer["files"].items()}
    external = {path: base64.b64decode(content) for path, content in answer["external"].items()}
    anchors = tuple(map(Anchor.model_validate, answer["anchors"]))
    pages = tuple(map(PageCard.model_validate, answer["pages"]))
    return values, Assembled(answer["request"], files, anchors, external, pages)


def _run(job: str, payload: Any, files: Mapping[str, bytes], needs: Iterable[str]) -> Any:
    try:
        answer = child.run(f"{_HERE}:{job}", payload, files=files, preload=(*QUERIES, *needs), limits=_LIMITS)
    except ChildFailed as error:
        line = f"evaluating its queries and templates ended the process that did it: {error.kind}, {error.detail}"
        raise Refused(line.strip(" :,")) from error
    if "refused" in answer:
        raise Refused(answer["refused"])
    return answer


def call_job(payload: dict[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the child runs for :func:`call`."""
    module, _, function = payload["task"].partition(":")
    try:
        package = unpacked(files)
        return {"result": getattr(importlib.import_module(module), function)(package, payload["payload"])}
    except WorkgymError as error:
        return {"refused": str(error)}


def compute_job(payload: dict[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the child runs for :func:`computed`; there are no files."""
    assert not files
    module, _, function = payload["task"].partition(":")
    try:
        return {"result": getattr(importlib.import_module(module), function)(payload["payload"])}
    except WorkgymError as error:
        return {"refused": str(error)}


def assemble_job(payload: dict[str, Any], _: Mapping[str, bytes]) -> dict[str, Any]:
    """What the child runs for :func:`assembled`."""
    try:
        graph = SupportGraph.model_validate(payload["graph"])
        rows = {name: Relation.load(graph.unit(name), found) for name, found in payload["rows"].items()}
        values = evaluate(graph, rows)
        made = assemble(graph, values, ConstructionPlan.model_validate(payload["plan"]))
    except WorkgymError as error:
        return {"refused": str(error)}
    return {
        "rows": {name: relation.dump() for name, relation in values.items()},
        "request": made.request,
        "files": packed(made.files),
        "anchors": [anchor.model_dump(mode="json") for anchor in made.anchors],
        "external": packed(made.external),
        "pages": [card.model_dump(mode="json") for card in made.pages],
    }


def unpacked(files: Mapping[str, bytes]) -> TaskPackage:
    """The package of a folder's files, by path. Raises PackageError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "package"
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return load(folder)


def packed(files: Mapping[str, bytes]) -> dict[str, str]:
    """Files as JSON has them: in base64."""
    return {path: base64.b64encode(content).decode() for path, content in files.items()}
