"""The construction checks of a package: what the graph says of itself, and what the files say of the graph."""

from __future__ import annotations

from workgym.check.apart import check_apart
from workgym.check.reading import Visible
from workgym.check.running import FILE_CHECKS, check_here
from workgym.package import TaskPackage
from workgym.records import CheckReport


def check(package: TaskPackage, *, trusted: bool = False) -> CheckReport:
    """Run every construction check.

    ``trusted`` packages were just compiled and written by us: they are checked in this process, their graph is not
    compiled again and their files not compared with the plan that wrote them. Others are checked in a limited child.
    """
    return check_here(package, trusted=True) if trusted else check_apart(package)


__all__ = ["FILE_CHECKS", "Visible", "check", "check_here"]
