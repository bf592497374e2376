"""What a solver sees of a task: the one thing that prompts on its side are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workgym.package.model import Interfaces, TaskPackage


@dataclass(frozen=True)
class SolverView:
    """Request, files and interfaces: no graph, no plan, no values, no history, not even the task's id."""

    request: str
    """What the user asks, as markdown."""
    files: Mapping[str, bytes]
    """The carriers that the solver starts with, by path."""
    interfaces: Interfaces
    """What it may use."""


def view(package: TaskPackage) -> SolverView:
    """The solver's view of a package."""
    return SolverView(package.request, dict(package.files), package.card.interfaces)
