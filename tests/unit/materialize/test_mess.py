"""The dials of mess: no value changes, and the independent reader finds each one beside its key, under its heading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import Document, Grid, grids, read
from workgym.errors import MaterializeError
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records.surface import date_candidates, numbers, shows

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]
COLUMNS = {
    "supplier": "text", "item": "text", "valid": "date", "units": "quantity(pcs, 0)",
    "price": "money(EUR, 2)", "share": "percent(1)", "terms": "choice(DAP, FCA)",
}  # fmt: skip
HEADS = {
    "Supplier": "supplier", "Item no.": "item", "Valid from": "valid", "Units": "units", "Unit price": "price",
    "Share": "share", "Terms": "terms",
}  # fmt: skip
SHORT = {"Supplier": "Suppl.", "Unit": "U.", "Units": "Qty"}
DATES = (["dd.mm.yyyy", "yyyy-mm-dd"], ["%d.%m.%Y", "%d %B %Y", "%Y-%m-%d"], ["d mmm yyyy", "%d.%m.%Y"])


def lines(count: int, seed: int) -> list[list[object]]:
    """Rows of several suppliers, each with several items."""
    return [
        [
            ("Nordpak GmbH", "Brüder Köhler & Söhne", "Acme <Intl>")[at // 4 % 3],
            f"Item {at:02d}",
            f"2026-{1 + (at * 5 + seed) % 12:02d}-{1 + (at * 11 + seed) % 28:02d}",
            1000 + at * 137 + seed,
            f"{(at * 97 + seed) % 5000 + 1}.{at % 90 + 10}",
            f"0.{(at * 3 + seed) % 800 + 100}",
            ("DAP", "FCA")[(at + seed) % 2],
        ]
        for at in range(count)
    ]


def written(scope: Scope, path: str, mess: Mapping[str, Any], **more: Any) -> Rendered:
    table = {"rows": "line", "columns": HEADS, **({"mess": mess} if mess else {})}
    if path.endswith("xlsx"):
        tree: dict[str, Any] = {"sheets": [{"title": "Lines", "above": ["All lines"], "tables": [table | more]}]}
    else:
        tree = {"table": table, "delimiter": ";", **more}
    return render(ArtifactSpec.model_validate({"path": path, "title": "x", "content": tree}), scope, "look")


def found(document: Document, anchor: Any) -> tuple[Grid, int, int]:
    """The grid, row and column in which a place of a document stands."""
    for grid in grids(document):
        for row in grid.rows:
            for cell in row:
                if cell.fragment.at == anchor.place.base and cell.row == cell.fragment.row:
                    return grid, cell.row, cell.column
    raise AssertionError(f"{anchor} stands in no table")


def check(relation: Relation, made: Rendered, heading: Callable[[str, tuple[str, ...]], bool]) -> None:
    """Every cell is anchored, says its value, and is found by its key and heading."""
    document = read(made.path, made.content)
    by_place = {fragment.at: fragment for fragment in document.fragments}
    names = {column: head for head, column in HEADS.items()}
    seen = set()
    for anchor in made.anchors:
        text = by_place[anchor.place.base].text
        span = anchor.place.span
        assert (text if span is None else text[span[0] : span[1]]) == anchor.printed
        if anchor.cell is None or anchor.cell.unit != "line" or "Subtotal" in text:
            continue
        seen.add((anchor.cell.key, anchor.cell.column))
        value = relation.value(anchor.cell.key, anchor.cell.column)
        kind = relation.unit.column(anchor.cell.column).type
        if kind.numeric:
            assert any(shows(number, Decimal(str(value))) for number in numbers(anchor.printed)), anchor
        elif kind.kind == "date":
            assert value in date_candidates(anchor.printed)
        else:
            assert anchor.printed == value
        grid, row, column = found(document, anchor)
        assert heading(names[anchor.cell.column], grid.heading(column)), (anchor, grid.heading(column))
        if anchor.cell.column != "supplier":
            around = {cell.text.strip() for cells in grid.rows for cell in cells if cell.row == row}
            assert set(anchor.cell.key) <= around, (anchor, around)
    assert seen == {(key, column) for key in relation.by_key for column in COLUMNS}


def plainly(name: str, found: tuple[str, ...]) -> bool:
    return name.casefold() in {text.strip().casefold() for text in found}


def shortly(name: str, found: tuple[str, ...]) -> bool:
    short = " ".join(SHORT.get(word, word) for word in SHORT.get(name, name).split(" "))
    return short.casefold() in {text.strip().casefold() for text in found}


def dials(sheet: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Dials that go together."""
    share = st.floats(0.1, 1.0)
    case = st.sampled_from(["mixed", "upper", "lower", ""])
    example = st.sampled_from([None, "1.234,50", "1,234.50", "1234,50"])
    text = st.fixed_dictionaries({"share": share, "as": example, "columns": st.just(["Units", "Unit price", "Share"])})
    known: dict[str, st.SearchStrategy[Any]] = {
        "headings": st.fixed_dictionaries({"case": case, "abbreviate": st.just(SHORT), "trailing": share}),
        "text_numbers": text,
        "dates": st.sampled_from(DATES if sheet else DATES[1:2]),
        "spaces": share,
        "subtotals": st.just({"by": "Supplier", "sum": ["Units", "Unit price"]}),
        "repeat_header": st.integers(2, 9),
    }
    if sheet:
        known["merge"] = st.just(["Supplier"])
    gap = st.sampled_from([{}, {"blank_rows": 0.5}, {"blank_columns": ["Units"]}, {"blank_columns": ["Valid from"]}])
    return st.tuples(st.fixed_dictionaries({}, optional=known), gap).map(lambda pair: pair[0] | pair[1])


