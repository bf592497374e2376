"""workgym: tasks of real office work that can be done and can be graded, and environments to run agents on them.

::

    import gymnasium as gym
    import workgym                                     # makes gym.make("workfactory/...") work

    env = gym.make("workfactory/supplier-selection-000042")
    result = workgym.rollout(env, "expert", out="out/run")
    live = workgym.replay("out/run", until=3)          # a live environment, three calls in

Names are loaded at first use, so that ``import workgym`` costs a few milliseconds. ``workgym.rollout`` and
``workgym.replay`` are the functions; the modules that define them are reached by ``from workgym.rollout import ...``.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from workgym._gymnasium import announce
from workgym._version import __version__

if TYPE_CHECKING:
    from workgym.env import make
    from workgym.errors import WorkgymError
    from workgym.package import TaskPackage
    from workgym.replay import replay
    from workgym.rollout import Rollout, rollout

__all__ = ["Rollout", "TaskPackage", "WorkgymError", "__version__", "make", "replay", "rollout"]

_HOMES = {
    "Rollout": "workgym.rollout",
    "TaskPackage": "workgym.package",
    "WorkgymError": "workgym.errors",
    "make": "workgym.env",
    "replay": "workgym.replay",
    "rollout": "workgym.rollout",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'workgym' has no attribute {name!r}")
    importlib.import_module(_HOMES[name])
    found = getattr(sys.modules[_HOMES[name]], name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Facade(ModuleType):
    """A package whose exported names win over submodules of the same name.

    The import system sets ``workgym.rollout`` to the module when anything imports it; the function is what users call.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOMES and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade
announce()
