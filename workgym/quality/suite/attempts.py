"""Ways to earn without doing the work: what is handed in by who knows the request alone, or dumps what lies around.

Each attempt is a name and the deliverables that it hands in. None of them rests on a derived value: labels and sheets
stand in the request, keys and options in the files.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from workgym.graph import Stated
from workgym.quality.suite.bench import Bench
from workgym.quality.suite.scribble import Row, Table, scribbled
from workgym.records import Column, by_ending
from workgym.records.surface import numbers
from workgym.verify.stated.choices import options as verify_options

MOST_NUMBERS = 3000
"""Numbers that a heap holds at most."""
_CELLS = 12
_ROWS = 200
_OPTIONS = 12


class Attempt(NamedTuple):
    """One thing to hand in."""

    what: str
    """What was done, for a person."""
    deliverables: Mapping[str, bytes]
    """What is handed in, by path."""


Fill = Callable[[Stated], tuple[list[Table], list[str]]]
"""Tables and lines for a stated unit."""


def empty_files(bench: Bench) -> Iterator[Attempt]:
    """Every deliverable is there, and has no bytes."""
    yield Attempt("files of no bytes", dict.fromkeys(bench.outputs, b""))


def empty_documents(bench: Bench) -> Iterator[Attempt]:
    """Every deliverable is a sound file that says nothing, or no more than its headings."""
    yield from _made(bench, "sound files without content", lambda stated: ([], []))
    yield from _made(
        bench,
        "headings and nothing below them",
        lambda stated: ([Table(stated.sheet, [_heads(bench, stated)])], [*stated.labels.values()]),
    )


def blind(bench: Bench) -> Iterator[Attempt]:
    """What the request says is stated for every value: each of its numbers, nought and one; its names; its options."""
    request = bench.package.request
    said = list(dict.fromkeys(["0", "1", *(number.text for number in numbers(request))]))[:_CELLS]
    for text in said:
        yield from _made(bench, f"{text} for every value", partial(_filled, bench, text, True))


def echo(bench: Bench) -> Iterator[Attempt]:
    """The request itself, as text and under the headings that it asks for."""
    lines = [line for line in bench.package.request.splitlines() if line.strip()]
    yield from _made(bench, "the request's text", lambda stated: ([], lines))
    yield from _made(
        bench,
        "the request's text under the headings",
        lambda stated: ([Table(stated.sheet, [_heads(bench, stated), *([line] for line in lines)])], lines),
    )


def spam(bench: Bench) -> Iterator[Attempt]:
    """All numbers of all files, in a heap, and in the row of every name under every heading."""
    heap = list(
        dict.fromkeys(
            number.text for _, fragment in bench.fragments() for number in numbers(fragment.text) if not number.joined
        )
    )[:MOST_NUMBERS]
    rows = [heap[at : at + _CELLS] for at in range(0, len(heap), _CELLS)]
    lines = [" ".join(row) for row in rows]
    yield from _made(bench, f"{len(heap)} numbers in a heap", lambda stated: ([Table(stated.sheet, rows)], lines))
    every = " / ".join(heap[:_ROWS])
    yield from _made(bench, "all numbers in every place", partial(_filled, bench, every, False))
    yield from _made(bench, "a row for every number", partial(_rows, bench, heap))


def copies(bench: Bench, most: int | None) -> Iterator[Attempt]:
    """Inputs handed in as deliverables: the largest of the same format first."""
    given = bench.package.files
    by_size = sorted(given.keys() - {*bench.outputs}, key=lambda path: (-len(given[path]), path))
    lists = {path: [one for one in by_size if by_ending(one) is by_ending(path)] or by_size for path in bench.outputs}
    rounds = max(map(len, lists.values()), default=0)
    for turn in range(rounds if most is None else min(rounds, most)):
        chosen = {path: some[turn % len(some)] for path, some in lists.items() if some}
        what = ", ".join(f"{source} as {path}" for path, source in chosen.items())
        yield Attempt(what, {path: given[source] for path, source in chosen.items()})


def guesses(bench: Bench) -> Iterator[Attempt]:
    """Every name that the files know is listed, and one option, the same turn by turn, is chosen for every choice."""
    most = max((len(options(bench, unit, column)) for unit, column in choices_of(bench)), default=1)
    for turn in range(min(most, _OPTIONS)):
        yield from _made(bench, f"option {turn + 1} for every choice", partial(_chosen, bench, turn))


def _made(bench: Bench, what: str, fill: Fill) -> Iterator[Attempt]:
    """The attempt whose files hold, for each stated unit, the tables and lines that ``fill`` gives."""
    found = {}
    for deliverable in bench.package.hidden.graph.deliverables:
        tables: list[Table] = []
        lines: list[str] = []
        for stated in deliverable.states:
            more, said = fill(stated)
            tables += more
            lines += said
        content = scribbled(deliverable.path, tables, list(dict.fromkeys(lines)))
        if content is not None:
            found[deliverable.path] = content
    if found:
        yield Attempt(what, found)


def _heads(bench: Bench, stated: Stated) -> list[str]:
    """The headings that the request asks for, those of the key first."""
    unit = bench.package.hidden.graph.unit(stated.unit)
    return [
        stated.labels.get(column.name, column.title) for column in (*_key(bench, stated), *_values(bench, stated))
    ] or [unit.content]


def _key(bench: Bench, stated: Stated) -> list[Column]:
    unit = bench.package.hidden.graph.unit(stated.unit)
    return [unit.column(name) for name in unit.key]


def _values(bench: Bench, stated: Stated) -> list[Column]:
    unit = bench.package.hidden.graph.unit(stated.unit)
    return [column for column in unit.value_columns if column.name in stated.labels]


def keys(bench: Bench, stated: Stated) -> list[tuple[str, ...]]:
    """Keys that the files know for a unit: those of a provided unit with the same key, else all that fit together."""
    unit = bench.package.hidden.graph.unit(stated.unit)
    if not unit.key:
        return [()]
    lists = []
    for name in unit.key:
        found: dict[str, None] = {}
        for other in bench.package.hidden.graph.relations("provided", "external"):
            if name in {column.name for column in other.columns}:
                relation = bench.package.hidden.values[other.name]
                kind = other.column(name).type
                found |= {
                    kind.show(row[relation.index[name]]): None
                    for row in relation.rows
                    if row[relation.index[name]] is not None
                }
        lists.append([*found])
    return list(itertools.islice(itertools.product(*lists), _ROWS))


def _filled(bench: Bench, text: str, blindly: bool, stated: Stated) -> tuple[list[Table], list[str]]:
    """The same text for every value, in the rows of all keys, or of those that the request names."""
    request = bench.package.request
    columns = _values(bench, stated)
    rows: list[Row] = [_heads(bench, stated)]
    lines = []
    for key in keys(bench, stated):
        if blindly and not all(part in request for part in key):
            continue
        told = [text if column.type.numeric else _named(bench, stated, column, text) for column in columns]
        rows.append([*key, *told])
        lines += _sentences(stated, key, columns, told)
    return [Table(stated.sheet, rows)], lines


def _named(bench: Bench, stated: Stated, column: Column, text: str) -> str:
    """An option that the request names, else the text."""
    known = options(bench, stated.unit, column)
    return next((option for option in known if option in bench.package.request), text)


def _rows(bench: Bench, heap: Sequence[str], stated: Stated) -> tuple[list[Table], list[str]]:
    """A row for every key and number, as long as there is room."""
    columns = _values(bench, stated)
    pairs = itertools.islice(itertools.product(heap, keys(bench, stated)), _ROWS)
    rows: list[Row] = [[*key, *([number] * len(columns))] for number, key in pairs]
    return [Table(stated.sheet, [_heads(bench, stated), *rows])], []


def _chosen(bench: Bench, turn: int, stated: Stated) -> tuple[list[Table], list[str]]:
    columns = _values(bench, stated)
    rows: list[Row] = [_heads(bench, stated)]
    lines = []
    for key in keys(bench, stated):
        told = []
        for column in columns:
            known = options(bench, stated.unit, column)
            told.append(known[turn % len(known)] if known else "0")
        rows.append([*key, *told])
        lines += _sentences(stated, key, columns, told)
    return [Table(stated.sheet, rows)], lines


def _sentences(stated: Stated, key: Sequence[str], columns: Sequence[Column], told: Sequence[str]) -> list[str]:
    """Sentences that state the values, where a text is asked for."""
    if stated.form != "prose":
        return []
    who = f" of {', '.join(key)}" if key else ""
    found = []
    for column, text in zip(columns, told, strict=True):
        label = stated.labels.get(column.name, column.title)
        found.append(f"The {label}{who} is {text}." if column.type.numeric else f"{label}{who}: we recommend {text}.")
    return found


def choices_of(bench: Bench) -> list[tuple[str, Column]]:
    """Every stated column that is a choice or a name: unit and column."""
    return [
        (stated.unit, column)
        for deliverable in bench.package.hidden.graph.deliverables
        for stated in deliverable.states
        for column in _values(bench, stated)
        if column.type.kind in ("text", "choice")
    ]


def options(bench: Bench, unit: str, column: Column) -> tuple[str, ...]:
    """What may be chosen, as the files know it, sorted; empty for numbers, dates and free texts."""
    if column.type.kind not in ("text", "choice"):
        return ()
    hidden = bench.package.hidden
    rows = hidden.values[unit]
    right = tuple(row[rows.index[column.name]] for row in rows.rows)
    known = verify_options(hidden.graph, hidden.values, column, right) if right else ()
    return tuple(sorted(str(value) for value in known if value is not None))
