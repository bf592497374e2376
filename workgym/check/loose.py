"""Loose text: nothing stands in a visible file that no unit accounts for and nobody declared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from workgym.check.reading import Visible, covers
from workgym.documents import Fragment
from workgym.graph import InfoUnit, needed
from workgym.records import Column, Finding

_TRANSPORT = frozenset({"mime-version", "content-type", "content-transfer-encoding", "message-id"})
"""Mail headers that say how a message travels; no one writes or reads them."""
_PROPER = re.compile(r"[A-Z]\w+\W+(?:\w+\W+)*[A-Z]\w|\w{3,}.*\d{3}|\d{3}.*\w{3,}")
"""What makes a text a name rather than words of the language: two capitalized words, or a word with digits."""
_WORD = re.compile(r"[^\W\d_]+")
_FORMAT = frozenset({"calendar.VERSION"})
"""Places that say in which format a file is written."""
_LONG = 4
"""Letters from which a word of a heading tells what stands under it."""


def loose(view: Visible) -> Iterator[Finding]:
    """No number, date or time stands outside every anchor, and no name of a needed cell is repeated undeclared.

    A graph without relations declares nothing, and says nothing of what is not declared.
    """
    if not view.package.hidden.graph.relations():
        return
    for token in view.tokens:
        travels = (token.fragment.label or "").casefold() in _TRANSPORT or token.fragment.at in _FORMAT
        if not token.anchors and not travels:
            message = f"{token.text!r} belongs to no unit and is not declared"
            yield _loose(token.path, token.fragment, message, soft=view.guessed(token.path, token.fragment))
    names, texts = _names(view), _Texts(view)
    for (path, at), fragment in view.fragments.items():
        anchors = view.anchors.get((path, at), [])
        repeated = [
            match for match in names.finditer(fragment.text) if not any(covers(a, match.span()) for a in anchors)
        ]
        if repeated and not fragment.at.startswith("property."):
            message = f"{repeated[0][0]!r} names a row of a unit and is not declared"
            yield _loose(path, fragment, message, soft=view.guessed(path, fragment))
        elif fragment.table is not None and not anchors and texts.repeated(path, fragment):
            message = f"{fragment.text!r} repeats a unit's value and is not declared"
            yield _loose(path, fragment, message, soft=view.guessed(path, fragment))


def _names(view: Visible) -> re.Pattern[str]:
    """The names of rows of needed units: texts in keys that are proper names or codes."""
    found = {
        part
        for name in needed(view.package.hidden.graph)
        for key in view.package.hidden.values[name].by_key
        for part, column in zip(key, view.package.hidden.values[name].unit.key, strict=True)
        if view.package.hidden.graph.unit(name).column(column).type.kind == "text" and _PROPER.search(part)
    }
    longest_first = sorted(found, key=lambda text: (-len(text), text))
    return (
        re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)")
        if found
        else re.compile(r"(?!)")
    )


class _Texts:
    """Texts and choices of needed cells: a cell of a table that holds one of them says something.

    An option that is one word (closed, late, accept) is a word of the language as well. It says something only where a
    row of its unit is named in the same row or column of the table, or its column in a heading there.
    """

    def __init__(self, view: Visible) -> None:
        self._view = view
        self._telling: set[str] = set()
        """Texts that say something wherever they stand."""
        self._common: dict[str, set[str]] = {}
        """By option that is one word, what has to stand beside it: names of rows, and words of headings."""
        for name in needed(view.package.hidden.graph):
            relation = view.package.hidden.values[name]
            for position, column in enumerate(relation.unit.columns):
                if column.type.kind in ("text", "choice"):
                    texts = {_plain(str(row[position])).casefold() for row in relation.rows if row[position]}
                    plain = column.type.kind == "choice" and column.name not in relation.unit.key
                    common = {text for text in texts if plain and _WORD.fullmatch(text)}
                    self._telling |= texts - common
                    beside = {part.casefold() for key in relation.by_key for part in key}
                    for text in common:
                        self._common.setdefault(text, set()).update(beside, _headed(relation.unit, column))
        self._telling = {text for text in self._telling if len(text) > 2}

    def repeated(self, path: str, fragment: Fragment) -> bool:
        """Whether a cell without anchors holds one of them."""
        text = _plain(fragment.text).casefold()
        if text in self._telling:
            return True
        wanted = self._common.get(text)
        return wanted is not None and len(text) > 2 and any(wanted & said for said in self._beside(path, fragment))

    def _beside(self, path: str, fragment: Fragment) -> Iterator[set[str]]:
        """What stands in the same row or column of a grid, and the name that the format gives the cell."""
        yield set(_WORD.findall((fragment.label or "").casefold()))
        for other in self._view.documents[path].fragments:
            same_row = other.row is not None and other.row == fragment.row
            same_column = other.column is not None and other.column == fragment.column
            if other.table == fragment.table and other.at != fragment.at and (same_row or same_column):
                text = _plain(other.text).casefold()
                yield {text, *_WORD.findall(text)}


def _headed(unit: InfoUnit, column: Column) -> set[str]:
    """The words by which a heading names a column, or a unit of one row its value."""
    names = [column.title, *([] if unit.key else [unit.name.replace("_", " ")])]
    return {word for name in names for word in _WORD.findall(name.casefold()) if len(word) >= _LONG}


def _loose(path: str, fragment: Fragment, message: str, *, soft: bool = False) -> Finding:
    """``soft`` where the text is no more than what was recognised in a picture."""
    return Finding(
        check="loose",
        severity="soft" if soft else "hard",
        defect="self-inconsistency",
        path=path,
        at=fragment.at,
        found=fragment.text[:120],
        message=message,
    )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
