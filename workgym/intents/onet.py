"""O*NET databases that users download: titles, tasks and skills of occupations, told to the model that expands them.

The database is made by the US Department of Labor and licensed CC BY 4.0: it may be used, changed and shared with
attribution, which stands in every file and intent that rests on it. It comes as a zip or a folder of tab-separated
texts; two of these have to be there, two are read where they are. All are read in the limited child process.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from workgym.errors import ChildFailed, UsageError
from workgym.records import Record
from workgym.records.soc import soc
from workgym.records.whole import write_whole
from workgym.sandbox.child import JobLimits, run

FORMAT = 1
"""Version of the file that an import writes."""
TASKS, SKILLS, TITLES = 25, 10, 10
"""What is kept of each occupation: the first ones as the database lists them, of skills the most important."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a download, and of each text in it."""
LONGEST = 400
"""Characters of one task or description."""
_FIX = "give the tab-separated download of the O*NET database (db_..._text.zip), or the folder that it unpacks to"
_CODE = re.compile(r"\d\d-\d{4}\.\d\d")


class Table(NamedTuple):
    """A text of the database."""

    file: str
    """Its name."""
    columns: tuple[str, ...]
    """Columns that are read."""
    needed: bool
    """Whether it has to be there."""


TABLES = (
    Table("Occupation Data.txt", ("O*NET-SOC Code", "Title", "Description"), True),
    Table("Task Statements.txt", ("O*NET-SOC Code", "Task"), True),
    Table("Skills.txt", ("O*NET-SOC Code", "Element Name", "Scale ID", "Data Value"), False),
    Table("Alternate Titles.txt", ("O*NET-SOC Code", "Alternate Title"), False),
)


class OnetOccupation(Record):
    """What O*NET says of a detailed occupation of SOC 2018; several of its own occupations may be in it."""

    titles: tuple[str, ...]
    """Titles of O*NET's occupations, then other titles that people have."""
    description: str
    """What the first of them do."""
    tasks: tuple[str, ...]
    """What they do, one sentence each."""
    skills: tuple[str, ...]
    """Skills by importance."""

    def told(self, number: int) -> str:
        """A few lines for a prompt; other numbers show other tasks first, so that not all intents are of the first."""
        start = (5 * number) % max(1, len(self.tasks))
        tasks = (self.tasks[start:] + self.tasks[:start])[:8]
        lines = [f"What is known of it (O*NET): {self.description}", f"Also called: {', '.join(self.titles[:6])}"]
        lines += ["Some of its tasks:", *(f"- {task}" for task in tasks)] if tasks else []
        lines += [f"Important skills: {', '.join(self.skills[:6])}"] if self.skills else []
        return "\n".join(lines)


class Onet(Record):
    """An imported database."""

    format: int = FORMAT
    """Version of this file."""
    release: str
    """Release of the database; empty where nothing says it."""
    attribution: str
    """What its licence asks to be said wherever it is used."""
    occupations: Mapping[str, OnetOccupation]
    """By detailed code of SOC 2018."""
    unknown: tuple[str, ...] = ()
    """Codes that SOC 2018 has no detailed occupation for: of older releases, or of the armed forces."""

    @classmethod
    def read(cls, file: Path) -> Onet:
        """What an import wrote. Raises UsageError."""
        try:
            found = cls.model_validate_json(file.read_text("utf-8"))
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}") from None
        except (ValidationError, UnicodeDecodeError):
            raise UsageError(
                f"{file}: not what an import writes", fix="workgym intents import-onet DOWNLOAD -o FILE"
            ) from None
        if found.format != FORMAT:
            raise UsageError(f"{file}: format {found.format} is not known here", fix="import the download again")
        return found

    def write(self, file: Path) -> None:
        """Write it down, whole or not at all."""
        write_whole(file, self.model_dump_json(indent=1) + "\n")


def import_onet(path: Path) -> Onet:
    """Read a download, a zip or a folder. Raises UsageError that names the file and what is wrong with it."""
    files = _files(path)
    try:
        answer = run(
            "workgym.intents.onet:read_json", None, files=files, limits=JobLimits(memory_mib=1024, cpu_seconds=60)
        )
    except ChildFailed as error:
        raise UsageError(f"{path}: cannot be read: {error.kind}, {error.detail}", fix=_FIX) from None
    if "wrong" in answer:
        raise UsageError(f"{path}: {answer['wrong']}", fix=_FIX)
    release = _release(path, answer["names"])
    known = {one.code for one in soc().level("detailed")}
    found = {code: OnetOccupation.model_validate(raw) for code, raw in answer["occupations"].items() if code in known}
    if not found:
        raise UsageError(f"{path}: Occupation Data.txt: no occupation of SOC 2018 in it", fix=_FIX)
    return Onet(
        release=release,
        attribution=_attribution(release),
        occupations=found,
        unknown=tuple(sorted(answer["occupations"].keys() - found.keys())),
    )


