"""What a revision changed, for people to read: a diff of the text of each file, by sentence and by row."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import NamedTuple

from workgym.documents import Document, read, sentences
from workgym.errors import Unreadable
from workgym.package import TaskPackage

MOST_LINES = 200
"""Lines of one file's diff that are kept."""
_WIDEST = 400
"""Characters of one line of a diff."""


class Line(NamedTuple):
    """A sentence, or a row of a grid."""

    at: str
    """Where it stands: place of its first fragment, behind the path of a file within the file."""
    text: str
    """What it says; cells of a row apart by bars."""


def changes(before: TaskPackage, after: TaskPackage) -> dict[str, tuple[str, ...]]:
    """By path, the diff of each visible file that reads otherwise; a file whose text is the same is left out."""
    old = {"request.md": before.request.encode(), **before.files}
    new = {"request.md": after.request.encode(), **after.files}
    found = {
        path: diff(lines(path, old.get(path, b"")), lines(path, content))
        for path, content in new.items()
        if old.get(path) != content
    }
    return {path: shown for path, shown in found.items() if shown}


def lines(path: str, content: bytes) -> tuple[Line, ...]:
    """The text of a file; one line that says so where it cannot be read."""
    try:
        whole = read(path, content)
    except Unreadable as error:
        return (Line("", f"(cannot be read: {error.reason})"),)
    return tuple(_lines(whole.whole(), path))


def _lines(documents: Iterator[Document], path: str) -> Iterator[Line]:
    for document in documents:
        inner = document.path.removeprefix(path).removeprefix("//")
        row: tuple[str | None, int | None] = (None, None)
        kept: list[Line] = []
        for fragment in document.fragments:
            at = f"{inner} {fragment.at}".strip()
            here = (fragment.table, fragment.row)
            if here != row or fragment.row is None:
                yield from kept
                kept, row = [], here
            if fragment.row is None:
                yield from (Line(at, sentence) for sentence in sentences(" ".join(fragment.text.split())))
            elif fragment.text:
                kept = [Line(kept[0].at, f"{kept[0].text} | {fragment.text}") if kept else Line(at, fragment.text)]
        yield from kept


def diff(old: tuple[Line, ...], new: tuple[Line, ...]) -> tuple[str, ...]:
    """The lines that differ, ``- `` and ``+ ``, below a line that says where, with a line of context around them."""
    first = next(
        (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a.text != b.text), min(len(old), len(new))
    )
    last = next(
        (at for at in range(min(len(old), len(new)) - first) if old[-1 - at].text != new[-1 - at].text),
        min(len(old), len(new)) - first,
    )
    start = max(0, first - 1)
    a, b = old[start : len(old) - max(0, last - 1)], new[start : len(new) - max(0, last - 1)]
    matcher = difflib.SequenceMatcher(None, [line.text for line in a], [line.text for line in b], autojunk=False)
    shown: list[str] = []
    for group in matcher.get_grouped_opcodes(1):
        shown.append(f"@ {_place(group, a, b)}")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                shown += _marked("  ", a[i1:i2])
            else:
                shown += [*_marked("- ", a[i1:i2]), *_marked("+ ", b[j1:j2])]
    over = len(shown) - MOST_LINES
    return tuple(shown) if over <= 0 else (*shown[:MOST_LINES], f"and {over} more lines")


def _marked(mark: str, part: tuple[Line, ...]) -> Iterator[str]:
    """Lines with their mark; one that is longer than a screen goes on below, and nothing of it is left out."""
    for line in part:
        for at in range(0, len(line.text), _WIDEST):
            yield mark + line.text[at : at + _WIDEST]


def _place(group: list[tuple[str, int, int, int, int]], a: tuple[Line, ...], b: tuple[Line, ...]) -> str:
    _, i1, _, j1, j2 = next(code for code in group if code[0] != "equal")
    return b[j1].at if j1 < j2 else a[i1].at
