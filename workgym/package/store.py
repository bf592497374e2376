"""Packages on disk: write, read, validate.

Layout::

    <task_id>/task.yaml  request.md  files/...  external/index.json  external/<site>/...
              hidden/{graph,plan,values,anchors,origin,checks}.json
              hidden/expert/solve.py  hidden/expert/files/...  hidden/history/NNN.json
              hidden/qa.json

Writing is atomic: a folder beside the target is filled, then renamed. Where a package is replaced, the old one steps
aside first (``.<name>.old/<name>``); whoever looks for it between the two renames, or after a crash there, finds it in
that place, and the next writing puts it back.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from workgym.errors import PackageError, WorkgymError
from workgym.graph import Relation, SupportGraph
from workgym.package.digests import INDEX, content_digest, public_digests
from workgym.package.model import (
    FORMAT_VERSION,
    Hidden,
    HistoryEntry,
    Origin,
    Seal,
    TaskCard,
    TaskPackage,
)
from workgym.plan import ConstructionPlan
from workgym.records import Anchor, CheckReport, PageCard, Record, is_page, pretty
from workgym.records.whole import write_whole
from workgym.records.yaml12 import read_yaml

UPGRADES: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""Pure steps from a format version to the next, on the data of ``task.yaml``; empty while there is one version."""

_MAX_FILE = 64 * 2**20
_MAX_FILES = 5000
_MAX_ALL = 2**30
_Model = TypeVar("_Model", bound=Record)


