"""What gives the work away."""

from __future__ import annotations

from decimal import Decimal

import pytest

from workgym.authoring import families
from workgym.check import Visible
from workgym.check.leak import Printed, leak
from workgym.errors import MaterializeError
from workgym.package.assemble import assemble
from workgym.records import Anchor, Cell
from workgym.records.surface import SCALES, Number, shows, significant


def test_a_template_that_prints_a_derived_unit_leaks_it() -> None:
    package = families.build("supplier-selection", "easy", 1)
    assert not list(leak(Visible(package)))
    place = next(anchor.place for anchor in package.hidden.anchors if anchor.cell)
    told = Anchor(
        kind="value", cell=Cell(unit="recommended", key=(), column="supplier"), place=place, printed="someone"
    )
    spoiled = package.with_hidden(anchors=(*package.hidden.anchors, told))
    (finding,) = leak(Visible(spoiled))
    assert finding.severity == "hard" and finding.unit == "recommended"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{ recommended.supplier }}", "no unit and no name 'recommended'"),
        (
            "{% for q in rows(quote, order='(select npv from npv where npv.supplier = quote.supplier), supplier') %}"
            "{{ q.supplier }} {% endfor %}",
            "npv (has not been computed|is not to be read) here",
        ),
    ],
)
def test_templates_never_see_a_derived_unit(text: str, says: str) -> None:
    package = families.build("supplier-selection", "easy", 1)
    plan = package.hidden.plan
    told = plan.model_copy(update={"request": plan.request.model_copy(update={"template": text})})
    with pytest.raises(MaterializeError, match=says):
        assemble(package.hidden.graph, package.hidden.values, told)


def _shows(number: Number, value: Decimal) -> bool:
    small = tuple(scale for scale in SCALES if scale < 1000)
    return shows(number, value, scales=SCALES if significant(number) > 1 else small)


@pytest.mark.parametrize("family", families.names())
def test_numbers_are_found_by_range_as_by_looking_at_each(family: str) -> None:
    package = families.build(family, "hard", 3)
    tokens = [token for token in Visible(package).tokens if token.number is not None]
    values = {
        Decimal(str(value)) * factor
        for relation in package.hidden.values.values()
        for row in relation.rows
        for value in row
        if isinstance(value, int | Decimal)
        for factor in (Decimal(1), Decimal("0.001"), Decimal("-1.005"))
    }
    printed = Printed(tokens)
    found = 0
    for value in sorted(values)[::3]:
        wanted = [token for token in tokens if token.number is not None and _shows(token.number, value)]
        assert [token for token, _ in printed.of(value)] == wanted
        found += len(wanted)
    assert found > 100
