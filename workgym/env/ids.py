"""Task ids in Gymnasium's registry, resolved when they are asked for.

``gymnasium.register`` compares every new id with all old ones (100,000 ids do not finish in ten minutes), and Gymnasium
has no lazy plug-ins. So its registry, a plain dictionary, gives way to one with the same content that also answers for
``workfactory/...`` and for folders of packages, as far as their names look like ids to Gymnasium: one slash at most. It
holds nothing for those: listing the registry is as fast as before.

This module is loaded at the end of ``import gymnasium``, perhaps while ``workgym.env`` is being imported; so it imports
neither at its top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workgym.errors import UsageError

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec

NAMESPACE = "workfactory/"
"""What our ids begin with."""
_OURS: dict[str, Any] = {
    "entry_point": "workgym.env:OfficeEnv",
    "order_enforce": False,  # the environment says it itself, and the wrapper would hide its attributes
    "disable_env_checker": True,  # its passive checker refuses actions given as dictionaries
}


class LazyRegistry(dict[str, "EnvSpec"]):
    """Gymnasium's registry, which knows every task id besides."""

    def __init__(self, registered: dict[str, EnvSpec]) -> None:
        super().__init__(registered)
        self._before = registered

    def __missing__(self, key: str) -> EnvSpec:
        spec = _spec(key)
        if spec is None:
            raise KeyError(key)
        return spec

    def get(self, key: str, default: Any = None) -> Any:
        """The spec of an id. Raises ``gymnasium.error.NameNotFound`` for a task id that no corpus has."""
        return super().get(key) or _spec(key) or default

    def __contains__(self, key: object) -> bool:
        if super().__contains__(key):
            return True
        if not isinstance(key, str):
            return False
        from workgym import corpus

        return corpus.folder(key) is not None or (key.startswith(NAMESPACE) and corpus.has(key))

    def __setitem__(self, key: str, spec: EnvSpec) -> None:
        super().__setitem__(key, spec)
        self._before[key] = spec  # for those who took the registry before us, pprint_registry among them

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._before.pop(key, None)


def install() -> None:
    """Make ``gymnasium.make("workfactory/...")`` work. Calling it again does nothing."""
    import gymnasium
    from gymnasium.envs import registration

    plain = registration.registry
    if isinstance(plain, LazyRegistry):
        return
    lazy = LazyRegistry(plain)
    for module in (registration, gymnasium, gymnasium.envs):
        if getattr(module, "registry", None) is plain:
            vars(module)["registry"] = lazy


def _spec(key: str) -> EnvSpec | None:
    from gymnasium.envs.registration import EnvSpec
    from gymnasium.error import NameNotFound

    from workgym import corpus

    folder = corpus.folder(key)
    if folder is not None:
        return EnvSpec(id=key, kwargs={"package": str(folder.resolve())}, **_OURS)
    if not key.startswith(NAMESPACE):
        return None
    try:
        corpus.find(key)
    except UsageError as error:
        raise NameNotFound(str(error)) from error
    return EnvSpec(id=key, kwargs={"task": key}, **_OURS)
