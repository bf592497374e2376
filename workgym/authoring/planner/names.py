"""What a graph draft names is there: units, columns, rules; and it asks for work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workgym.authoring.planner.forms import GraphDraft, UnitDraft
from workgym.authoring.planner.limits import path_problems
from workgym.authoring.planner.records import Problem
from workgym.records import by_ending


def name_problems(draft: GraphDraft) -> Iterator[Problem]:
    """Everything that names what is not there, and what a task cannot do without."""
    units = {unit.name: unit for unit in draft.units}
    yield from path_problems("deliverables", [spec.path for spec in draft.deliverables])
    for place, named in _named_units(draft):
        name, dot, column = named.partition(".")
        if name not in units:
            yield _problem(place, f"there is no unit {name[:60]!r}")
        elif dot and column not in _columns(units[name]):
            yield _problem(place, f"{name} has no column {column[:60]!r}: there are {', '.join(_columns(units[name]))}")
    yield from _asked(draft, units)
    yield from _rules(draft, units)
    yield from _traps(draft, units)
    yield from _versions(draft)


def _problem(place: str, message: str, fix: str = "") -> Problem:
    return Problem(code="names", place=place, message=message, fix=fix)


def _columns(unit: UnitDraft) -> tuple[str, ...]:
    return tuple(column.name for column in unit.columns)


def _named_units(draft: GraphDraft) -> Iterator[tuple[str, str]]:
    """Where a unit, or ``unit.column``, is named outside a query, and what is named there."""
    for unit in draft.units:
        place = f"units.{unit.name[:60]}"
        yield from ((f"{place}.premises", name) for name in unit.premises)
        yield from ((f"{place}.permits", name) for name in unit.permits.values())
        yield from ((f"{place}.{field}", name) for field in ("rounding", "superseded_by") if (name := _of(unit, field)))
        if unit.decision is not None:
            yield f"{place}.decision.admissible", unit.decision.admissible
        if unit.margin is not None:
            yield f"{place}.margin.of", unit.margin.of
        if unit.for_each:
            yield f"{place}.for_each", unit.for_each.partition(" where ")[0].strip()
    for spec in draft.deliverables:
        for stated in spec.states:
            place = f"deliverables.{spec.path[:120]}.states.{stated.unit[:60]}"
            yield place, stated.unit
            yield from ((place, f"{stated.unit}.{column}") for column in (*stated.labels, *stated.places))
            yield from ((f"{place}.cites", name) for name in stated.cites)
        for number, item in enumerate(spec.rubric, 1):
            yield from ((f"deliverables.{spec.path[:120]}.rubric[{number}]", name) for name in item.rests_on)
        for table in spec.tables:
            yield from (
                (f"deliverables.{spec.path[:120]}.tables.{table.name[:60]}.of", name) for name in table.of.values()
            )
    for conflict in draft.conflicts:
        yield from (("conflicts", name) for name in (*conflict.between, conflict.rule))
    for trap in draft.traps:
        yield from ((f"traps.{trap.name[:60]}", name) for name in (*trap.given, *trap.must_change))


def _of(unit: UnitDraft, field: str) -> str:
    return str(getattr(unit, field))


def _asked(draft: GraphDraft, units: dict[str, UnitDraft]) -> Iterator[Problem]:
    """Work is asked for: something derived is stated, as a table under headings or as prose."""
    if not draft.deliverables:
        yield _problem("deliverables", "nothing is handed in")
    derived = False
    for spec in draft.deliverables:
        for stated in spec.states:
            unit = units.get(stated.unit)
            place = f"deliverables.{spec.path[:120]}.states.{stated.unit[:60]}"
            if unit is None:
                continue
            derived = derived or unit.status == "derived"
            if not unit.columns or unit.status == "internal":
                yield _problem(place, "only a unit with columns that is not internal can be stated")
            missing = [part for part in unit.key if part not in stated.labels]
            if stated.form == "table" and (missing or not stated.labels):
                yield _problem(
                    place,
                    f"a table needs a heading for each key column, and {', '.join(missing) or 'no column'} has none",
                    "give `labels`, and say them in the request",
                )
        for number, item in enumerate(spec.rubric, 1):
            if not item.rests_on:
                yield _problem(f"deliverables.{spec.path[:120]}.rubric[{number}]", "rests on no unit", "name one")
        derived = derived or bool(spec.accepts)
    if not derived:
        yield _problem(
            "deliverables", "no derived unit is stated and no rule accepts: there would be nothing to work out"
        )


def _rules(draft: GraphDraft, units: dict[str, UnitDraft]) -> Iterator[Problem]:
    """What is named as a rule is one."""
    named: list[tuple[str, str]] = [("conflicts", conflict.rule) for conflict in draft.conflicts]
    for unit in draft.units:
        named += [(f"units.{unit.name[:60]}.permits", rule) for rule in unit.permits.values()]
        named += [(f"units.{unit.name[:60]}.rounding", unit.rounding)] if unit.rounding else []
    for place, rule in named:
        if rule in units and not units[rule].rule:
            yield _problem(place, f"{rule} is not a rule unit", "set `rule` and give it a choice column")
        elif rule in units and units[rule].status not in ("provided", "external"):
            yield _problem(place, f"the rule {rule} is not given to the solver", "make it provided")


def _traps(draft: GraphDraft, units: dict[str, UnitDraft]) -> Iterator[Problem]:
    """A hasty solver takes other premises; what follows from them is derived."""
    for trap in draft.traps:
        place = f"traps.{trap.name[:60]}"
        for name in trap.given:
            if name in units and units[name].status not in ("provided", "external"):
                yield _problem(f"{place}.given", f"{name} is not given to the solver", "replace a provided unit")
        for name in trap.must_change:
            if name in units and (units[name].status != "derived" or not units[name].columns):
                yield _problem(f"{place}.must_change", f"{name} is no derived unit with columns")


def _versions(draft: GraphDraft) -> Iterator[Problem]:
    """A version that was replaced is a distractor, and a conflict says what settles it."""
    documented = {frozenset(conflict.between) for conflict in draft.conflicts}
    for unit in draft.units:
        if unit.superseded_by and frozenset((unit.name, unit.superseded_by)) not in documented:
            yield _problem(
                f"units.{unit.name[:60]}.superseded_by",
                f"it and {unit.superseded_by} disagree, and no rule settles it",
                f"add a conflict between [{unit.superseded_by}, {unit.name}] with its rule unit",
            )


def wanted_problems(formats: Iterable[str], paths: Iterable[str]) -> Iterator[Problem]:
    """A format that the intent asks for and that nothing handed in has."""
    have = {found.name for path in paths if (found := by_ending(path)) is not None}
    for ending in dict.fromkeys(form.lower().lstrip(".") for form in formats):
        form = by_ending(f"x.{ending}")
        if form is not None and form.name not in have:  # what nobody here can read cannot be asked for
            yield _problem("deliverables", f"the intent asks for a file in {ending}, and none ends in .{ending}")
