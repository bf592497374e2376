"""Defects in every format that is written: one task whose offers stand in a file of each."""

from __future__ import annotations

from functools import cache

import pytest

from workgym.check import check
from workgym.documents.image.recognition import available
from workgym.graph import Carrier, Deliverable, InfoUnit, Stated, SupportGraph, compile_graph, evaluate
from workgym.mutation import Contradict, Damage, Restore, Revision, SetCell, Withhold, apply
from workgym.mutation.damage import damaged
from workgym.package import DeliverableCard, Hidden, TaskCard, TaskPackage, canary
from workgym.package.assemble import assemble, bindings
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.records import FORMATS, Cell, Column, ColumnType, Finding, FormatName
from workgym.testing.carriers import scope, specification

PRICE = Cell(unit="offer", key=("Birch GmbH",), column="price")
REQUEST = (
    "Please add up the prices of all offers and hand in `spread.csv` with the one column `Total (EUR)`, to the cent.\n"
)
LOCKABLE = ("xlsx", "docx", "pptx", "zip")
SILENT = ("ics", "vcf")
"""Formats whose sample prints no price."""


@cache
def task() -> TaskPackage:
    """Three offers in a file of every format; the spread of their prices is to be handed in."""
    world = scope()
    spread = InfoUnit(
        name="spread",
        content="how far the prices are apart",
        entity="inquiry",
        scope="March 2026",
        status="derived",
        columns=(Column(name="spread", type=ColumnType.parse("money(EUR, 2)")),),
        query="select cast(max(price) - min(price) as decimal(18,2)) as spread from offer",
    )
    specs = tuple(_named(form) for form in FORMATS)
    carriers = (*(Carrier(path=spec.path, kind="reference") for spec in specs),)
    carriers += (Carrier(path="request.md", kind="request"), Carrier(path="spread.csv", kind="deliverable"))
    stated = Stated(unit="spread", form="table", labels={"spread": "Spread (EUR)"}, places={"spread": 2})
    graph = compile_graph(
        SupportGraph(
            units=(world.values["offer"].unit, spread),
            carriers=carriers,
            deliverables=(Deliverable(path="spread.csv", states=(stated,)),),
        )
    )
    plan = ConstructionPlan(
        request=ArtifactSpec(path="request.md", template=REQUEST), artifacts=specs, context=world.context, look="x"
    )
    values = evaluate(graph, world.values)
    made = assemble(graph, values, plan, strict=False)
    card = TaskCard(
        id="workfactory/every-format",
        title="Compare offers",
        occupation="43-3031",
        role="clerk",
        deliverables=(DeliverableCard(path="spread.csv", format="csv"),),
        canary=canary("workfactory/every-format"),
    )
    graph = graph.model_copy(update={"bindings": bindings(graph, made.anchors)})
    hidden = Hidden(graph=graph, plan=plan, values=values, anchors=made.anchors)
    return TaskPackage(card=card, request=made.request, files={}, hidden=hidden, ours=True).with_files(
        made.files, made.request
    )


def _named(form: FormatName) -> ArtifactSpec:
    spec = specification(form)
    return spec.model_copy(update={"path": f"{form}/{spec.path}"})


@cache
def known() -> frozenset[str]:
    """What is found in the sound task: its names are printed in forms that no family would choose."""
    return frozenset(map(str, hard(task())))


def path_of(form: str) -> str:
    return _named(form).path  # type: ignore[arg-type]


def hard(package: TaskPackage) -> list[Finding]:
    return [finding for finding in check(package).findings if finding.severity == "hard"]


def about(package: TaskPackage, form: str) -> set[str]:
    """Classes of what is found in the file of one format, and not in the sound task."""
    return {f.defect for f in hard(package) if str(f) not in known() and (f.path or "").startswith(f"{form}/")}


def planted(*edits: object) -> TaskPackage:
    return apply(task(), Revision(purpose="inject", why="a defect", edits=edits))  # type: ignore[arg-type]


def standing(form: str) -> str:
    """The path at which the price stands: of the file, or of one within it."""
    return next(a.place.path for a in task().hidden.anchors if a.cell == PRICE and a.place.path.startswith(f"{form}/"))


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in SILENT])
def test_another_value_in_one_file_is_a_contradiction(form: str) -> None:
    if form in ("png", "jpg") and not available():
        pytest.skip("pictures are not looked at here")
    package = planted(Contradict(cell=PRICE, value="7.31", path=standing(form)))
    assert package.files[path_of(form)] != task().files[path_of(form)]
    assert about(package, form) & {"cross-file inconsistency", "self-inconsistency", "broken derivation"}


HOWS = ("truncated", "emptied", "mistyped", "locked")
DAMAGES = [
    pytest.param(form, how, marks=() if home == number % len(HOWS) else pytest.mark.soak)
    for number, form in enumerate(FORMATS)
    for home, how in enumerate(HOWS)
]
"""Each format damaged in one way, dealt in turn, and with ``--soak`` in all."""


@pytest.mark.parametrize(("form", "how"), DAMAGES)
def test_a_damaged_file_cannot_be_used_and_can_be_written_again(form: str, how: str) -> None:
    path = path_of(form)
    if damaged(path, task().files[path], how) == task().files[path]:  # type: ignore[arg-type]
        assert (how, form) in {("mistyped", "png"), ("mistyped", "jpg")} or (how == "locked" and form not in LOCKABLE)
        return
    package = planted(Damage(path=path, how=how))  # type: ignore[arg-type]
    assert "executability defect" in about(package, form)
    mended = apply(package, Revision(purpose="repair", why="again", edits=(Restore(path=path),)))
    assert mended.files[path] == task().files[path]


def test_a_value_that_is_withheld_is_missed_in_every_format_and_comes_back() -> None:
    package = planted(Withhold(cell=PRICE))
    assert any(f.unit == "offer" and f.key == PRICE.key and f.column == "price" for f in hard(package))
    assert all(package.files[path_of(form)] != task().files[path_of(form)] for form in FORMATS if form not in SILENT)
    back = apply(package, Revision(purpose="repair", why="back", edits=(SetCell(cell=PRICE, value="0.95"),)))
    assert back.truth("spread").rows == task().truth("spread").rows
    assert set(map(str, hard(back))) == known()