def save(package: TaskPackage, folder: Path) -> Path:
    """Write a package to ``folder``, replacing a package that is there. Returns the folder.

    Raises PackageError where something else is there, which is left as it is, and for a path that leaves the folder.
    """
    folder = Path(folder)
    contents = members(package)
    aside = _aside(folder)
    for path in contents:
        if {"", ".", ".."} & {*path.split("/")} or "\\" in path:
            raise PackageError(f"{path} leaves the package")
    if folder.exists() and not (folder / "task.yaml").is_file() and not (folder.is_dir() and _is_empty(folder)):
        raise PackageError(f"{folder}: is there and no task package", fix="name a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    if aside.parent.exists():
        if _standing(folder) == aside:
            os.rename(aside, folder)
        shutil.rmtree(aside.parent)
    filled = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for path, content in contents.items():
            target = filled / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        filled.chmod(0o755)
        if folder.exists():
            aside.parent.mkdir()
            os.rename(folder, aside)
            os.rename(filled, folder)
            shutil.rmtree(aside.parent)
        else:
            os.rename(filled, folder)
    except BaseException:
        if _standing(folder) == aside:
            os.rename(aside, folder)
        shutil.rmtree(filled, ignore_errors=True)
        raise
    return folder


def _aside(folder: Path) -> Path:
    """Where a package stands while another one takes its place."""
    return folder.parent / f".{folder.name}.old" / folder.name


def _standing(folder: Path) -> Path:
    """Where a package stands: in its folder, or aside where its writer was stopped before the new one was there."""
    aside = _aside(folder)
    return aside if not (folder / "task.yaml").is_file() and (aside / "task.yaml").is_file() else folder


def _is_empty(folder: Path) -> bool:
    return next(folder.iterdir(), None) is None


def members(package: TaskPackage) -> dict[str, bytes]:
    """Every file of a package's folder, by its path in it."""
    hidden = package.hidden
    found: dict[str, bytes] = {
        "task.yaml": yaml.safe_dump(
            package.card.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=120
        ).encode(),
        "request.md": package.request.encode(),
        "hidden/graph.json": _json(hidden.graph.model_dump(mode="json")),
        "hidden/plan.json": _json(hidden.plan.model_dump(mode="json")),
        "hidden/values.json": _json({name: relation.dump() for name, relation in hidden.values.items()}),
        "hidden/anchors.json": _json([anchor.model_dump(mode="json") for anchor in hidden.anchors]),
        "hidden/origin.json": _json(hidden.origin.model_dump(mode="json")),
        "hidden/user.json": _json({"policy": "always-closes"}),
    }
    found |= {f"files/{path}": content for path, content in package.files.items()}
    found |= {f"external/{path}": content for path, content in package.external.items()}
    if package.external:
        found[INDEX] = _json([card.model_dump(mode="json") for card in package.pages])
    if hidden.checks is not None:
        found["hidden/checks.json"] = _json(hidden.checks.model_dump(mode="json"))
    if hidden.qa is not None:
        found["hidden/qa.json"] = _json(hidden.qa.model_dump(mode="json"))
    if hidden.expert is not None:
        found["hidden/expert/solve.py"] = hidden.expert.encode()
    found |= {f"hidden/expert/files/{path}": content for path, content in hidden.expert_files.items()}
    for number, entry in enumerate(hidden.history, 1):
        found[f"hidden/history/{number:03}.json"] = _json(entry.model_dump(mode="json"))
    return found


def seal(folder: Path, mark: Seal) -> Path:
    """Keep the quality suite's report in a package that is there, all else left as it is. Returns the file."""
    target = Path(folder) / "hidden/qa.json"
    write_whole(target, _json(mark.model_dump(mode="json")))
    return target


def _json(data: Any) -> bytes:
    return pretty(data).encode()


def load(folder: Path) -> TaskPackage:
    """Read a package and validate it. Raises PackageError with file and reason."""
    folder = _standing(Path(folder))
    if not (folder / "task.yaml").is_file():
        raise PackageError(f"{folder}: no task.yaml here", fix="name a task package's folder")
    _check_members(folder)
    card = _card(folder)
    values = _read_json(folder, "hidden/values.json")
    graph = _record(folder, "hidden/graph.json", SupportGraph)
    try:
        relations = {name: Relation.load(graph.unit(name), rows) for name, rows in values.items()}
    except (WorkgymError, AttributeError, TypeError) as error:
        raise PackageError(f"{folder}/hidden/values.json: {error}") from error
    expert = folder / "hidden/expert/solve.py"
    package = TaskPackage(
        card=card,
        request=_text(folder / "request.md"),
        files=_tree(folder / "files"),
        external={path: content for path, content in _tree(folder / "external").items() if path != "index.json"},
        pages=_records(folder, INDEX, PageCard) if (folder / "external").is_dir() else (),
        hidden=Hidden(
            graph=graph,
            plan=_record(folder, "hidden/plan.json", ConstructionPlan),
            values=relations,
            anchors=_records(folder, "hidden/anchors.json", Anchor),
            origin=_record(folder, "hidden/origin.json", Origin),
            expert=_text(expert) if expert.is_file() else None,
            expert_files=_tree(folder / "hidden/expert/files"),
            checks=_record(folder, "hidden/checks.json", CheckReport)
            if (folder / "hidden/checks.json").is_file()
            else None,
            history=tuple(
                _record(folder, path.relative_to(folder).as_posix(), HistoryEntry)
                for path in sorted((folder / "hidden/history").glob("*.json"))
            ),
            qa=_record(folder, "hidden/qa.json", Seal) if (folder / "hidden/qa.json").is_file() else None,
        ),
    )
    _check_digests(folder, package)
    _check_site(folder, package)
    _check_names(folder, package.hidden)
    return package


def _check_members(folder: Path) -> None:
    """Before anything is read: links, devices and pipes would reach the host's own files, or never end."""
    total = 0
    for number, path in enumerate(sorted(folder.rglob("*"))):
        found = path.lstat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            raise PackageError(f"{path}: is not a regular file")
        total += found.st_size
        if found.st_size > _MAX_FILE or total > _MAX_ALL or number >= _MAX_FILES:
            limits = f"{_MAX_FILES} files of {_MAX_FILE >> 20} MiB, {_MAX_ALL >> 20} MiB in all"
            raise PackageError(f"{path}: the package is over its limit of {limits}")


def _check_names(folder: Path, hidden: Hidden) -> None:
    """What the hidden records name is there: checks and grading look it up."""
    relations = {unit.name: unit for unit in hidden.graph.relations("provided", "external", "derived")}
    for name in sorted(relations.keys() - hidden.values.keys()):
        raise PackageError(f"{folder}/hidden/values.json: the unit {name} has no rows")
    named = {item.unit for deliverable in hidden.graph.deliverables for item in deliverable.states}
    named |= {unit.margin.of.partition(".")[0] for unit in hidden.graph.units if unit.margin}
    handed = [table for deliverable in hidden.graph.deliverables for table in deliverable.handed]
    named |= {unit.partition(".")[0] for table in handed for unit in table.of.values()}
    for name in sorted(named - hidden.graph.by_name.keys()):
        raise PackageError(f"{folder}/hidden/graph.json: there is no unit {name}")
    for cell in dict.fromkeys(anchor.cell for anchor in hidden.anchors if anchor.cell):
        unit = relations.get(cell.unit)
        if unit is None or cell.column not in {column.name for column in unit.columns}:
            raise PackageError(f"{folder}/hidden/anchors.json: there is no {cell.unit}.{cell.column}")


def _check_site(folder: Path, package: TaskPackage) -> None:
    """The index has a card for each page, and no page is where a file of the workspace is."""
    listed = [card.path for card in package.pages]
    if len(listed) != len(set(listed)):
        raise PackageError(f"{folder}/{INDEX}: a page is listed twice")
    for path in sorted({*listed} ^ package.external.keys()):
        what = "is not listed in index.json" if path in package.external else "is listed in index.json and missing"
        raise PackageError(f"{folder}/external/{path}: {what}", fix="build the task again")
    for path in sorted(package.external):
        if not is_page(path):
            raise PackageError(f"{folder}/external/{path}: is no page of an offline site")
        if path in package.files:
            raise PackageError(f"{folder}/external/{path}: is a file of the workspace, too")


def _check_digests(folder: Path, package: TaskPackage) -> None:
    found = public_digests(package.request, package.files, package.external, package.pages)
    for path in sorted({*found, *package.card.digests}):
        if found.get(path) != package.card.digests.get(path):
            what = (
                "is missing"
                if path not in found
                else "is not listed"
                if path not in package.card.digests
                else "was changed"
            )
            raise PackageError(
                f"{folder}/{path}: {what}: its content is not what task.yaml says", fix="build the task again"
            )


def _card(folder: Path) -> TaskCard:
    data = read_yaml(_text(folder / "task.yaml"), f"{folder}/task.yaml")
    if not isinstance(data, dict):
        raise PackageError(f"{folder}/task.yaml: not a mapping")
    version = data.get("format_version")
    if not isinstance(version, int):
        raise PackageError(f"{folder}/task.yaml: format_version is missing")
    if version > FORMAT_VERSION:
        raise PackageError(
            f"{folder}/task.yaml: format_version {version} is newer than {FORMAT_VERSION}", fix="upgrade workgym"
        )
    while version < FORMAT_VERSION:
        if version not in UPGRADES:
            raise PackageError(f"{folder}/task.yaml: format_version {version} cannot be upgraded")
        data = UPGRADES[version](data)
        version += 1
    return _validated(TaskCard, data, f"{folder}/task.yaml")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise PackageError(f"{path}: {reason.lower()}") from error


def _read_json(folder: Path, name: str) -> Any:
    try:
        return json.loads(_text(folder / name))
    except (ValueError, RecursionError) as error:
        raise PackageError(f"{folder}/{name}: not JSON: {error}") from error


def _validated(model: type[_Model], data: Any, where: str) -> _Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise PackageError(f"{where}: {place}: {first['msg']}") from error


def _record(folder: Path, name: str, model: type[_Model]) -> _Model:
    return _validated(model, _read_json(folder, name), f"{folder}/{name}")


def _records(folder: Path, name: str, model: type[_Model]) -> tuple[_Model, ...]:
    data = _read_json(folder, name)
    if not isinstance(data, list):
        raise PackageError(f"{folder}/{name}: not a list")
    return tuple(_validated(model, item, f"{folder}/{name}") for item in data)


def _tree(root: Path) -> dict[str, bytes]:
    """All files below ``root``, by path."""
    paths = sorted(root.rglob("*")) if root.is_dir() else []
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths if path.is_file()}


__all__ = ["content_digest", "load", "save", "seal"]
