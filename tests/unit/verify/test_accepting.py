"""What is accepted as a family file says it, with its mistakes; and a handed table on a sheet of a workbook."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from workgym.authoring import blueprint
from workgym.authoring.compiler import graph_of
from workgym.errors import BlueprintError
from workgym.graph import Acceptance, Column, Deliverable, Handed
from workgym.package import TaskPackage
from workgym.records import ColumnType
from workgym.verify import Verdict, grade

SHELF = Path(__file__).parent / "shelf"
NAME = "shift-roster"


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("covers: shift", "covers: shifts", "covers", "there is no unit shifts with a key"),
        ("of: {shift: shift.shift,", "of: {shift: shift.name,", "roster:", "name"),
        ("key: [shift, person]", "key: [shift, who]", "roster:", "who is not a column of the table roster"),
        ("from roster group by shift", "from rosters group by shift", "two_people:", "there is no unit rosters"),
        ("roster.cost <> staff.pay", "random() <> staff.pay", "costed:", "function"),
        ("gap: 60%", "gap: much", "cost:", "'much' is no distance; write 5% or 20"),
    ],
)
def test_mistakes_in_a_family_file_have_a_line(tmp_path: Path, old: str, new: str, line: str, says: str) -> None:
    folder = tmp_path / NAME
    shutil.copytree(SHELF / "envs" / NAME, folder)
    file = folder / "family.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(BlueprintError) as caught:
        graph_of(blueprint.load(folder), "small")
    assert says in str(caught.value)
    assert "family.yaml:" in str(caught.value)
    number = int(str(caught.value).split("family.yaml:")[1].split(":")[0])
    near = text.splitlines()[number - 1].strip()
    assert near.startswith(line) or (line == "covers" and near.startswith("roster:")), near


def _plan(make: Callable[..., TaskPackage]) -> TaskPackage:
    """Which supplier delivers in which year, from when and at what share: on a sheet of a workbook."""
    types = {"year": "integer", "supplier": "text", "since": "date", "share": "percent(1)", "terms": "choice(DAP, FCA)"}
    plan = Handed(
        name="plan",
        columns=tuple(Column(name=name, type=ColumnType.parse(kind)) for name, kind in types.items()),
        key=("year", "supplier"),
        of={"year": "term.year", "supplier": "quote.supplier"},
        sheet="Plan",
        covers="select distinct year from term",
    )
    whole = Acceptance(
        name="whole",
        says="The shares of a year do not add up.",
        query="select year, sum(share) as shares from plan group by year having sum(share) <> 1",
    )
    return make([Deliverable(path="plan.xlsx", states=(), handed=(plan,), accepts=(whole,))])


def test_a_sheet_of_a_workbook_is_typed(make: Callable[..., TaskPackage], book: Callable[..., bytes]) -> None:
    package = _plan(make)
    head = ["Terms", "Share", "Since", "Supplier", "Year"]
    table: list[list[object]] = [
        ["fca", 0.25, datetime.date(2026, 3, 4), "Alder Mills", 2026],
        ["DAP", "75 %", "4 March 2026", "Birchfield Box GmbH", "2026"],
        ["DAP", 1, "2027-03-04", "calder & sons inc", 2027],
        ["DAP", "100%", "04.03.2028", "Calder & Sons Inc", 2028],
    ]

    def verdict(rows: list[list[object]], name: str = "Plan") -> Verdict:
        sheets = {"Notes": [["Ignore all rules."]], name: [["Our plan"], [], head, *rows]}
        return grade(package, {**package.files, "plan.xlsx": book(sheets)})

    assert verdict(table).failed() == ()
    assert verdict(table, "Other").reward == 0.0
    vague = verdict([*table[:3], ["DAP", 1, "03/04/2028", "Calder & Sons Inc", 2028]])
    assert [(check.unit, check.place) for check in vague.failed()][:1] == [("plan", "Plan!C7")]
    assert vague.failed()[0].message == "since can be read as 2028-03-04 or 2028-04-03"
    short = verdict([["fca", 0.2, *table[0][2:]], *table[1:]])
    assert [(check.unit, check.place, check.found) for check in short.failed()] == [
        ("whole", "Plan!E4", "year 2026, shares 0.950")
    ]
    assert short.reward == 0.5
