"""The environment: tasks of office work as Gymnasium environments.

Names are loaded at first use: ``import gymnasium`` loads this package for ``ids`` alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workgym.env.contract import Grader, ProcessGrader, SandboxMaker, Verdict
    from workgym.env.office import OfficeEnv, make
    from workgym.env.opening import SUBMIT
    from workgym.env.recording import Recording
    from workgym.env.spaces import AnyText

__all__ = [
    "SUBMIT",
    "AnyText",
    "Grader",
    "OfficeEnv",
    "ProcessGrader",
    "Recording",
    "SandboxMaker",
    "Verdict",
    "make",
]

_HOMES = {
    "SUBMIT": "opening",
    "AnyText": "spaces",
    "Grader": "contract",
    "OfficeEnv": "office",
    "ProcessGrader": "contract",
    "Recording": "recording",
    "SandboxMaker": "contract",
    "Verdict": "contract",
    "make": "office",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'workgym.env' has no attribute {name!r}")
    return getattr(importlib.import_module(f"workgym.env.{_HOMES[name]}"), name)
