"""Real files: a folder of them, read in the limited child process, and told to a model as a profile of each."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from workgym.documents import Document, Fragment, read_all
from workgym.errors import Unreadable, UsageError
from workgym.records import Record

MOST, LARGEST, DEEPEST = 400, 32 * 1024 * 1024, 8
"""Files of a folder, bytes of one that is read, folders below it that are looked into."""
TOGETHER = 256 * 1024 * 1024
"""Bytes of all that is read."""
SHOWN = 24
"""Files of a bundle that are told; of the others the names."""
ALL, EACH = 24_000, 2_400
"""Characters that are told of a bundle, and of one file at most."""
_ROWS, _CELL, _LINE = 7, 60, 300
_FIX = "give a folder with the files of one matter, or with a folder for each"


class Artifact(Record):
    """One file as a model is told of it."""

    path: str
    """Path from the folder."""
    size: int
    """Bytes."""
    sha256: str
    """Digest of the file."""
    profile: str
    """What is in it, cut to what fits; or why it cannot be read."""
    readable: bool
    """Whether it could be read."""


class Bundle(Record):
    """Files that belong together: those of one folder, with all below it."""

    name: str
    """The folder's name."""
    files: tuple[Artifact, ...]
    """Its files, by path."""

    @property
    def readable(self) -> tuple[str, ...]:
        """Paths of the files that could be read."""
        return tuple(file.path for file in self.files if file.readable)

    def told(self) -> str:
        """The profiles of all files, in so many characters as fit."""
        files = sorted(self.files, key=lambda file: not file.readable)
        room = ALL // max(1, min(SHOWN, len(files)))
        parts = [f"### {file.path} ({file.size:,} bytes)\n{_cut(file.profile, room)}" for file in files[:SHOWN]]
        rest = ", ".join(file.path for file in files[SHOWN:])
        return "\n\n".join(parts) + (f"\n\nBesides: {_cut(rest, 2000)}" if rest else "")


def bundles(folder: Path) -> tuple[Bundle, ...]:
    """The files of each folder in ``folder``, and those that lie in it directly, as bundles.

    Links are not followed. Raises UsageError for what cannot be used.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder", fix=_FIX)
    paths = list(islice(_files(folder), MOST + 1))
    if len(paths) > MOST:
        raise UsageError(f"{folder}: more than {MOST} files", fix=_FIX)
    if sum(size for path in paths if (size := path.stat().st_size) <= LARGEST) > TOGETHER:
        raise UsageError(f"{folder}: its files have more than {TOGETHER >> 20} MiB together", fix=_FIX)
    matters: dict[str, list[Path]] = {}
    for path in paths:
        parts = path.relative_to(folder).parts
        matters.setdefault(parts[0] if len(parts) > 1 else "", []).append(path)
    found = [_bundle(folder, name, files) for name, files in sorted(matters.items())]
    usable = tuple(bundle for bundle in found if bundle.readable)
    if not usable:
        raise UsageError(f"{folder}: none of its {len(paths)} files can be read", fix=_FIX)
    return usable


def _files(folder: Path) -> Iterator[Path]:
    for here, inner, names in os.walk(folder):
        place = Path(here)
        deep = len(place.relative_to(folder).parts)
        inner[:] = sorted(name for name in inner if not name.startswith(".")) if deep < DEEPEST else []
        for name in sorted(names):
            file = place / name
            if not name.startswith(".") and not file.is_symlink() and file.is_file():
                yield file


def _bundle(folder: Path, name: str, paths: list[Path]) -> Bundle:
    contents: dict[str, bytes] = {}
    large: list[Artifact] = []
    for path in paths:
        inner, size = path.relative_to(folder).as_posix(), path.stat().st_size
        if size > LARGEST:
            large.append(Artifact(path=inner, size=size, sha256="", profile="too large to be read", readable=False))
        else:
            contents[inner] = path.read_bytes()
    files = [*_profiled(contents), *large]
    return Bundle(name=name or folder.resolve().name, files=tuple(sorted(files, key=lambda file: file.path)))


def _profiled(contents: Mapping[str, bytes]) -> Iterator[Artifact]:
    for path, document in read_all(contents).items():
        content = contents[path]
        refused = isinstance(document, Unreadable)
        yield Artifact(
            path=path,
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            profile=f"cannot be read: {document.reason}" if isinstance(document, Unreadable) else profile(document),
            readable=not refused,
        )


def profile(document: Document) -> str:
    """A document in a few lines: of each grid its size and first rows, of prose what fits, then the files in it."""
    lines: list[str] = []
    for table in dict.fromkeys(fragment.table for fragment in document.fragments):
        own = [fragment for fragment in document.fragments if fragment.table == table and not fragment.hidden]
        lines += _grid(table, own) if table is not None and own and own[0].row is not None else _prose(own)
    for member in document.members:
        lines.append(f"[in it: {member.path.rpartition('//')[2]}]")
        lines += _cut(profile(member), EACH // 3).splitlines()
    return _cut("\n".join(lines) or "empty", EACH)


def _grid(name: str, fragments: list[Fragment]) -> list[str]:
    rows: dict[int, list[str]] = {}
    for fragment in fragments:
        rows.setdefault(fragment.row or 0, []).append(_cut(" ".join(fragment.text.split()), _CELL))
    formulas = sum(fragment.formula is not None for fragment in fragments)
    note = f", {formulas} formulas" if formulas else ""
    shown = [" | ".join(rows[row]) for row in sorted(rows)[:_ROWS]]
    return [f"[table {name}: {len(rows)} rows{note}]", *(_cut(line, 2 * _LINE) for line in shown)]


def _prose(fragments: list[Fragment]) -> list[str]:
    lines, room = [], EACH
    for fragment in fragments:
        said = " ".join(fragment.text.split())
        line = _cut(f"{fragment.label}: {said}" if fragment.label else said, _LINE)
        if room < 0:
            break
        room -= len(line)
        lines.append(line)
    return lines


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: max(0, most - 4)].rstrip() + " ..."
