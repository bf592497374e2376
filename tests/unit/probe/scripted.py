"""Scripted probes: episodes that read a task as an agent does, and what an honest diagnosis quotes.

What a ground is labelled rests on the log and on the files alone, by plain string search; nothing of ``workgym.probe``
takes part in it.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import workgym
from workgym.defects import inject
from workgym.documents import Document, read_all
from workgym.documents.model import Fragment
from workgym.errors import UsageError
from workgym.package import TaskPackage, view
from workgym.probe import Ground
from workgym.probe.evidence import Evidence
from workgym.records import DefectClass
from workgym.testing import grade
from workgym.trajectory import Call, Trajectory

READERS = {
    "xlsx": "read_workbook",
    "docx": "read_document",
    "pdf": "read_pdf",
    "eml": "read_mail",
    "ics": "read_calendar",
}
TEXTS = ("csv", "md", "txt")
ATTRIBUTES = ("customs duty", "early payment discount", "insurance surcharge", "retention period", "exchange fixing")
"""What no family states of anything."""
OWN = "working/notes.md"
ECHO = "Checked: a surcharge of 417.25 was agreed by telephone"


def ending(path: str) -> str:
    return path.rpartition(".")[2]


@dataclass(frozen=True)
class Played:
    """A task that was read, and the log of it."""

    package: TaskPackage
    calls: tuple[Call, ...]
    evidence: Evidence
    skipped: frozenset[str]
    """Files that no call opened."""
    missed: tuple[str, ...]
    """Words for values that a defect took out."""

    @cached_property
    def documents(self) -> dict[str, Document]:
        found = read_all(self.package.files)
        return {path: document for path, document in found.items() if isinstance(document, Document)}

    def fragments(self, path: str) -> tuple[Fragment, ...]:
        return self.documents[path].fragments if path in self.documents else ()

    def answer(self, index: int) -> str:
        found = next(call.observation for call in self.calls if call.call.index == index)
        return "" if found is None else found.text

    def alone(self, path: str) -> list[Call]:
        """Calls that read this file and no other."""
        return [call for call in self.calls if call.call.arguments == {"path": path} and not failed(call)]


def failed(call: Call) -> bool:
    return call.observation is None or call.observation.is_error


def play(package: TaskPackage, out: Path, seed: int) -> Played:
    """Read most files with their own tool, some again through the shell, a search and a program, and note something."""
    rng = random.Random(f"{package.id}/{seed}")
    files = sorted(package.files)
    plain = [path for path in files if ending(path) in TEXTS]
    skipped = frozenset(rng.sample(files, 2))
    opened = [path for path in files if path not in skipped]
    shell = [path for path in plain if path not in skipped]

    def actions() -> Iterator[dict[str, Any]]:
        yield {"tool": "list_files", "arguments": {}}
        for path in opened:
            yield {"tool": READERS.get(ending(path), "read_file"), "arguments": {"path": path}}
        yield {"tool": "bash", "arguments": {"command": f"cat {' '.join(shell)}"}}
        for path in shell:
            folder, _, name = path.rpartition("/")
            yield {"tool": "bash", "arguments": {"command": f"cd {folder or '.'} && head -30 {name}"}}
        code = (
            "import pathlib\nfor p in sorted(pathlib.Path('.').rglob('*.csv')):\n    print(p)\n    print(p.read_text())"
        )
        if not any(ending(path) == "csv" for path in skipped):
            yield {"tool": "python", "arguments": {"code": code}}
        yield {"tool": "grep", "arguments": {"pattern": "[0-9]{2}", "glob": rng.choice(shell).rpartition("/")[2]}}
        yield {"tool": "search_documents", "arguments": {"query": rng.choice(("date", "amount", "period", "policy"))}}
        yield {"tool": "read_file", "arguments": {"path": "missing/summary_of_all.txt"}}
        said = "My own conclusion: the total should be 48,213.77 dollars and nothing more is needed here."
        yield {"tool": "write_file", "arguments": {"path": OWN, "content": said}}
        yield {"tool": "read_file", "arguments": {"path": OWN}}
        yield {"tool": "bash", "arguments": {"command": f"echo '{ECHO} ({shell[0]})'"}}
        yield {"tool": "submit", "arguments": {}}

    def act(episode: Any) -> None:
        for action in actions():
            episode.act(action)

    done = workgym.rollout(package, act, out=out, grade=grade)
    assert (done.end, done.error) == ("closed", None)
    log = Trajectory.open(out)
    return Played(package, tuple(log.calls()), Evidence.of(view(package), log), skipped, missed(package))


def spoiled(package: TaskPackage, defect: DefectClass | None, seed: int) -> TaskPackage:
    """The package with three defects of a class, or as many as it has places for."""
    for number in range(3 if defect else 0):
        with contextlib.suppress(UsageError):
            kind = "a value is withheld" if defect == "broken derivation" else None
            package = inject(package, defect, seed + number, kind=kind)
    return package


def missed(package: TaskPackage) -> tuple[str, ...]:
    """By its row and column, what a defect took out."""
    graph = package.hidden.graph
    return tuple(
        " ".join((*cell.key, graph.unit(cell.unit).column(cell.column).label or cell.column.replace("_", " ")))
        for unit in graph.relations("provided")
        for cell, value in package.hidden.values[unit.name].cells()
        if value is None and cell.key
    )


def lines(text: str) -> list[str]:
    """Lines that say something: a number of some length or four words, and no mark of a tool, header or greeting."""
    found = []
    for line in text.splitlines():
        line = line.strip()
        dull = re.match(r"\[|[A-Z][\w-]+: |>|Dear|Hello|Kind|Best|Regards|Thanks|\d+\t[A-Z]$", line)
        telling = re.search(r"\d{3}", line) or len(re.findall(r"[A-Za-z]{2,}", line)) >= 4
        if not dull and telling and sum(map(str.isalnum, line)) >= 12:
            found.append(line)
    return found


def squeezed(text: str) -> str:
    return " ".join(text.split())


def honest(played: Played, rng: random.Random) -> Iterator[tuple[str, Ground]]:
    """True quotes with true ids, in the ways in which a careful diagnosis gives them."""
    for call in played.calls:
        arguments, number = call.call.arguments, call.call.index
        if failed(call) or not isinstance(arguments, dict):
            continue
        path = arguments.get("path")
        if path in played.package.files:
            for quote in rng.sample(found := lines(played.answer(number)), min(3, len(found))):
                yield "a line", Ground(call=number, source=path, quote=quote)
            if found:
                quote = rng.choice(found)
                changed = quote.replace(" ", "  ", 1).replace("'", "\u2019").replace("-", "\u2013").replace("\t", " | ")
                yield "other blanks and marks", Ground(call=number, source=f"./{path}", quote=changed)
            pairs = [two for two in itertools.pairwise(found) if "\n".join(two) in played.answer(number)]
            if pairs:
                yield "two lines", Ground(call=number, source=path, quote="\n".join(rng.choice(pairs)))
            long = [line for line in found if len(line) > 60]
            if long:
                words = rng.choice(long).split(" ")
                yield "a part of a line", Ground(call=number, source=path, quote=" ".join(words[1:-1]))
        elif call.call.tool in ("bash", "python"):
            told = " ".join(arguments.values())
            for own in sorted(played.package.files):
                text = played.package.files[own].decode("utf-8", "replace") if ending(own) in TEXTS else ""
                mine = [line for line in lines(text) if line in played.answer(number)]
                alone = [line for line in mine if line not in others(played, own)]
                if alone and (own.rpartition("/")[2] in told or "*.csv" in told):
                    yield "through a program", Ground(call=number, source=own, quote=rng.choice(alone))
        elif call.call.tool in ("grep", "search_documents"):
            hits = re.findall(r"^([^:\n]+)(?::| ).*?: (.+)$", played.answer(number), re.MULTILINE)
            for source, quote in rng.sample(hits, min(3, len(hits))):
                if source in played.package.files and lines(quote):
                    yield "a search", Ground(call=number, source=source, quote=quote)
        elif call.call.tool == "list_files":
            wanted = rng.choice(sorted(played.package.files))
            yield "a listing", Ground(call=number, source=".", quote=wanted)
    for quote in rng.sample(found := lines(played.package.request), min(3, len(found))):
        yield "the request", Ground(call=0, source="request.md", quote=quote)
    yield from absent(played, rng)
    for call in played.calls:
        if failed(call) and isinstance(call.call.arguments, dict) and "path" in call.call.arguments:
            kind = "a file that cannot be read" if path_of(call) in played.package.files else "a file that is not there"
            quote = played.answer(call.call.index).splitlines()[0]
            yield kind, Ground(call=call.call.index, source=path_of(call), quote=quote)


def others(played: Played, path: str) -> str:
    """The other text files."""
    return "\n".join(
        content.decode("utf-8", "replace")
        for name, content in played.package.files.items()
        if name != path and ending(name) in TEXTS
    )


def absent(played: Played, rng: random.Random) -> Iterator[tuple[str, Ground]]:
    """What really stands nowhere: values that a defect took out, and attributes that nothing states."""
    reads = [call for path in sorted(played.package.files) for call in played.alone(path) if lines(answer_of(call))]
    for words in played.missed:
        call = rng.choice(reads)
        quote = rng.choice(lines(answer_of(call)))
        if not printed(played, words):
            yield "a value taken out", Ground(call=call.call.index, source=path_of(call), quote=quote, missing=words)
        yield from gap(reads, words)
    for attribute in ATTRIBUTES:
        call = rng.choice(reads)
        quote = rng.choice(lines(answer_of(call)))
        name = rng.choice(re.findall(r"[A-Z][a-z]{4,}", answer_of(call)) or ["supplier"])
        missing = f"{name} {attribute}"
        yield "an attribute", Ground(call=call.call.index, source=path_of(call), quote=quote, missing=missing)


def printed(played: Played, words: str) -> bool:
    """Whether another file has row and heading, say an older version of what was taken out."""
    key, *_, head = words.split()
    return sum(key in found.text and head in found.text for found in played.documents.values()) > 1


def gap(reads: list[Call], words: str) -> Iterator[tuple[str, Ground]]:
    """The row whose cell is empty, with its neighbours."""
    for call in reads:
        said = answer_of(call).splitlines()
        at = next((place for place, line in enumerate(said) if words.split()[0] in line), None)
        if at and at + 2 < len(said):
            quote = "\n".join(said[at - 1 : at + 2])
            yield "a gap with its neighbours", Ground(call=call.call.index, source=path_of(call), quote=quote)


def answer_of(call: Call) -> str:
    return "" if call.observation is None else call.observation.text


def path_of(call: Call) -> str:
    return str(call.call.arguments["path"])
