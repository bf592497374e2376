"""The shelves: plug-ins that stand beside the library, each a folder with a manifest.

==========  ===============  ==========================================
kind        manifest         what it is
==========  ===============  ==========================================
envs        family.yaml      a blueprint family
harnesses   harness.yaml     a harness: loop or program
tools       pack.yaml        a tool pack; guest code, never imported
==========  ===============  ==========================================

Roots, each holding folders named after the kinds: the entries of ``WORKGYM_PATH`` (read at every call), packages that
declare an entry point in the group ``workgym.shelves``, and our own: this folder in an installed wheel, the
repository's root in a checkout. A plug-in's name is its folder's name with dashes for underscores
(``claude_code_style`` is ``claude-code-style``), so that folders of Python code keep importable names.
A name that stands in two roots is an error. Listing opens no file.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from workgym.errors import UsageError, WorkgymError, not_utf8, of_plugin

Kind = Literal["envs", "harnesses", "tools"]
MANIFESTS: dict[Kind, str] = {"envs": "family.yaml", "harnesses": "harness.yaml", "tools": "pack.yaml"}
"""The manifest's file name, by kind."""

_HERE = Path(__file__).resolve().parent
_OWN = _HERE if (_HERE / "envs").is_dir() else _HERE.parents[1]


def roots() -> tuple[Path, ...]:
    """The folders that hold shelves, in the order of search.

    Raises UsageError for an entry of ``WORKGYM_PATH`` that is not a folder.
    """
    extra = tuple(Path(entry).resolve() for entry in os.environ.get("WORKGYM_PATH", "").split(os.pathsep) if entry)
    for entry in extra:
        if not entry.is_dir():
            raise UsageError(f"WORKGYM_PATH: {entry} is not a folder")
    return tuple(dict.fromkeys((*extra, *_installed(), _OWN)))


@functools.cache
def _installed() -> tuple[Path, ...]:
    """Folders of the packages that declare an entry point ``workgym.shelves``; none of their code is run."""
    from importlib.metadata import entry_points  # 10 ms, wanted by few

    found = []
    for point in sorted(entry_points(group="workgym.shelves"), key=lambda point: point.name):
        spec = importlib.util.find_spec(point.module)
        if spec is None or not spec.submodule_search_locations:
            raise UsageError(f"entry point workgym.shelves {point.name}: {point.module} is not a package")
        found.append(Path(next(iter(spec.submodule_search_locations))).resolve())
    return tuple(found)


class _SearchPath(list[str]):
    """``__path__`` as the import system reads it: the roots of this moment."""

    def __iter__(self) -> Iterator[str]:
        return (str(root) for root in roots())


__path__ = _SearchPath([str(_OWN)])


def names(kind: Kind) -> tuple[str, ...]:
    """All plug-ins of a kind, sorted. Raises UsageError where one name stands twice."""
    return tuple(sorted(_index(kind)))


def folder(kind: Kind, name: str) -> Path:
    """The folder of one plug-in. Raises UsageError for an unknown name, with the nearest ones."""
    index = _index(kind)
    if name in index:
        return index[name]
    near = difflib.get_close_matches(name, index, n=3, cutoff=0.5) or sorted(index)
    known = f"did you mean {' or '.join(near)}?" if near else "none is installed"
    raise UsageError(f"{kind}: unknown name {name!r}", fix=known)


def manifest(kind: Kind, name: str) -> dict[str, Any]:
    """The manifest of one plug-in as plain data. Raises UsageError where it is not a YAML mapping."""
    from workgym.records.yaml12 import read_yaml  # listing does not need PyYAML

    path = folder(kind, name) / MANIFESTS[kind]
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line, says = not_utf8(error)
        raise UsageError(f"{path}:{line}: {says}") from error
    data = read_yaml(text, str(path))
    if not isinstance(data, dict):
        raise UsageError(f"{path}: a mapping is wanted")
    return data


def load(kind: Literal["harnesses", "envs"], name: str, attribute: str) -> Any:
    """The object ``module:attribute`` of a plug-in's folder, importable again by its dotted name (pickle, spawn).

    Raises UsageError where there is no such module or attribute, and where the module cannot be imported, with the
    line of the plug-in's code.
    """
    module_name, _, path = attribute.partition(":")
    home = folder(kind, name)
    dotted = f"{__name__}.{kind}.{home.name}.{module_name}"
    file = home.joinpath(*module_name.split(".")).with_suffix(".py")
    if not path or not (file.is_file() or (file.with_suffix("") / "__init__.py").is_file()):
        raise UsageError(f"{kind}/{name}: {attribute!r} names no module:attribute of {home}")
    _forget_others(f"{__name__}.{kind}.{home.name}", home)
    try:
        found: Any = importlib.import_module(dotted)
    except WorkgymError:
        raise
    except Exception as error:  # the boundary: a plug-in is anybody's code
        told, _ = of_plugin(error, str(home), f"{kind}/{home.name}")
        raise UsageError(told if told.startswith(f"{kind}/") else f"{kind}/{name}: {told}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{kind}/{name}: {dotted} has no {path!r}")
        found = getattr(found, part)
    return found


def _index(kind: Kind) -> dict[str, Path]:
    index: dict[str, Path] = {}
    for root in roots():
        shelf = root / kind
        if not shelf.is_dir():
            continue
        for entry in sorted(shelf.iterdir()):
            if not (entry / MANIFESTS[kind]).is_file():
                continue
            name = entry.name.replace("_", "-")
            if name in index:
                raise UsageError(
                    f"{kind}: {name!r} stands twice, in {index[name]} and {entry}", fix="rename one of them"
                )
            index[name] = entry
    return index


def _forget_others(package: str, home: Path) -> None:
    """Drop modules that were imported under this name from another root, which ``WORKGYM_PATH`` no longer names."""
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(package + "."):
            file = getattr(module, "__file__", None)
            if file is not None and home not in Path(file).resolve().parents:
                del sys.modules[name]
    importlib.invalidate_caches()
