"""The construction checks of a package: what the graph says of itself, and what the files say of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from workgym.check.drift import drift
from workgym.check.leak import leak, shortcut
from workgym.check.presence import loose, presence, readable
from workgym.check.reading import Visible
from workgym.check.request import carriers, conflict, request
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
    "shortcut": shortcut,
    "conflict": conflict,
    "request": request,
}
"""Checks that need the files, by name and in order."""
_NEED_VALUES = frozenset({"leak", "shortcut"})
_NEED_NO_TRUST = frozenset({"drift"})


def check(package: TaskPackage, *, trusted: bool = False) -> CheckReport:
    """Run every construction check.

    ``trusted`` files (just written by us) are read in this process, and not compared with the plan that wrote them;
    others are read in a limited child.
    """
    hidden = package.hidden
    ran, findings = check_graph(hidden.graph, hidden.values)
    computable = not any(finding.check in ("acyclic", "truth") and finding.severity == "hard" for finding in findings)
    view = Visible(package, trusted=trusted)
    names = list(ran)
    found = list(findings)
    for name, run in FILE_CHECKS.items():
        if (name in _NEED_VALUES and not computable) or (name in _NEED_NO_TRUST and trusted):
            continue
        names.append(name)
        found += run(view)
    return CheckReport(task_id=package.id, ran=tuple(names), findings=tuple(dict.fromkeys(found)))


__all__ = ["FILE_CHECKS", "Visible", "check"]
