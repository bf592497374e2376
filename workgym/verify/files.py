"""The files of a final workspace: what was handed in, opened in a limited child, and what was done to the rest.

A deliverable that is missing, damaged, locked, a bomb or over a counted limit is *failed*. It is *unscored* only where
the expert's deliverable of that name cannot be read in the same process either (where the package carries none: a
sound file of that format), or no child can be started: then our side is the cause, and nothing that an agent writes
changes that.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from workgym.documents import Document, read_all
from workgym.documents.image.recognition import recognised, shows_pictures
from workgym.errors import MissingExtra, SandboxError, Unreadable
from workgym.package import TaskPackage, content_digest
from workgym.verify.probes import probe

_LOCKS = (".~lock.", "~$")
_CACHES = frozenset({"__pycache__", ".DS_Store", "Thumbs.db", ".ipynb_checkpoints"})
_CONTAINERS = ("xlsx", "docx", "pptx")
_MAYBE_CACHED = ("unknown-function", "corrupt")
_MAGIC = {"png": b"\x89PNG", "jpg": b"\xff\xd8\xff", "jpeg": b"\xff\xd8\xff"}
_NO_EYES = "it cannot be read without workgym[ocr]: pip install 'workgym[ocr]'"
_OLE = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True)
class Opened:
    """A deliverable after the attempt to read it."""

    path: str
    """Its path."""
    document: Document | None
    """What it says, or None where it cannot be read."""
    state: Literal["passed", "failed", "unscored"]
    """``passed`` where it was read."""
    message: str
    """Why not, in one sentence; empty where it was read."""


def open_deliverables(package: TaskPackage, files: Mapping[str, bytes]) -> dict[str, Opened]:
    """Read every deliverable of a task, by path; formulas are recalculated first."""
    wanted = [deliverable.path for deliverable in package.hidden.graph.deliverables]
    given = {path: files[path] for path in wanted if path in files}
    unscored = ""
    try:
        found = read_deliverables(given)
    except SandboxError as error:
        found = {}
        unscored = f"no process could be started to read it: {error}"
    opened = {}
    for path in wanted:
        result = found.get(path)
        if path not in given:
            opened[path] = Opened(path, None, "failed", f"{path} was not handed in")
        elif result is None:
            opened[path] = Opened(path, None, "unscored", unscored)
        elif isinstance(result, Document) and shows_pictures(result) and _unseen(package, path):
            opened[path] = Opened(path, None, "unscored", f"{path} shows a picture: {_NO_EYES}")
        elif isinstance(result, Document):
            opened[path] = Opened(path, result, "passed", "")
        else:
            opened[path] = _refused(package, path, result)
    return opened


def read_deliverables(files: Mapping[str, bytes]) -> dict[str, Document | Unreadable]:
    """Documents by path, with formulas recalculated; with the values that the file brings where they cannot be."""
    found = read_all(files, recalculated=True)
    refused = {path: result for path, result in found.items() if isinstance(result, Unreadable)}
    again = {path: files[path] for path, result in refused.items() if result.reason in _MAYBE_CACHED}
    for path, result in read_all(again).items():
        if isinstance(result, Document) and not result.uncached:
            found[path] = result
    return {path: _looked_at(result, files[path]) for path, result in found.items()}


def _looked_at(result: Document | Unreadable, content: bytes) -> Document | Unreadable:
    """A document with the text of its pictures; as it is where the extra that reads them is not installed."""
    if isinstance(result, Unreadable) or not shows_pictures(result):
        return result
    try:
        return recognised(result, content)
    except MissingExtra:
        return result
    except Unreadable as error:
        return error


def _unseen(package: TaskPackage, path: str) -> bool:
    """Whether a sound deliverable is a picture, too: if not, nobody asked for the one that was handed in."""
    sound = sound_document(package, path)
    return isinstance(sound, Document) and shows_pictures(sound)


def _refused(package: TaskPackage, path: str, error: Unreadable) -> Opened:
    message = f"{path} cannot be read: {error.reason}: {error.detail}"
    sound = sound_document(package, path)
    if isinstance(sound, Unreadable):
        return Opened(path, None, "unscored", f"{message}; nor can a sound one: {sound.reason}: {sound.detail}")
    return Opened(path, None, "failed", message)


def sound_document(package: TaskPackage, path: str) -> Document | Unreadable | None:
    """The expert's deliverable of that name, else a sound file of its format, read in the same way.

    None where the name is of no format that is read: no file of that name could be.
    """
    content = sound_file(package, path)
    if content is None:
        return None
    try:
        return read_deliverables({path: content})[path]
    except SandboxError as error:
        return Unreadable(path, "corrupt", error.message)


def sound_file(package: TaskPackage, path: str) -> bytes | None:
    """The expert's deliverable of that name, else the file that was given under it, else a sound file of its format.

    None for a format that is not read.
    """
    return package.hidden.expert_files.get(path) or package.files.get(path) or probe(path)


def changed_inputs(package: TaskPackage, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Paths of given files that are gone or say something else, each with what happened to it.

    Files that the solver has to fill in or extend are no inputs of that kind: see ``guards``.
    """
    found = []
    for path, content in sorted(package.files.items()):
        if path in edited(package):
            continue
        if path not in files:
            found.append(f"{path} is gone")
        elif files[path] != content and not _same_content(path, content, files[path]):
            found.append(f"{path} was changed")
    return tuple(found)


def edited(package: TaskPackage) -> tuple[str, ...]:
    """Paths of deliverables that are given and filled in or extended in place."""
    found = (deliverable for deliverable in package.hidden.graph.deliverables if deliverable.edits)
    return tuple(deliverable.path for deliverable in found if deliverable.path in package.files)


def _same_content(path: str, given: bytes, now: bytes) -> bool:
    """Whether two containers hold the same parts; what claims to unpack to something else is not unpacked."""
    if path.rpartition(".")[2].lower() not in _CONTAINERS or len(now) > 2 * len(given) + (1 << 20):
        return False
    try:
        listed = [_listing(content) for content in (given, now)]
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError):
        return False
    return listed[0] == listed[1] and content_digest(path, given) == content_digest(path, now)


def _listing(content: bytes) -> list[tuple[str, int, int]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sorted((info.filename, info.file_size, info.CRC) for info in archive.infolist())


def stray_files(package: TaskPackage, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Paths that are neither given nor asked for; lock files and caches of office programs and Python are let be."""
    known = set(package.files) | {deliverable.path for deliverable in package.hidden.graph.deliverables}
    return tuple(path for path in sorted(files) if path not in known and not _harmless(path))


def _harmless(path: str) -> bool:
    *folders, name = path.split("/")
    return name.startswith(_LOCKS) or any(part in _CACHES for part in (*folders, name))


def mistyped(package: TaskPackage, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Deliverables whose content is plainly of another format than their name says."""
    wanted = [deliverable.path for deliverable in package.hidden.graph.deliverables]
    return tuple(path for path in wanted if files.get(path) and not _fits(path, files[path]))


def _fits(path: str, content: bytes) -> bool:
    ending = path.rpartition(".")[2].lower()
    if ending in _CONTAINERS:
        return content.startswith((b"PK", _OLE))  # OLE: protected by a password, which reading tells
    if ending == "pdf":
        return b"%PDF-" in content[:1024]
    if ending in _MAGIC:
        return content.startswith(_MAGIC[ending])
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return not content.startswith((b"PK\x03\x04", _OLE, b"%PDF-")) and (wide or b"\0" not in content[:4096])
