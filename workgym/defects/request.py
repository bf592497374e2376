"""Request under-specification: the request no longer says what the deliverable must have."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from workgym.defects.kinds import REQUEST, Kind, shuffled
from workgym.documents import read
from workgym.errors import Unreadable
from workgym.mutation import Revision, Reword
from workgym.package import TaskPackage

_PRECISE = re.compile(
    r",? ?(?:all amounts in [A-Z]{3} )?(?:to the cent|in decimal hours with two places|rounded to whole \w+"
    r"|to (?:two|three|four|\d) (?:decimal )?(?:places|decimals)|with (?:two|three|four|\d) (?:decimal )?places)",
    re.IGNORECASE,
)


def file_name(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The name of a file to be handed in."""
    for deliverable in shuffled(package.hidden.graph.deliverables, rng):
        yield from _without(package, deliverable.path, "a file")


def sheet_name(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The name of a sheet that is asked for."""
    stated = [item for deliverable in package.hidden.graph.deliverables for item in deliverable.states]
    for sheet in shuffled(list(dict.fromkeys(item.sheet for item in stated if item.sheet)), rng):
        yield from _without(package, sheet, "of its own")


def heading(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A column heading that grading looks for."""
    stated = [item for deliverable in package.hidden.graph.deliverables for item in deliverable.states]
    labels = [label for item in stated if item.form == "table" for label in item.labels.values()]
    handed = [
        c.title for deliverable in package.hidden.graph.deliverables for t in deliverable.handed for c in t.columns
    ]
    for label in shuffled(list(dict.fromkeys((*labels, *handed))), rng):
        yield from _without(package, label, "the rest")


def precision(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """To how many places numbers are wanted, wherever the request says it."""
    text = package.hidden.plan.request.template or ""
    lines = [line for line in text.split("\n") if _PRECISE.search(line)]
    if lines and all(text.count(line) == 1 for line in lines):
        edits = tuple(Reword(path=REQUEST, old=line, new=_PRECISE.sub("", line)) for line in lines)
        yield Revision(purpose="inject", why="the request does not say how precisely", edits=edits)


def vocabulary(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The words that a column is to be filled with: row names and options that stand nowhere else."""
    graph = package.hidden.graph
    words = [
        str(option)
        for deliverable in graph.deliverables
        for item in deliverable.states
        for column in graph.unit(item.unit).columns
        if column.name in item.labels and column.type.options
        for option in column.type.options
    ]
    seen = " ".join(text for path, content in package.files.items() for text in _texts(path, content)).casefold()
    for word in shuffled([word for word in dict.fromkeys(words) if word.casefold() not in seen], rng):
        yield from _without(package, word, "the other")


def _texts(path: str, content: bytes) -> Iterator[str]:
    try:
        whole = read(path, content)
    except Unreadable:
        return
    yield from (fragment.text for document in whole.whole() for fragment in document.fragments)


def _without(package: TaskPackage, name: str, instead: str) -> Iterator[Revision]:
    """The request without a name, wherever it stands there."""
    text = package.hidden.plan.request.template or ""
    marked = rf"`{re.escape(name)}`"
    pattern = re.compile(rf"{marked}|(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    lines = [line for line in text.split("\n") if pattern.search(line)]
    if lines and all(text.count(line) == 1 for line in lines):
        edits = tuple(Reword(path=REQUEST, old=line, new=pattern.sub(instead, line)) for line in lines)
        yield Revision(purpose="inject", why=f"the request does not say {name!r} any more", edits=edits)


KINDS = (
    Kind("no file name", file_name),
    Kind("no sheet name", sheet_name),
    Kind("no heading", heading),
    Kind("no precision", precision),
    Kind("no vocabulary", vocabulary),
)