def _attribution(release: str) -> str:
    named = f"O*NET {release} Database" if release else "O*NET Database"
    return (
        f"{named} by the US Department of Labor, Employment and Training Administration (USDOL/ETA), CC BY 4.0 "
        "(https://creativecommons.org/licenses/by/4.0/); grouped by SOC 2018 code and shortened by workgym, which "
        "USDOL/ETA has not approved or tested. O*NET is a trademark of USDOL/ETA."
    )


def _release(path: Path, names: list[str]) -> str:
    for name in (path.name, path.resolve().name, *names):
        if found := re.search(r"db_(\d+)_(\d+)", name):
            return f"{found[1]}.{found[2]}"
    return ""


def _files(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {path.name: _content(path)}
    if not path.is_dir():
        raise UsageError(f"{path}: there is no such file or folder", fix=_FIX)
    inner = [path, *sorted(entry for entry in path.iterdir() if entry.is_dir() and not entry.is_symlink())]
    for folder in inner:
        found = {table.file: folder / table.file for table in TABLES if (folder / table.file).is_file()}
        if found:
            return {f"{folder.name}/{name}": _content(file) for name, file in found.items()}
    raise UsageError(f"{path}: no {TABLES[0].file} in it", fix=_FIX)


def _content(file: Path) -> bytes:
    if file.stat().st_size > LARGEST:
        raise UsageError(f"{file}: larger than {LARGEST >> 20} MiB", fix=_FIX)
    return file.read_bytes()


def read_json(_: None, files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the child runs, over the texts or one zip: ``{"occupations", "names"}``, or ``{"wrong"}`` and why."""
    try:
        return _read(files)
    except ValueError as error:
        return {"wrong": str(error)}


def _read(files: Mapping[str, bytes]) -> dict[str, Any]:
    texts, names = _unpacked(files)
    found: dict[str, dict[str, Any]] = {}
    ranked: dict[str, dict[str, float]] = {}

    def of(row: Mapping[str, str]) -> dict[str, Any]:
        empty: dict[str, Any] = {"titles": [], "description": "", "tasks": [], "skills": []}
        return found.setdefault(row["O*NET-SOC Code"][:7], empty)

    for row in _rows(texts, TABLES[0]):
        entry = of(row)
        entry["titles"].append(_short(row["Title"]))
        entry["description"] = entry["description"] or _short(row["Description"])
    for row in _rows(texts, TABLES[1]):
        _put(of(row)["tasks"], row["Task"], TASKS)
    for row in _rows(texts, TABLES[2]):
        if row["Scale ID"] == "IM" and re.fullmatch(r"\d+(\.\d+)?", row["Data Value"]):
            best = ranked.setdefault(row["O*NET-SOC Code"][:7], {})
            best[row["Element Name"]] = max(best.get(row["Element Name"], 0.0), float(row["Data Value"]))
    for row in _rows(texts, TABLES[3]):
        _put(of(row)["titles"], row["Alternate Title"], TITLES)
    for code, skills in ranked.items():
        ordered = sorted(skills, key=lambda name: (-skills[name], name))
        of({"O*NET-SOC Code": code})["skills"] = [_short(name) for name in ordered[:SKILLS]]
    return {"occupations": found, "names": names}


def _put(entries: list[str], text: str, most: int) -> None:
    said = _short(text)
    if said and said not in entries and len(entries) < most:
        entries.append(said)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 4] + " ..."


def _unpacked(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], list[str]]:
    """The texts by their names, without folders, and where they lay."""
    first, content = next(iter(files.items()))
    if len(files) > 1 or first.endswith(".txt"):
        return {name.rpartition("/")[2]: text for name, text in files.items()}, list(files)
    wanted = {table.file for table in TABLES}
    texts, names = {}, []
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                name = info.filename.rpartition("/")[2]
                if name in wanted:
                    if info.file_size > LARGEST:
                        raise ValueError(f"{name}: larger than {LARGEST >> 20} MiB")
                    with archive.open(info) as member:
                        texts[name] = member.read(LARGEST)
                    names.append(info.filename)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise ValueError(f"not a zip that can be read: {error}") from None
    return texts, names


def _rows(texts: Mapping[str, bytes], table: Table) -> list[dict[str, str]]:
    """Rows of one text with a code of an occupation. Raises ValueError where columns are missing."""
    if table.file not in texts:
        if table.needed:
            raise ValueError(f"no {table.file} in it")
        return []
    try:
        text = texts[table.file].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{table.file}: not UTF-8 at byte {error.start}") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    head = list(reader.fieldnames or ())
    if missing := [name for name in table.columns if name not in head]:
        there = ", ".join(head)[:120] or "nothing"
        raise ValueError(f"{table.file}:1: no column {json.dumps(missing[0])}; there are {there}")
    try:
        rows = [{name: row[name] or "" for name in table.columns} for row in reader]
    except csv.Error as error:
        raise ValueError(f"{table.file}:{reader.line_num}: {error}") from None
    return [row for row in rows if _CODE.fullmatch(row["O*NET-SOC Code"])]
