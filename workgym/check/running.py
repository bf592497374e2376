"""All checks of a package, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from workgym.check.asking import paths, precision, vocabulary, wording
from workgym.check.contradiction import contradiction
from workgym.check.drift import drift
from workgym.check.external import concerns, external
from workgym.check.leak import leak, shortcut, unneeded
from workgym.check.listing import listing
from workgym.check.loose import loose
from workgym.check.presence import presence, readable
from workgym.check.reading import Visible
from workgym.check.request import areas, carriers, conflict, request
from workgym.check.variants import variants
from workgym.documents.image.recognition import Words
from workgym.errors import GraphError
from workgym.graph import SupportGraph, compile_graph
from workgym.graph.checks import check_graph
from workgym.package import TaskPackage
from workgym.records import CheckReport, Finding

FILE_CHECKS: Mapping[str, Callable[[Visible], Iterator[Finding]]] = {
    "carriers": carriers,
    "readable": readable,
    "presence": presence,
    "loose": loose,
    "drift": drift,
    "leak": leak,
    "listing": listing,
    "shortcut": shortcut,
    "contradiction": contradiction,
    "conflict": conflict,
    "request": request,
    "precision": precision,
    "vocabulary": vocabulary,
    "wording": wording,
    "paths": paths,
    "variants": variants,
    "areas": areas,
    "external": external,
}
"""Checks that need the files, by name and in order."""
_NEED_VALUES = frozenset({"leak", "listing", "shortcut", "vocabulary", "variants"})
_NEED_NO_TRUST = frozenset({"drift"})


def check_here(package: TaskPackage, *, trusted: bool, words: Words | None = None) -> CheckReport:
    """Run every check, whoever made the package; ``trusted`` as in :func:`workgym.check.check`.

    ``words`` are those of its pictures, where they were recognised before; None to do it here.
    """
    hidden = package.hidden
    refused = () if trusted else tuple(compiles(hidden.graph))
    if refused:  # then nothing of it may run
        return CheckReport(task_id=package.id, ran=("compiles",), findings=refused)
    ran, findings, (idle,) = check_graph(hidden.graph, hidden.values, [partial(unneeded, package)])
    computable = not any(finding.check in ("acyclic", "truth") and finding.severity == "hard" for finding in findings)
    view = Visible(package, words)
    names = [*(() if trusted else ("compiles",)), *ran]
    found = list(findings)
    for name, run in FILE_CHECKS.items():
        if (name in _NEED_VALUES and not computable) or (name in _NEED_NO_TRUST and trusted):
            continue
        if name == "external" and not concerns(view):
            continue
        names.append(name)
        found += idle if name == "shortcut" else run(view)
    return CheckReport(task_id=package.id, ran=tuple(names), findings=tuple(dict.fromkeys(found)))


def compiles(graph: SupportGraph) -> Iterator[Finding]:
    """Every query is one that the closed language allows, and the stored edges are those that the queries have."""
    try:
        said = None if compile_graph(graph).supports == graph.supports else "E_info is not what the queries read"
    except GraphError as error:
        said = str(error)
    if said is not None:
        yield Finding(check="compiles", severity="hard", defect="broken derivation", message=said)
