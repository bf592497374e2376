"""Conformance of a blueprint family: who writes one runs these, as our own tests do.

Each function takes a family's name, a preset and seeds, yields one line for each thing that falls short,
and yields nothing where all is well.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from workgym.authoring import families
from workgym.check import FILE_CHECKS, Visible, check
from workgym.check.sufficiency import another, cells, trials
from workgym.documents import TextEdit, edit, editable, read
from workgym.env import OfficeEnv
from workgym.errors import DocumentError, GraphError
from workgym.graph import Relation, evaluating
from workgym.graph.traps import trapped
from workgym.mutation.apply import printed_with
from workgym.package import TaskPackage
from workgym.package.assemble import press
from workgym.records import Anchor, Cell, Value
from workgym.rollout import rollout
from workgym.verify import Verdict, grade

_OF_FILES = ("readable", "presence", "loose", "leak", "drift")
EditKind = Literal["remove", "change", "duplicate"]


def checks_pass(family: str, preset: str, seeds: Iterable[int]) -> Iterator[str]:
    """Every construction check passes."""
    for seed in seeds:
        report = check(families.build(family, preset, seed), trusted=True)
        yield from (f"{report.task_id}: {finding}" for finding in report.findings if finding.severity == "hard")


def controls_hold(family: str, preset: str, seeds: Iterable[int]) -> Iterator[str]:
    """The expert gets 1.0 and the no-op control 0."""
    for seed in seeds:
        package = families.build(family, preset, seed)
        for harness, reward in (("expert", 1.0), ("noop", 0.0)):
            run = rollout(package, harness)
            if run.reward != reward:
                yield f"{package.id}: {harness} gets {run.reward}, not {reward} {run.error or run.blocked or ''}"


def traps_bite(family: str, preset: str, seeds: Iterable[int], *, below: float = 0.6) -> Iterator[str]:
    """The expert on files as each trap gives them, graded against the unchanged task, scores below ``below``."""
    for seed in seeds:
        package = families.build(family, preset, seed)
        for name, reward in trap_rewards(package).items():
            if reward >= below:
                yield f"{package.id}: the trap {name!r} costs too little: {reward:.3f}"


def trap_rewards(package: TaskPackage) -> dict[str, float]:
    """By trap, what its hasty solver would get."""
    hidden = package.hidden
    found = {}
    with evaluating(hidden.graph) as evaluator:
        for trap in hidden.graph.traps:
            given = trapped(evaluator, hidden.graph, hidden.values, trap)
            try:
                values = evaluator.evaluate(given)
            except GraphError:
                values = {**hidden.values, **given}
            fooled = printed_with(package, values)
            found[trap.name] = _graded_as(package, fooled)
    return found


def _graded_as(package: TaskPackage, shown: TaskPackage) -> float:
    """What the expert on ``shown`` gets when its deliverables are graded as those of ``package``."""

    def grader(_: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        made = {card.path: files[card.path] for card in package.card.deliverables if card.path in files}
        return grade(package, {**package.files, **made})

    env = OfficeEnv(package=shown, grade=grader)
    try:
        return rollout(env, "expert").reward
    finally:
        env.close()


def independent(family: str, preset: str, seeds: Iterable[int], *, most: int | None = None) -> Iterator[str]:
    """Removal and change of needed cells (a seeded sample of ``most`` a task): the expert stops, or follows."""
    for seed in seeds:
        package = families.build(family, preset, seed)
        which = list(cells(package))
        if most is not None and len(which) > most:
            which = random.Random(package.id).sample(which, most)
        for trial in trials(package, which):
            if not trial.ok:
                yield f"{package.id}: {trial.kind} of {trial.cell}: {trial.said}"


@dataclass(frozen=True)
class RandomEdit:
    """A random edit of a file behind the graph's back, digests brought up to date."""

    kind: EditKind
    anchor: Anchor
    caught_by: tuple[str, ...]
    """The file checks that found something hard; ``drift`` compares with the plan, the others with the graph."""

    def __str__(self) -> str:
        return f"{self.kind} {self.anchor.cell} at {self.anchor.place}"


