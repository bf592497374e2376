"""A task small enough to see at a glance, and its grader: for tests of environments, harnesses and sandboxes.

The workspace holds two text files; ``sum.txt`` with the sum of their numbers is to be handed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

from workgym.graph import SupportGraph
from workgym.package import DeliverableCard, Hidden, Interfaces, TaskCard, TaskLimits, TaskPackage, canary
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.records import PageCard, page_path

EXPERT = """\
from __future__ import annotations

from desk import Blocked


def solve(desk):
    total = 0
    for path in desk.files("**/*.txt"):
        words = desk.read(path).split()
        if len(words) < 2:
            raise Blocked(f"the amount in {path}", [path], "the sum")
        total += int(words[-1])
    desk.write("sum.txt", f"{total}\\n")
"""
"""The toy task's expert script."""


class ToyVerdict(NamedTuple):
    """How a toy task was graded."""

    state: str
    """``passed`` or ``failed``."""
    reward: float
    """1.0 or 0.0."""
    record: Any
    """What was found."""


def toy_task(
    *,
    rent: str = "30",
    power: str = "12",
    turns: int = 250,
    permissions: Mapping[str, bool] | None = None,
    pages: Mapping[str, str] | None = None,
) -> TaskPackage:
    """Add up two amounts that stand in two files; an amount may be empty, and then nobody can.

    ``pages`` are an offline site that nobody needs: texts by address, the first line being the title.
    """
    identity = "workfactory/toy"
    request = "Please add the amounts in rent.txt and power.txt and write the sum to sum.txt."
    card = TaskCard(
        id=identity,
        title="Add two amounts",
        occupation="43-3031",
        role="bookkeeper",
        deliverables=(DeliverableCard(path="sum.txt", format="txt"),),
        limits=TaskLimits(turns=turns),
        interfaces=Interfaces(tools=("files", "shell"), permissions=permissions or {}),
        canary=canary(identity),
    )
    hidden = Hidden(
        graph=SupportGraph(units=(), carriers=()),
        plan=ConstructionPlan(request=ArtifactSpec(path="request.md", template=request), artifacts=()),
        values={},
        anchors=(),
        expert=EXPERT,
    )
    files = {"power.txt": f"power {power}\n".encode(), "rent.txt": f"rent {rent}\n".encode()}
    made = TaskPackage(card=card, request=request, files={}, hidden=hidden, ours=True).with_files(files)
    site = {page_path(url): text.partition("\n") for url, text in (pages or {}).items()}
    cards = [PageCard(path=path, title=title) for path, (title, _, _) in site.items()]
    return made.with_external({path: _page(title, text) for path, (title, _, text) in site.items()}, cards)


def _page(title: str, text: str) -> bytes:
    blocks = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    return f"<!DOCTYPE html><title>{escape(title)}</title>{blocks}".encode()


def grade(package: TaskPackage, files: Mapping[str, bytes]) -> ToyVerdict:
    """Passed where ``sum.txt`` holds the sum of the task's amounts."""
    amounts = [int(content.split()[-1]) for content in package.files.values() if len(content.split()) == 2]
    found = files.get("sum.txt", b"").decode("utf-8", "replace").strip()
    right = found == str(sum(amounts))
    return ToyVerdict("passed" if right else "failed", float(right), {"found": found})
