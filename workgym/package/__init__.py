"""Task packages: one task, its visible side and its hidden side."""

from workgym.package.digests import content_digest, public_digests
from workgym.package.model import (
    FORMAT_VERSION,
    DeliverableCard,
    Hidden,
    HistoryEntry,
    Interfaces,
    Origin,
    Seal,
    TaskCard,
    TaskLimits,
    TaskPackage,
    canary,
)
from workgym.package.store import load, members, save, seal
from workgym.package.view import SolverView, view

__all__ = [
    "FORMAT_VERSION",
    "DeliverableCard",
    "Hidden",
    "HistoryEntry",
    "Interfaces",
    "Origin",
    "Seal",
    "SolverView",
    "TaskCard",
    "TaskLimits",
    "TaskPackage",
    "canary",
    "content_digest",
    "load",
    "members",
    "public_digests",
    "save",
    "seal",
    "view",
]
