"""A task with a text of its own in each hidden field: what shows one of them to a solver's side has a leak.

::

    sent = "".join(request.model_dump_json() for request in model.requests)   # after leading a harness through it
    assert not MARK.search(sent)
"""

from __future__ import annotations

import dataclasses
import re

from workgym.graph import Carrier, Deliverable, InfoUnit, Relation, RubricItem, Stated, SupportGraph
from workgym.package import Hidden, HistoryEntry, Origin, Seal, TaskPackage
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.records import (
    Anchor,
    Cell,
    CheckReport,
    Column,
    ColumnType,
    Finding,
    Intent,
    Operation,
    Place,
    SituatedRole,
    Wanted,
)
from workgym.testing.toy import toy_task

MARK = re.compile(r"SENTINEL-([\w-]+)-TEXT")
"""Finds the mark of a hidden field, with the field's name."""


def mark(field: str) -> str:
    """The text that stands in one hidden field and nowhere else."""
    return f"SENTINEL-{field}-TEXT"


def marked_task(*, rent: str = "30", turns: int = 250) -> TaskPackage:
    """The toy task with marks in all that is hidden."""
    return dataclasses.replace(toy_task(rent=rent, turns=turns), hidden=marked_hidden())


def marked_hidden() -> Hidden:
    """A hidden side in which each field says its own mark."""
    rubric = (RubricItem(item="The memo says why.", rests_on=("rested",)),)
    deliverable = Deliverable(path="sum.txt", states=(Stated(unit="other", form="prose"),), rubric=rubric)
    units = (_unit("rested"), _unit("other"))
    carrier = Carrier(path="rent.txt", kind="reference", title=mark("graph"))
    finding = Finding(check="c", severity="soft", defect="executability defect", message=mark("checks"))
    artifact = ArtifactSpec(path="request.md", template=mark("plan"), title=mark("plan"))
    place = Place(path="rent.txt", at="l1")
    return Hidden(
        graph=SupportGraph(units=units, carriers=(carrier,), deliverables=(deliverable,)),
        plan=ConstructionPlan(request=artifact, artifacts=(), context={"who": mark("plan")}),
        values={one.name: Relation(one, ((mark(f"values-{one.name}"),),)) for one in units},
        anchors=(
            Anchor(kind="value", cell=Cell(unit="rested", key=(), column="word"), place=place, printed=mark("anchors")),
        ),
        origin=Origin(family=mark("origin"), preset=mark("origin"), builder=mark("origin"), intent=_intent()),
        expert=f"# {mark('expert')}\n\n\ndef solve(desk):\n    pass\n",
        expert_files={"sum.txt": mark("expert_files").encode()},
        checks=CheckReport(task_id="t", ran=("c",), findings=(finding,)),
        history=(HistoryEntry(why=mark("history"), edits=(), before="", after=""),),
        qa=Seal(suite=mark("qa"), size="ci", package="", passed=True, digest="", report={"said": mark("qa")}),
    )


def _unit(name: str) -> InfoUnit:
    said = mark("graph")
    columns = (Column(name="word", label=said, type=ColumnType(kind="text")),)
    return InfoUnit(name=name, content=said, entity=said, scope=said, status="provided", columns=columns)


def _intent() -> Intent:
    said = mark("origin")
    told = {name: said for name in SituatedRole.model_fields if name != "occupation"}
    return Intent(
        source="occupation",
        role=SituatedRole(occupation="13-2011", **told),
        goal=said,
        wanted=(Wanted(what=said, format="txt"),),
        operations=(Operation(skill=said, does=said, takes=(said,), gives=said),),
        provenance={"from": said},
    )
