"""What a solver read in a run, call by call, and what its sources really say.

Everything here is on the solver's side: its view of the task, and the calls, answers and words of its trajectory.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from typing import Any, NamedTuple

from workgym.documents import Document, read_all
from workgym.documents.model import Fragment
from workgym.package import SolverView
from workgym.package.pages import body, card
from workgym.plan import PageSpec
from workgym.probe.model import REQUEST
from workgym.probe.words import EMPTY, plain, tokens
from workgym.records import canonical, page_path
from workgym.trajectory import Trajectory, UserEvent

USER = "user"
"""The source that is what the user said after the work was handed over."""
WEB = "web"
"""The source that is what a search of the web listed, or did not find."""
SEARCH, FETCH = "web_search", "web_fetch"
"""The tools that search for pages, and that open one."""
LISTING = frozenset({"list_files", "glob", SEARCH})
"""Tools that name files or pages and open none."""
_PROGRAM = ("command", "code", "cmd")
_WORD = re.compile(r"[^\s\"'`(),;<>=]+")


class Read(NamedTuple):
    """One call, with what it answered."""

    number: int
    """Its number in the trajectory."""
    tool: str
    """Name of the tool; empty where the solver replied without one."""
    arguments: Any
    """Its arguments."""
    text: str
    """The answer; empty where the log was cut off before it."""
    failed: bool
    """Whether the call failed."""
    changed: tuple[str, ...]
    """Files that it changed."""

    @property
    def program(self) -> bool:
        """Whether it ran a program of the solver's, whose answer is what that program printed."""
        return isinstance(self.arguments, Mapping) and any(name in self.arguments for name in _PROGRAM)

    @property
    def said(self) -> str:
        """Its arguments as text."""
        if isinstance(self.arguments, Mapping):
            return "\n".join(value if isinstance(value, str) else canonical(value) for value in self.arguments.values())
        return canonical(self.arguments)


class Text(NamedTuple):
    """What a source says, as an independent reader finds it."""

    text: str
    """A line for each paragraph and for each row, whose cells stand between tabs, each in its column."""
    words: frozenset[str]
    """Its words and numbers."""
    pairs: frozenset[tuple[str, str]]
    """Its neighbouring words and numbers."""


