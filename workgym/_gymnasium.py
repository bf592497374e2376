"""Makes ``gym.make("workfactory/...")`` work after ``import workgym``, in whichever order the two are imported.

Gymnasium has no lazy plug-ins: ids have to stand in its registry before ``make`` is called, and importing it costs
more than all of ``import workgym``. So nothing is imported here: where gymnasium is loaded already our ids are
installed at once, and otherwise when its import ends.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def announce() -> None:
    """Install our ids now, or as soon as gymnasium is imported. Idempotent."""
    if "gymnasium" in sys.modules:
        _install()
    elif not any(isinstance(finder, _Watch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watch())


def _install() -> None:
    from workgym.env import ids

    ids.install()


class _Watch(MetaPathFinder):
    """Answers for ``gymnasium`` alone, once, and steps aside."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _ThenInstall(spec.loader)
        return spec


class _ThenInstall(Loader):
    """Gymnasium's own loader, and our ids after it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _install()
