"""What a solver sees of a task: the one thing that prompts on its side are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workgym.package.model import Interfaces, TaskPackage


@dataclass(frozen=True)
class SolverView:
    """Request, files, interfaces, what web tools find: no graph, no plan, no values, no history, not even the id."""

    request: str
    """What the user asks, as markdown."""
    files: Mapping[str, bytes]
    """The carriers that the solver starts with, by path."""
    interfaces: Interfaces
    """What it may use."""
    external: Mapping[str, bytes] = field(default_factory=dict)
    """Pages that web tools can show it, by address; what is dead or moved away is not among them."""


def view(package: TaskPackage) -> SolverView:
    """The solver's view of a package."""
    found = {card.url: package.external[card.path] for card in package.pages if card.state == "live"}
    return SolverView(package.request, dict(package.files), package.card.interfaces, found)
