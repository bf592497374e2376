"""Carriers of a family file as plan and graph have them: one for each row where they are many, files and pages."""

from __future__ import annotations

import re
from collections.abc import Callable

from workgym.authoring.blueprint import Family
from workgym.authoring.sites import CarrierSpec, page, placed
from workgym.errors import BlueprintError, GraphError
from workgym.graph import Carrier, Evaluator, Relation
from workgym.plan import ArtifactSpec

Keys = tuple[str | int, ...]
Raise = Callable[[Keys, str], BlueprintError]
Row = dict[str, tuple[str, ...]]


def artifacts(
    family: Family, evaluator: Evaluator, error: Raise
) -> tuple[list[ArtifactSpec], tuple[tuple[str, str], ...]]:
    """What is written, and in which order, for the world that the evaluator holds. Raises BlueprintError."""
    specs = []
    dependencies = []
    for number, carrier in enumerate(family.blueprint.carriers):
        for path, row in _expanded(evaluator, number, carrier, error):
            dependencies += [
                (located(earlier, ("carriers", number, "after"), error), path) for earlier in carrier.after
            ]
            specs.append(
                ArtifactSpec(
                    path=path,
                    template=family.templates[carrier.template] if carrier.template else None,
                    content=carrier.content,
                    row=row,
                    title=carrier.title,
                    role=carrier.role,
                    page=page(carrier),
                )
            )
    paths = [spec.path for spec in specs]
    twice = {path for path in paths if paths.count(path) > 1}
    if twice:
        raise error(("carriers",), f"two carriers have the path {sorted(twice)[0]}")
    gone = [
        spec.page.moved_to for spec in specs if spec.page and spec.page.moved_to and spec.page.moved_to not in paths
    ]
    if gone:
        raise error(("carriers",), f"a page has moved to {gone[0]}, and no carrier is there")
    return specs, tuple(dependencies)


def carriers(family: Family, specs: list[ArtifactSpec]) -> tuple[Carrier, ...]:
    """The carriers of the graph: the request, what is written, and what is handed in."""
    given = {spec.path for spec in specs}
    return (
        Carrier(path="request.md", kind="request"),
        *(
            Carrier(path=spec.path, kind="external" if spec.page else "reference", role=spec.role, title=spec.title)
            for spec in specs
        ),
        *(Carrier(path=path, kind="deliverable") for path in family.blueprint.deliverables if path not in given),
    )


def located(written: str, keys: Keys, error: Raise) -> str:
    """The path of a carrier that is named by path or address. Raises BlueprintError."""
    try:
        return placed(written)
    except ValueError as problem:
        raise error(keys, str(problem)) from problem


def _expanded(evaluator: Evaluator, number: int, carrier: CarrierSpec, error: Raise) -> list[tuple[str, Row]]:
    written, key_of_path = carrier.url or carrier.path, "url" if carrier.url else "path"
    if carrier.each is None:
        return [(located(written, ("carriers", number, key_of_path), error), {})]
    name, _, condition = carrier.each.partition(" where ")
    graph = evaluator.graph
    if name not in graph.by_name:
        raise error(("carriers", number, "each"), f"there is no unit {name}")
    unit = graph.unit(name)
    query = f"select * from {name}" + (f" where {condition}" if condition else "") + f" order by {', '.join(unit.key)}"
    try:
        relation = Relation.load(unit, evaluator.select(query))
    except GraphError as problem:
        raise error(("carriers", number, "each"), problem.message) from problem
    found: list[tuple[str, Row]] = []
    for key, row in relation.by_key.items():
        fields = {column.name: slug(column.type.show(value)) for column, value in zip(unit.columns, row, strict=True)}
        try:
            path = written.format(**fields)
        except (KeyError, IndexError, ValueError, AttributeError, TypeError) as problem:
            raise error(("carriers", number, key_of_path), f"{problem} is not a column of {name}") from problem
        found.append((located(path, ("carriers", number, key_of_path), error), {name: key}))
    return found


def slug(text: str) -> str:
    """A text as a part of a path: lower case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"