@settings(max_examples=30, deadline=None)
@given(data=st.data(), count=st.integers(4, 17), seed=st.integers(0, 50))
def test_every_value_is_found_beside_its_key(
    data: st.DataObject, count: int, seed: int, world: Worlds, relation: Relations
) -> None:
    line = relation("line", COLUMNS, ("supplier", "item"), lines(count, seed))
    path = data.draw(st.sampled_from(["a.xlsx", "b/c.xlsx", "a.csv"]))
    mess = data.draw(dials(path.endswith("xlsx")))
    made = written(world(line), path, mess)
    check(line, made, shortly if "headings" in mess else plainly)
    assert made.content == written(world(line), path, mess).content


def test_no_dial_no_difference(world: Worlds, relation: Relations) -> None:
    line = relation("line", COLUMNS, ("supplier", "item"), lines(5, 0))
    off = {"headings": False, "spaces": False}
    assert written(world(line), "a.xlsx", {}).content == written(world(line), "a.xlsx", off).content


def test_groups_units_notes_and_a_second_table(world: Worlds, relation: Relations) -> None:
    line = relation("line", COLUMNS, ("supplier", "item"), lines(9, 3))
    groups = {"Contract": ["Valid from", "Units"], "Money": ["Unit price", "Share"]}
    mess = {"merge": ["Supplier"], "spaces": 1, "dates": list(DATES[0])}
    made = written(world(line), "a.xlsx", mess, groups=groups, units=True, notes=["as of March", "net"])
    check(line, made, plainly)
    (grid,) = grids(read("a.xlsx", made.content))
    assert grid.heading(4) == ("Contract", "Units", "pcs")
    assert grid.heading(7) == ("Terms",)
    assert [cell.text for cell in grid.units] == ["pcs", "EUR", "%"]


def test_sums_of_numbers_that_are_texts_are_typed_in(world: Worlds, relation: Relations) -> None:
    line = relation("line", COLUMNS, ("supplier", "item"), lines(6, 1))
    sums = {"by": "Supplier", "sum": ["Units"]}
    live = read("a.xlsx", written(world(line), "a.xlsx", {"subtotals": sums}, total={"sum": ["Units"]}).content)
    dead = {"subtotals": sums, "text_numbers": {"columns": ["Units"]}}
    typed = read("a.xlsx", written(world(line), "a.xlsx", dead, total={"sum": ["Units"]}).content)
    formulas = [fragment.formula for fragment in live.fragments if fragment.formula]
    assert formulas == ["SUBTOTAL(9,D4:D7)", "SUBTOTAL(9,D9:D10)", "SUBTOTAL(9,D4:D11)"]
    assert live.text_at("Lines!D12") == typed.text_at("Lines!D12") == "8,061"
    assert not any(fragment.formula for fragment in typed.fragments)


REFUSED = (
    ("a.xlsx", {"blnk_rows": 1}, "unknown key 'blnk_rows': did you mean blank_rows"),
    ("a.csv", {"merge": ["Supplier"]}, "mess.merge: this format has no place for it"),
    ("a.xlsx", {"merge": ["Suppler"]}, "there is no column 'Suppler': did you mean Supplier"),
    ("a.xlsx", {"dates": ["dd/mm/yyyy", "mm/dd/yyyy"]}, "taken for each other"),
    ("a.xlsx", {"dates": ["0.00"]}, "no form of a date"),
    ("a.csv", {"dates": ["dd.mm.yyyy"]}, "no form of a date"),
    ("a.xlsx", {"spaces": 3}, "a share from 0 to 1"),
    ("a.xlsx", {"blank_columns": ["Terms"]}, "has to hold a number or date"),
    ("a.xlsx", {"blank_columns": ["Units"], "blank_rows": 0.5}, "the table would fall apart"),
    ("a.xlsx", {"subtotals": {"by": "Supplier", "sum": ["Terms"]}}, "columns of numbers"),
    ("a.xlsx", {"repeat_header": 1}, "2 or more"),
    ("a.xlsx", {"headings": {"case": "odd"}}, "mixed, upper or lower"),
)


@pytest.mark.parametrize(("path", "mess", "message"), REFUSED)
def test_what_a_dial_refuses(path: str, mess: Any, message: str, world: Worlds, relation: Relations) -> None:
    line = relation("line", COLUMNS, ("supplier", "item"), lines(5, 0))
    with pytest.raises(MaterializeError, match=message):
        written(world(line), path, mess)


def test_a_table_of_texts_is_not_cut(world: Worlds, relation: Relations) -> None:
    texts = relation("line", {"a": "text", "b": "text"}, ("a",), [[f"k{at}", f"v{at}"] for at in range(6)])
    table = {"rows": "line", "columns": {"A": "a", "B": "b"}, "mess": {"blank_rows": 0.5}}
    spec = {"path": "a.xlsx", "title": "x", "content": {"sheets": [{"tables": [table]}]}}
    with pytest.raises(MaterializeError, match="else it falls apart"):
        render(ArtifactSpec.model_validate(spec), world(texts), "look")
