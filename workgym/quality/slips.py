"""Mistakes of stating: what was worked out rightly, written down wrongly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from workgym.graph import Relation
from workgym.package import TaskPackage
from workgym.quality.findings import Candidate, CauseKind, Finding
from workgym.quality.premises import SLIPS

_DETAILS = 3
_LEAST = 4
"""Digits that a number needs before one that is like it is taken for it, mistyped."""
_LAST = Decimal("2.5")
"""Steps by which a value is off that was rounded once more on the way."""
_COARSE = (10000, 1000, 100, 10, 50, 15, 25, 5)
"""Steps to which people round what was to be exact, the first that fits is named."""
Slips = tuple[list[Candidate], list[Candidate], list[Candidate]]


def stating(package: TaskPackage, wrong: Sequence[Finding]) -> Slips:
    """Mistakes of stating: those that are sure, those that are likely, and those that may be chance.

    Sure are rows that are not there, two rows exchanged, another sign or unit. May be chance: the value of another row
    where several rows have it or it has few digits, and a digit that is another one, one too few or one too many.
    """
    swapped = _swapped(package, wrong)
    found: tuple[list[tuple[Finding, _Slip]], ...] = ([], [], [])
    for finding in wrong:
        for slip in _slips(package, finding):
            mutual = slip[0] == "other row" and finding.name in swapped
            found[0 if mutual else slip[3]].append((finding, slip))
    return [*_grouped(found[0])], [*_grouped(found[1])], [*_grouped(found[2])]


_Slip = tuple[CauseKind, str, str, int]
"""Kind, what is wrong, a detail of this fact, and how sure it is: 0 to 2."""


def _grouped(found: Iterable[tuple[Finding, _Slip]]) -> Iterator[Candidate]:
    """Each kind together for all values that it explains."""
    groups: dict[tuple[CauseKind, str], dict[str, str]] = {}
    for finding, (kind, says, detail, _) in found:
        groups.setdefault((kind, says), {}).setdefault(finding.name, detail)
    for (kind, says), mine in groups.items():
        details = [detail for detail in mine.values() if detail]
        told = f": {'; '.join(details[:_DETAILS])}" if details else ""
        yield Candidate(kind, says + told, (), frozenset(mine))


def absent(package: TaskPackage, all_findings: Iterable[Finding]) -> Iterator[Candidate]:
    """Units of several facts of which nothing is stated at all: no premise has to be wrong for that."""
    units: dict[tuple[str | None, str], list[Finding]] = {}
    for finding in all_findings:
        units.setdefault((finding.check.deliverable, finding.at[0]), []).append(finding)
    gone = {
        unit: [finding.name for finding in mine]
        for unit, mine in units.items()
        if len(mine) > 1 and all(finding.wrong and finding.check.found is None for finding in mine)
    }
    if gone:
        told = [f"{package.hidden.graph.unit(unit).content} in {path}" for path, unit in gone]
        more = f"; and {len(told) - _DETAILS} more" if len(told) > _DETAILS else ""
        says = f"nothing is stated where it was asked for: {'; '.join(told[:_DETAILS])}{more}"
        yield Candidate("not stated", says, (), frozenset(name for names in gone.values() for name in names))


def _swapped(package: TaskPackage, wrong: Sequence[Finding]) -> set[str]:
    """Facts of two rows that have each other's value."""
    columns: dict[tuple[str | None, str, str], list[Finding]] = {}
    for finding in wrong:
        columns.setdefault((finding.check.deliverable, finding.at[0], finding.at[2]), []).append(finding)
    return {
        one.name
        for mine in columns.values()
        for one in mine
        for other in mine
        if one is not other and one.found(other.right) and other.found(one.right)
    }


