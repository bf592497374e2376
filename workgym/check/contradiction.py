"""Contradictions in words: a sentence that gives a needed value another number than the graph has.

What a template declares as scenery is no loose number, and may still speak of a value: *the discount rate is 9 %* in a
memo beside a policy of 8 %. A sentence speaks of a value when it names its row and its column; of one that stands once
for the whole task when it has every word of its column's title, or most words of what it is. It gives the value another
number when that is of the same kind: an amount in its currency, a percentage, a quantity in its unit; a bare integer is
one of as many digits. Sentences about another time or case are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from workgym.check.reading import Token, Visible
from workgym.documents import paragraphs, sentences
from workgym.graph import columns_read, needed
from workgym.records import Cell, ColumnType, DefectClass, Finding
from workgym.records.surface import EXACT, Number, days, numbers, shows

_WORD = re.compile(r"[^\W\d_]{4,}")
_ORDINARY = frozenset("the with from that this which what each every unit units other under over more than".split())
_TWO = 2
_OTHER_TIME = re.compile(
    r"(?<!\w)(?:last|previous(?:ly)?|former(?:ly)?|old(?:er)?|earlier|was|were|had|until|before|prior|draft|superseded"
    r"|instead|no longer|never|example|e\.g|would|could|if)(?!\w)"
)
"""Words by which a sentence may be about another time or case, so that another number is right."""


@dataclass(frozen=True)
class _Value:
    """A needed number, and what a sentence has to say to speak of it."""

    cell: Cell
    type: ColumnType
    value: Decimal
    row: tuple[str, ...]
    words: frozenset[str]
    content: frozenset[str]
    alone: bool
    title: str
    paths: frozenset[str]

    @property
    def shown(self) -> str:
        """The value for people."""
        return self.type.show(int(self.value) if self.type.kind == "integer" else self.value)


def contradiction(view: Visible) -> Iterator[Finding]:
    """No sentence gives a needed value another number."""
    known = tuple(_values(view))
    for path, text, tokens in _remarks(view):
        folded = text.casefold()
        if _OTHER_TIME.search(folded):
            continue
        said = set(_WORD.findall(folded))
        for one in known:
            if not _speaks(one, folded, said):
                continue
            wrong = [number for number in tokens if _kind(number, text, one) and not _same(number, one)]
            if wrong and not any(_same(number, one) for number in numbers(text)):
                yield _finding(path, one, text, wrong[0])


def _values(view: Visible) -> Iterator[_Value]:
    hidden = view.package.hidden
    read = columns_read(hidden.graph)
    stands: dict[Cell, set[str]] = {}
    for anchor in hidden.anchors:
        if anchor.cell is not None:
            stands.setdefault(anchor.cell, set()).add(anchor.place.path)
    for name in sorted(needed(hidden.graph)):
        unit = hidden.graph.unit(name)
        for cell, value in hidden.values[name].cells():
            column = unit.column(cell.column)
            if value is None or cell.column in unit.key or cell.column not in read.get(name, ()):
                continue
            if column.type.numeric and (cell.key or not isinstance(value, bool)):
                yield _Value(
                    cell,
                    column.type,
                    Decimal(str(value)),
                    tuple(map(_folded, cell.key)),
                    _words(column.title),
                    _words(unit.content),
                    not cell.key and len(unit.value_columns) == 1,
                    _folded(column.title),
                    frozenset(stands.get(cell, ())),
                )


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _within(name: str, text: str) -> bool:
    """Whether a folded text has a name as a whole; hardly any of the many names of a task is in one sentence."""
    return name in text and re.search(rf"(?<![\w.,]){re.escape(name)}(?!\w|[.,]\d)", text) is not None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _ORDINARY


def _speaks(one: _Value, folded: str, said: set[str]) -> bool:
    if not all(_within(part, folded) for part in one.row):
        return False
    if one.alone and one.content and len(one.content & said) >= max(_TWO, -(-len(one.content) // 2)):
        return True
    if not one.words:
        return bool(one.row) and _within(one.title, folded)
    if one.row:
        return bool(one.words & said)
    return one.words <= said and len(one.words | (one.content & said)) > (1 if len(one.words) > 1 else _TWO)


def _kind(number: Number, text: str, one: _Value) -> bool:
    """Whether a number is of the kind of a value: its currency, a percentage, its unit, or bare as it is."""
    unit = one.type.unit or ""
    if one.type.kind == "money":
        return bool(number.currency) and number.currency in (unit, *_SIGNS.get(unit, ()))
    if one.type.kind == "percent":
        return number.percent
    if one.type.kind == "quantity":
        return text[number.end :].lstrip().casefold().startswith(unit.casefold())
    bare = not number.percent and not number.currency and len(number.text) == len(str(one.value))
    bare = bare and (number.start, number.end) not in days(text)
    return bare and not any(_within(part, number.text) for part in one.row)


_SIGNS = {"USD": ("$",), "EUR": ("€",), "GBP": ("£",), "JPY": ("¥",), "CNY": ("¥",), "INR": ("₹",)}


def _same(number: Number, one: _Value) -> bool:
    scales = (Decimal(1), Decimal("0.01")) if one.type.kind == "percent" else EXACT
    return shows(number, one.value, scales=scales) or shows(number, -one.value, scales=scales)


def _remarks(view: Visible) -> Iterator[tuple[str, str, tuple[Number, ...]]]:
    """Sentences with the numbers in them that no value stands behind."""
    superseded = {unit.name for unit in view.package.hidden.graph.units if unit.superseded_by}
    older = {a.place.path for a in view.package.hidden.anchors if a.cell is not None and a.cell.unit in superseded}
    loose: dict[tuple[str, str], list[Token]] = {}
    for token in view.tokens:
        if token.number is not None and not any(anchor.kind == "value" for anchor in token.anchors):
            loose.setdefault((token.path, token.fragment.at), []).append(token)
    for path, document in view.documents.items():
        if path in older:
            continue  # an older version says otherwise, and a rule says which of them holds
        blocks = [*paragraphs(document)]
        blocks += [((f,), f.text) for f in document.fragments if f.table is not None and " " in f.text.strip()]
        for fragments, text in blocks:
            texts = {token.text for fragment in fragments for token in loose.get((path, fragment.at), ())}
            for sentence in sentences(text) if texts else ():
                found = tuple(number for number in numbers(sentence) if number.text in texts)
                if found:
                    yield path, sentence, found


def _finding(path: str, one: _Value, text: str, number: Number) -> Finding:
    defect: DefectClass = "self-inconsistency" if path in one.paths else "cross-file inconsistency"
    where = "here" if path in one.paths else f"in {', '.join(sorted(one.paths)) or 'no file'}"
    return Finding(
        check="contradiction",
        severity="hard",
        defect=defect,
        unit=one.cell.unit,
        key=one.cell.key,
        column=one.cell.column,
        path=path,
        expected=one.shown,
        found=text[:240],
        message=f"{one.cell} is {one.shown} {where}, and the text says {number.text}",
    )
