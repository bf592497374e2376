"""Workbooks: headings in two rows, units, formulas that are checked, choices, conditions, page headers, charts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import Document, grids, read, recalculate
from workgym.errors import MaterializeError
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]
TYPES = {
    "item": "text", "start": "date", "end": "date", "units": "quantity(pcs, 0)", "price": "money(EUR, 2)",
    "total": "money(EUR, 2)", "share": "percent(1)", "terms": "choice(DAP, FCA)", "size": "text",
}  # fmt: skip
ROWS = [
    ["Carton 400", "2026-03-01", "2026-12-31", 1200, "1.25", "1500.00", "0.085", "DAP", "large"],
    ["Foil 20 my", "2026-04-01", "2027-03-31", 45, "0.99", "44.55", "0.1", "FCA", "small"],
    ["Pallet", "2026-05-15", "2026-11-30", 333, "14.81", "4931.73", "0", "DAP", "small"],
]
HEADS: dict[str, Any] = {
    "Item": "item", "Start": "start", "End": "end", "Units": "units", "Price": "price",
    "Total": {"value": "total", "formula": "=[Units]*[Price]"}, "Share": "share",
    "Terms": {"value": "terms", "choices": True},
    "Size": {"value": "size", "formula": '=IF(D{r}>1000,"large","small")'},
}  # fmt: skip


@pytest.fixture(name="lines")
def _lines(world: Worlds, relation: Relations) -> Scope:
    return world(relation("line", TYPES, ("item",), ROWS))


def written(scope: Scope, content: Mapping[str, Any]) -> Rendered:
    spec = {"path": "a.xlsx", "title": "Lines", "content": content, "role": "distractor"}
    return render(ArtifactSpec.model_validate(spec), scope, "look")


def sheet(table: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    made = {"rows": "line", "columns": HEADS} | dict(table or {})
    return {"sheets": [{"title": "Lines", "tables": [made]} | more]}


def hidden(document: Document) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in document.fragments if fragment.hidden}


def resolved(made: Rendered) -> Document:
    """The document; every anchor is found in it, and whatever holds a digit outside cells has one."""
    document = read(made.path, made.content)
    texts = {fragment.at: fragment.text for fragment in document.fragments}
    for anchor in made.anchors:
        text, span = texts[anchor.place.base], anchor.place.span
        assert (text if span is None else text[span[0] : span[1]]) == anchor.printed
    anchored = {anchor.place.base for anchor in made.anchors}
    for at, text in hidden(document).items():
        assert at in anchored or at.startswith("property.") or not any(map(str.isdigit, text)), (at, text)
    return document


def test_headings_in_two_rows_with_units(lines: Scope) -> None:
    groups = {"Contract": ["Start", "End"], "Value": ["Units", "Price", "Total"]}
    made = written(lines, sheet({"groups": groups, "units": True, "total": {"sum": ["Total"]}}))
    document = resolved(made)
    (grid,) = grids(document)
    assert grid.heading(1) == ("Item",)
    assert grid.heading(2) == ("Contract", "Start")
    assert grid.heading(5) == ("Value", "Price", "EUR")
    assert grid.heading(8) == ("Terms",)
    assert [row[0].text for row in grid.rows] == ["Carton 400", "Foil 20 my", "Pallet", "Total"]
    merged = {fragment.at: fragment.merged for fragment in document.fragments if fragment.merged != (1, 1)}
    assert merged["Lines!A1"] == (2, 1)
    assert merged["Lines!D1"] == (1, 3)
    book = openpyxl.load_workbook(io.BytesIO(made.content))
    assert book["Lines"].freeze_panes == "A4"


def test_formulas_carry_the_value_of_their_unit(lines: Scope) -> None:
    document = resolved(written(lines, sheet()))
    cells = {fragment.at: fragment for fragment in document.fragments}
    assert (cells["Lines!F3"].formula, cells["Lines!F3"].text) == ("D3*E3", "44.55")
    assert (cells["Lines!I2"].formula, cells["Lines!I2"].text) == ('IF(D2>1000,"large","small")', "large")
    totals = [a for a in written(lines, sheet()).anchors if a.cell is not None and a.cell.column == "total"]
    assert [anchor.printed for anchor in totals] == ["1,500.00", "44.55", "4,931.73"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"Total": {"value": "total", "formula": "=[Units]+[Price]"}},
            r"F2: =D2\+E2 gives 1,201.25, and the value is 1500",
        ),
        ({"Total": {"value": "total", "formula": "=[Unit]*2"}}, "no column 'Unit': did you mean Units"),
        ({"Total": {"value": "total", "formula": "=FOOBAR(1)"}}, "a.xlsx: .*FOOBAR"),
        ({"Total": {"value": "{{ row.total | amount('1,234.50') }}", "formula": "=1"}}, "one plain value"),
        ({"Terms": {"value": "terms", "choices": ["a,b"]}}, "without commas"),
        ({"Total": {"value": "total", "formle": "=1"}}, "unknown key 'formle': did you mean formula"),
    ],
)
def test_a_column_that_cannot_be_right_is_refused(columns: Mapping[str, Any], message: str, lines: Scope) -> None:
    with pytest.raises(MaterializeError, match=message):
        written(lines, sheet({"columns": HEADS | dict(columns)}))


@pytest.mark.parametrize(
    ("table", "more", "message"),
    [
        ({"groups": {"X": ["Start", "Units"]}}, {}, "side by side"),
        ({"groups": {"X": ["Start", "End"], "Y": ["End", "Units"]}}, {}, "belongs to one of them"),
        ({"units": {"Item": "x"}}, {}, "the first column has none"),
        ({"conditional": {"Units": "bra"}}, {}, "unknown key 'bra': did you mean bar"),
        ({"conditional": {"Units": {"above": "{{ rate.rate }}"}}}, {}, "needs a number"),
        ({"conditional": {"Units": {"above": 1, "marks": "rde"}}}, {}, "did you mean red"),
        ({}, {"page": {"header": "{{ rate.rate }}"}}, "may not print values"),
        ({}, {"hide": {"columns": ["7"]}}, "'7' is no column"),
        ({"mess": {"blank_rows": 0.9}}, {"chart": {"x": "Item", "y": ["Units"]}}, "a chart needs rows without others"),
        ({}, {"charts": [{"x": "Item", "y": ["Units"], "title": "{{ rate.rate }}"}]}, "may not print values"),
    ],
)
def test_what_a_sheet_refuses(table: dict[str, Any], more: dict[str, Any], message: str, lines: Scope) -> None:
    with pytest.raises(MaterializeError, match=message):
        written(lines, sheet(table, **more))


def test_choices_conditions_pages_comments_and_names(lines: Scope) -> None:
    rules = {"Total": "bar", "Share": "scale", "Units": {"below": 100, "marks": "amber"}, "Item": "duplicates"}
    content = sheet(
        {"conditional": rules},
        page={"header": "Version 3", "footer": "Purchasing & Co"},
        comments=[{"table": 1, "row": 2, "column": "Units", "text": "45 as of 3 March"}],
        hide={"rows": [3]},
        charts=[{"kind": kind, "x": "Item", "y": ["Units"], "title": "In 2026"} for kind in ("bar", "line", "pie")],
    )
    content["sheets"].append({"title": "Back", "hidden": "very", "tables": [{"pairs": {"Rate": "{{ rate.rate }}"}}]})
    made = written(lines, content | {"names": {"Rate": "Back!B1"}})
    found = hidden(resolved(made))
    assert found["Lines!H2:H4.validation"] == "DAP,FCA"
    assert found["Lines!D2:D4.conditional"] == "lessThan 100"
    assert (found["Lines.header"], found["Lines.footer"]) == ("Version 3", "Purchasing & Co /")
    assert found["Lines!D3.comment"] == "45 as of 3 March"
    assert found["Lines.chart3.1"] == "In 2026"
    assert {"Lines!A3", "Back!B1", "name.Rate"} <= set(found)
    parts = zipfile.ZipFile(io.BytesIO(made.content))
    assert b'state="veryHidden"' in parts.read("xl/workbook.xml")
    assert b"dataBar" in parts.read("xl/worksheets/sheet1.xml")
    assert made.content == written(lines, content | {"names": {"Rate": "Back!B1"}}).content


@settings(max_examples=15, deadline=None)
@given(data=st.lists(st.tuples(st.integers(1, 10**5), st.decimals("0.01", "999.99", places=2)), min_size=1, max_size=9))
def test_any_product_agrees_with_its_formula(data: list[tuple[int, Any]], world: Worlds, relation: Relations) -> None:
    rows = [[f"i{at}", units, str(price), str(units * price)] for at, (units, price) in enumerate(data)]
    types = {"item": "text", "units": "integer", "price": "money(EUR, 2)", "total": "money(EUR, 2)"}
    columns = {"Item": "item", "Units": "units", "Price": "price", "T": HEADS["Total"]}
    content = {"sheets": [{"tables": [{"rows": "line", "columns": columns, "total": {"sum": ["T"]}}]}]}
    made = written(world(relation("line", types, ("item",), rows)), content)
    before, after = read("a.xlsx", made.content), read("a.xlsx", recalculate(made.content))
    assert [f.text for f in before.fragments if f.table] == [f.text for f in after.fragments if f.table]