def _slips(package: TaskPackage, finding: Finding) -> Iterator[_Slip]:
    unit, key, column = finding.at
    relation = package.hidden.values[unit]
    if finding.check.found is None:
        kind: CauseKind = "missing row" if finding.tabled and key and not finding.check.place else "not stated"
        yield kind, "it is not stated" if kind == "not stated" else f"the row of {', '.join(key)} is not there", "", 0
        return
    yield from _other_rows(relation, finding)
    yield from _elsewhere(package, finding)
    if not isinstance(finding.right, (int, Decimal)):
        return
    number = Decimal(finding.right)
    if finding.found(-number):
        yield "wrong sign", "the sign is the other one", "", 0
    if finding.found(number) and (finding.number is None or finding.is_right(finding.number)):
        yield "wrong sign", "the digits are right, and the sign or the currency is not", "", 0
    for what, factor in SLIPS.items():
        if finding.found(number * factor):
            yield "stated in another unit", f"it is stated as {what}", "", 0 if finding.telling else 1
    if finding.number is not None and abs(finding.number - number) <= finding.step * _LAST:
        yield "last place", "it is off by a unit or two of its last place, as after rounding on the way", "", 1
    for coarse in _COARSE:
        if finding.number and finding.number == round(number / finding.step / coarse) * coarse * finding.step:
            yield "rounded off", "it is rounded further than was asked for", f"to {coarse * finding.step}", 1
            break
    row = relation.by_key[key]
    for other in relation.unit.value_columns:
        if other.name != column and other.type == finding.kind and finding.found(row[relation.index[other.name]]):
            sure = 1 if finding.telling else 2
            yield "other column", "it is the value of another column", f"that under {other.title!r}", sure
    yield from _mistyped(finding, number)


def _other_rows(relation: Relation, finding: Finding) -> Iterator[_Slip]:
    _, key, column = finding.at
    at = relation.index[column]
    rows = [other for other, row in relation.by_key.items() if finding.found(row[at])]
    for other in rows:
        if other != key and not finding.is_right(relation.by_key[other][at]):
            detail = f"{', '.join(key)} has that of {', '.join(other)}"
            sure = 1 if finding.telling and len(rows) == 1 else 2
            yield "other row", "values stand in the rows of other entities", detail, sure


def _elsewhere(package: TaskPackage, finding: Finding) -> Iterator[_Slip]:
    """What a file states of the same entity under another name: last month's pay, the bank's date."""
    _, key, _ = finding.at
    for relation in package.hidden.values.values() if key else ():
        unit = relation.unit
        alike = [column for column in unit.value_columns if column.type.kind == finding.kind.kind]
        if unit.status not in ("provided", "external") or not alike:
            continue
        for row in relation.rows:
            if {*key} <= {str(column.type.dump(value)) for column, value in zip(unit.columns, row, strict=True)}:
                for column in alike:
                    value = row[relation.index[column.name]]
                    if not finding.is_right(value) and finding.found(value):
                        says = "it is another figure that a file states of the same"
                        sure = 1 if finding.telling or finding.kind.kind == "date" else 2
                        yield "other source", says, f"{column.title} ({unit.content}) of {', '.join(key)}", sure


def _mistyped(finding: Finding, right: Decimal) -> Iterator[_Slip]:
    """Digits of the right value in another order, or but for one of them."""
    if finding.number is None:
        return
    mine, theirs = (str(abs(round(number / finding.step))) for number in (right, finding.number))
    if mine == theirs or len(mine) < _LEAST or (right < 0) != (finding.number < 0):
        return
    apart = [place for place, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]]
    detail = f"{' '.join((finding.check.found or '').split())} for {finding.check.expected}"
    if len(mine) == len(theirs):
        if (
            len(apart) == 2
            and apart[1] == apart[0] + 1
            and [mine[at] for at in apart] == [theirs[at] for at in apart[::-1]]
        ):
            yield "mistyped", "two neighbouring digits are exchanged", detail, 1
        if len(apart) == 1:
            yield "mistyped", "one digit is another one", detail, 2
    longer, shorter = (mine, theirs) if len(mine) > len(theirs) else (theirs, mine)
    if len(longer) == len(shorter) + 1 and any(
        longer[:place] + longer[place + 1 :] == shorter for place in range(len(longer))
    ):
        yield "mistyped", "a digit is lost" if longer is mine else "there is a digit too many", detail, 2