def random_edits(package: TaskPackage, count: int, seed: int = 0) -> Iterator[RandomEdit]:
    """Remove, change or duplicate needed cells at single places, and see whether the checks of the files notice."""
    rng = random.Random(f"{package.id}/{seed}")
    wanted = {(cell.unit, cell.key) for cell in cells(package)}
    places = [a for a in package.hidden.anchors if a.kind == "value" and a.cell and (a.cell.unit, a.cell.key) in wanted]
    made = 0
    for _ in range(count * 50):
        if made == count:
            break
        anchor, kind = rng.choice(places), rng.choice(get_args(EditKind))
        files = _edited(package, anchor, kind, rng)
        if files is None:
            continue
        made += 1
        request = files.pop("request.md", package.request.encode()).decode()
        view = Visible(package.with_shown(files, request))
        caught_by = [name for name in _OF_FILES if any(f.severity == "hard" for f in FILE_CHECKS[name](view))]
        yield RandomEdit(kind, anchor, tuple(caught_by))


def _edited(package: TaskPackage, anchor: Anchor, kind: str, rng: random.Random) -> dict[str, bytes] | None:
    """The files after the edit, ``request.md`` among them where it is what changed; None where it cannot be made."""
    path, cell = anchor.place.path, anchor.cell
    if cell is None:
        return None
    relation = package.hidden.values[cell.unit]
    other = _other(relation, cell, rng)
    if not editable(path):
        return (
            _printed_anew(package, path, relation, cell, None if kind == "remove" else other)
            if kind != "duplicate"
            else None
        )
    content = package.request.encode() if path == "request.md" else package.shown[anchor.place.file]
    if other is None and kind != "remove":
        return None
    shown = relation.unit.column(cell.column).type.show(other)
    change = TextEdit(at=anchor.place.at, expected=anchor.printed, replacement="" if kind == "remove" else shown)
    if kind == "duplicate":
        base = anchor.place.base
        whole = read(anchor.place.file, content).whole()
        fragments = next(document.fragments for document in whole if document.path == path)
        hosts = [f for f in fragments if f.text and not f.hidden and not f.formula and f.at != base]
        if not hosts:
            return None
        host = rng.choice(hosts)
        change = TextEdit(
            at=host.at, expected=host.text, replacement=f"{host.text} {rng.choice((shown, anchor.printed))}"
        )
    if change.replacement == change.expected:
        return None
    try:
        return {**package.shown, anchor.place.file: edit(path, content, [change])}
    except DocumentError:
        return None


def _other(relation: Relation, cell: Cell, rng: random.Random) -> Value:
    value = relation.value(cell.key, cell.column)
    if relation.unit.column(cell.column).type.kind != "text":
        return another(relation.unit.column(cell.column).type, value, rng)
    names = sorted({str(row[relation.index[cell.column]]) for row in relation.rows} - {str(value)})
    return rng.choice(names) if names else None


def _printed_anew(
    package: TaskPackage, path: str, relation: Relation, cell: Cell, value: Value
) -> dict[str, bytes] | None:
    """What has no editor is written anew by whoever changes it."""
    if cell.column in relation.unit.key:
        return None
    hidden = package.hidden
    values = {**hidden.values, cell.unit: relation.with_value(cell.key, cell.column, value)}
    spec = next(spec for spec in hidden.plan.artifacts if spec.path == path.partition("//")[0])
    with press(hidden.graph, hidden.values, hidden.plan, strict=False) as writer:
        return {**package.shown, spec.path: writer.printing(values).artifact(spec).content}


__all__ = ["RandomEdit", "checks_pass", "controls_hold", "independent", "random_edits", "trap_rewards", "traps_bite"]
