"""Tools as a solver meets them: which packs there are, and whether the arguments of a call are right.

A pack is a folder on the ``tools`` shelf: ``pack.yaml`` and a file of guest code, which travels to the
sandbox as text. Arguments are checked here, on the host, before a call is sent, so that every backend
and every harness gives the same one clear observation for a bad one.
"""

from __future__ import annotations

from workgym.sandbox.packs import Manifest, Pack, PackTool, load, load_all, manifest, names
from workgym.sandbox.schema import complaint, refusal

__all__ = ["Manifest", "Pack", "PackTool", "complaint", "load", "load_all", "manifest", "names", "packs", "refusal"]


def packs() -> tuple[Manifest, ...]:
    """The manifests of all packs on the shelves, by name; none of their code is read."""
    return tuple(manifest(name) for name in names())
