"""What a corpus or an evaluation set holds: requests, and files that lie with them.

A folder with ``task.yaml`` is a package: its request, its files, the pages of its offline site and the expert's
deliverables count. Any other file is a file; tables of requests and texts are requests, too (:mod:`.tables`). Links,
pipes and devices are passed by and told.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BufferedIOBase
from pathlib import Path

from workgym import corpus
from workgym.corpus.hygiene import tables
from workgym.corpus.hygiene.held import Held, Request
from workgym.errors import UsageError

PARTS = ("files", "external", "hidden/expert/files")
"""Folders of a package whose files count."""
_TASK = "task.yaml"


@dataclass
class Holding:
    """All of it."""

    label: str
    """What it is called: the paths that were given."""
    tasks: int = 0
    """Packages."""
    requests: list[Request] = field(default_factory=list)
    """Everything that is asked for."""
    files: list[Held] = field(default_factory=list)
    """Every file."""
    unread: dict[str, str] = field(default_factory=dict)
    """What could not be looked at, by name, with the reason."""

    def package(self, folder: Path) -> None:
        """Add a package on disk; one whose request cannot be read is noted."""
        owner = folder.name
        self.tasks += 1
        request = folder / "request.md"
        content = self._content(request, f"{owner}/request.md")
        if content is not None:
            self.requests.append(Request(owner, content.decode("utf-8", "replace")))
        for part in PARTS:
            for path in self._walk(folder / part):
                self.files.append(_held(owner, path, folder))

    def loose(self, root: Path, paths: Iterable[Path], columns: Iterable[str] = ()) -> set[str]:
        """Add files that belong to no package; those of ``columns``, which hold requests, that are in a table."""
        files = [_held(root.name, path, root) for path in paths]
        self.files += files
        asked = tables.requests(files, columns)
        self.requests += [Request(f"{root.name}/{at}", text) for at, text in asked.found]
        self.unread |= {f"{root.name}/{path}": reason for path, reason in asked.unread.items()}
        return asked.met

    def _walk(self, folder: Path) -> Iterator[Path]:
        """Regular files at or below, by name."""
        for where, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = Path(where) / name
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path
                else:
                    self.unread[str(path)] = "not a regular file"

    def _content(self, path: Path, name: str) -> bytes | None:
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                raise OSError("not a regular file")
            return path.read_bytes()
        except OSError as error:
            self.unread[name] = str(error.strerror or error).lower()
            return None


def _held(owner: str, path: Path, root: Path) -> Held:
    return Held(owner, path.relative_to(root).as_posix(), partial(_opened, path), path.lstat().st_size)


def _opened(path: Path) -> BufferedIOBase:
    return open(path, "rb")


def ours(names: Iterable[str]) -> Holding:
    """What is checked: packages, folders of packages, ids. Raises UsageError where there is none."""
    named = tuple(names)
    found = Holding(", ".join(named))
    for name in named:
        path = Path(name)
        if (path / _TASK).is_file():
            found.package(path)
        elif path.is_dir():
            for one in corpus.named(name):
                if one.home is None:
                    _by_id(found, one.name)
                else:
                    found.package(one.home)
        else:
            _by_id(found, name)
    return found


def _by_id(found: Holding, name: str) -> None:
    package = corpus.load(name)
    owner = corpus.bare(package.id)
    found.tasks += 1
    found.requests.append(Request(owner, package.request))
    parts = {"files": package.files, "hidden/expert/files": package.hidden.expert_files}
    for part, files in parts.items():
        for path, content in files.items():
            found.files.append(Held(owner, f"{part}/{path}", partial(io.BytesIO, content), len(content)))


def theirs(names: Iterable[str], apart_from: Iterable[str] = (), columns: Iterable[str] = ()) -> Holding:
    """An evaluation set: folders of packages and of any files, or single files.

    ``columns`` are names of such as hold requests, beside those that are known. Where no request is found, that is told
    in ``unread``. Raises UsageError where nothing is there, where a path is, holds, or lies in one of ``apart_from``,
    and where no table has one of the columns.
    """
    named, wanted = tuple(names), tuple(columns)
    met: set[str] = set()
    checked = [Path(name).resolve() for name in apart_from if Path(name).exists()]
    found = Holding(", ".join(named))
    for name in named:
        path = Path(name)
        if not path.exists():
            raise UsageError(f"--against {name}: nothing is there")
        real = path.resolve()
        if any(real == other or real in other.parents or other in real.parents for other in checked):
            raise UsageError(f"--against {name}: it would be compared with itself", fix="give another folder")
        if path.is_file():
            met |= found.loose(path.parent, [path], wanted)
        else:
            met |= _folder(found, path, wanted)
    if not found.requests and not found.files:
        raise UsageError(f"--against {found.label}: there is neither a request nor a file")
    for name in wanted:
        if name not in met:
            raise UsageError(f"--column {name}: no table of {found.label} has it", fix="write it as the table does")
    if not found.requests and not found.unread:
        found.unread[found.label] = "no request is in it; only its files were compared"
    return found


def _folder(found: Holding, root: Path, columns: Iterable[str]) -> set[str]:
    loose: list[Path] = []
    for where, folders, names in os.walk(root):
        folders.sort()
        here = Path(where)
        if _TASK in names:
            folders.clear()
            found.package(here)
            continue
        for name in sorted(names):
            path = here / name
            if stat.S_ISREG(path.lstat().st_mode):
                loose.append(path)
            else:
                found.unread[str(path)] = "not a regular file"
    return found.loose(root, loose, columns)
