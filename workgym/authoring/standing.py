"""What stands in the folder that a family's task is built into: whether it is kept, built anew, or left as it is.

A package remembers in its hidden origin the digest of the family's files and its own as it was built. What somebody
repaired, changed or put beside it is work that a build never throws away.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from workgym.errors import PackageError
from workgym.package import TaskPackage, load, members

State = Literal["free", "kept", "outdated", "left"]


class Standing(NamedTuple):
    """What is in a folder, for a build."""

    state: State
    """``free``: nothing is there. ``kept``: what a build would give. ``outdated``: as it was built, from other files of
    the family or with a defect planted. ``left``: not to be replaced without a word."""
    package: TaskPackage | None = None
    """The package that is there; None where none is, or it cannot be read."""
    why: str = ""
    """Why it is left."""


def standing(folder: Path, identity: str, source: str) -> Standing:
    """What stands in ``folder`` for the task ``identity``, the family's files having the digest ``source``."""
    if not folder.exists() and not (folder.parent / f".{folder.name}.old").exists():
        return Standing("free")
    try:
        package = load(folder)
    except PackageError as error:
        if folder.is_dir() and next(folder.iterdir(), None) is None:
            return Standing("free")
        return Standing("left", why=error.message)
    origin, history = package.hidden.origin, package.hidden.history
    revisions = [entry for entry in history if entry.purpose != "inject"]
    if package.id != identity:
        return Standing("left", package, f"it is {package.id}")
    if revisions:
        return Standing("left", package, f"it was revised ({len(revisions)} in its history)")
    beside = _beside(folder, package)
    if beside:
        return Standing("left", package, f"{beside[0]} is no part of the package")
    if not origin.built:
        return Standing("left", package, "it does not say how it was built")
    if origin.built != package.digest:
        return Standing("left", package, "it was changed since it was built")
    fresh = origin.source == source and not history and package.hidden.checks is not None
    return Standing("kept" if fresh else "outdated", package)


def built(package: TaskPackage) -> TaskPackage:
    """The package with a note of its own digest, by which a later build knows whether it was changed."""
    return package.with_hidden(origin=package.hidden.origin.model_copy(update={"built": package.digest}))


def _beside(folder: Path, package: TaskPackage) -> list[str]:
    """Files of the folder that are not the package's."""
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return sorted(there - members(package).keys())
