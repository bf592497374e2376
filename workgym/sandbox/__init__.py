"""Sandboxes: where an episode's tools run, apart from the host.

==============  ===============================================================================
``bubblewrap``  default on Linux: own namespaces, no daemon, no root, no network
``docker``      a container of a daemon that answers, hardened
``docker-office``  the same with LibreOffice in it, a larger image
``unsafe-local``  no wall at all; only by name, and it warns
==============  ===============================================================================

``create`` never falls back from one to another: what cannot work says why, and what to do.
"""

from __future__ import annotations

import contextlib

from workgym.errors import SandboxError, UsageError
from workgym.sandbox.contract import Capabilities, Limits, Sandbox, Snapshot

__all__ = [
    "Capabilities",
    "Limits",
    "Sandbox",
    "Snapshot",
    "available",
    "clean",
    "cold",
    "create",
    "try_out",
    "uncounted",
]

_NAMES = ("bubblewrap", "docker", "docker-office", "unsafe-local")


def create(name: str = "bubblewrap", limits: Limits | None = None) -> Sandbox:
    """A new sandbox of the backend ``name``, not open yet. Raises UsageError for an unknown name."""
    if name == "bubblewrap":
        from workgym.sandbox.bubblewrap import Bubblewrap

        return Bubblewrap(limits)
    if name in ("docker", "docker-office"):
        from workgym.sandbox.docker import Docker

        return Docker(limits, office=name == "docker-office")
    if name == "unsafe-local":
        from workgym.sandbox.local import UnsafeLocal

        return UnsafeLocal(limits)
    raise UsageError(f"unknown sandbox {name!r}", fix=f"use one of {', '.join(_NAMES)}")


def try_out(name: str) -> None:
    """Open a sandbox of the backend ``name`` and close it, for whoever needs one only after something was paid for.

    Raises UsageError for an unknown name, and SandboxError where none can be had, with the remedy.
    """
    with create(name) as box:
        box.open({}, ())


def available() -> dict[str, str]:
    """Every backend, with an empty text where it works here, else the reason and the remedy in one line."""
    from workgym.sandbox import bubblewrap, docker, guestenv

    built = "" if guestenv.ready() else "the guest environment is not built; run `workgym doctor --prepare`"
    return {
        "bubblewrap": bubblewrap.reason(),
        "docker": docker.reason(),
        "docker-office": docker.reason(office=True),
        "unsafe-local": built,
    }


def cold() -> str:
    """Why guests of bubblewrap are started one by one here, and not forked; empty where they are forked."""
    from workgym.sandbox import zygote

    return zygote.reason()


def uncounted() -> str:
    """Why the memory of all processes of a sandbox of bubblewrap cannot be limited here; empty where it is."""
    from workgym.sandbox import cgroups

    return cgroups.reason()


def clean() -> list[str]:
    """Remove folders, control groups and containers that dead host processes left; a line for each thing removed."""
    from workgym.sandbox import cgroups, docker, state

    removed = [f"control group {name}" for name in cgroups.clean(state.dead())]
    removed += [f"folder {name}" for name in state.clean()]
    # Where no daemon answers it holds nothing of ours that could be removed now.
    with contextlib.suppress(SandboxError):
        removed += [f"container {name}" for name in docker.clean()]
    return removed
