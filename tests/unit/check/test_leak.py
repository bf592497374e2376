"""What gives the work away."""

from __future__ import annotations

from workgym.authoring import families
from workgym.check import Visible
from workgym.check.leak import leak
from workgym.records import Anchor, Cell


def test_a_template_that_prints_a_derived_unit_leaks_it() -> None:
    package = families.build("supplier-selection", "easy", 1)
    assert not list(leak(Visible(package, trusted=True)))
    place = next(anchor.place for anchor in package.hidden.anchors if anchor.cell)
    told = Anchor(
        kind="value", cell=Cell(unit="recommended", key=(), column="supplier"), place=place, printed="someone"
    )
    spoiled = package.with_hidden(anchors=(*package.hidden.anchors, told))
    (finding,) = leak(Visible(spoiled, trusted=True))
    assert finding.severity == "hard" and finding.unit == "recommended"
