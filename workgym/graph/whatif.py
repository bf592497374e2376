"""What if: many variants of one task's premises, evaluated together.

A statement costs about half a millisecond, whatever it reads, and checks ask hundreds of questions of one task.
Here the variants ("worlds") are rows of a table; what differs between them is kept in tables that say which world
a row belongs to, and each query is run laterally for every world, its units shadowed by those of that world. The
database does the correlating, so a query means in a world what it means alone: ten statements answer a hundred
questions. What is the same in all worlds that still matter is neither split nor computed, and where one world alone
differs it is asked alone, since correlating doubles the time of a query. Where a statement fails, each world is tried
alone, to see whose fault it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from workgym.errors import EvaluationError, GraphError
from workgym.graph.evaluate import Evaluator
from workgym.graph.model import InfoUnit
from workgym.graph.program import Claim
from workgym.graph.relation import Key, Relation, Values
from workgym.graph.rows import check_given, check_keys, derived_rows, keys_of

Enough = Callable[[int, Relation], bool]
"""Is told each derived unit of a world, and says whether the rest of that world does not matter any more."""
_NOWHERE: frozenset[int] = frozenset()
_NOTHING: frozenset[str] = frozenset()
_Rows = tuple[tuple[Any, ...], ...]
_WORLD = "~"
"""The table of worlds, and its column. A unit's rows by world are in a table named like the unit with this behind;
no unit can be called so."""
_FEW = 1000
"""Cells up to which rows are handed over one by one sooner than worked out from those of the base."""
_ROW = "~row"
"""The column that tells rows of one unit apart."""


def imagine(
    evaluator: Evaluator, base: Values, worlds: Sequence[Values], enough: Enough, *, nearby: bool = False
) -> dict[int, EvaluationError]:
    """Evaluate every world; each has the provided rows of ``base`` but for those that differ.

    ``enough`` is told the derived units of each world in order of derivation. With ``nearby`` provided numbers may have
    a decimal place more than their types keep, nothing is rounded on the way, and controls do not count. Returns, by
    position in ``worlds``, the error of each that cannot be evaluated as far as was needed. Raises EvaluationError
    where ``base`` itself lacks a needed row.
    """
    evaluator.load(base)
    evaluator.sync()
    errors: dict[int, EvaluationError] = {}
    waiting = [dict(enumerate(worlds))]
    while waiting:
        batch = _Worlds(evaluator, base, waiting.pop(), enough, nearby)
        try:
            batch.run()
        except EvaluationError as error:
            if len(batch.live) > 1:
                live = sorted(batch.live)
                middle = len(live) // 2
                waiting += [{world: worlds[world] for world in half} for half in (live[:middle], live[middle:])]
            else:
                errors |= dict.fromkeys(batch.live, error)
        errors |= batch.errors
    return dict(sorted(errors.items()))


class _Worlds:
    """The worlds that still matter, and the tables that tell them apart."""

    def __init__(
        self, evaluator: Evaluator, base: Values, worlds: Mapping[int, Values], enough: Enough, nearby: bool
    ) -> None:
        self._evaluator = evaluator
        self._database = evaluator.database
        self._program = evaluator.unrounded if nearby else evaluator.program
        self._nearby = nearby
        self._base = base
        self._worlds = worlds
        self._enough = enough
        self._differ = {
            unit.name: frozenset(
                world for world, rows in worlds.items() if rows[unit.name].rows != base[unit.name].rows
            )
            for unit in self._program.given
        }
        """By unit, the worlds in which its rows are not those of the base."""
        self._found: dict[str, dict[int, Relation]] = {}
        self._made: set[str] = set()
        self._dirty = True
        self.live = set(worlds)
        self.errors: dict[int, EvaluationError] = {}

    def run(self) -> None:
        """Everything, in the order in which one world alone is evaluated. Raises EvaluationError where that fails."""
        for unit in self._program.given:
            sources = self._program.domains.get(unit.name, frozenset()) | {unit.name}
            touched = {world for name in sources for world in self._differ[name]} & self.live
            self._judge({world: self._worlds[world][unit.name] for world in sorted(touched)})
        for claim in () if self._nearby else self._program.early:
            self._hold(claim)
        for name in self._program.order:
            if not self.live:
                break
            for claim in () if self._nearby else self._program.late.get(name, ()):
                self._hold(claim)
            self._judge(self._derived(self._evaluator.graph.unit(name)))

    def _split(self, names: Iterable[str]) -> list[str]:
        """Those units whose rows are not the base's in every world that matters."""
        return sorted(name for name in names if not self._differ.get(name, _NOWHERE).isdisjoint(self.live))

    def _judge(self, relations: Mapping[int, Relation]) -> None:
        """Whether rows of one unit are what they must be, and whether that is all one wants to know of their world."""
        done: set[int] = set()
        wanted: Mapping[int, set[Key]] | None = None
        for world, relation in relations.items():
            unit = relation.unit
            try:
                if unit.status != "derived":
                    check_given(relation, self._program.read.get(unit.name, _NOTHING))
                if unit.domain is not None:
                    wanted = wanted if wanted is not None else self._wanted(unit, unit.domain)
                    check_keys(relation, wanted[world])
            except EvaluationError as error:
                self.errors[world] = error
                continue
            if unit.status == "derived" and self._enough(world, relation):
                done.add(world)
        self._forget(done | self.errors.keys())

    def _wanted(self, unit: InfoUnit, domain: str) -> Mapping[int, set[Key]]:
        """The keys that a unit must have in each world."""
        if not self._split(self._program.domains[unit.name]):
            return dict.fromkeys(self.live, self._evaluator.domain(unit, domain))
        plain = self._program.projections.get(unit.name)
        if plain is None:
            answers = self._ask(unit, domain, self._alone(self._program.domains[unit.name]))[2]
            found = {world: keys_of(unit, rows) for world, rows in answers.items()}
            others = self.live - found.keys()
            return found | dict.fromkeys(others, self._evaluator.domain(unit, domain)) if others else found
        source, columns = plain
        known: dict[int, set[Key]] = {}
        for world in self.live:
            rows = self._rows(source, world)
            if id(rows) not in known:
                known[id(rows)] = keys_of(unit, rows.columns(columns))
        return {world: known[id(self._rows(source, world))] for world in self.live}

    def _rows(self, name: str, world: int) -> Relation:
        if name in self._worlds[world]:
            return self._worlds[world][name]
        return self._found[name][world] if name in self._found else self._evaluator.derive(name)

    def _hold(self, claim: Claim) -> None:
        """Whether a control holds in each world in which what it reads differs."""
        if self._split(claim.reads):
            answers = self._ask(claim.unit, claim.control.query, self._alone(claim.reads))[2]
            for world, rows in answers.items():
                if rows != ((True,),):
                    self.errors[world] = claim.broken()
            self._forget(self.errors.keys())

    def _derived(self, unit: InfoUnit) -> Mapping[int, Relation]:
        """The rows of a derived unit in each world; worlds in which they are not of its type are out."""
        query, usual = self._program.queries[unit.name], self._evaluator.program.queries[unit.name]
        if query == usual and not self._split(self._program.premises[unit.name]):
            return dict.fromkeys(sorted(self.live), self._evaluator.derive(unit.name))
        base = None if self._nearby else self._evaluator.derive(unit.name)
        alone = self._alone(self._program.premises[unit.name])
        names, types, answers = self._ask(unit, query, alone, keep=unit.name in self._program.inner)
        found = {} if base is None else dict.fromkeys(self.live - answers.keys(), base)
        same: dict[_Rows, Relation] = {}
        for world, rows in answers.items():
            try:
                if rows not in same:
                    same[rows] = derived_rows(unit, names, types, rows, exact=self._nearby)
                found[world] = same[rows]
            except EvaluationError as error:
                self.errors[world] = error
        self._forget(self.errors.keys())
        self._differ[unit.name] = frozenset(
            world for world, new in found.items() if base is None or new.rows != base.rows
        )
        self._found[unit.name] = found
        return dict(sorted(found.items()))

    def _alone(self, names: Iterable[str]) -> int | None:
        """The one world that matters, or the one of them in which something of ``names`` is not the base's."""
        differ = self.live
        if not self._nearby and len(self.live) > 1:
            differ = {world for name in names for world in self._differ.get(name, _NOWHERE)} & self.live
        return min(differ) if len(differ) == 1 else None

    def _ask(
        self, unit: InfoUnit, query: str, alone: int | None, *, keep: bool = False
    ) -> tuple[list[str], list[str], dict[int, _Rows]]:
        """Columns, types and, by world, rows of a query: in each world that matters, or in one ``alone``.

        With ``keep`` they are also the unit's table by world, where the others then have the rows of the base.
        """
        self._remember()
        here = f'"{_WORLD}"."{_WORLD}"' if alone is None else "?::integer"
        split = self._split(self._program.reads(unit, query))
        shadows = ", ".join(
            f'"{name}" as (select {", ".join(self._columns(name))} from {self._table(name)} own'
            f' where own."{_WORLD}" = {here})'
            for name in split
        )
        shadowed = f"with {shadows} from ({query})" if shadows else query
        source = f'"{_WORLD}", lateral ({shadowed})' if alone is None else f"({shadowed})"
        text, which = f'select {here} as "{_WORLD}", mine.* from {source} mine', [] if alone is None else [alone]
        which *= 1 + len(split)
        try:
            if keep:
                if alone is not None and len(self.live) > 1:
                    text += f' union all from "{_WORLD}", "{unit.name}" where "{_WORLD}" <> ?'
                    which.append(alone)
                self._database.create_as(f"{unit.name}{_WORLD}", text, which)
                text, which = f'from "{unit.name}{_WORLD}"', []
                if alone is not None:
                    text, which = f'{text} where "{_WORLD}" = ?', [alone]
            names, types, rows = self._database.select(text, which)
        except GraphError as error:
            raise EvaluationError(unit.name, error.message) from error
        worlds = sorted(self.live) if alone is None else [alone]
        found: dict[int, list[tuple[Any, ...]]] = {world: [] for world in worlds}
        for world, *row in rows:
            found[world].append(tuple(row))
        return names[1:], types[1:], {world: tuple(mine) for world, mine in found.items()}

    def _columns(self, name: str) -> list[str]:
        return [f'"{column}"' for column in self._program.known[name]]

    def _table(self, name: str) -> str:
        """The table of a unit's rows by world; that of a provided unit is made when it is first read."""
        table = f"{name}{_WORLD}"
        if name in self._base and name not in self._found and name not in self._made:
            try:
                self._make(self._evaluator.graph.unit(name), table)
            except GraphError as error:
                raise error if isinstance(error, EvaluationError) else EvaluationError(name, error.message) from error
            self._made.add(name)
        return f'"{table}"'

    def _make(self, unit: InfoUnit, table: str) -> None:
        """Rows by world. Where they are few, as they are; else those of the base but for what a world lacks or adds."""
        columns = {name: self._kind(unit, name) for name in self._program.known[unit.name]}
        all_rows = [(world, *row) for world in sorted(self.live) for row in self._worlds[world][unit.name].rows]
        if len(all_rows) * len(columns) <= _FEW:
            self._database.table(table, {_WORLD: "INTEGER", **columns}, all_rows)
            return
        ids = self._evaluator.numbered(unit.name)
        before = Counter(self._base[unit.name].rows)
        gone: list[tuple[int, int]] = []
        more: list[tuple[Any, ...]] = []
        for world in sorted(self._differ[unit.name] & self.live):
            after = Counter(self._worlds[world][unit.name].rows)
            gone += [(world, number) for row, times in (before - after).items() for number in ids[row][:times]]
            more += [(world, *row) for row in (after - before).elements()]
        cells = ", ".join(f'"{name}"::{kind} as "{name}"' for name, kind in columns.items())
        self._database.create_as(
            table,
            f'select "{_WORLD}", {cells} from "{_WORLD}" cross join (select rowid as "{_ROW}", * from "{unit.name}")'
            f' anti join (select unnest(?::integer[]), unnest(?::bigint[])) gone("{_WORLD}", "{_ROW}")'
            f' using ("{_WORLD}", "{_ROW}")',
            list(map(list, zip(*gone, strict=True))) or [[], []],
        )
        self._database.append(table, more)

    def _kind(self, unit: InfoUnit, name: str) -> str:
        """The type of a provided column; with ``nearby`` numbers have a place more."""
        kind = unit.column(name).type
        return f"DECIMAL(18,{kind.scale + 1})" if self._nearby and "DECIMAL" in kind.sql else kind.sql

    def _forget(self, worlds: Collection[int]) -> None:
        if not self.live.isdisjoint(worlds):
            self.live -= set(worlds)
            self._dirty = True

    def _remember(self) -> None:
        """The table of the worlds that matter."""
        if not self._dirty:
            return
        self._dirty = False
        self._database.table(_WORLD, {_WORLD: "INTEGER"}, [(world,) for world in sorted(self.live)])
