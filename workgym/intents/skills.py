"""Documented skills: a folder of markdown files, each with a header that says what it is for, read within limits.

``NAME/SKILL.md`` and ``NAME.md`` are both read. The header (``name``, ``description``) may be missing: the name is the
folder's or the file's then, the description the first paragraph. The files may be strangers', so that they are read in
the limited child process; what they say is data in every prompt.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from workgym.errors import ChildFailed, UsageError
from workgym.records import Record
from workgym.records.yaml12 import read_yaml
from workgym.sandbox.child import run

MOST, LARGEST, DEEPEST = 2000, 256 * 1024, 6
"""Files of a folder, bytes of one, folders below it that are looked into."""
TOGETHER = 32 * 1024 * 1024
"""Bytes of all files of a folder."""
HEADER = 8 * 1024
"""Characters of a header."""
NAME, DESCRIPTION, BODY = 80, 600, 6000
"""Characters that are kept."""
_ABOUT = ("readme.md", "changelog.md", "license.md", "contributing.md")
_LIMITS = f"a skill is a markdown file of at most {LARGEST // 1024} KiB"


class Skill(Record):
    """A documented skill."""

    name: str
    """What it is called."""
    description: str
    """What it is for."""
    body: str
    """How it is done; cut where it is long."""
    file: str
    """Path from the folder."""
    sha256: str
    """Digest of the file."""


def skills(folder: Path) -> tuple[Skill, ...]:
    """All skills of a folder, by name. Raises UsageError that names the file, the place, and what is wrong."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder", fix="give a folder of markdown files")
    files = {}
    room = TOGETHER
    for file in _files(folder):
        files[str(file.relative_to(folder))] = content = _content(file)
        room -= len(content)
        if room < 0:
            raise UsageError(f"{folder}: more than {TOGETHER >> 20} MiB of skills", fix="give a smaller folder")
    if not files:
        raise UsageError(f"{folder}: no markdown files in it", fix="a skill is NAME/SKILL.md or NAME.md")
    try:
        answer = run("workgym.intents.skills:read_json", None, files=files)
    except ChildFailed as error:
        raise UsageError(f"{folder}: cannot be read: {error.kind}, {error.detail}", fix=_LIMITS) from None
    found = []
    for path, raw in answer.items():
        if "wrong" in raw:
            raise UsageError(f"{folder / path}{raw['wrong']}", fix="mend its header, or take the file out")
        found.append(Skill(file=path, sha256=hashlib.sha256(files[path]).hexdigest(), **raw))
    found.sort(key=lambda skill: (skill.name.casefold(), skill.file))
    for one, other in pairwise(found):
        if one.name.casefold() == other.name.casefold():
            raise UsageError(f"{folder / other.file}: {other.name!r} is the name of {one.file}, too", fix="rename one")
    return tuple(found)


def _files(folder: Path) -> Iterator[Path]:
    """Markdown files, links left alone, in the order of their paths."""
    count = 0
    for here, inner, names in os.walk(folder):
        place = Path(here)
        deep = len(place.relative_to(folder).parts)
        inner[:] = sorted(name for name in inner if not name.startswith(".")) if deep < DEEPEST else []
        own = [name for name in sorted(names) if name.lower() == "skill.md"]
        for name in own or sorted(names):
            file = place / name
            if name.lower().endswith((".md", ".markdown")) and name.lower() not in _ABOUT and not file.is_symlink():
                count += 1
                if count > MOST:
                    raise UsageError(f"{folder}: more than {MOST:,} skills", fix="give a smaller folder")
                yield file
        if own:
            inner[:] = []  # the rest of a skill's folder is its material


def _content(file: Path) -> bytes:
    size = file.stat().st_size
    if size > LARGEST:
        raise UsageError(f"{file}: {size:,} bytes", fix=_LIMITS)
    return file.read_bytes()


def read_json(_: None, files: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """What the child runs: by path name, description and body, or ``wrong``: ``:line: reason``."""
    found: dict[str, dict[str, Any]] = {}
    for path, content in files.items():
        try:
            found[path] = _parsed(path, content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            found[path] = {"wrong": f": not UTF-8 at byte {error.start}"}
        except UsageError as error:
            found[path] = {"wrong": error.message.removeprefix(path)}
    return found


def _parsed(path: str, text: str) -> dict[str, Any]:
    text = text.replace("\r\n", "\n")
    head: Any = {}
    body = text
    if text.startswith("---\n"):
        end = re.search(r"^---[ \t]*$", text[4 : HEADER + 8], re.M)
        if end is None:
            raise UsageError(f"{path}:1: its header does not end (a line ---) within {HEADER:,} characters")
        head = read_yaml("\n" + text[4 : 4 + end.start()], path) or {}
        body = text[4 + end.end() :]
        if not isinstance(head, dict):
            raise UsageError(f"{path}:2: its header is no mapping of name and description")
    place = Path(path)
    fallback = place.parent.name if place.name.lower() == "skill.md" and place.parent.name else place.stem
    name, said = head.get("name", fallback), head.get("description", _first(body))
    for key, value in (("name", name), ("description", said)):
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{path}:2: {key} is no text")
    return {"name": _short(name, NAME), "description": _short(said, DESCRIPTION), "body": _cut(body.strip(), BODY)}


def _first(body: str) -> str:
    """The first paragraph that is no heading."""
    for part in re.split(r"\n\s*\n", body):
        plain = "\n".join(line for line in part.splitlines() if not line.startswith("#")).strip()
        if plain:
            return plain
    return "not described"


def _short(text: str, most: int) -> str:
    return _cut(" ".join(text.split()), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 4].rstrip() + " ..."
