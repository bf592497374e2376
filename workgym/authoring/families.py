"""Blueprint families on the shelf: list them, and build a task package from one and a seed."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from workgym import shelves
from workgym.authoring import blueprint
from workgym.authoring.blueprint import Blueprint, Family
from workgym.authoring.compiler import Compiled, compile_family
from workgym.errors import BlueprintError, MaterializeError, UsageError
from workgym.package import DeliverableCard, Hidden, Interfaces, Origin, TaskCard, TaskPackage, canary
from workgym.package.assemble import assemble, bindings, toolchain
from workgym.plan import ConstructionPlan


def names() -> tuple[str, ...]:
    """Names of all families, sorted; reads no file."""
    return shelves.names("envs")


def family(name: str) -> Family:
    """A family by name. Raises UsageError where there is none, BlueprintError where its file is wrong."""
    return _loaded(shelves.folder("envs", name))


@functools.lru_cache(maxsize=64)
def _load_cached(folder: Path, stamp: tuple[tuple[str, int], ...]) -> Family:
    return blueprint.load(folder)


def _loaded(folder: Path) -> Family:
    files = sorted((*folder.glob("*.*"), *folder.glob("templates/*")))
    return _load_cached(folder, tuple((path.name, path.stat().st_mtime_ns) for path in files))


def task_id(name: str, preset: str, seed: int, version: int) -> str:
    """The full id of a family's task."""
    return f"workfactory/{name}.{preset}-{seed:06d}-v{version}"


def build(name: str, preset: str | None = None, seed: int = 0, version: int | None = None) -> TaskPackage:
    """One task of a family; the same arguments give the same bytes under one lock file.

    Raises UsageError for an unknown family, preset or version and a negative seed, BlueprintError for a wrong family.
    """
    source = family(name)
    if seed < 0:
        raise UsageError(f"{seed} is no seed", fix="give a whole number from 0 on")
    wrong = refusal(source.blueprint, preset, version)
    if wrong is not None:
        raise wrong
    chosen = preset or source.blueprint.default
    return package(source, chosen, seed, compile_family(source, chosen, seed))


def samples(folder: Path, seeds: Iterable[int] = range(2)) -> Iterator[TaskPackage]:
    """Some tasks of the family in a folder, on a shelf or not: these seeds in each preset. Raises BlueprintError."""
    source = _loaded(folder.resolve())
    for preset in source.blueprint.presets:
        for seed in seeds:
            yield package(source, preset, seed, compile_family(source, preset, seed))


def refusal(plan: Blueprint, preset: str | None, version: int | None = None) -> UsageError | None:
    """Why a family has no such task; None where it has."""
    if version is not None and version != plan.version:
        return UsageError(
            f"{plan.family} is at version {plan.version}, not {version}",
            fix="tasks of older versions are kept as packages",
        )
    if preset and preset not in plan.presets:
        return UsageError(f"{plan.family} has no preset {preset}", fix=f"use one of {', '.join(plan.presets)}")
    return None


def package(source: Family, preset: str, seed: int, compiled: Compiled) -> TaskPackage:
    """The package of a compiled task. Raises BlueprintError where a carrier cannot be written."""
    plan = source.blueprint
    try:
        made = assemble(compiled.graph, compiled.values, compiled.plan)
    except MaterializeError as error:
        raise _written(source, compiled.plan, error) from error
    identity = task_id(plan.family, preset, seed, plan.version)
    card = TaskCard(
        id=identity,
        version=plan.version,
        title=plan.title,
        occupation=plan.occupation,
        role=plan.role,
        capabilities=plan.capabilities,
        interfaces=Interfaces(web=plan.web),
        deliverables=tuple(
            DeliverableCard(path=path, format=path.rpartition(".")[2].lower()) for path in plan.deliverables
        ),
        canary=canary(identity),
        toolchain=toolchain(),
    )
    hidden = Hidden(
        graph=compiled.graph.model_copy(update={"bindings": bindings(compiled.graph, made.anchors)}),
        plan=compiled.plan,
        values=compiled.values,
        anchors=made.anchors,
        origin=Origin(
            family=plan.family,
            version=plan.version,
            preset=preset,
            seed=seed,
            worlds=compiled.worlds,
            source=source.source,
        ),
        expert=source.expert,
    )
    built = TaskPackage(card=card, request=made.request, files={}, hidden=hidden, ours=True)
    return built.with_shown({**made.files, **made.external}, made.request)


def _written(source: Family, plan: ConstructionPlan, error: MaterializeError) -> BlueprintError:
    """Where in the family's files it is written what a carrier could not be made from."""
    blueprint, path = source.blueprint, error.artifact
    reason = error.reason.removeprefix(f"{path}: ")
    if path == plan.request.path:
        return BlueprintError(_template(source, blueprint.request), error.line, path, reason, fix=error.fix)
    spec = next(spec for spec in plan.artifacts if spec.path == path)
    number, carrier = next(
        (number, carrier)
        for number, carrier in enumerate(blueprint.carriers)
        if (source.templates.get(carrier.template or ""), carrier.content) == (spec.template, spec.content)
    )
    if carrier.template is not None:
        return BlueprintError(_template(source, carrier.template), error.line, path, reason, fix=error.fix)
    keys = ("carriers", number, "content")
    line = source.line(*keys, *_keys(reason.partition(": ")[0]))
    return BlueprintError(
        f"{blueprint.family}/family.yaml", line, ".".join(map(str, keys)), f"{path}: {reason}", fix=error.fix
    )


def _keys(place: str) -> list[str | int]:
    """A place of a content tree as keys: ``sheets[1].rows`` is the first sheet's."""
    return [int(number) - 1 if number else name for name, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", place)]


def _template(source: Family, name: str) -> str:
    return f"{source.blueprint.family}/templates/{name}"
