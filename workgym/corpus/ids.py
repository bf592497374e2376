"""Task ids: ``workfactory/<family>[.<preset>]-<seed>[-v<N>]``, or a package's own name under ``workfactory/``.

The seed is decimal and may have leading zeros: ``workfactory/supplier-selection.easy-000042`` is seed 42 of the preset
``easy``. One slash and no spaces, since Gymnasium refuses others. The namespace may be left out where an id is wanted.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from workgym.errors import UsageError

NAMESPACE = "workfactory"
"""The namespace of all ids in Gymnasium."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_FAMILY = re.compile(
    r"(?P<family>[a-z][a-z0-9]*(?:-[a-z0-9]+)*?)(?:\.(?P<preset>[a-z0-9]+))?"
    r"-(?P<seed>[0-9]{1,18})(?:-v(?P<version>[0-9]{1,6}))?"
)


class FamilyTask(NamedTuple):
    """A task of a blueprint family."""

    family: str
    """Name of the family."""
    preset: str | None
    """Its preset, or None for the family's default."""
    seed: int
    """The seed."""
    version: int | None
    """Version of the family that is asked for, or None for the one that is installed."""


def bare(task_id: str) -> str:
    """An id without its namespace. Raises UsageError where it is none."""
    name = task_id.removeprefix(NAMESPACE + "/")
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"{task_id!r} is no task id",
            fix=f"write {NAMESPACE}/<family>[.<preset>]-<seed>, a package's own id, or a folder that is there",
        )
    return name


def family_task(name: str) -> FamilyTask | None:
    """What a bare id says of a family; None where it has another form."""
    match = _FAMILY.fullmatch(name)
    if match is None:
        return None
    version = match["version"]
    return FamilyTask(match["family"], match["preset"], int(match["seed"]), None if version is None else int(version))
