"""Mutants: the expert's deliverables with one typed mistake each, which a verdict has to see.

A mutant is caught where the reward is below 1 and no unit that it spoils gets full credit. All are drawn by the task's
id, so that the same task always gives the same ones; of many columns of one unit a few are drawn.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from workgym.documents import TextEdit
from workgym.errors import EditRefused
from workgym.quality import books, premises, wholes
from workgym.quality.retold import exchanged, lines_of, other_option, retold, right
from workgym.quality.sound import Fact, Part, Sound, rewritten
from workgym.records import Value

COLUMNS = 2
"""Columns of one stated unit that each kind of mistake is made in."""
_SCALED = ("money", "quantity", "percent")
_CODES = ("EUR", "USD", "GBP", "CHF")
_ERRORS = ("=1/0", "=#REF!+1")


@dataclass(frozen=True)
class Mutant:
    """A final workspace with one mistake."""

    kind: str
    """The kind of mistake."""
    deliverable: str
    """Path of the deliverable that has it; the first one where several do."""
    what: str
    """What was done, for a person."""
    files: Mapping[str, bytes]
    """The whole workspace."""
    concerns: tuple[tuple[str, str], ...]
    """Deliverable and unit of what is wrong now."""


Mutation = Callable[[Sound, random.Random], Iterator[Mutant]]


def mutants(sound: Sound) -> Iterator[Mutant]:
    """Every mutant of a task, kind by kind; kinds that the task offers no place for give none."""
    for kind, mutation in MUTATIONS.items():
        yield from mutation(sound, random.Random(f"{sound.package.id}/{kind}"))


def _edited(
    sound: Sound,
    kind: str,
    what: str,
    edits: Mapping[str, Sequence[TextEdit]],
    concerns: Sequence[tuple[str, str]],
) -> Iterator[Mutant]:
    """The mutant of some edits; none where a format refuses them."""
    if not edits or not concerns:
        return
    try:
        files = sound.with_edits(edits)
    except EditRefused:
        return
    if any(files[path] != sound.files[path] for path in edits):
        yield Mutant(kind, concerns[0][0], what, files, tuple(concerns))


def _told(sound: Sound, kind: str, changes: Sequence[tuple[Fact, Value]]) -> Iterator[Mutant]:
    """The mutant in which facts say other values."""
    what = "; ".join(
        f"{fact.name}: {fact.wanted.type.show(value)} for {fact.wanted.shown}" for fact, value in changes[:3]
    )
    concerns = list(dict.fromkeys(fact.concern for fact, _ in changes))
    yield from _edited(sound, kind, what, rewritten(changes), concerns)


def _columns(sound: Sound, rng: random.Random, *kinds: str) -> Iterator[tuple[Part, tuple[Fact, ...]]]:
    """Columns of numbers with their facts: a few of each unit."""
    for part in sound.parts:
        names = [name for name in part.numeric if not kinds or part.asked.unit.column(name).type.kind in kinds]
        for name in sorted(rng.sample(names, min(len(names), COLUMNS))):
            if facts := part.of(name):
                yield part, facts


def _number(fact: Fact) -> Decimal:
    value = fact.value
    return Decimal(value) if isinstance(value, (int, Decimal)) else Decimal(0)


def one_step(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """A number beyond the tolerance by one unit of its last place."""
    for _, facts in _columns(sound, rng):
        fact = rng.choice(facts)
        steps = (fact.wanted.step * factor for factor in (1, -1, 2, -2))
        beyond = (number for step in steps if not fact.wanted.near(number := _number(fact) + step))
        yield from _told(sound, "beyond tolerance", [(fact, next(beyond))])


def swapped(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """The values of two rows exchanged."""
    for _, facts in _columns(sound, rng):
        pairs = _unlike(facts)
        if pairs:
            one, two = rng.choice(pairs)
            yield from _told(sound, "swapped entities", [(one, two.value), (two, one.value)])


def other_row(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """A right value once more, in the row of another entity."""
    for _, facts in _columns(sound, rng):
        pairs = _unlike(facts)
        if pairs:
            one, two = rng.choice(pairs)
            yield from _told(sound, "right value in the wrong row", [(two, one.value)])


def _unlike(facts: Sequence[Fact]) -> list[tuple[Fact, Fact]]:
    return [
        (one, two)
        for one in facts
        for two in facts
        if one is not two and not right(two.wanted, one.value) and not right(one.wanted, two.value)
    ]


def exchanged_names(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """Two names exchanged wherever a text has them, the decision among them."""
    for part in sound.parts:
        for fact in part.facts:
            other = other_option(sound, fact) if part.stated.form == "prose" and not fact.wanted.type.numeric else None
            if other is not None and not part.asked.parts:
                edits = exchanged(sound, part.deliverable.path, str(fact.value), str(other))
                yield from _edited(sound, "swapped entities", f"{fact.value} and {other}", edits, [part.concern])


def other_choice(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """Another option, name or date in a table."""
    for part in sound.parts:
        if part.stated.form != "table":
            continue
        for column in part.asked.columns:
            facts = part.of(column.name)
            if column.type.numeric or not facts:
                continue
            fact = rng.choice(facts)
            value = fact.value
            day = isinstance(value, datetime.date)
            new = value + datetime.timedelta(days=1) if isinstance(value, datetime.date) else other_option(sound, fact)
            if new is not None:
                yield from _told(sound, "another date" if day else "another option", [(fact, new)])


def stale(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """What comes out of a superseded unit, or of the side that loses a conflict."""
    for premise in premises.stale(sound.package):
        yield from _out_of(sound, "stale value", premise)


def trap(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """What comes out for whoever falls into a trap of the family."""
    for premise in premises.traps(sound.package):
        yield from _out_of(sound, "trap", premise)


def _out_of(sound: Sound, kind: str, premise: premises.Premise) -> Iterator[Mutant]:
    values = premises.outcome(sound.package, premise)
    if values is None:
        return
    try:
        files, concerns = retold(sound, values)
    except EditRefused:
        return
    if concerns:
        yield Mutant(kind, concerns[0][0], premise.says, files, concerns)


def dropped_row(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """A row that is not there; where a text states the values, one of them is left out."""
    for part in sound.parts:
        if part.stated.form == "prose" and part.asked.columns:
            yield from _silent(sound, part, rng)
            continue
        lines = lines_of(sound, part)
        if lines:
            key = rng.choice(sorted(lines))
            cell = lines[key][0]
            drop = TextEdit(at=cell.at, expected=cell.text, replacement=None, mode="remove_row")
            what = f"without {', '.join(key)}"
            yield from _edited(sound, "dropped row", what, {part.deliverable.path: [drop]}, [part.concern])


def _silent(sound: Sound, part: Part, rng: random.Random) -> Iterator[Mutant]:
    facts = [fact for fact in part.facts if fact.wanted.type.numeric]
    if not facts:
        return
    fact = rng.choice(facts)
    edits = {
        spot.fragment.at: TextEdit(
            at=spot.fragment.at,
            expected=spot.fragment.text,
            replacement=spot.fragment.text.replace(spot.fragment.text[spot.start : spot.end], "see below"),
        )
        for spot in fact.spots
    }
    yield from _edited(
        sound, "dropped row", f"without {fact.name}", {part.deliverable.path: [*edits.values()]}, [part.concern]
    )


def scaled(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """One number, or all of a column, a thousand times as large or a hundredth."""
    for _, facts in _columns(sound, rng, *_SCALED):
        apart = [fact for fact in facts if abs(_number(fact)) > fact.wanted.step * 2]
        if not apart:
            continue
        for factor, some in ((Decimal(1000), apart), (Decimal("0.01"), [rng.choice(apart)])):
            changes = [(fact, _scaled(fact, factor)) for fact in some]
            yield from _told(
                sound, "wrong unit", [change for change in changes if not right(change[0].wanted, change[1])]
            )


def _scaled(fact: Fact, factor: Decimal) -> Decimal:
    return (_number(fact) * factor).quantize(min(fact.wanted.step, Decimal(1)))


def other_label(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """Another currency wherever a deliverable names one, and headings in thousands over amounts that are not."""
    for path, document in sound.documents.items():
        money = [
            (part, str(column.type.unit))
            for part in sound.parts
            for column in part.asked.columns
            if part.deliverable.path == path and column.type.kind == "money" and part.of(column.name)
        ]
        for code in dict.fromkeys(unit for _, unit in money):
            other = next(name for name in _CODES if name != code)
            texts = [f for f in document.fragments if not f.hidden and f.value is None and f.formula is None]
            for old, new in ((code, other), (f"({code})", f"({code} thousands)")):
                named = [f for f in texts if old in f.text and (old == code or f.table)]
                edits = [TextEdit(at=f.at, expected=f.text, replacement=f.text.replace(old, new)) for f in named]
                near = {f.table or f.at for f in named}
                concerns = [
                    part.concern
                    for part, unit in money
                    if unit == code and _stands_in(part, near) and (old == code or part.stated.form == "table")
                ]
                unique = list(dict.fromkeys(concerns))
                yield from _edited(sound, "wrong unit", f"{new} for {old}", {path: edits}, unique)


def _stands_in(part: Part, places: set[str]) -> bool:
    """Whether a fact stands in one of some tables, or paragraphs outside tables."""
    return any((spot.fragment.table or spot.fragment.at) in places for fact in part.facts for spot in fact.spots)


def negated(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """A number with the other sign."""
    for _, facts in _columns(sound, rng, *_SCALED):
        apart = [fact for fact in facts if not fact.wanted.near(-_number(fact))]
        if apart:
            fact = rng.choice(apart)
            yield from _told(sound, "wrong sign", [(fact, -_number(fact))])


def failing_formula(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """A formula that comes to an error where a value should stand."""
    for part in sound.parts:
        facts = [fact for fact in part.facts if fact.wanted.type.numeric]
        if not part.deliverable.path.endswith(".xlsx") or not facts:
            continue
        for formula in _ERRORS:
            nothing = [fact for fact in facts if not fact.value and "0" in formula]  # an error must not pass for zero
            cell = rng.choice(nothing or facts).spots[0].fragment
            change = TextEdit(at=cell.at, expected=cell.text, replacement="", value=formula)
            what = f"{formula} at {cell.at}"
            yield from _edited(sound, "formula that errors", what, {part.deliverable.path: [change]}, [part.concern])


def every_guess(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """In the place of each number all that may be meant, so that the right one is among them."""
    for part, facts in _columns(sound, rng):
        texts = list(dict.fromkeys(fact.wanted.shown for fact in facts))
        if len(texts) < 2:
            continue
        path = part.deliverable.path
        what = f"all values of {facts[0].column} in each place"
        if path.endswith(".xlsx"):
            cells = {fact.spots[0].fragment.at: " / ".join(texts) for fact in facts}
            files = sound.with_files({path: books.with_cells(sound.files[path], cells)})
            yield Mutant("every guess", path, what, files, (part.concern,))
            continue
        edits: dict[str, TextEdit] = {}
        for fact in facts:
            for spot in fact.spots:
                text = spot.fragment.text
                said = text[: spot.start] + " / ".join(texts) + text[spot.end :]
                edits.setdefault(spot.fragment.at, TextEdit(at=spot.fragment.at, expected=text, replacement=said))
        yield from _edited(sound, "every guess", what, {path: [*edits.values()]}, [part.concern])


def whole_files(sound: Sound, rng: random.Random) -> Iterator[Mutant]:
    """Mistakes that are made with a file as a whole."""
    for path in sound.handed_in:
        concerns = tuple(part.concern for part in sound.parts if part.deliverable.path == path)
        for kind, what, changed in wholes.spoiled(sound, path):
            files = {name: content for name, content in {**sound.files, **changed}.items() if content is not None}
            yield Mutant(kind, path, what, files, concerns)


MUTATIONS: Mapping[str, Mutation] = {
    "beyond tolerance": one_step,
    "swapped entities": swapped,
    "exchanged names": exchanged_names,
    "right value in the wrong row": other_row,
    "another option": other_choice,
    "stale value": stale,
    "trap": trap,
    "dropped row": dropped_row,
    "wrong unit": scaled,
    "other label": other_label,
    "wrong sign": negated,
    "formula that errors": failing_formula,
    "every guess": every_guess,
    "whole files": whole_files,
}
"""How mutants are made, by name; one function may make several kinds."""
