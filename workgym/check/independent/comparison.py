"""A verifier's statements beside the graph's truth: every value that is asked for, and every one that is stated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workgym.check.independent.findings import RULES, Disagreement, Owner, stopped
from workgym.check.independent.running import line, run
from workgym.check.independent.verifier import STATED, Statement, Verifier, statements
from workgym.package import TaskPackage
from workgym.records import Value
from workgym.verify import grade
from workgym.verify.stated.asked import Asked, AskedRow, asked
from workgym.verify.stated.asked import shown as named
from workgym.verify.stated.matching import normal, shows
from workgym.verify.stated.sheets import words
from workgym.verify.truth import Truth, truths

if TYPE_CHECKING:
    from workgym.env import SandboxMaker


ROW = "row"
"""Attribute of a statement that says no more than that a table has a row."""


@dataclass(frozen=True)
class _Fact:
    """One fact that a deliverable has to state."""

    path: str
    wanted: Asked
    row: AskedRow
    column: str | None
    prose: bool
    """Whether a text states it, and not a table under headings."""


def compare(
    package: TaskPackage, verifier: Verifier, *, sandbox: str | SandboxMaker = "bubblewrap"
) -> tuple[Disagreement, ...]:
    """Run a verifier's script in the sandbox and compare what it states with the graph; empty where all agrees.

    A value is the same within the tolerance of grading. Where several conventions are admissible, the verifier may
    follow any one. Tasks with many right answers have values beside them; the answers themselves are not compared.
    Raises SandboxError where no sandbox can be had.
    """
    ran = run(package, verifier.program, sandbox)
    if ran.end == "blocked":
        said = ran.said.splitlines()[0] if ran.said.strip() else "it does not say why"
        message = f"the verifier's script stops, for want of a premise: {said[:500]}"
        owner: Owner = "verifier" if _vouched(package) else "builder"
        return (stopped(message, owner, _rule(owner), defect="broken derivation"),)
    try:
        if ran.end == "failed":
            raise ValueError(line(ran.said))
        if STATED not in ran.files:
            raise ValueError("it states nothing")
        stated = statements(ran.files[STATED])
    except ValueError as error:
        message = f"the verifier's script came to nothing: {error}"
        return (stopped(message, "verifier", "never ran", defect="executability defect"),)
    answers = truths(package, package.digest)
    return min((tuple(_differences(package, stated, truth)) for truth in answers), key=len)


def _differences(package: TaskPackage, stated: tuple[Statement, ...], truth: Truth) -> Iterator[Disagreement]:
    facts = list(_facts(package, truth))
    said: dict[int, list[Statement]] = {}
    beyond = []
    for statement in stated:
        about = [at for at, fact in enumerate(facts) if _speaks_of(statement, fact)]
        for at in about:
            said.setdefault(at, []).append(statement)
        if not about:
            beyond.append(statement)
    for at, fact in enumerate(facts):
        other = None if at in said else _in_other_words(fact, beyond)
        if other is not None:
            said[at] = [other]
            beyond.remove(other)
    vouched: bool | None = None
    for at, fact in enumerate(facts):
        wrong = [one for one in _nearest(said.get(at, []), fact) if not _agrees(one, fact)]
        if at in said and not wrong:
            continue
        if wrong:
            vouched = _vouched(package) if vouched is None else vouched
            owner: Owner = "verifier" if vouched else "builder"
            yield _difference(package, fact, wrong[0], owner)
        else:
            yield _difference(package, fact, None, "verifier")
    handed = {deliverable.path for deliverable in package.hidden.graph.deliverables if deliverable.handed}
    yield from (_beyond(one) for one in beyond if one.deliverable not in handed)


def _facts(package: TaskPackage, truth: Truth) -> Iterator[_Fact]:
    for deliverable in package.hidden.graph.deliverables:
        for item in deliverable.states:
            wanted = asked(package.hidden.graph.unit(item.unit), item, truth)
            for row, column in wanted.facts:
                yield _Fact(deliverable.path, wanted, row, column, item.form == "prose")


def _nearest(said: list[Statement], fact: _Fact) -> list[Statement]:
    """The statements that name the row and no more, else all: of a carrier and a class is not of the carrier."""
    plain = [one for one in said if len(one.entity) <= len(fact.wanted.parts)]
    return plain or said


def _speaks_of(statement: Statement, fact: _Fact) -> bool:
    """Whether a statement is about a fact: the same file, a heading of the same name, and the same row."""
    if normal(statement.deliverable).lstrip("./") != normal(fact.path):
        return False
    if fact.column is None:
        labels: Iterable[str] = [ROW, *(fact.wanted.label(part.name) for part in fact.wanted.parts)]
    else:
        column = fact.wanted.unit.column(fact.column)
        labels = [fact.wanted.label(fact.column), column.title]
    if normal(statement.attribute) not in {normal(label) for label in labels}:
        return False
    entity = statement.entity
    if fact.column is None and not entity and normal(statement.attribute) != ROW:  # the row itself is the statement
        entity = {statement.attribute: statement.value}
    return _row(entity, fact.wanted) == fact.row.parts


def _in_other_words(fact: _Fact, beyond: list[Statement]) -> Statement | None:
    """Of the statements that speak of no heading, the one that says the value of a fact that a text states once.

    What a text says under no heading has no name that the verifier could know: it is known by its value, or, where
    another value is stated, by the words of its label.
    """
    if fact.column is None or fact.wanted.parts or not fact.prose:
        return None
    here = [one for one in beyond if not one.entity and normal(one.deliverable).lstrip("./") == normal(fact.path)]
    same = [one for one in here if _agrees(one, fact)]
    label = set(words(fact.wanted.label(fact.column)))
    named = [one for one in here if label <= set(words(one.attribute))]
    return next(iter((*sorted(same, key=lambda one: -len(label & set(words(one.attribute)))), *named)), None)


def _row(entity: Mapping[str, str], wanted: Asked) -> tuple[Value, ...] | None:
    """The parts of a key that an entity names: by their headings, else in their order; None where it names no row."""
    by_name = {normal(name): text for name, text in entity.items()}
    texts = list(entity.values())
    found: list[Value] = []
    for at, (part, reader) in enumerate(zip(wanted.parts, wanted.readers, strict=True)):
        labels = (normal(wanted.label(part.name)), normal(part.title))
        text = next((by_name[label] for label in labels if label in by_name), None)
        if text is None and len(texts) == len(wanted.parts):
            text = texts[at]
        values = reader.cell(text, None) if text is not None else ()
        if len(values) != 1:
            return None
        found.append(values[0])
    return tuple(found)


def _agrees(statement: Statement, fact: _Fact) -> bool:
    if fact.column is None:
        return True  # that the row is named is all that is asked for
    return shows(statement.value, None, fact.row.values[fact.column])


def _vouched(package: TaskPackage) -> bool:
    """Whether another independent computation agrees with the graph: the deliverables of an expert that pass."""
    files = package.hidden.expert_files
    return bool(files) and grade(package, {**package.files, **files}).state == "passed"


def _rule(owner: Owner) -> str:
    return "with the graph" if owner == "verifier" else "alone"


def _difference(package: TaskPackage, fact: _Fact, statement: Statement | None, owner: Owner) -> Disagreement:
    unit = fact.wanted.unit
    who = ", ".join(map(named, fact.row.parts))
    what = fact.wanted.label(fact.column) if fact.column else unit.content
    expected = fact.row.values[fact.column].shown if fact.column else who
    told = "nothing" if statement is None else statement.value
    unnamed = statement is None and fact.prose and not fact.wanted.parts
    return Disagreement(
        check="verifier",
        severity="soft" if unnamed else "hard",  # it may be there in words that nobody can match
        defect="broken derivation",
        message=f"{what}{f' of {who}' if who else ''}: the graph says {expected}, the verifier {told}",
        unit=unit.name,
        key=fact.row.key,
        column=fact.column,
        path=fact.path,
        expected=expected,
        found=None if statement is None else statement.value,
        owner=owner,
        rule=RULES["left out" if statement is None else _rule(owner)],
        query=package.hidden.graph.unit(unit.name).query,
        how=None if statement is None else statement.how,
    )


def _beyond(statement: Statement) -> Disagreement:
    who = ", ".join(statement.entity.values())
    message = f"{statement.attribute}{f' of {who}' if who else ''} is stated, and grading looks for nothing of the kind"
    return Disagreement(
        check="verifier",
        severity="soft",
        defect="request under-specification",
        message=message,
        path=statement.deliverable,
        found=statement.value,
        owner="builder",
        rule=RULES["beyond"],
        how=statement.how,
    )