@dataclass(frozen=True)
class Evidence:
    """A run as its diagnosis is checked against."""

    view: SolverView
    """What the solver started with."""
    reads: tuple[Read, ...]
    """Its calls, in order."""
    given: Mapping[str, bytes]
    """Files that it was given: at the start, or by the user later, whose version then holds; pages, by address."""

    @classmethod
    def of(cls, view: SolverView, trajectory: Trajectory) -> Evidence:
        """The evidence of a recorded run. Raises ReplayError for a damaged log."""
        reads = []
        for call, answer in trajectory.calls():
            text, failed = (answer.text, answer.is_error) if answer is not None else ("", True)
            changed = tuple(change.path for change in answer.changes) if answer is not None else ()
            reads.append(Read(call.index, call.tool, call.arguments, text, failed, changed))
        given = {**view.files, **view.external}
        for event in trajectory.of(UserEvent):
            given |= {path: base64.b64decode(content) for path, content in event.files.items() if content is not None}
        return cls(view, tuple(reads), given)

    @cached_property
    def by_number(self) -> Mapping[int, Read]:
        """The calls by their numbers."""
        return {read.number: read for read in self.reads}

    @cached_property
    def texts(self) -> Mapping[str, Text]:
        """What each file or page says that the solver was given and that can be read; read in a limited child."""
        kept = {page_path(path) if path in self.view.external else path: path for path in self.given}
        found = read_all({name: self.given[path] for name, path in kept.items()})
        return {
            kept[name]: _page(one) if kept[name] in self.view.external else _text(one)
            for name, one in found.items()
            if isinstance(one, Document)
        }

    @cached_property
    def plain_texts(self) -> Mapping[str, str]:
        """The same texts in the form in which quotes are compared."""
        return {path: plain(found.text) for path, found in self.texts.items()}

    @cached_property
    def own(self) -> frozenset[str]:
        """Files that the solver made."""
        return frozenset(path for read in self.reads for path in read.changed if path not in self.given)

    @cached_property
    def opened(self) -> frozenset[str]:
        """Files that a call opened, by its arguments, and pages."""
        return frozenset(
            path
            for read in self.reads
            if read.tool not in LISTING and not read.failed
            for path in self.given
            if (self.fetched(read, path) if "://" in path else self.asks(read, path))
        )

    def source(self, said: str) -> str | None:
        """The source that is meant by a path as a model writes it; None where there is none.

        It is ``request.md``, ``user``, a file, a folder of the workspace (``.`` for the whole), the address of a page,
        ``web`` where the web was searched, or a file that is not there and that a call asked for in vain.
        """
        path = said.strip().strip("`'\"").removeprefix("./").rstrip("/") or "."
        page = self._page(path)
        if page is not None:
            return page
        if path in (REQUEST, USER, ".", *self.given) or "://" in path:
            return path
        holder = path.split("//")[0]
        if holder in self.given:
            return holder
        ending = [own for own in self.given if own.endswith(f"/{path}") or path.endswith(f"/{own}")]
        if len(ending) == 1:
            return ending[0]
        if any(own.startswith(f"{path}/") for own in self.given):
            return path
        if path == WEB and any(read.tool == SEARCH for read in self.reads):
            return path
        return path if any(read.failed and _holds(read.said, path) for read in self.reads) else None

    def asks(self, read: Read, path: str) -> bool:
        """Whether a call's arguments name a file: by its path, by its name where no other has it, or by a pattern.

        A page is named by its address.
        """
        return self._names(read.said, path)

    def fetched(self, read: Read, page: str) -> bool:
        """Whether a call's answer is a page: its address stands above the text, where a moved one was found, too."""
        head = read.text.partition("\n\n")[0]
        return read.tool == FETCH and not read.failed and (self.asks(read, page) or self._names(head, page))

    def tells(self, read: Read, path: str) -> bool:
        """Whether a call's answer names a file, or a page by its address."""
        return self._names(read.text, path)

    def exactly(self, read: Read, path: str) -> bool:
        """Whether one of a call's arguments is just this file or page."""
        values = read.arguments.values() if isinstance(read.arguments, Mapping) else ()
        return not read.program and any(
            isinstance(value, str) and path in (value.removeprefix("./").strip("/"), self._page(value))
            for value in values
        )

    def of_own(self, read: Read) -> bool:
        """Whether a call asks for a file that the solver made."""
        return any(_holds(read.said, path) for path in self.own)

    def changed_before(self, read: Read, path: str) -> bool:
        """Whether the solver had changed a file before a call."""
        return any(path in earlier.changed for earlier in self.reads if earlier.number < read.number)

    def _names(self, text: str, path: str) -> bool:
        if "://" in path:
            bare = re.escape(_address(path))
            return re.search(rf"(?<![\w.-])(?:www\.)?{bare}(?:\.html)?/?(?![\w/~-]|\.\w)", text) is not None
        if _holds(text, path):
            return True
        folder, _, name = path.rpartition("/")
        if _holds(text, name) and (name in self._lone or (folder and _holds(text, folder.rpartition("/")[2]))):
            return True
        patterns = [word for word in _WORD.findall(text) if "*" in word]
        return any(fnmatch(path, word.removeprefix("./")) or fnmatch(name, word) for word in patterns)

    def _page(self, said: str) -> str | None:
        """The page that an address means, written as people write it, or None."""
        return next((own for own in self.view.external if _address(own) == _address(said)), None)

    @cached_property
    def _lone(self) -> frozenset[str]:
        """Names that only one file has."""
        names = [path.rpartition("/")[2] for path in self.given if "://" not in path]
        return frozenset(name for name in names if names.count(name) == 1)


def _address(text: str) -> str:
    """An address as one compares it, without scheme, ending and slash; another text as it is."""
    bare = re.sub(r"^https?://(?:www\.)?", "", text.strip(), flags=re.IGNORECASE).rstrip("/")
    host, _, rest = bare.removesuffix("/index.html").removesuffix(".html").partition("/")
    return f"{host.lower()}/{rest}" if rest else host.lower()


def _holds(text: str, name: str) -> bool:
    """Whether a path or a name stands in a text, not as a part of a longer name."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", text) is not None


def _text(document: Document) -> Text:
    return _of("\n".join(line for one in document.whole() for line in _lines(one)))


def _of(text: str) -> Text:
    found = tokens(text)
    return Text(text, frozenset(found), frozenset(itertools.pairwise(found)))


def _page(document: Document) -> Text:
    """A page as the web tools show it."""
    told = card(PageSpec(), document)
    dated = [f"Published: {told.published}"] if told.published else []
    return _of("\n".join((told.title, *dated, *body(document))))


def _lines(document: Document) -> Iterator[str]:
    wide = {piece.table: piece.column or 1 for piece in sorted(document.fragments, key=lambda piece: piece.column or 1)}
    last: tuple[str | None, int] = (None, 0)
    for (table, row), group in itertools.groupby(document.fragments, key=lambda piece: (piece.table, piece.row)):
        pieces = list(group)
        if table is None or row is None:
            yield from map(_named, pieces)
            continue
        cells: list[str] = []
        for place, piece in enumerate(pieces, 1):
            cells += [""] * ((piece.column or place) - 1 - len(cells))
            cells.append(" ".join(_named(piece).split()))
        if last != (table, row - 1) or any(piece.label for piece in pieces):
            yield ""  # another table, or a record whose values have names of their own
        last = (table, row)
        yield "\t".join((*cells, *[""] * (wide[table] - len(cells))))


def _named(piece: Fragment) -> str:
    """A piece with the name that its format gives it (a key of JSON, a header); nothing where it is empty."""
    if piece.text.strip().casefold() in EMPTY:
        return ""
    return f"{piece.label}: {piece.text}" if piece.label else piece.text
