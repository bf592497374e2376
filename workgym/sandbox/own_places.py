"""What of ours lies where guests can read: installed copies, shelves, corpora. A guest that sees ``/usr`` sees none."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from workgym import shelves
from workgym.errors import SandboxUnavailable

_COPIES = tuple(f"{lib}/python*/{kind}-packages/workgym" for lib in ("lib*", "local/lib*") for kind in ("site", "dist"))


def covered() -> list[str]:
    """Options of bubblewrap that lay nothing over what no guest may see below ``/usr``."""
    options: list[str] = []
    named = (os.environ.get(name, "") for name in ("WORKGYM_PATH", "WORKGYM_CORPUS"))
    for hidden in map(str, own_places(Path("/usr"), *named)):
        over = ["--tmpfs", hidden, "--remount-ro", hidden]
        options += over if os.path.isdir(hidden) else ["--ro-bind", "/dev/null", hidden]
    return options


@functools.cache
def own_places(usr: Path, shelf_path: str, corpora: str) -> tuple[Path, ...]:
    """Folders and files below ``usr`` that no guest may see: what is hidden can be rebuilt or read from them.

    They are every installed copy of workgym, its shelves, and the entries of ``WORKGYM_PATH`` (``shelf_path``) and
    ``WORKGYM_CORPUS`` (``corpora``). Raises SandboxUnavailable for one that holds ``usr`` itself.
    """
    named = [Path(entry).resolve() for entry in f"{shelf_path}{os.pathsep}{corpora}".split(os.pathsep) if entry]
    for entry in named:
        if usr.is_relative_to(entry):
            raise SandboxUnavailable(
                f"{entry} holds {usr}, which every guest sees", fix="move what WORKGYM_PATH or WORKGYM_CORPUS names"
            )
    found = {
        Path(__file__).resolve().parents[1],
        *((root / kind).resolve() for root in shelves.roots() for kind in ("envs", "tests")),
        *(copy.resolve() for copies in _COPIES for copy in usr.glob(copies)),
        *named,
    }
    mine = {place for place in found if place.is_relative_to(usr) and place.exists()}
    return tuple(sorted(place for place in mine if mine.isdisjoint(place.parents)))
