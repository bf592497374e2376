"""Mistakes made with a deliverable as a whole: another name, nothing but a claim, a heap of numbers, a copied input."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping

import docx
import openpyxl

from workgym.quality.settled import settled
from workgym.quality.sound import Sound
from workgym.records import by_ending
from workgym.records.surface import numbers

Changed = Mapping[str, bytes | None]
"""Files by path; None for one that is gone."""
_WIDTH = 6


def spoiled(sound: Sound, path: str) -> Iterator[tuple[str, str, Changed]]:
    """Kind, what was done, and the files that differ."""
    stem, _, ending = path.rpartition(".")
    other = f"{stem}_final.{ending}"
    yield "another name", f"it is called {other}", {path: None, other: sound.files[path]}
    claim = f"I have prepared {path} as you asked. All figures are in it, and they are right.\n"
    yield "claim without the file", f"done.txt says that {path} is there", {path: None, "done.txt": claim.encode()}
    heap = _heap(sound, path)
    if heap is not None:
        yield "numbers dumped", "all its numbers, without what they are of", {path: heap}
    copied = _input(sound, path)
    if copied is not None:
        yield "copied input", f"it is {copied}", {path: sound.package.files[copied]}


def _heap(sound: Sound, path: str) -> bytes | None:
    """All numbers of a deliverable and nothing else; None where they are not made for its format."""
    fragments = [fragment for fragment in sound.documents[path].fragments if not fragment.hidden]
    said = [number.text for fragment in fragments for number in numbers(fragment.text)]
    form = by_ending(path)
    made = io.BytesIO()
    if form is None or not said:
        return None
    if form.name == "xlsx":
        book = openpyxl.Workbook()
        sheet = book.worksheets[0]
        sheet.title = "All numbers"
        for at in range(0, len(said), _WIDTH):
            sheet.append([_typed(text) for text in said[at : at + _WIDTH]])
        book.save(made)
        return settled(made.getvalue())
    if form.name == "docx":
        document = docx.Document()
        document.add_paragraph(" ".join(said))
        document.save(made)
        return settled(made.getvalue())
    lines = (";".join(said[at : at + _WIDTH]) for at in range(0, len(said), _WIDTH))
    return "\n".join(lines).encode() if form.name in ("csv", "tsv", "md", "txt") else None


def _typed(text: str) -> float | str:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return text


def _input(sound: Sound, path: str) -> str | None:
    """The largest input of the same format, else the largest of all."""
    ending = path.rpartition(".")[2]
    given = sorted(
        sound.package.files, key=lambda name: (not name.endswith(f".{ending}"), -len(sound.package.files[name]), name)
    )
    return given[0] if given else None
