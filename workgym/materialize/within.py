"""Files within files: what an archive holds and what a mail carries, each a carrier of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workgym.errors import UsageError
from workgym.materialize.bound import Bound
from workgym.materialize.carrier import Job, Rendered
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, Row, View, key_part
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.plan import ArtifactSpec
from workgym.records.yaml12 import read_yaml

_KNOWN = ("path", "template", "content", "row", "title", "each", "as")
_ATTACH = re.compile(r"^attach:[^\n]*\n(?:(?:[ \t][^\n]*|-[ \t][^\n]*)?\n)*", re.MULTILINE)
_FRONT = re.compile(r"\A---+[ \t]*\n(?:[^\n]*\n)*?---+[ \t]*(?:\n|\Z)")
_DIGITS = re.compile(r"[\w.-]*\d[\w.-]*")


@dataclass(frozen=True)
class Member:
    """One file within another."""

    name: Marked
    """Its path within that file; digits that no value prints are decor."""
    made: Rendered
    """The carrier; its path is ``outer.zip//inner.csv``."""


def attached(template: str) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    """A mail's template without the ``attach`` list of its front matter, and that list.

    The list is taken out before the template is filled, since its templates belong to the files that they make;
    empty lines keep its place, so that messages name the right line. Raises ValueError where it is no such list.
    """
    front = _FRONT.match(template)
    found = _ATTACH.search(template, 0, front.end()) if front is not None else None
    if found is None:
        return template, ()
    try:
        specs = read_yaml(found[0], "attach")["attach"]
    except UsageError as error:
        raise ValueError(f"front matter: {error}") from error
    if not isinstance(specs, list) or not all(isinstance(spec, Mapping) for spec in specs):
        raise ValueError("attach: a list of files is needed, each with `path` and `template` or `content`")
    blank = "\n" * found[0].count("\n")
    return template[: found.start()] + blank + template[found.end() :], tuple(specs)


def members(job: Job, specs: object, where: str, *, folders: bool = True) -> list[Member]:
    """The files that a list describes, in its order; ``folders`` may stand in their names. Raises MaterializeError."""
    with located(job.path, where):
        if not isinstance(specs, (list, tuple)):
            raise Fault("a list of files is needed, each with `path` and `template` or `content`")
    made: list[Member] = []
    for number, spec in enumerate(specs, 1):
        made += _each(job, spec, f"{where}[{number}]")
    names = [member.name.plain for member in made]
    with located(job.path, where):
        for name, count in Counter(names).items():
            if count > 1:
                raise Fault(f"two files are called {name!r}")
            if "/" in name and not folders:
                raise Fault(f"{name!r}: there are no folders in a mail")
    return made


def _each(job: Job, spec: object, where: str) -> Iterator[Member]:
    tree = Tree(job.path, job.view)
    with located(job.path, where):
        if not isinstance(spec, Mapping) or "path" not in spec:
            raise Fault("a file within another needs `path`")
        allow(spec, _KNOWN)
    if "each" not in spec:
        yield _member(job, tree, spec, where, {})
        return
    name = str(spec.get("as", "row"))
    for row in tree.rows(spec["each"], f"{where}.each"):
        yield _member(job, tree, spec, where, {name: row})


def _member(job: Job, tree: Tree, spec: Mapping[str, Any], where: str, names: Mapping[str, Row]) -> Member:
    name = tree.text(spec["path"], f"{where}.path", names).strip()
    with located(job.path, f"{where}.path"):
        name = _declared(_sound(name))
    path = f"{job.path}//{name.plain}"
    with located(path, "row"):
        view = view_within(job.view, _bound(tree, spec.get("row", {}), f"{where}.row", names), names)
        title = tree.text(spec.get("title", ""), f"{where}.title", names).plain
        inner = ArtifactSpec(path=path, template=spec.get("template"), content=spec.get("content"), title=title)
        return Member(name, job.write(inner, replace(job, path=path, title=title, view=view, held=())))


def view_within(outer: View, rows: Mapping[str, tuple[str, ...]], names: Mapping[str, Row]) -> View:
    """The names of a carrier within another one: those of the outer one, and ``names``; with marks of its own."""
    bound = {name: unit.bound_to for name, unit in outer.units.items() if unit.bound_to is not None}
    view = View(outer.scope, {**bound, **rows})
    around = {name: thing for name, thing in outer.names.items() if isinstance(thing, Row)}
    for name, row in {**around, **names}.items():
        view.names[name] = view.unit(row.unit.name).of(*row.key)
    return view


def _bound(tree: Tree, rows: object, where: str, names: Mapping[str, Row]) -> dict[str, tuple[str, ...]]:
    """The units that stand for a single row, each with that row's key, whose parts may be templates."""
    if not isinstance(rows, Mapping):
        raise Fault("row: a mapping from unit to the parts of its key is needed")
    found: dict[str, tuple[str, ...]] = {}
    for unit, parts in rows.items():
        key = [tree.content(part, where, names) for part in (parts if isinstance(parts, list) else [parts])]
        found[str(unit)] = tuple(key_part(p) if isinstance(p, Bound) else tree.shown(p).plain for p in key)
    return found


def _sound(name: Marked) -> Marked:
    """A name that no program unpacks to another place. Raises Fault."""
    plain = name.plain
    parts = plain.split("/")
    if not plain or "\\" in plain or ":" in plain or any(part.strip() in ("", ".", "..") for part in parts):
        raise Fault(f"{plain!r} is no path within a file: write `folder/name.csv`")
    return name


def _declared(name: Marked) -> Marked:
    """The name with what holds digits and prints no value declared as decor."""
    taken = [(span.start, span.end) for span in name.spans]
    for match in _DIGITS.finditer(name.text):
        start, end = match.span()
        inside = [(a, b) for a, b in taken if a < end and start < b]
        for left, right in _gaps(start, end, inside):
            if any(char.isdigit() for char in name.text[left:right]):
                name = name.decorated(left, right)
    return name


def _gaps(start: int, end: int, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for left, right in sorted(taken):
        if start < left:
            yield start, left
        start = max(start, right)
    if start < end:
        yield start, end
